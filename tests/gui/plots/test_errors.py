"""The errors plot: its model with example answers, its requests and descriptions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QLabel

from studio.analysis.answers.predictions import ListedColumn
from studio.document.decision import Decision
from studio.figures.figure import Pointer
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.errors import (
    CLASSIFICATION_VIEWS,
    CONFUSION_VIEW,
    REGRESSION_VIEWS,
    TEST_ROWS_WARNING,
    ErrorsPlot,
    describe_errors,
    describe_rule,
    find_large_errors,
)
from studio.gui.plots.quality.errors_curves import (
    PRECISION_VIEW,
    RELIABILITY_VIEW,
    ROC_VIEW,
    compute_positive_share,
)
from studio.gui.plots.quality.errors_model import ErrorsData, merge_rare_classes
from studio.gui.plots.quality.errors_rows import WORST_ROWS_VIEW, list_disputed_rows
from studio.gui.plots.quality.errors_values import RESIDUALS_VIEW, SCATTER_VIEW
from studio.language import tr
from studio.measure import PREFIX_MARK
from tests.facts import contains_facts
from tests.gui.painted_texts import read_painted_texts
from tests.gui.plots.examples import ERRORS, ERRORS_OF_VALUES, make_constant_answer
from tests.gui.visible_content import get_scene_position, get_visible_text

SubjectMaker = Callable[..., Subject]


def at(x: float, y: float) -> Pointer:
    return Pointer(0, x, y)


@pytest.mark.parametrize("task", ["multiclass", "regression", "auto"])
def test_views_match_task_before_errors_arrive(
    task: str, make_subject: SubjectMaker, plot_helper: Any, qtbot: Any
) -> None:
    errors_plot = ErrorsPlot(plot_helper)
    qtbot.addWidget(errors_plot)
    subject = make_subject(0)
    source = replace(subject.settings.source, task=task)
    errors_plot.follow(replace(subject, settings=replace(subject.settings, source=source)))
    assert errors_plot.data is None
    assert errors_plot.class_chooser.isHidden() == (task != "multiclass")
    assert errors_plot.value_chooser.isHidden() == (task != "regression")


@pytest.fixture
def data() -> ErrorsData:
    return ErrorsData(ERRORS, is_test=False, target="target")


@pytest.fixture
def values() -> ErrorsData:
    return ErrorsData(ERRORS_OF_VALUES, is_test=False, target="price")


def test_description_names_most_frequent_mistake(data: ErrorsData) -> None:
    text = CONFUSION_VIEW.make_default_text(data)
    assert contains_facts(text, "30.0 %", "3 of 10", " no ", " yes ", "2 rows")


def test_single_mistake_is_not_described_as_frequent(data: ErrorsData) -> None:
    for cells, expected in (
        ([[4, 1], [1, 4]], "20.0 % wrong (2 of 10); each pair of classes is confused at most once"),
        ([[5, 0], [0, 5]], "none of 10 rows is wrong"),
    ):
        errors_data = replace(data, errors=replace(ERRORS, confusion=np.array(cells)))
        assert CONFUSION_VIEW.make_default_text(errors_data) == expected


def test_description_of_two_classes_counts_hits(data: ErrorsData) -> None:
    def describe_cells(cells: list[list[int]], looked_for: str | None) -> str:
        errors_data = replace(data, errors=replace(ERRORS, confusion=np.array(cells)))
        return describe_errors(errors_data, looked_for)

    assert describe_cells([[4, 2], [1, 3]], "yes") == (
        "3 of 5 rows predicted “yes” are correct. It misses 1 of the 4 “yes” rows."
    )
    assert contains_facts(
        describe_cells([[4, 2], [1, 3]], "no"), "4 of 5 rows", "2 of the 6", "“no”"
    )
    assert contains_facts(describe_cells([[5, 1], [0, 4]], "yes"), "5 rows", "None of the 4")
    assert contains_facts(describe_cells([[6, 0], [4, 0]], None), "never", "“yes”", "4 rows"), (
        "it is the rarer one"
    )


def test_classes_with_lowest_recall_are_named_if_weights_are_equal(data: ErrorsData) -> None:
    cells = np.array([[93, 7, 0], [1, 19, 0], [3, 0, 9]])
    errors = replace(ERRORS, classes=("a", "b", "c"), confusion=cells, count=132)
    by_rows = replace(data, errors=errors)
    by_class = replace(by_rows, averages_classes=True)
    assert contains_facts(describe_errors(by_rows, None), "11 of 132", "“a”", "7 rows")
    assert contains_facts(describe_errors(by_class, None), "11 of 132", "“c” 9 of 12")
    assert "7 rows" not in describe_errors(by_class, None)
    assert contains_facts(CONFUSION_VIEW.make_default_text(by_class), " c ", " a ", "3 of 12 rows")


def test_description_covers_several_classes_and_values(
    data: ErrorsData, values: ErrorsData
) -> None:
    cells = np.array([[5, 0, 0], [3, 1, 0], [0, 1, 4]])
    errors = replace(ERRORS, classes=("a", "b", "c"), confusion=cells, count=14)
    assert contains_facts(
        describe_errors(replace(data, errors=errors), None), "4 of 14", "“b”", "“a”", "3 rows"
    )
    priced = replace(values, errors=replace(values.errors, unit="£" + PREFIX_MARK))
    assert describe_errors(priced, None) == "Off by £0.50 on average, over 4 rows."


def test_errors_of_weighted_rows_are_counted_by_rows(
    make_subject: SubjectMaker, plot_helper: Any, qtbot: Any
) -> None:
    sentences = {}
    for is_weighted in (False, True):
        errors_plot = ErrorsPlot(plot_helper)
        errors_plot.sentence = QLabel()
        for widget in (errors_plot, errors_plot.sentence):
            qtbot.addWidget(widget)
        answer = replace(ERRORS, is_weighted=is_weighted)
        subject = make_subject(0)
        errors_plot.make_figure(errors_plot.read(answer, subject), subject)
        sentences[is_weighted] = errors_plot.sentence.text()
    assert "weights" not in sentences[False]
    assert sentences[True].startswith(sentences[False]) and "weights" in sentences[True]


def test_description_names_range_of_largest_errors(values: ErrorsData) -> None:
    predicted = np.linspace(0, 100, 101)
    off = np.where(predicted >= 75, 9.0, 1.0) * np.tile([1.0, -1.0], 51)[:101]
    errors = replace(
        values.errors,
        dots_predicted=predicted,
        dots_truth=predicted + off,
        mae=np.array([3.0]),
        unit="£" + PREFIX_MARK,
    )
    assert contains_facts(
        describe_errors(replace(values, errors=errors), None), "£75 or more", "£9 there", "£1 else"
    )
    precise = replace(errors, mae=np.array([590.94]), unit="")
    assert "591 on average" in describe_errors(replace(values, errors=precise), None)
    wide = replace(
        errors,
        dots_predicted=10 * predicted,
        dots_truth=10 * predicted + off,
        mae=np.array([16.34]),
        unit="",
    )
    assert contains_facts(
        describe_errors(replace(values, errors=wide), None),
        "16.3 on average",
        "750 or",
        "9.0 there",
    ), "as many digits as in the answer, however large the predictions"
    upside_down = replace(errors, dots_predicted=-predicted, dots_truth=off - predicted)
    assert "or less" in describe_errors(replace(values, errors=upside_down), None)
    level = replace(errors, dots_truth=predicted + np.sign(off))
    assert find_large_errors(level) is None
    assert find_large_errors(values.errors) is None, "too few rows"


def test_worst_rows_are_listed(data: ErrorsData, values: ErrorsData) -> None:
    names, rows = WORST_ROWS_VIEW.table(data)
    assert rows == [("3", "no", "2.0 %", "yes")] and len(names) == 4
    few = replace(data.errors, confusion=np.array([[5, 1], [0, 4]]))
    assert WORST_ROWS_VIEW.make_default_text(replace(data, errors=few)).startswith(
        "1 row, largest errors"
    )
    many = replace(data.errors, confusion=np.array([[5, 286], [3, 9]]))
    assert contains_facts(
        WORST_ROWS_VIEW.make_default_text(replace(data, errors=many)), "1 ", "289 wrong"
    )
    cell = replace(data, errors=many, cell=(0, 1))
    assert contains_facts(WORST_ROWS_VIEW.make_default_text(cell), "1 of 286 rows")
    priced = replace(values, errors=replace(values.errors, unit="£" + PREFIX_MARK))
    assert WORST_ROWS_VIEW.table(priced)[1] == [("4", "£5", "£4", "−£1")]


def test_worst_rows_have_identifier_and_columns(values: ErrorsData) -> None:
    own = (
        ListedColumn("invoice", values=("I-7",)),
        ListedColumn("fee", "£" + PREFIX_MARK, (12.5,)),
        ListedColumn("built", values=(1998.0,)),
        ListedColumn("note", values=(None,)),
    )
    errors = replace(values.errors, worst_columns=own, has_identifier=True)
    names, rows = WORST_ROWS_VIEW.table(replace(values, errors=errors))
    assert rows == [("4", "I-7", "5", "4", "−1", "£12.50", "1998", "–")]
    assert names[1] == "invoice" and names[-3:] == ("fee", "built", "note")


@pytest.mark.slow
def test_clicked_cell_lists_its_rows(plot: ErrorsPlot, make_subject: SubjectMaker) -> None:
    plot.note_label = QLabel(plot)
    plot.follow(make_subject(20))
    assert plot.data is not None
    plot.handle_click(plot.data, at(1.5, 0.5))  # "no" predicted as "yes"
    assert plot.view is WORST_ROWS_VIEW and [each[0] for each in plot.list.records.records] == ["3"]
    assert contains_facts(plot.note_label.text(), "1 ", "of 2 rows", "no", "yes")
    plot.class_chooser.show_key("confusion")
    plot.handle_click(plot.data, at(0.5, 1.5))
    assert plot.list.records.records == []
    plot.show_list()
    assert [each[0] for each in plot.list.records.records] == ["3"], "all wrong rows"


def test_current_decision_is_requested_and_described(
    plot: ErrorsPlot, make_subject: SubjectMaker, data: ErrorsData
) -> None:
    subject = replace(make_subject(20), decision=Decision("yes", 0.2))
    last = subject.series.length
    for iteration, expected in ((None, ("yes", 0.2)), (last - 1, None)):
        arguments = plot.get_task_arguments(replace(subject, selected_iteration=iteration))
        assert arguments is not None and arguments["decision"] == expected
    assert describe_rule(data.errors) == ""
    decided = replace(data.errors, decision_class="yes", threshold=0.2)
    assert contains_facts(describe_rule(decided), "“yes”", "20 %")


def test_worst_rows_show_decision_threshold(data: ErrorsData) -> None:
    errors = replace(data.errors, decision_class="yes", threshold=0.16374)
    decided = replace(data, errors=replace(errors, worst_share=np.array([0.836])))
    names, rows = WORST_ROWS_VIEW.table(decided)
    assert "“yes”" in names[2] and rows == [("3", "no", "16.4 % ≥ 16.37 %", "yes")]
    near = replace(errors, threshold=0.0512, worst_share=np.array([0.9486]))
    assert WORST_ROWS_VIEW.table(replace(data, errors=near))[1][0][2] == "5.14 % ≥ 5.12 %"
    missed = replace(
        decided.errors, worst_truth=np.array([1]), worst_predicted=np.array([0]),
        worst_share=np.array([0.021]),
    )  # fmt: skip
    assert WORST_ROWS_VIEW.table(replace(data, errors=missed))[1] == [
        ("3", "yes", "2.1 % < 16.4 %", "no")
    ]


def test_new_document_resets_view(plot: ErrorsPlot, make_subject: SubjectMaker) -> None:
    plot.follow(make_subject(20))
    plot.show_list()
    plot.listed_columns = ("prior",)
    plot.reset_view()
    assert plot.view is CONFUSION_VIEW and plot.listed_columns == ()


@pytest.mark.slow
def test_crosshair_does_not_cross_matrix(plot: ErrorsPlot, make_subject: SubjectMaker) -> None:
    plot.follow(make_subject(20))
    assert plot.painter.find_panel(get_scene_position(plot.canvas, 0.5, 0.5)) is None
    plot.class_chooser.show_key("roc")
    assert plot.painter.find_panel(get_scene_position(plot.canvas, 0.5, 0.5)) is not None


@pytest.mark.slow
def test_marked_row_is_signalled(plot: ErrorsPlot, make_subject: SubjectMaker) -> None:
    marked: list[int] = []
    plot.row_marked.connect(lambda row, _: marked.append(row))
    plot.follow(make_subject(20))
    plot.show_list()
    assert plot.view is WORST_ROWS_VIEW and marked[-1] == 0
    plot.list.selectRow(0)
    assert marked[-1] == 3
    plot.class_chooser.show_key("confusion")
    assert marked[-1] == 0, "no row is to be seen there"


def test_narrow_cells_keep_first_digits(
    plot: ErrorsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    long_names = replace(ERRORS, classes=tuple(f"{each}, as often" * 3 for each in ("no", "yes")))
    plot_helper.answers["prediction_errors"] = make_constant_answer(long_names)
    plot.resize(320, 420)
    plot.follow(make_subject(20))
    shares = [each.text for each in read_painted_texts(plot) if "% of" in each.text]
    assert shares and all(each.endswith("…") and each[0].isdigit() for each in shares)


def test_confusion_matrix_shows_shares_of_true_class(data: ErrorsData) -> None:
    text = CONFUSION_VIEW.describe_at(data, at(1.5, 0.5))
    assert contains_facts(text, "2 rows", "class no ", "yes", "33.3 %")
    assert CONFUSION_VIEW.describe_at(data, at(2.5, 0.5)) == ""


def test_empty_confusion_cells_have_no_colour(data: ErrorsData) -> None:
    errors_data = replace(data, errors=replace(ERRORS, confusion=np.array([[0, 2], [0, 3]])))
    (cells,) = CONFUSION_VIEW.figure(errors_data).marks
    assert np.isnan(cells.values).tolist() == [[False, False], [True, False]]
    assert cells.texts[0][1].startswith("2 wrong")


def test_cells_of_many_classes_are_explained_by_legend(data: ErrorsData) -> None:
    counts = np.diag([0, 9, 9, 9, 9, 9])
    classes = tuple("abcdef")
    errors_data = replace(data, errors=replace(ERRORS, classes=classes, confusion=counts))
    cells, *hues = CONFUSION_VIEW.figure(errors_data).marks
    assert [each.name for each in hues] == [tr("right"), tr("wrong")]
    assert cells.texts[0][0].startswith("0"), "a class that is never right"
    assert not cells.texts[0][1]


def test_confusion_matrix_shows_classes_with_most_mistakes() -> None:
    counts = np.diag(np.full(6, 10))
    counts[4, 1], counts[1, 4], counts[0, 5] = 5, 3, 1
    names, few = merge_rare_classes(tuple(f"c{k}" for k in range(6)), counts, max_classes=3)
    assert names == ("c1", "c4", "4 others")
    # Confusions among the other classes are in their common cell.
    assert few.tolist() == [[10, 3, 0], [5, 10, 0], [0, 0, 41]]
    assert few.sum() == counts.sum()


def test_class_without_rows_has_no_shares(data: ErrorsData) -> None:
    errors_data = replace(data, errors=replace(ERRORS, confusion=np.array([[3, 1], [0, 0]])))
    assert CONFUSION_VIEW.describe_at(errors_data, at(0.5, 1.5)).endswith("class yes")


def test_curve_read_out_is_interpolated(data: ErrorsData) -> None:
    text = ROC_VIEW.describe_at(data, at(0.5, 0.0))
    assert contains_facts(text, "50.0 %", "ensemble 75.0 %", "single model")
    # Between two points, precision has the value of the next one.
    assert "ensemble 40.0 %" in PRECISION_VIEW.describe_at(data, at(0.7, 0.0))
    assert ROC_VIEW.describe_at(data, at(1.2, 0.0)) == ""
    assert contains_facts(
        ROC_VIEW.make_default_text(data), "ensemble 0.625", "trial 2", "0.500", ": yes"
    )
    assert compute_positive_share(data) == 0.4


def test_reliability_bins_have_row_counts(data: ErrorsData) -> None:
    assert contains_facts(RELIABILITY_VIEW.describe_at(data, at(0.25, 0.0)), "25.0 %", "4 rows")
    assert contains_facts(RELIABILITY_VIEW.describe_at(data, at(0.5, 0.0)), "no row ", "50–60 %")
    assert "10.0 %" in RELIABILITY_VIEW.make_default_text(data)


def test_row_list_marks_wrong_predictions(data: ErrorsData) -> None:
    assert list_disputed_rows(data)[1] == [
        ("7", "yes", "yes", "50 %", "no"),
        ("3", "no", "✗ yes", "75 %", "no"),
    ]


def test_regression_errors_have_residuals(values: ErrorsData) -> None:
    assert contains_facts(
        SCATTER_VIEW.make_default_text(values), "0.65", "0.5 ", "price", "R² 0.900", "4 rows"
    )
    assert list_disputed_rows(values)[1][0] == ("9", "2.0", "2.5", "+0.5", "0.7")


@pytest.mark.parametrize("view", CLASSIFICATION_VIEWS)
def test_every_class_view_can_be_exported(data: ErrorsData, view: str) -> None:
    names, rows = CLASSIFICATION_VIEWS[view].table(data)
    assert rows
    assert all(len(row) == len(names) for row in rows)


@pytest.mark.parametrize("view", REGRESSION_VIEWS)
def test_every_regression_view_can_be_exported(values: ErrorsData, view: str) -> None:
    names, rows = REGRESSION_VIEWS[view].table(values)
    assert rows
    assert all(len(row) == len(names) for row in rows)


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> ErrorsPlot:
    errors_plot = ErrorsPlot(plot_helper)
    qtbot.addWidget(errors_plot)
    errors_plot.resize(640, 400)
    errors_plot.show()
    return errors_plot


def test_showing_test_rows_warns(
    plot: ErrorsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    assert plot_helper.asked[-1][1]["rows"] == "validation"
    assert tr(TEST_ROWS_WARNING) not in get_visible_text(plot)
    plot.rows.show_key("test")
    assert plot_helper.asked[-1][1]["rows"] == "test"
    assert tr(TEST_ROWS_WARNING) in get_visible_text(plot)
    (warning,) = [
        each for each in plot.findChildren(QLabel) if each.text() == tr(TEST_ROWS_WARNING)
    ]
    plot.resize(700, 400)
    QApplication.processEvents()
    assert QLabel.text(warning) == tr(TEST_ROWS_WARNING), "not cut"
    assert warning.height() >= warning.heightForWidth(warning.width())
    plot.follow(replace(make_subject(20), test_loss=0.1))
    assert plot.rows.key == "test"
    assert tr(TEST_ROWS_WARNING) not in get_visible_text(plot), (
        "the run is over: nothing is chosen by them any more"
    )
    assert warning.width() > plot.width() // 2


@pytest.mark.slow
def test_finished_run_shows_test_rows_by_default(
    plot: ErrorsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(replace(make_subject(20), test_loss=0.1))
    assert plot_helper.asked[-1][1]["rows"] == "test"
    plot.rows.show_key("validation")
    plot.follow(replace(make_subject(20), test_loss=0.1))
    assert plot_helper.asked[-1][1]["rows"] == "validation"
    plot.follow(replace(make_subject(20, run_id=2), test_loss=0.1))
    assert plot_helper.asked[-1][1]["rows"] == "test"


@pytest.mark.slow
@pytest.mark.parametrize("view", CLASSIFICATION_VIEWS)
def test_class_views_can_be_drawn(plot: ErrorsPlot, make_subject: SubjectMaker, view: str) -> None:
    plot.follow(make_subject(20))
    plot.class_chooser.show_key(view)
    assert plot.view is CLASSIFICATION_VIEWS[view]
    assert plot.curve_class_chooser.isVisible() == (view in ("roc", "precision", "reliability"))
    assert plot.list.isVisible() == (view in ("list", "worst"))
    middle = plot.canvas.rect().center()
    assert isinstance(plot.describe_item_at(QPointF(middle)), str)
    assert plot.read_out


@pytest.mark.slow
def test_class_selection_requests_its_curves(
    plot: ErrorsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    plot.class_chooser.show_key("roc")
    assert [
        plot.curve_class_chooser.itemText(k) for k in range(plot.curve_class_chooser.count())
    ] == ["no", "yes"]
    assert plot.curve_class_chooser.key == 1
    plot.curve_class_chooser.setCurrentIndex(0)
    plot.curve_class_chooser.activated.emit(0)
    assert plot_helper.asked[-1][1]["about"] == 0
    plot.follow(make_subject(20, run_id=2))
    assert plot_helper.asked[-1][1]["about"] is None


def test_row_of_list_can_be_selected(plot: ErrorsPlot, make_subject: SubjectMaker) -> None:
    plot.follow(make_subject(20))
    plot.class_chooser.show_key("list")
    plot.list.selectRow(1)
    assert plot.list.selected_records[0][0] == "3"
    plot.follow(make_subject(20))
    assert plot.list.selected_index == 1


@pytest.mark.slow
def test_clicked_dot_is_selected_in_list(
    plot: ErrorsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot_helper.answers["prediction_errors"] = make_constant_answer(ERRORS_OF_VALUES)
    plot.follow(make_subject(20))
    for view in ("residuals", "scatter"):
        plot.value_chooser.show_key(view)
        assert plot.view is REGRESSION_VIEWS[view]
        assert "unit of" in plot.read_out
    where = get_scene_position(plot.canvas, 5.0, 4.0)
    assert contains_facts(plot.describe_item_at(where), "row 4", "true 5", "predicted 4", "−1")
    plot.handle_scene_click(where)
    ring = plot.current_figure.marks[-1]
    assert (ring.shape, ring.x.tolist(), ring.y.tolist()) == ("ring", [5.0], [4.0])
    plot.value_chooser.show_key("list")
    assert plot.list.selected_index == 1


def test_values_have_column_unit() -> None:
    errors_in_euros = replace(ERRORS_OF_VALUES, unit="€")
    for unit, data in (
        ("(€)", ErrorsData(errors_in_euros, is_test=False, target="price")),
        ("price", ErrorsData(ERRORS_OF_VALUES, is_test=False, target="price")),
    ):
        for view in (SCATTER_VIEW, RESIDUALS_VIEW):
            figure = view.figure(data)
            labels = [each for panel in figure.panels for each in (panel.x.label, panel.y.label)]
            assert any(unit in each for each in labels)
            assert ("€" in "".join(labels)) == (data.errors.unit == "€")
