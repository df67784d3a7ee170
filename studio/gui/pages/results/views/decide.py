"""Decision view: the positive class, and the probability threshold."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QSlider,
    QWidget,
)

from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
from studio.analysis.decision_text import format_rows
from studio.arrays import Floats
from studio.data.metrics.curves import Curve, to_step_curve
from studio.document.decision import Decision
from studio.figures.compose import make_confusion_panel, make_reference_line, make_unit_panel
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import ENSEMBLE, MUTED, SINGLE, TEXT, make_series_ink
from studio.figures.marks import Dots, Line, Mark, Rule
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.pages.results.views import decide_model as model
from studio.gui.pages.results.views.decide_model import (
    DecisionDraft,
    make_confusion_matrix,
    shorten_class,
)
from studio.gui.plots.base.helper_requests import Query, ResultView, ViewContext
from studio.gui.plots.base.static_figure import StaticFigure
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field, NumberEdit, make_positive_parser, parse_percentage
from studio.gui.widgets.flow import FlowLayout
from studio.helper.computations import compute_decision_figures
from studio.language import N_, format_share, number, tr, translate
from studio.measure import round_threshold, strip_unit_mark

STEPS = 1000


class DecideForm(QWidget):
    """The inputs, combined in :attr:`draft`."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.draft = DecisionDraft()
        self.classes: dict[str, QPushButton] = {}
        self._chips = FlowLayout(gap=GRID)
        self._positive_class_label = kit.label(tr("Class to find:"))
        self._chips.addWidget(self._positive_class_label)
        self._class_group = QButtonGroup(self)
        rule_group = QButtonGroup(self)

        def make_rule_chip(rule: str, text: str, tip: str) -> QPushButton:
            choose = partial(self._change, threshold_rule=rule)
            return kit.chip(text, choose, tip=tip, group=rule_group)

        tip = tr("The threshold that balances rows found and false alarms best (F1 score)")
        self.by_f1 = make_rule_chip("f1", tr("Balanced"), tip)
        tip = tr("Set the threshold: the probability from which rows get the label")
        self.by_threshold = make_rule_chip("hand", tr("Manually"), tip)
        tip = tr("Enter the cost of each error to find the cheapest threshold")
        self.by_costs = make_rule_chip("costs", tr("Costs"), tip)
        tip = tr("Enter how many rows you can handle to find the threshold")
        self.by_capacity = make_rule_chip("capacity", tr("Capacity"), tip)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 20)
        self.slider.setAccessibleName(tr("Threshold"))
        self.slider.setToolTip(tr("The probability from which rows get the label"))
        self.slider.valueChanged.connect(self._on_slider)
        self.threshold = NumberEdit(parse_percentage, self._set_threshold)
        tip = tr("A row gets the label if the class is at least this probable")
        self._probability = Field(
            tr("Probability"), self.threshold, unit="%", tip=tip, width=16 * GRID
        )
        self._threshold_inputs = QWidget()
        kit.row(self._probability, self.slider, parent=self._threshold_inputs, spacing=2 * GRID)
        self.miss = NumberEdit(make_positive_parser(), lambda value: self._change(miss_cost=value))
        self.alarm = NumberEdit(
            make_positive_parser(), lambda value: self._change(alarm_cost=value)
        )
        self._miss_field = Field(
            tr("A miss costs"), self.miss, tip=tr("Cost of missing a positive row")
        )
        tip = tr("Cost of labelling a row of the other class as this one")
        self._alarm_field = Field(tr("A false alarm costs"), self.alarm, tip=tip)
        self._costs_widget = QWidget()
        self._costs_note_label = kit.label(
            tr("In any unit, such as hours or an amount of money: the same for both."), "small"
        )
        inputs = kit.row(self._miss_field, self._alarm_field, None, spacing=2 * GRID)
        kit.column(inputs, self._costs_note_label, parent=self._costs_widget, spacing=4)
        self.capacity_edit = NumberEdit(parse_percentage, self._set_share)
        tip = tr("Maximum share of rows with the label")
        text = tr("I can handle")
        self._capacity = Field(
            text, self.capacity_edit, unit=tr("% of the rows"), tip=tip, width=28 * GRID
        )
        title = kit.label(tr("Threshold:"))
        self._captions = (self._positive_class_label, title)
        rule_chips = (self.by_f1, self.by_threshold, self.by_costs, self.by_capacity)
        for each in (title, *rule_chips):
            self._chips.addWidget(each)
        kit.column(
            self._chips, self._threshold_inputs, self._costs_widget, self._capacity, parent=self
        )
        self.show_draft(DecisionDraft())

    def changeEvent(self, event: QEvent) -> None:
        """Centre the captions beside the chips, once a style sheet applies."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            for each in self._captions:
                each.setMinimumHeight(self.by_costs.sizeHint().height())

    def show_draft(self, draft: DecisionDraft) -> None:
        """Set the inputs without emitting a signal."""
        self.draft = draft
        for name, chip in self.classes.items():
            chip.setChecked(name == draft.positive_class)
        inputs_by_rule = {
            "f1": (self.by_f1, self._threshold_inputs),
            "hand": (self.by_threshold, self._threshold_inputs),
            "costs": (self.by_costs, self._costs_widget),
            "capacity": (self.by_capacity, self._capacity),
        }
        for rule, (chip, fields) in inputs_by_rule.items():
            chip.setChecked(rule == draft.threshold_rule)
            fields.setVisible(fields is inputs_by_rule[draft.threshold_rule][1])
        self.slider.blockSignals(True)
        self.slider.setValue(round(STEPS * draft.threshold))
        self.slider.blockSignals(False)
        self.threshold.show_value(round_threshold(draft.threshold))
        self.miss.show_value(draft.miss_cost)
        self.alarm.show_value(draft.alarm_cost)
        self.capacity_edit.show_value(float(f"{100 * draft.capacity:.4g}"))

    def set_currency(self, currency: str) -> None:
        """Set the unit of the costs: the table's currency, if any."""
        for each in (self._miss_field, self._alarm_field):
            each.set_unit(strip_unit_mark(currency))
        self._costs_note_label.setVisible(not currency)

    def set_classes(self, classes: tuple[str, ...]) -> None:
        """Set the classes from which the positive one is chosen."""
        if tuple(self.classes) == classes:
            return
        for chip in self.classes.values():
            self._chips.removeWidget(chip)
            chip.deleteLater()
        self.classes = {name: self._add_class_chip(name) for name in classes}
        for index, chip in enumerate(self.classes.values()):
            self._chips.insert(1 + index, chip)

    def _add_class_chip(self, name: str) -> QPushButton:
        tip = tr("Find rows of class “{name}”", name=name)
        choose = partial(self._set_positive_class, name)
        return kit.chip(name, choose, tip=tip, group=self._class_group)

    def _set_positive_class(self, name: str) -> None:
        self._set_decision(self.draft.for_class(name))

    def _on_slider(self, value: int) -> None:
        self._change(threshold=value / STEPS, threshold_rule="hand")

    def _set_threshold(self, value: object) -> None:
        assert isinstance(value, float)
        self._change(threshold=value / 100, threshold_rule="hand")

    def _set_share(self, value: object) -> None:
        assert isinstance(value, float)
        self._change(capacity=value / 100)

    def _change(self, **changes: object) -> None:
        self._set_decision(replace(self.draft, **changes))  # type: ignore[arg-type]

    def _set_decision(self, draft: DecisionDraft) -> None:
        if draft != self.draft:
            self.show_draft(draft)
            self.changed.emit()


ROC, PRECISION, GAINS, COSTS = "roc", "precision", "gains", "costs"

_MATRIX_WIDTH = 300
"""Width of the confusion matrix in pixels."""


def make_decision_figure(figures: DecisionFigures, curve: str) -> Figure:
    """Return the confusion matrix and a curve with the operating point."""
    _, make = CURVES[curve]
    panel, marks, rest = make(figures)
    names = [shorten_class(each) for each in figures.classes]

    def format_count(count: float, share: float, *codes: int) -> str:
        del codes
        return f"{format_rows(count)}\n{format_share(share, 0)}"

    labels = (tr("labelled"), tr("true class"))
    counts = np.array(make_confusion_matrix(figures))
    cells, heatmap = make_confusion_panel(names, counts, format_count, labels)
    panels = [replace(cells, fixed_width=_MATRIX_WIDTH), replace(panel, column=1)]
    curve_marks = [replace(mark, panel=1) for mark in marks]
    return Figure(panels, [heatmap, *curve_marks], default_text=rest)


CurveParts = tuple[Panel, list[Mark], str]


def _make_roc(figures: DecisionFigures) -> CurveParts:
    panel = make_unit_panel(tr("false alarms (% of the others)"), tr("found: recall (%)"))
    chance = np.array([0.0, 1.0])
    points = [(each.false_positive_rate, each.recall) for each in _list_confusions(figures)]
    caption = tr("area under the curve {area}", area=number(figures.roc.area, ".3f"))
    return panel, _make_curve_marks(figures.roc, chance, points), caption


def _make_precision_recall(figures: DecisionFigures) -> CurveParts:
    y_label = tr("correct among those selected: precision (%)")
    panel = make_unit_panel(tr("found: recall (%)"), y_label)
    chance = np.full(2, figures.threshold_confusion.all_positive.precision)
    points = [(each.recall, each.precision) for each in _list_confusions(figures)]
    caption = tr("average precision {area}", area=number(figures.precision.area, ".3f"))
    return panel, _make_curve_marks(to_step_curve(figures.precision), chance, points), caption


def _make_gains(figures: DecisionFigures) -> CurveParts:
    panel = make_unit_panel(tr("rows selected (% of all)"), tr("found: recall (%)"))
    points = [(each.positive_rate, each.recall) for each in _list_confusions(figures)]
    marks = _make_curve_marks(figures.gains, np.array([0.0, 1.0]), points)
    share, found = points[0]
    if not share:
        return panel, marks, ""
    caption = tr(
        "selecting {share} of the rows finds {found}: {lift} times as many as by chance (lift)",
        share=format_share(share, 0),
        found=format_share(found, 0),
        lift=number(found / share, ".2g"),
    )
    return panel, marks, caption if np.isfinite(found / share) else ""


def _list_confusions(figures: DecisionFigures) -> list[ConfusionCounts]:
    """Return the counts with the tried threshold, and without a decision."""
    return [figures.threshold_confusion, figures.method_confusion]


def _make_costs(figures: DecisionFigures) -> CurveParts:
    unit = strip_unit_mark(figures.currency)
    title = tr("cost of 100 rows") + (f" ({unit})" if unit else "")
    judged_costs, chosen_costs = 100 * figures.cost_evaluated, 100 * figures.cost_chosen
    test = figures.evaluation_split == "test"
    x, name = figures.cost_thresholds, tr("test rows") if test else tr("validation rows")
    lines: list[Mark] = [
        Line(x=x, y=judged_costs, ink=make_series_ink(ENSEMBLE), name=name),
        Rule(position=figures.threshold, ink=TEXT, name=tr("this threshold")),
    ]
    if len(chosen_costs):
        ink, name = make_series_ink(SINGLE), tr("validation rows (used to choose)")
        lines.insert(0, Line(x=x, y=chosen_costs, ink=ink, dashed=True, name=name))
    top = 1.05 * max(judged_costs.max(initial=0.0), chosen_costs.max(initial=0.0)) or 1.0
    x_axis = make_unit_panel(tr("threshold: probability (%)"), "").x
    return Panel(x=x_axis, y=Axis(title, 0.0, top, is_fitted_to_labels=True)), lines, ""


CURVES = {
    ROC: (N_("Found and false alarms (ROC)"), _make_roc),
    PRECISION: (N_("Precision and recall"), _make_precision_recall),
    GAINS: (N_("Gains (lift)"), _make_gains),
    COSTS: (N_("Costs"), _make_costs),
}
"""The curves by key, in the order of their buttons: text and function."""


def _make_curve_marks(
    curve: Curve, chance: Floats, points: list[tuple[float, float]]
) -> list[Mark]:
    """Return a curve, the chance level, (2,), and the operating points (tried and default)."""
    (x, y), (default_x, default_y) = np.array(points)[:, :, None]  # arrays of one value
    without, name = tr("without a decision"), tr("this threshold")
    return [
        replace(make_reference_line(chance, tr("by chance")), depth=None),
        Line(x=curve.x, y=curve.y, ink=make_series_ink(ENSEMBLE), name=tr("ensemble")),
        Dots(x=default_x, y=default_y, shape="ring", size=13.0, ink=MUTED, name=without),
        Dots(x=x, y=y, size=11.0, ink=TEXT, name=name),
    ]


_MIN_FIGURE_HEIGHT, _FIGURE_HEIGHT = 210, 290
"""Height of the figures in pixels at a scale of 1."""


_SENTENCE_HEIGHT = 46
"""Height of the sentence about the decision: three lines of small type, at a scale of 1."""


class DecisionView(ResultView):
    """Try a threshold or costs for two classes, see the effect on test rows, and store them."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._run: tuple[RunView, bool] | None = None
        self._stored_decision: tuple[int, Decision | None] = (0, None)
        self._origin: RunView | None = None  # the run that offers its decision
        self._figures: DecisionFigures | None = None
        self._answered_draft = model.DecisionDraft()
        self._curve = ROC
        # Deferred: Qt ignores a height that changes during a layout.
        self._figure_timer = QTimer(self, singleShot=True, interval=0)
        self._figure_timer.timeout.connect(self._resize_figure)
        self._requester = context.requesters(
            compute_decision_figures, self._on_figures, self._on_error
        )
        kit.column(self._build_form(), self._build_outcome(), None, parent=self, spacing=2 * GRID)

    # ---- layout

    def _build_form(self) -> QFrame:
        self.form = DecideForm()
        self.form.changed.connect(self._request_figures)
        self._rule_label = kit.label("", wrap=True, selectable=True)
        self._stored_label = kit.label("", "small", wrap=True, selectable=True)
        tip = tr("Save it in the document: predictions, exports and the report use it")
        self.keep_button = kit.button(
            tr("Use this decision"), self._store_decision, kind="primary", tip=tip
        )
        tip = tr("Rows get the predicted class again; this can be undone")
        self.clear_button = kit.button(tr("Remove the decision"), self._clear, tip=tip)
        # Space is reserved for both labels, so that the first decision moves nothing.
        self._stored_label.setMinimumHeight(theme.pixels(_SENTENCE_HEIGHT))
        policy = self.clear_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.clear_button.setSizePolicy(policy)
        self._buttons = QWidget()
        self._buttons.setLayout(
            kit.row(self.keep_button, (self._stored_label, 1), self.clear_button)
        )
        text = tr("Which class are you looking for, and from what probability?")
        return kit.make_card(
            kit.label(text, "section", wrap=True), self.form, self._rule_label, self._buttons
        )

    def _build_outcome(self) -> QFrame:
        self._rows_label = kit.label("", "section", wrap=True)
        self._costs_label = kit.label("", wrap=True, selectable=True)
        self._note_label = kit.label("", "small", wrap=True)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(3 * GRID)
        self._cells: dict[tuple[int, int], QLabel] = {}  # by row and column
        group = QButtonGroup(self)
        self.curves = {
            key: kit.chip(tr(text), partial(self._choose, key), group=group)
            for key, (text, _) in CURVES.items()
        }
        self._picture = StaticFigure(_FIGURE_HEIGHT)
        chips = FlowLayout(*self.curves.values(), gap=GRID)
        table = kit.row(self._grid, None)
        self._outcome = kit.make_card(
            self._rows_label, self._costs_label, chips, self._picture, GRID, table, self._note_label
        )
        return self._outcome

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the figure into the visible height, unless it would become too low."""
        super().resizeEvent(event)
        self._figure_timer.start()

    def _resize_figure(self) -> None:
        """Fit the plot into the remaining visible height."""
        top = self._picture.canvas.mapTo(self, QPoint()).y()
        available_height = round((self.area.viewport().height() - top - 2 * GRID) / theme.scale())
        self._picture.set_height(min(_FIGURE_HEIGHT, max(_MIN_FIGURE_HEIGHT, available_height)))

    # ---- requests

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show the run's stored decision; inputs stay while it is the same run."""
        previous, self._stored_decision = self._stored_decision, (view.row.id, view.row.decision)
        self._run = (view, ready)
        if previous != self._stored_decision:
            self._origin = None if view.row.decision else self._find_earlier_decision(view)
            decision = self._origin.row.decision if self._origin else view.row.decision
            self.form.show_draft(model.DecisionDraft.from_decision(decision))
        if previous[0] != view.row.id:
            self._figures = None
            self._requester.clear()
        self._show()
        self._request_figures()

    def _find_earlier_decision(self, view: RunView) -> RunView | None:
        """Return the latest other run on the same table with a decision."""
        others = self.tools.session.runs.list_runs_with_same_table(view.row.id)
        return next((each for each in others if each.row.decision is not None), None)

    def _request_figures(self) -> None:
        if self._run is None or not self.isVisible():
            return
        view, _ = self._run
        path, query_arguments = str(self.tools.session.path), self.form.draft.query_arguments
        refitted = view.row.result and view.row.result.refitted
        version = (len(view.trials), refitted, view.row.decision, *query_arguments.items())
        arguments = {"path": path, "run_id": view.row.id, **query_arguments}
        self._requester.submit(Query(arguments, (path, view.row.id), version))

    def _on_figures(self, query: Query, answer: DecisionFigures) -> None:
        self._figures = answer
        self._answered_draft = model.DecisionDraft.from_answer(query.arguments, answer)
        if not answer.reason:
            self.form.set_classes(answer.classes)
            self.form.set_currency(answer.currency)
            self.form.show_draft(self.form.draft.with_answer(self._answered_draft))
        self._show()

    def _on_error(self, message: str) -> None:
        self._figures = DecisionFigures(reason=message)
        self._show()

    # ---- display

    def _show(self) -> None:
        figures = self._figures
        has_figures = figures is not None and not figures.reason
        for part in (self._outcome, self.form, self._buttons):
            part.setVisible(has_figures)
        if figures is None:
            self._rule_label.setText(tr("Reading the ensemble's predictions…"))
        elif figures.reason:
            self._rule_label.setText(translate(figures.reason))
        elif self._run is not None:
            self._show_decision(figures, self._answered_draft, *self._run)

    def _show_decision(
        self, figures: DecisionFigures, draft: model.DecisionDraft, view: RunView, ready: bool
    ) -> None:
        decision = view.row.decision
        self._rule_label.setText(model.describe_rule(figures, draft))
        note = view.row.decision_note
        stored_text = model.describe_decision(decision, note)
        if self._origin is not None:
            stored_text = model.describe_offered_decision(view.row.name, self._origin.row.name)
        self._stored_label.setText(stored_text)
        is_kept = model.is_stored(decision, draft.make_decision(figures)) and not note
        self.keep_button.setEnabled(ready and not is_kept)
        self.clear_button.setVisible(decision is not None)
        self._rows_label.setText(model.describe_rows(figures))
        kit.show_text(self._costs_label, model.describe_costs(figures, draft))
        kit.show_text(self._note_label, model.describe_caveats(figures))
        self.curves[COSTS].setVisible(draft.costs is not None)
        if self._curve == COSTS and not len(figures.cost_thresholds):
            self._curve = ROC
        self.curves[self._curve].setChecked(True)
        heading, lines = model.make_table(figures, draft)
        self._show_table([heading, *lines])
        figure = make_decision_figure(figures, self._curve)
        self._picture.show_figure(figure, tr("Confusion matrix and curve"))
        self._figure_timer.start()

    def _show_table(self, lines: Sequence[Sequence[str]]) -> None:
        """Set a table's texts, the first row as heading, in existing labels."""
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        texts = {(row, k): text for row, line in enumerate(lines) for k, text in enumerate(line)}
        for row, column in sorted(texts.keys() - self._cells.keys()):
            label = kit.label("", "" if row and column < 2 else "muted", selectable=True)
            self._grid.addWidget(label, row, column, right if column else left)
            self._cells[row, column] = label
        for place, label in self._cells.items():
            kit.show_text(label, texts.get(place, ""))

    # ---- decision

    def _choose(self, curve: str) -> None:
        self._curve = curve
        self._show()

    def _store_decision(self) -> None:
        if self._run is not None and self._figures is not None:
            decision = self._answered_draft.make_decision(self._figures)
            self.tools.session.decisions.store(self._run[0].row.id, decision)

    def _clear(self) -> None:
        if self._run is not None:
            self.tools.session.decisions.store(self._run[0].row.id, None)
