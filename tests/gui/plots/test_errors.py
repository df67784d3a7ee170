"""The plot of errors: its model against hand-made answers, and what the plot asks and says."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from studio.gui.base.language import tr
from studio.gui.plots.errors import SPOILED, ErrorsPlot
from studio.gui.plots.errors_model import (
    CONFUSION,
    HISTOGRAM,
    LIST,
    PRECISION,
    RELIABILITY,
    RESIDUALS,
    ROC,
    SCATTER,
    ErrorsPicture,
    errors_picture,
    frequency,
    matrix_of,
)
from studio.gui.plots.errors_rows import list_rows, row_words, table_of
from studio.gui.plots.errors_words import place_words, rest_words
from studio.gui.plots.subject import Subject
from tests.gui.eyes import told
from tests.gui.plots.examples import ERRORS, ERRORS_OF_VALUES, given

SubjectOf = Callable[..., Subject]


@pytest.fixture
def picture() -> ErrorsPicture:
    return errors_picture(ERRORS, test=False, target="target")


@pytest.fixture
def values() -> ErrorsPicture:
    return errors_picture(ERRORS_OF_VALUES, test=False, target="price")


def test_the_sentence_names_the_most_frequent_mistake(picture: ErrorsPicture) -> None:
    words = rest_words(picture, CONFUSION)
    assert words == "30.0 % wrong (3 of 10); most often no predicted as yes (2 rows)"


def test_single_mistakes_are_no_habit(picture: ErrorsPicture) -> None:
    for cells, words in (
        ([[4, 1], [1, 4]], "20.0 % wrong (2 of 10); no mistake twice"),
        ([[5, 0], [0, 5]], "none of 10 rows is wrong"),
    ):
        changed = replace(picture, found=replace(ERRORS, confusion=np.array(cells)))
        assert rest_words(changed, CONFUSION) == words


def test_a_matrix_has_shares_of_the_true_class(picture: ErrorsPicture) -> None:
    assert picture.matrix is not None
    np.testing.assert_allclose(picture.matrix.shares, [[4 / 6, 2 / 6], [1 / 4, 3 / 4]])
    words = place_words(picture, CONFUSION, 1.5, 0.5)
    assert words == "2 rows of class no predicted as yes: 33.3 % of that class"
    assert place_words(picture, CONFUSION, 2.5, 0.5) == ""


def test_of_many_classes_those_with_most_mistakes_are_shown() -> None:
    counts = np.diag(np.full(6, 10))
    counts[4, 1], counts[1, 4], counts[0, 5] = 5, 3, 1
    matrix = matrix_of([f"c{k}" for k in range(6)], counts, most=3)
    assert matrix.names == ("c1", "c4", "4 others")
    # The others' own mistake among themselves is in their common cell.
    assert matrix.counts.tolist() == [[10, 3, 0], [5, 10, 0], [0, 0, 41]]
    assert matrix.counts.sum() == counts.sum()


def test_a_class_without_rows_has_no_shares() -> None:
    matrix = matrix_of(["a", "b"], np.array([[3, 1], [0, 0]]))
    assert np.isnan(matrix.shares[1]).all()


def test_curves_are_read_where_they_are(picture: ErrorsPicture) -> None:
    words = place_words(picture, ROC, 0.5, 0.0)
    assert words.startswith("at 50.0 % false alarms, found: ensemble 75.0 %, best single model")
    # Between two points precision keeps the value of the next one.
    assert "ensemble 40.0 %" in place_words(picture, PRECISION, 0.7, 0.0)
    assert place_words(picture, ROC, 1.2, 0.0) == ""
    assert rest_words(picture, ROC) == (
        "area under the curve: ensemble 0.625, best single model (trial 2) 0.500  ·  positive: yes"
    )
    assert frequency(picture) == 0.4


def test_bins_say_how_many_rows_they_have(picture: ErrorsPicture) -> None:
    assert "observed in 25.0 % of 4 rows" in place_words(picture, RELIABILITY, 0.25, 0.0)
    assert (
        place_words(picture, RELIABILITY, 0.5, 0.0)
        == "no row has a predicted probability of 50–60 %"
    )
    assert "10.0 %" in rest_words(picture, RELIABILITY)


def test_the_list_marks_what_is_wrong(picture: ErrorsPicture) -> None:
    assert list_rows(picture) == [
        ("7", "yes", "yes", "50 %", "no"),
        ("3", "no", "✗ yes", "75 %", "no"),
    ]
    assert "correctly" in row_words(picture, 0)
    assert row_words(picture, 1).startswith(
        "row 3 is no, but 75 % of the ensemble's weight predicts"
    )


def test_values_have_residuals(values: ErrorsPicture) -> None:
    assert rest_words(values, SCATTER) == (
        "off by 0.65 (root mean square), 0.5 on average, in the unit of price  ·  R² 0.900  ·  "
        "4 rows"
    )
    assert place_words(values, HISTOGRAM, 0.5, 0.0) == "3 rows off by 0 … 1 (ensemble)"
    assert place_words(values, HISTOGRAM, 1.5, 0.0) == ""
    assert list_rows(values)[0] == ("9", "2.0", "2.5", "+0.5", "0.7")
    assert "members differ by 0.7" in row_words(values, 0)


@pytest.mark.parametrize("view", [CONFUSION, ROC, PRECISION, RELIABILITY, LIST])
def test_every_view_of_classes_can_be_taken_away(picture: ErrorsPicture, view: str) -> None:
    names, rows = table_of(picture, view)
    assert rows
    assert all(len(row) == len(names) for row in rows)


@pytest.mark.parametrize("view", [SCATTER, RESIDUALS, HISTOGRAM, LIST])
def test_every_view_of_values_can_be_taken_away(values: ErrorsPicture, view: str) -> None:
    names, rows = table_of(values, view)
    assert rows
    assert all(len(row) == len(names) for row in rows)


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> ErrorsPlot:
    made = ErrorsPlot(plot_helper)
    qtbot.addWidget(made)
    made.resize(640, 400)
    made.show()
    return made


def test_test_rows_are_asked_for_with_a_warning(
    plot: ErrorsPlot, plot_helper: Any, subject_of: SubjectOf
) -> None:
    plot.follow(subject_of(20))
    assert plot_helper.asked[-1][1]["rows"] == "validation"
    assert tr(SPOILED) not in told(plot)
    plot.rows.show_key("test")
    assert plot_helper.asked[-1][1]["rows"] == "test"
    assert tr(SPOILED) in told(plot)


def test_of_a_run_that_is_over_test_rows_come_first_until_others_are_chosen(
    plot: ErrorsPlot, plot_helper: Any, subject_of: SubjectOf
) -> None:
    plot.follow(replace(subject_of(20), tested=True))
    assert plot_helper.asked[-1][1]["rows"] == "test"
    plot.rows.show_key("validation")
    plot.follow(replace(subject_of(20), tested=True))
    assert plot_helper.asked[-1][1]["rows"] == "validation"
    plot.follow(replace(subject_of(20, run_id=2), tested=True))
    assert plot_helper.asked[-1][1]["rows"] == "test"


@pytest.mark.slow
@pytest.mark.parametrize("view", [CONFUSION, ROC, PRECISION, RELIABILITY, LIST])
def test_every_view_of_classes_is_drawn(plot: ErrorsPlot, subject_of: SubjectOf, view: str) -> None:
    plot.follow(subject_of(20))
    plot.of_classes.show_key(view)
    assert plot.view == view
    assert plot.about.isVisible() == (view in (ROC, PRECISION, RELIABILITY))
    assert plot.list.isVisible() == (view == LIST)
    middle = plot.canvas.rect().center()
    assert isinstance(plot.words_at(QPointF(middle)), str)
    assert plot.read_out


def test_another_class_is_asked_for(
    plot: ErrorsPlot, plot_helper: Any, subject_of: SubjectOf
) -> None:
    plot.follow(subject_of(20))
    plot.of_classes.show_key(ROC)
    assert [plot.about.itemText(k) for k in range(plot.about.count())] == ["no", "yes"]
    assert plot.about.key == 1
    plot.about.setCurrentIndex(0)
    plot.about.activated.emit(0)
    assert plot_helper.asked[-1][1]["about"] == 0
    plot.follow(subject_of(20, run_id=2))
    assert plot_helper.asked[-1][1]["about"] is None


def test_a_row_of_the_list_can_be_chosen(plot: ErrorsPlot, subject_of: SubjectOf) -> None:
    plot.follow(subject_of(20))
    plot.of_classes.show_key(LIST)
    plot.list.selectRow(1)
    assert plot.read_out.startswith("row 3 is no")
    plot.follow(subject_of(20))
    assert plot.list.chosen == 1


def test_a_dot_that_is_clicked_is_chosen_in_the_list(
    plot: ErrorsPlot, plot_helper: Any, subject_of: SubjectOf
) -> None:
    plot_helper.answers["prediction_errors"] = given(ERRORS_OF_VALUES)
    plot.follow(subject_of(20))
    for view in (HISTOGRAM, RESIDUALS, SCATTER):
        plot.of_values.show_key(view)
        assert plot.view == view
        assert "in the unit of" in plot.read_out
    where = plot.place_of(5.0, 4.0)
    assert plot.words_at(where) == "row 4: true 5, predicted 4 (-1)"
    plot.clicked(where)
    plot.of_values.show_key(LIST)
    assert plot.list.chosen == 1
