"""Errors plot: the ensemble's errors by row and kind."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel

from studio.analysis.answers.predictions import ALL_CLASSES, PredictionErrors
from studio.analysis.class_text import describe_weakest_classes
from studio.data.metrics.curves import find_most_confused, find_weakest_classes
from studio.data.metrics.plain_score import ClassRecall
from studio.data.metrics.registry import find_metric
from studio.figures.compose import make_confusion_panel
from studio.figures.figure import ColourScale, Figure, Pointer
from studio.figures.ink import make_series_ink
from studio.figures.marks import Dots, LegendItem
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import GOOD, HelperPlot
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.errors_curves import PRECISION_VIEW, RELIABILITY_VIEW, ROC_VIEW
from studio.gui.plots.quality.errors_model import ErrorsData, ErrorsView, Table, format_row_count
from studio.gui.plots.quality.errors_rows import DISAGREEMENT_VIEW, WORST_ROWS_VIEW, RowList
from studio.gui.plots.quality.errors_values import RESIDUALS_VIEW, SCATTER_VIEW
from studio.gui.widgets import kit
from studio.helper.computations import compute_prediction_errors
from studio.language import N_, format_share, group_digits, ntr, number, tr, translate
from studio.measure import format_quantity, format_threshold
from studio.numerals import NumeralFormat

_MAX_LABELLED_CLASSES = 4
"""Maximum number of classes with labelled cells, including zeros."""

_RIGHT_INK, _WRONG_INK = make_series_ink(0), make_series_ink(5)
"""Inks of the heat map's two hues."""


def _make_confusion_figure(data: ErrorsData) -> Figure:
    """Return the confusion matrix: true classes in rows, predictions in columns."""
    names, counts = data.matrix

    def format_count(count: float, share: float, true: int, answer: int) -> str:
        if not count and true != answer and len(names) > _MAX_LABELLED_CLASSES:
            return ""  # too many cells; most are empty
        count_text = number(count, ",.0f")
        if len(names) > _MAX_LABELLED_CLASSES:
            return f"{count_text}\n{format_share(share, 0)}"
        of_class = tr("{share} of “{name}”", share=format_share(share, 0), name=names[true])
        correctness = tr("right") if true == answer else tr("wrong")
        return f"{count_text} {correctness}\n{of_class}"

    labels = (tr("predicted class"), tr("true class"))
    panel, cells = make_confusion_panel(names, counts, format_count, labels)
    # Cells that name their base need no scale.
    scale = ColourScale(tr("share of the true class's rows"), "0 %", "100 %")
    if len(names) <= _MAX_LABELLED_CLASSES:
        return Figure([panel], [cells])
    hues = [
        LegendItem(ink=_RIGHT_INK, name=tr("right")),
        LegendItem(ink=_WRONG_INK, name=tr("wrong")),
    ]
    return Figure([panel], [cells, *hues], scale=scale)


def _summarise_errors(data: ErrorsData) -> str:
    """Return the number of wrong predictions and the most frequent mistake, in words."""
    counts = data.errors.confusion
    total, n_wrong = int(counts.sum()), int(counts.sum() - np.trace(counts))
    if not n_wrong:
        return tr("none of {rows} is wrong", rows=format_row_count(total))
    wrong, rows = number(n_wrong, ",d"), number(total, ",d")
    values = {"share": format_share(n_wrong / total), "wrong": wrong, "total": rows}
    confused_pair = find_most_confused(counts, by_share=data.averages_classes)
    assert confused_pair is not None, "an answer is wrong"
    if counts[confused_pair] == 1:
        return tr(
            "{share} wrong ({wrong} of {total}); each pair of classes is confused at most once",
            **values,
        )
    true, answer = confused_pair
    if data.averages_classes and len(counts) > 2:
        return tr(
            "{share} wrong ({wrong} of {total}); relative to its class most often {true} predicted "
            "as {answer} ({count} of {rows})",
            true=data.classes[true],
            answer=data.classes[answer],
            count=group_digits(int(counts[confused_pair])),
            rows=format_row_count(int(counts[true].sum())),
            **values,
        )
    return tr(
        "{share} wrong ({wrong} of {total}); most often {true} predicted as {answer} ({rows})",
        true=data.classes[true],
        answer=data.classes[answer],
        rows=format_row_count(int(counts[confused_pair])),
        **values,
    )


def _describe_cell(data: ErrorsData, pointer: Pointer) -> str:
    names, counts = data.matrix
    if (cell := _find_cell(data, pointer)) is None:
        return ""
    row, column = cell
    if not (total := int(counts[row].sum())):
        return tr("no row is of class {true}", true=names[row])
    return tr(
        "{rows} of class {true} predicted as {answer}: {share} of that class. Click to list them",
        rows=format_row_count(int(counts[row, column])),
        true=names[row],
        answer=names[column],
        share=format_share(counts[row, column] / total),
    )


def _find_cell(data: ErrorsData, pointer: Pointer) -> tuple[int, int] | None:
    """Return the row and the column of the drawn matrix at the pointer."""
    row, column = int(pointer.y // 1), int(pointer.x // 1)
    valid_indices = range(len(data.matrix[0]))
    return (row, column) if row in valid_indices and column in valid_indices else None


def _make_confusion_table(data: ErrorsData) -> Table:
    names = ("true class", *(f"answer {name}" for name in data.classes))
    counts = data.errors.confusion.tolist()
    return names, [(name, *line) for name, line in zip(data.classes, counts, strict=True)]


CONFUSION_VIEW = ErrorsView(
    title=N_("Confusion matrix"),
    summary=N_("Rows of each true class, by the predicted class; click a cell to list its rows."),
    make_default_text=_summarise_errors,
    table=_make_confusion_table,
    figure=_make_confusion_figure,
    describe_at=_describe_cell,
)


CLASSIFICATION_VIEWS = {
    "confusion": CONFUSION_VIEW,
    "worst": WORST_ROWS_VIEW,
    "roc": ROC_VIEW,
    "precision": PRECISION_VIEW,
    "reliability": RELIABILITY_VIEW,
    "list": DISAGREEMENT_VIEW,
}
REGRESSION_VIEWS = {
    "scatter": SCATTER_VIEW,
    "worst": WORST_ROWS_VIEW,
    "residuals": RESIDUALS_VIEW,
    "list": DISAGREEMENT_VIEW,
}
"""The views by kind of target, in the order of the chooser."""

TEST_ROWS_WARNING = N_(
    "Test rows are no longer a fair test if they influence your choice of methods."
)

ROW_KINDS = {"validation": N_("validation rows"), "test": N_("test rows")}


class ErrorsPlot(HelperPlot[PredictionErrors, ErrorsData]):
    """Views of one answer: matrix, curves, dots, bars or a list of rows.

    Attributes:
        sentence: The page's label that summarises the errors; ``None`` for none.
        note_label: The page's label that describes a list; ``None`` for none.
        positive_class: The positive one of two classes in it; ``None``: the rarer one.
    """

    key = "errors"
    title = N_("Errors")
    search_terms = N_(
        "confusion matrix mistakes wrong rows residuals threshold accuracy predicted actual"
    )
    question = GOOD
    summary = N_("Where the ensemble is wrong: which classes, which rows, how.")
    explanation = N_(
        "Everything is about the ensemble at the iteration shown, from the run's stored "
        "predictions; nothing is trained. The dashed line is its best single model.\nClasses: "
        "the confusion matrix shows true against predicted classes; correct predictions are on "
        "the diagonal. ROC and precision-recall show what other thresholds than the usual one "
        "would give; a curve nearer to its upper corner is better. In the reliability diagram a "
        "point on the diagonal is calibrated: of the rows with a predicted probability of 80 %, "
        "80 % are of that class; bars show how many rows that is.\nNumbers: dots on the diagonal "
        "are right; a residual is predicted minus true. A funnel or a curve among the residuals "
        "is something the models have not understood.\nWhere the members disagree is where the "
        "ensemble is unsure: rows to check yourself, because they are often mislabelled or "
        "unusual.\nThe ensemble was chosen on the validation rows, so its errors there are "
        "optimistic. Test rows are honest as long as they are not used for choosing; they are "
        "shown first once the run is over."
    )
    source = N_(
        "Fawcett 2006 (ROC analysis); Davis and Goadrich 2006 (precision-recall); Guo et al. 2017, "
        "figure 1 and equation 3 (calibration)"
    )
    task = compute_prediction_errors
    waiting_message = N_("Reading the ensemble's predictions…")

    row_marked = Signal(int, int)
    """A row is marked: its number, 0 for none, and the code of its predicted class."""

    row_opened = Signal(int)
    """A row was double-clicked: its number."""

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._class_code: int | None = None
        self._selected_row = 0
        name = tr("View of the errors")
        self.class_chooser, self.value_chooser = (
            self.add_view_choice({key: view.title for key, view in views.items()}, name, name)
            for views in (CLASSIFICATION_VIEWS, REGRESSION_VIEWS)
        )
        text = tr(
            "The rows shown. If they influence your choice of methods or settings, test rows "
            "are no longer a fair test"
        )
        self.rows = Chooser(tr("Rows shown"), text, 14)
        self.rows.set_choices([(key, tr(title)) for key, title in ROW_KINDS.items()])
        text = tr("The class shown by the curve, one against the rest, or the mean of all")
        self.curve_class_chooser = Chooser(tr("Class shown by the curve"), text, 8)
        self.sentence: QLabel | None = None
        self.note_label: QLabel | None = None
        self.positive_class: str | None = None
        self.listed_columns: tuple[str, ...] = ()
        self.n_informative = 0
        self._cell: tuple[int, int] | None = None
        self.value_chooser.hide()
        self.curve_class_chooser.hide()
        self.header.controls.insertWidget(0, self.rows)
        self.header.controls.addWidget(self.curve_class_chooser)
        for chooser in (self.class_chooser, self.value_chooser):
            chooser.chosen.connect(lambda _: self._list_cell(None))
        self.rows.chosen.connect(self.refresh)
        self.curve_class_chooser.chosen.connect(self._choose_class)
        self._test_warning_label = kit.label(tr(TEST_ROWS_WARNING), "warning", wrap=True)
        self._test_warning_label.hide()  # otherwise its height would be reserved above the drawing
        self.list = RowList()
        self.list.row_chosen.connect(self._on_row_choice)
        self.list.activated.connect(lambda _: self.row_opened.emit(self._selected_row))
        self.add_below_legend(self.list)
        self._content.setStretchFactor(self.list, 1)
        self.list.hide()
        self._content.insertWidget(0, self._test_warning_label)

    @property
    def view(self) -> ErrorsView:
        """The current view."""
        if self.data is not None and not self.data.classes:
            return REGRESSION_VIEWS[self.value_chooser.key]
        return CLASSIFICATION_VIEWS[self.class_chooser.key]

    # Requests --------------------------------------------------------------------------------

    def clear(self) -> None:
        super().clear()
        self._class_code, self._selected_row, self._cell = None, 0, None
        self.rows.reset()

    def prepare(self, subject: Subject) -> None:
        """Show test rows by default once the run is over, as no choice depends on them any more."""
        self.rows.suggest("test" if subject.has_test_result else "validation")
        if self.data is None:  # the answer with its classes arrives later
            task = subject.settings.source.task
            self.class_chooser.setVisible(task in {"binary", "multiclass"})
            self.value_chooser.setVisible(task == "regression")
        super().prepare(subject)

    def get_task_arguments(self, subject: Subject) -> dict[str, Any] | None:
        decision = subject.decision
        is_last = subject.iteration >= subject.series.length  # the decision is about the result
        return {
            "rows": self.rows.key,
            "about": self._class_code,
            "decision": (decision.looked_for, decision.threshold) if decision and is_last else None,
            "columns": self.listed_columns,
            "n_informative": self.n_informative,
        }

    def read(self, answer: PredictionErrors, subject: Subject) -> ErrorsData:
        target = subject.settings.source.target or tr("the target")
        metric = find_metric(subject.settings.metric or "")
        averages_classes = metric is not None and metric.averages_classes
        return ErrorsData(answer, self.rows.key == "test", target, self._cell, averages_classes)

    def _choose_class(self, code: int) -> None:
        self._class_code = code
        self.refresh()

    # Drawing ---------------------------------------------------------------------------------

    def make_figure(self, data: ErrorsData, subject: Subject) -> Figure:
        """Return the current view; the list has a widget beside its description."""
        view = self.view
        self._show_controls(data, view)
        self._test_warning_label.setVisible(data.is_test and not subject.has_test_result)
        if view.is_list:
            self.list.show_view(view, data, self._selected_row)
        if self.sentence is not None:
            note = tr("Rows are counted without their weights.") if data.errors.is_weighted else ""
            text = describe_errors(data, self.positive_class)
            kit.show_text(self.sentence, f"{text} {note}".strip())
        if self.note_label is not None:
            kit.show_text(self.note_label, view.make_default_text(data) if view.is_list else "")
        self._emit_marked(self._selected_row if view.is_list or view.dots else 0)
        figure = view.figure(data)
        if view.dots is not None:
            is_ringed = data.errors.dot_rows == self._selected_row
            x, y = (each[is_ringed] for each in view.dots(data))
            ring = Dots(x=x, y=y, shape="ring", size=16)
            figure = replace(figure, marks=[*figure.marks, ring])
        summary = " ".join(filter(None, (tr(view.summary), describe_rule(data.errors))))
        return replace(figure, summary=summary, default_text=view.make_default_text(data))

    def _show_controls(self, data: ErrorsData, view: ErrorsView) -> None:
        self.class_chooser.setVisible(bool(data.classes))
        self.value_chooser.setVisible(not data.classes)
        self.curve_class_chooser.setVisible(view.is_per_class)
        if data.classes:
            all_classes = [(ALL_CLASSES, tr("all classes"))] if len(data.classes) > 2 else []
            classes, shown = [*all_classes, *enumerate(data.classes)], data.errors.curve_class
            self.curve_class_chooser.set_choices(classes, shown)
            self.curve_class_chooser.choose(shown)
        self.list.setVisible(view.is_list)
        self.canvas.setVisible(not view.is_list)

    # Read-out --------------------------------------------------------------------------------

    def describe_hovered(self, data: ErrorsData, subject: Subject, pointer: Pointer) -> str:
        return self.view.describe_at(data, pointer)

    def handle_click(self, data: ErrorsData, pointer: Pointer) -> None:
        """List the rows of a clicked cell, or ring the row of a clicked dot."""
        if self.view is CONFUSION_VIEW:
            cell = _find_cell(data, pointer)
            if cell is not None and len(data.matrix[0]) == len(data.classes):
                self.class_chooser.show_key("worst")
                self._list_cell(cell)
            return
        if self.view.dots is None:
            return
        index = pointer.find_nearest(*self.view.dots(data))
        self._selected_row = 0 if index is None else int(data.errors.dot_rows[index])
        self.refresh()

    def reset_view(self) -> None:
        """Show the first view, and no columns of the table: another document was opened."""
        self.listed_columns = ()
        self.class_chooser.choose(next(iter(CLASSIFICATION_VIEWS)))
        self.value_chooser.choose(next(iter(REGRESSION_VIEWS)))

    def show_list(self) -> None:
        """Show the worst rows."""
        if self.data is not None:
            self._list_cell(None)
            (self.class_chooser if self.data.classes else self.value_chooser).show_key("worst")

    def _on_row_choice(self, index: int) -> None:
        if self.data is not None and self.view.is_list:
            self._selected_row = int(self.list.selected_records[0][0]) if index >= 0 else 0
            self._emit_marked(self._selected_row)

    def _emit_marked(self, number: int) -> None:
        errors = self.data.errors if self.data is not None else PredictionErrors()
        rows, predicted = errors.worst_rows.tolist(), errors.worst_predicted.tolist()
        answers = dict(zip(rows, predicted, strict=True))
        self.row_marked.emit(number, int(answers.get(number, 0)) if errors.classes else 0)

    def _list_cell(self, cell: tuple[int, int] | None) -> None:
        """List the rows of a cell of the confusion matrix; ``None``: all wrong ones."""
        self._cell = cell
        if self.data is not None and self.data.cell != cell:
            self.data = replace(self.data, cell=cell)
            self._selected_row = 0
            self.refresh()

    def get_table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        data = self.data
        if data is None or data.errors.reason:
            return ("row",), []
        return self.view.table(data)


_N_DIGITS = 3
"""Significant digits of errors in sentences."""


def describe_errors(data: ErrorsData, positive_class: str | None) -> str:
    """Describe the errors in one or two plain sentences.

    Args:
        positive_class: The positive one of two classes; ``None``: the rarer one.
    """
    errors, counts = data.errors, data.errors.confusion
    rows = ntr("{count} row", "{count} rows", errors.count)
    if not data.classes:
        return _describe_values(errors, rows)
    if len(data.classes) == 2:
        return _describe_two_classes(errors, positive_class)
    n_wrong = int(counts.sum() - np.trace(counts))
    text = tr("Wrong for {wrong} of {rows}.", wrong=group_digits(n_wrong), rows=rows)
    if data.averages_classes and (weakest := find_weakest_classes(counts)):
        recalls = [
            ClassRecall(data.classes[code], int(counts[code, code]), int(counts[code].sum()))
            for code in weakest
        ]
        return f"{text} {translate(describe_weakest_classes(recalls))}"
    mistake = find_most_confused(counts)
    if mistake is None or counts[mistake] == 1:
        return text
    true, answer = (data.classes[each] for each in mistake)
    return tr(
        "{words} Most often “{true}” is predicted as “{answer}” ({rows}).",
        words=text,
        true=true,
        answer=answer,
        rows=format_row_count(int(counts[mistake])),
    )


def describe_rule(errors: PredictionErrors) -> str:
    """State that labels follow the run's decision; empty if they are the ensemble's labels."""
    if not errors.decision_class:
        return ""
    share = format_threshold(errors.threshold)
    return tr("By your decision: “{label}” from {share}.", label=errors.decision_class, share=share)


def _describe_two_classes(errors: PredictionErrors, positive_class: str | None) -> str:
    """Describe how many predictions of the positive class are right."""
    classes, counts = errors.classes, errors.confusion
    code = int(counts.sum(axis=1).argmin())
    if positive_class in classes:
        code = classes.index(positive_class)
    right, alarms = int(counts[code, code]), int(counts[1 - code, code])
    values = {"label": classes[code], "all": group_digits(int(counts[code].sum()))}
    if not right + alarms:
        if errors.decision_class:
            return tr("It never predicts “{label}”, though {all} rows have that class.", **values)
        return tr(
            "At 50 % it never predicts “{label}”, though {all} rows have that class: choose a "
            "lower probability to find some of them.",
            **values,
        )
    missed = int(counts[code].sum()) - right
    text = ntr(
        "{right} of {count} row predicted “{label}” is correct.",
        "{right} of {count} rows predicted “{label}” are correct.",
        right + alarms,
        right=group_digits(right),
        **values,
    )
    if not missed:
        return tr("{words} None of the {all} “{label}” rows is missed.", words=text, **values)
    return tr(
        "{words} It misses {missed} of the {all} “{label}” rows.",
        words=text,
        missed=group_digits(missed),
        **values,
    )


_MIN_ROWS, _END_SHARE, _MIN_RATIO, _MIN_STANDARD_ERRORS = 40, 0.25, 1.3, 2.0
"""Minimum number of rows to compare; share of rows at either end of the predictions; minimum ratio
of their error to that elsewhere, and of the difference to its standard error.
"""


def find_large_errors(errors: PredictionErrors) -> tuple[bool, float, float, float] | None:
    """Return is_upper, limit, and mean error there and elsewhere; ``None`` if no end is worse."""
    values = errors.dots_predicted
    absolute_errors = np.abs(errors.dots_predicted - errors.dots_truth)
    if len(values) < _MIN_ROWS:
        return None
    candidates = []
    for upper in (True, False):
        limit = float(np.quantile(values, 1 - _END_SHARE if upper else _END_SHARE))
        is_at_end = values >= limit if upper else values <= limit
        errors_at_end, other = absolute_errors[is_at_end], absolute_errors[~is_at_end]
        if len(errors_at_end) < 2 or len(other) < 2:
            continue
        spread = math.sqrt(sum(each.var(ddof=1) / len(each) for each in (errors_at_end, other)))
        error_at_end, error_elsewhere = float(errors_at_end.mean()), float(other.mean())
        chance_limit = error_elsewhere + _MIN_STANDARD_ERRORS * spread
        if error_at_end > max(_MIN_RATIO * error_elsewhere, chance_limit):
            candidates.append((upper, limit, error_at_end, error_elsewhere))
    return max(candidates, key=lambda each: each[2], default=None)


def _describe_values(errors: PredictionErrors, rows: str) -> str:
    """Describe the size of the errors of predicted numbers, and where they are largest."""
    large, mean_error = find_large_errors(errors), float(errors.mae[0])
    # As in the answer; this repeats its mean.
    error_format = NumeralFormat.for_values([mean_error], _N_DIGITS)
    off = format_quantity(mean_error, errors.unit, error_format)
    text = tr("Off by {off} on average, over {rows}.", off=off, rows=rows)
    if large is None:
        return text
    upper, limit, *sizes = large
    here, elsewhere = (format_quantity(each, errors.unit, error_format) for each in sizes)
    template = N_(
        "{words} Most where it predicts {limit} or less: by {here} there, by {elsewhere} elsewhere."
    )
    if upper:
        template = N_(
            "{words} Most where it predicts {limit} or more: by {here} there, by {elsewhere} "
            "elsewhere."
        )
    limit_text = format_quantity(limit, errors.unit, _N_DIGITS)
    return tr(template, words=text, limit=limit_text, here=here, elsewhere=elsewhere)
