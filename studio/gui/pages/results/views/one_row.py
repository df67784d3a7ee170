"""One row: what the ensemble says of it, how sure that is, why, and what would change it."""

from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from studio.analysis.answers.rows import OwnRow, RowForm, RowPrediction, RowReasons, Value
from studio.gui.base.theme import GRID
from studio.gui.pages.results.cards.refit_card import RefitCard
from studio.gui.pages.results.one_row.findings import Findings
from studio.gui.pages.results.one_row.form import RowCard
from studio.gui.pages.results.one_row.model import RowModel
from studio.gui.plots.base.asking import Query, ResultView, Tools
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.language import tr, translate

SETTLED = 250
"""Milliseconds without a keystroke after which a changed row is asked about."""


class OneRow(ResultView):
    """A form at the left, what the kept ensemble says of it at the right."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self.model = RowModel()
        self._view: RunView | None = None
        self._path: Path | None = None  # of the document
        self._asks = 0
        self._given: tuple[tuple[Value, ...], str] | None = None  # until there is a form to fill in
        self.card = RowCard(self.model)
        self.card.edited.connect(self._changed)
        self.card.refused.connect(self._hold)
        self.card.row_wanted.connect(self._take)
        self.findings = Findings(self.model)
        self.findings.value_wanted.connect(self._try)
        self.findings.amount_wanted.connect(self._count)
        self.why_not = kit.label("", "muted", wrap=True)
        self.refitting = RefitCard(tools.session, tools.lane)
        self._settling = QTimer(self, singleShot=True, interval=SETTLED)
        self._settling.timeout.connect(self._ask)
        self._forms = tools.asks("row_form", RowForm, self._formed, self._refused)
        self._rows = tools.asks("table_row", OwnRow, self._took, self._no_row)
        self._predictions = tools.asks(
            "row_prediction", RowPrediction, self._predicted, self._no_row
        )
        self._reasons = tools.asks("row_reasons", RowReasons, self._reasoned)
        self._build()
        self._say(tr("Reading the trained ensemble…"))

    def _build(self) -> None:
        self._empty = kit.carded(kit.label(tr("One row"), "section"), self.why_not)
        self._full = QWidget()
        self._sides = kit.row(
            (self.card, 5, Qt.AlignmentFlag.AlignTop),
            (self.findings, 6),
            spacing=2 * GRID,
        )
        self._one_column = kit.column(self._sides, on=self._full, spacing=2 * GRID)
        kit.column(self._empty, self.refitting, self._full, None, on=self, spacing=2 * GRID)
        self._narrow = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put one below the other where both have no room: the answer, the form, its reasons."""
        super().resizeEvent(event)
        right = max(
            each.minimumSizeHint().width() for each in (self.findings, self.findings.prediction)
        )
        needed = self.card.minimumSizeHint().width() + right + self._sides.spacing()
        narrow = self.area.viewport().width() < needed
        if narrow == self._narrow:
            return
        self._narrow = narrow
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._sides.setDirection(way)
        if narrow:
            self._one_column.insertWidget(0, self.findings.prediction)
        else:
            self.findings.take_back()

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Ask about this run's ensemble, if somebody looks and the document keeps it."""
        path = self.tools.session.path
        if self._view is not None and (path, view.row.id) != (self._path, self._view.row.id):
            self._leave()
        if path != self._path:
            self._given = None
            self.model.forget()
        self._path, self._view = path, view
        if not ready:
            self._forms.forget()
            self._say(tr("Available once the run has ended with an ensemble."))
        elif self.isVisible() and view.row.result is not None:
            arguments = self._of_run(view)
            moment = (repr(view.row.result), view.row.decision)
            self._forms.ask(Query(arguments, tuple(arguments.values()), moment))

    def _of_run(self, view: RunView) -> dict[str, object]:
        return {"path": str(self.tools.session.path), "run_id": view.row.id}

    def _leave(self) -> None:
        """Forget what was asked of another run."""
        self._hold()
        self._forms.forget()
        self._say(tr("Reading the trained ensemble…"))

    def _say(self, text: str) -> None:
        """Show a sentence instead of the form."""
        self.why_not.setText(text)
        self._empty.show()
        self._full.hide()
        self.refitting.hide()

    def _refused(self, message: str) -> None:
        self._say(translate(message))

    def _formed(self, query: Query, form: RowForm) -> None:
        del query
        if form.reason:
            self._say_unkept(form.reason)
            return
        fresh = form.columns != self.model.form.columns
        self.model.use(form)
        if fresh:
            self.card.build()
        else:
            self.card.show_values()
        self.findings.show_form()
        self._empty.hide()
        self.refitting.hide()
        self._full.show()
        self._changed()
        if self._given is not None:
            self.fill(*self._given)
            return
        if self.model.taken is not None:  # another run may have learned from other rows
            self._take(self.model.row)

    def _say_unkept(self, reason: str) -> None:
        """Say why there is nothing to ask, and what can be done."""
        assert self._view is not None
        self._say(translate(reason))
        # What was kept by other versions of the libraries, or is damaged, can be kept again.
        result = self._view.row.result
        self.refitting.show_run(self._view, wanted=bool(result and result.kept_bytes))

    # ---- the row

    def fill(self, values: tuple[Value, ...], where: str) -> None:
        """Fill in a row of another table, once the form is there; ``where`` it is from is said."""
        if self._full.isHidden():
            self._given = values, where
            return
        self._given = None
        self.card.say("")
        self.model.fill(values, where)
        self.card.show_values()
        self._ask()

    def _take(self, row: int) -> None:
        assert self._view is not None
        arguments = self._of_run(self._view) | {"row": row}
        self._rows.ask(Query(arguments, row, self._anew()))

    def _hold(self) -> None:
        """Forget what was asked about the row, and grey out what was said of it."""
        self._settling.stop()
        for each in (self._rows, self._predictions, self._reasons):
            each.forget()
        self.findings.hold()

    def _took(self, query: Query, found: OwnRow) -> None:
        self.card.say("")
        self.model.take(int(query.arguments["row"]), found)
        self.card.show_values()
        self._ask()

    def _no_row(self, message: str) -> None:
        self._hold()
        self.card.say(translate(message))

    def _try(self, place: int, value: object) -> None:
        assert isinstance(value, float | str)
        self.model.put(place, value)
        self.card.show_values()
        self._ask()

    def _count(self, amount: float) -> None:
        self.model.amount = amount
        self.card.show_values()
        self._changed()

    def _changed(self) -> None:
        self.card.say("")
        self.findings.wait()
        self._settling.start()

    # ---- what is said of it

    def _ask(self) -> None:
        """Ask for the prediction at once, and for its reasons after it."""
        self._settling.stop()
        if self._view is None or self.card.wrong:
            self.findings.hold()
            return
        self.findings.wait()
        self._reasons.forget()
        arguments = self._of_run(self._view) | {"values": list(self.model.values)}
        self._predictions.ask(Query(arguments, repr(arguments), self._anew()))

    def _anew(self) -> int:
        """Return what makes a question another one, although it asks for the same."""
        self._asks += 1
        return self._asks

    def _predicted(self, query: Query, prediction: RowPrediction) -> None:
        self.findings.show_prediction(prediction)
        self._ask_why(query)

    def _ask_why(self, query: Query) -> None:
        if not self.isVisible():
            return
        arguments = query.arguments | {"amount": self.model.amount}
        self._reasons.ask(Query(arguments, repr(arguments), self._anew()))

    def _reasoned(self, query: Query, reasons: RowReasons) -> None:
        self.findings.show_reasons(reasons)
        if not reasons.done:
            self._reasons.ask(Query(query.arguments, query.kind, self._anew()))
