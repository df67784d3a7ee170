"""Which label to give: the class to look for, and from which probability."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QLabel

from studio.analysis.answers.predictions import DecisionFigures
from studio.document.decision import Decision
from studio.gui.base.theme import GRID
from studio.gui.pages.results.views import decide_model as model
from studio.gui.pages.results.views.decide_figures import COSTS, CURVES, ROC, decision_figure
from studio.gui.pages.results.views.decide_form import DecideForm
from studio.gui.plots.base.asking import Query, ResultView, Tools
from studio.gui.plots.base.still import StillFigure
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flow
from studio.language import tr, translate

_HEIGHT = 290
"""Height of the pictures in pixels at a scale of 1."""


class Decide(ResultView):
    """For two classes: try a threshold or costs, see what they give on test rows, keep them."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._run: tuple[RunView, bool] | None = None
        self._known: tuple[int, Decision | None] = (0, None)
        self._found: DecisionFigures | None = None
        self._of = model.Tried()
        self._curve = ROC
        self._asker = tools.asks("decision", DecisionFigures, self._answered, self._refused)
        kit.column(self._build_form(), self._build_outcome(), None, on=self, spacing=2 * GRID)

    # ---- layout

    def _build_form(self) -> QFrame:
        self.form = DecideForm()
        self.form.changed.connect(self._ask)
        self._rule = kit.label("", wrap=True, selectable=True)
        self._kept = kit.label("", "small", wrap=True, selectable=True)
        self.keep_button = kit.button(
            tr("Use this decision"),
            self._keep,
            kind="primary",
            tip=tr("Save it in the document: predictions, exports and the report use it"),
        )
        self.clear_button = kit.button(
            tr("Back to the ensemble's own labels"),
            self._clear,
            tip=tr("Discard the decision; this can be undone"),
        )
        title = tr("Which class are you looking for, and from which probability?")
        buttons = kit.row(self.keep_button, self.clear_button, (self._kept, 1))
        return kit.carded(kit.label(title, "section", wrap=True), self.form, self._rule, buttons)

    def _build_outcome(self) -> QFrame:
        self._rows = kit.label("", "section", wrap=True)
        self._money = kit.label("", wrap=True, selectable=True)
        self._note = kit.label("", "small", wrap=True)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(3 * GRID)
        self._cells: list[list[QLabel]] = []
        group = QButtonGroup(self)
        self.curves = {
            key: kit.chip(tr(text), partial(self._choose, key), group=group)
            for key, text in CURVES.items()
        }
        self._picture = StillFigure(_HEIGHT)
        chips = Flow(*self.curves.values(), gap=GRID)
        table = kit.row(self._grid, None)
        self._outcome = kit.carded(
            self._rows, self._money, chips, self._picture, GRID, table, self._note
        )
        return self._outcome

    # ---- asking

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show what is decided about the run; what is tried stays while it is the same run."""
        before, self._known = self._known, (view.row.id, view.row.decision)
        self._run = (view, ready)
        if before != self._known:
            self.form.show_tried(model.Tried.of(view.row.decision))
        if before[0] != view.row.id:
            self._found = None
            self._asker.forget()
        self._show()
        self._ask()

    def _ask(self) -> None:
        if self._run is None or not self.isVisible():
            return
        view, _ = self._run
        path, asked = str(self.tools.session.path), self.form.tried.asked
        refitted = view.row.result and view.row.result.refitted
        moment = (len(view.trials), refitted, view.row.decision, *asked.items())
        arguments = {"path": path, "run_id": view.row.id, **asked}
        self._asker.ask(Query(arguments, (path, view.row.id), moment))

    def _answered(self, query: Query, answer: DecisionFigures) -> None:
        self._found, self._of = answer, model.Tried.answered(query.arguments, answer)
        if not answer.reason:
            self.form.offer(answer.classes)
            self.form.show_tried(self.form.tried.learned(self._of))
        self._show()

    def _refused(self, message: str) -> None:
        self._found = DecisionFigures(reason=message)
        self._show()

    # ---- showing

    def _show(self) -> None:
        found = self._found
        there = found is not None and not found.reason
        for part in (self._outcome, self.form, self._kept, self.keep_button, self.clear_button):
            part.setVisible(there)
        if found is None:
            self._rule.setText(tr("Reading the ensemble's predictions…"))
        elif found.reason:
            self._rule.setText(translate(found.reason))
        elif self._run is not None:
            self._show_found(found, self._of, *self._run)

    def _show_found(
        self, found: DecisionFigures, tried: model.Tried, view: RunView, ready: bool
    ) -> None:
        kept = view.row.decision
        self._rule.setText(model.rule_words(found, tried))
        note = view.row.decision_note
        self._kept.setText(model.kept_words(kept, note))
        kept_already = model.same(kept, tried.decision(found)) and not note
        self.keep_button.setEnabled(ready and not kept_already)
        self.clear_button.setVisible(kept is not None)
        self._rows.setText(model.rows_words(found))
        money = model.money_words(found, tried)
        kit.show_text(self._money, money)
        note = model.note_words(found)
        kit.show_text(self._note, note)
        self.curves[COSTS].setVisible(tried.costs is not None)
        if self._curve == COSTS and not len(found.cost_at):
            self._curve = ROC
        self.curves[self._curve].setChecked(True)
        heading, lines = model.table(found, tried)
        self._show_table([heading, *lines])
        figure = decision_figure(found, tried, self._curve)
        self._picture.show_figure(figure, tr("Confusion matrix and curve"))

    def _show_table(self, lines: Sequence[Sequence[str]]) -> None:
        """Write lines of a table, the first of them its heading, into labels that stay."""
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        while len(self._cells) < len(lines):
            self._cells.append([])
        for row, labels in enumerate(self._cells):
            texts = lines[row] if row < len(lines) else ()
            while len(labels) < len(texts):
                column = len(labels)
                made = kit.label("", "" if row and column < 2 else "muted", selectable=True)
                self._grid.addWidget(made, row, column, right if column else left)
                labels.append(made)
            for column, label in enumerate(labels):
                label.setVisible(column < len(texts))
                label.setText(texts[column] if column < len(texts) else "")

    # ---- deciding

    def _choose(self, curve: str) -> None:
        self._curve = curve
        self._show()

    def _keep(self) -> None:
        if self._run is not None and self._found is not None:
            decision = self._of.decision(self._found)
            self.tools.session.decisions.keep(self._run[0].row.id, decision)

    def _clear(self) -> None:
        if self._run is not None:
            self.tools.session.decisions.keep(self._run[0].row.id, None)
