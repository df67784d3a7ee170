"""Strongest reasons for a new row's prediction, in words."""

from collections.abc import Collection, Iterable, Mapping

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame

from studio.analysis.answers.rows import RowForm, RowReasons, TableRow
from studio.figures.waterfall import WaterfallBar
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_breakable
from studio.gui.pages.results.one_row.model import RowModel
from studio.gui.plots.base.helper_requests import HelperRequesterFactory, Query
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.flow import StableHeightColumn
from studio.helper.computations import explain_row, get_table_row, make_row_form
from studio.helper.predicted_rows import make_new_row
from studio.language import group_digits, tr, translate

MAX_REASONS = 3

SELECTION_DELAY_MS = 250
"""Milliseconds for which a row must be selected before its reasons are requested."""


class ReasonsCard(QFrame):
    """Describes the reasons for a row of the run's table (numbered from 1) or for a new row."""

    row_requested = Signal(object, int)
    """A row was opened in the form: its :class:`TableRow`, and its number in the table."""

    def __init__(self, requesters: HelperRequesterFactory, *, for_table_rows: bool = False) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._model = RowModel()
        self._class_code = 0
        self._request: dict[str, object] = {}
        self._blocking_reason = ""
        self._texts: Mapping[str, str] = {}
        self._row: TableRow | None = None
        self._omitted_columns: Collection[str] = ()
        self._number = ""
        self._shown_columns: list[str] = []
        self._forms = requesters(make_row_form, self._on_form, self._on_error)
        self._has_table_rows = for_table_rows
        task = get_table_row if for_table_rows else make_new_row
        self._rows = requesters(task, self._on_row, self._on_error)
        self._reasons = requesters(explain_row, self._on_reasons, self._on_error)
        self._timer = QTimer(self, singleShot=True, interval=SELECTION_DELAY_MS)
        self._timer.timeout.connect(self._request_reasons)
        self.title_label = kit.label("", "section")
        self.reasons_label = kit.label("", wrap=True, selectable=True)
        self.button = kit.button(tr("Open in “One row”"), self._open)
        reasons = StableHeightColumn(self.reasons_label, n_lines=MAX_REASONS)
        kit.row(
            (kit.column(self.title_label, reasons, spacing=4), 1),
            (self.button, 0, Qt.AlignmentFlag.AlignTop),
            parent=self,
            margin=(2 * GRID, GRID, 2 * GRID, GRID),
        )
        self.clear()

    def clear(self) -> None:
        """Clear the content."""
        self._timer.stop()
        for each in (self._rows, self._reasons):
            each.clear()
        self._row = None
        self._enable_button(False)
        self.hide()

    def show_row(
        self,
        arguments: dict[str, object],
        row: int,
        texts: Mapping[str, str],
        code: int,
        omitted_columns: Collection[str] = (),
        *,
        blocking_reason: str = "",
    ) -> None:
        """Request the reasons for a row's prediction, for a class' ``code`` (0 for numbers).

        Columns that make a forecast impossible may be omitted: a warning names them already. With a
        ``blocking_reason`` (:func:`explain_missing_reasons`) there are none.
        """
        self._omitted_columns = omitted_columns
        request, previous = {**arguments, "row": row}, (self._request, self._class_code)
        is_same = (request, code) == previous and blocking_reason == self._blocking_reason
        if is_same and not self.isHidden():
            return
        self._blocking_reason = blocking_reason
        self.clear()
        self._shown_columns = []
        self._request, self._class_code, self._texts = request, code, texts
        self._number = str(row) if self._has_table_rows else group_digits(row + 1)
        self.title_label.setText(tr("Why row {row}?", row=self._number))
        self.reasons_label.setText(blocking_reason or tr("Looking for the strongest reasons…"))
        self.show()
        if not blocking_reason:
            self._timer.start()

    def _enable_button(self, enabled: bool) -> None:
        waiting = tr("Available once the row has been read.")
        tip = tr("All reasons, and what would change the prediction")
        kit.enable_unless(self.button, "" if enabled else self._blocking_reason or waiting, tip)

    def _request_reasons(self) -> None:
        run = {name: self._request[name] for name in ("path", "run_id")}
        self._forms.submit(Query(run, tuple(run.values())))

    def _on_form(self, _: Query, form: RowForm) -> None:
        if self.isHidden():
            return
        if form.reason:
            self._on_error(form.reason)
            return
        self._model.set_form(form)
        self._rows.submit(Query(self._request, repr(self._request)))

    def _on_row(self, query: Query, table_row: TableRow) -> None:
        if query.arguments != self._request:
            return
        self._row = table_row
        self._enable_button(True)
        self._model.values = list(table_row.values)
        arguments = {name: self._request[name] for name in ("path", "run_id")}
        arguments |= {
            "values": list(table_row.values),
            "notable_change": self._model.notable_change,
        }
        self._reasons.submit(Query(arguments, repr(arguments)))

    def _on_reasons(self, query: Query, reasons: RowReasons) -> None:
        if self._row is None:
            return
        # Estimates from few draws still change, so they are marked as preliminary.
        refining = tr("Why row {row}? Refining the amounts…", row=self._number)
        self.title_label.setText(
            tr("Why row {row}?", row=self._number) if reasons.is_complete else refining
        )
        steps = select_strongest(self._model, reasons, self._class_code, self._omitted_columns)
        if not reasons.is_complete:  # preliminary amounts do not change the order
            steps.sort(key=lambda step: [*self._shown_columns, step.name].index(step.name))
        self._shown_columns = [step.name for step in steps]
        sentences = describe_reasons(self._model, steps, self._texts, self._class_code)
        if warning := self._model.explain_unfamiliar_row():
            sentences.append(f"⚠ {warning}")
        self.reasons_label.setText("\n".join(sentences))
        if not reasons.is_complete:
            self._reasons.submit(Query(query.arguments, query.scope))

    def _on_error(self, message: str) -> None:
        self.reasons_label.setText(translate(message))

    def _open(self) -> None:
        if self._row is not None:
            self._reasons.clear()
            self.row_requested.emit(self._row, self._request["row"])


def explain_missing_reasons(view: RunView) -> str:
    """Explain why a run's rows have no reasons, with the remedy; empty if they may have some."""
    result = view.row.result
    if result is None or result.kept_bytes != 0:
        return ""
    reason = tr("Reasons need the trained members, which the document does not contain.")
    return f"{reason} {translate(result.kept_reason)}".strip()


def select_strongest(
    model: RowModel, reasons: RowReasons, code: int, omitted_columns: Collection[str] = ()
) -> list[WaterfallBar]:
    """Return the columns of the largest contributions, in descending order."""
    steps = model.make_steps(reasons, code)
    return [each for each in steps if each.name not in omitted_columns][:MAX_REASONS]


def describe_reasons(
    model: RowModel, steps: Iterable[WaterfallBar], texts: Mapping[str, str], code: int
) -> list[str]:
    """Return a sentence for each reason for a row's prediction."""
    kinds = {each.name: each.kind for each in model.form.columns}
    sentences = []
    for step in steps:
        values = {
            "name": make_breakable(step.name),
            "value": _format_cell(step.value, texts.get(step.name, ""), kinds.get(step.name)),
            "amount": step.text[1:],
        }
        if model.form.classes:
            label = model.form.classes[code]
            increase = tr("{name}: {value} makes “{label}” more probable (+{amount} points)",
                    label=label, **values)  # fmt: skip
            decrease = tr("{name}: {value} makes “{label}” less probable (−{amount} points)",
                      label=label, **values)  # fmt: skip
        else:
            increase = tr("{name}: {value} raises the prediction by {amount}", **values)
            decrease = tr("{name}: {value} lowers the prediction by {amount}", **values)
        sentences.append(f"• {increase if step.contribution >= 0 else decrease}")
    return sentences


def _format_cell(value: str, text: str, kind: str | None) -> str:
    """Format a cell within a sentence: numbers as usual, words as written, in quotation marks."""
    words = text.strip().rstrip(".")
    if kind == "number" or not words:
        return value
    return words if kind == "date" else tr("“{text}”", text=words)
