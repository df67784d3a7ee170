"""Parallel coordinates: places on the axes, brushes, and the list that does the same."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from studio.gui.plots.base.measure import Measure
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.search.parallel import ParallelPlot
from studio.gui.plots.search.parallel_axes_model import (
    ERROR,
    FAILED,
    INACTIVE,
    default_names,
    error_axis,
    parameter_axis,
    short_titles,
)
from studio.gui.plots.search.parallel_model import (
    Units,
    error_groups,
    line_arrays,
    line_words,
    nearest_line,
    parallel_picture,
    rest_words,
)
from studio.space.base import Condition
from studio.space.parameters import Categorical, Float, Integer
from studio.space.space import Space
from studio.trial import Trial

SubjectOf = Callable[..., Subject]


@pytest.fixture
def small() -> tuple[Space, RunSeries]:
    only_svm = (Condition("algorithm", ("svm",)),)
    space = Space(
        "small",
        (
            Categorical("algorithm", ("svm", "tree")),
            Float("svm.C", 0.01, 100.0, log=True, conditions=only_svm),
            Integer("tree.depth", 1, 4, conditions=(Condition("algorithm", ("tree",)),)),
        ),
    )
    series = RunSeries(branch_parameter="algorithm", branches=("svm", "tree"))
    trials = [
        Trial(1, {"algorithm": "svm", "svm.C": 0.01}, 1, 0.3),
        Trial(2, {"algorithm": "svm", "svm.C": 1.0}, 2, 0.1),
        Trial(3, {"algorithm": "tree", "tree.depth": 4}, 3, None),
        Trial(4, {"algorithm": "svm", "svm.C": 100.0}, 4, 0.2),
    ]
    series.extend(trials, [])
    return space, series


def picture_of(small: tuple[Space, RunSeries], brushes: Any = None, iteration: int = 4) -> Any:
    names = ("algorithm", "svm.C", "tree.depth", ERROR)
    return parallel_picture(Units(*small), names, iteration, brushes or {})


def test_trials_lie_at_their_values_or_at_not_active(small: tuple[Space, RunSeries]) -> None:
    picture = picture_of(small)
    np.testing.assert_allclose(picture.heights[:, 0], [0.25, 0.25, 0.75, 0.25])
    np.testing.assert_allclose(picture.heights[:, 1], [0, 0.5, INACTIVE, 1])
    np.testing.assert_allclose(picture.heights[:, 2], [INACTIVE, INACTIVE, 0.875, INACTIVE])
    assert picture.heights[1, 3] == 0.0
    assert picture.heights[2, 3] == FAILED
    assert np.abs(picture.drawn - picture.heights).max() < 0.5
    np.testing.assert_array_equal(picture.drawn[:, 3], picture.heights[:, 3])


def test_nothing_of_the_future_is_drawn(small: tuple[Space, RunSeries]) -> None:
    assert picture_of(small, iteration=2).numbers.tolist() == [1, 2]


def test_brushes_on_several_axes_must_all_hold(small: tuple[Space, RunSeries]) -> None:
    one = picture_of(small, {"svm.C": (0.4, 1.1)})
    assert one.selected.tolist() == [False, True, False, True]
    both = picture_of(small, {"svm.C": (0.4, 1.1), ERROR: (-0.1, 0.2)})
    assert both.selected.tolist() == [False, True, False, False]
    words = rest_words(both, small[1], brushed=True)
    assert words == "1 of 4 trials selected  ·  best of them: trial 2 (svm), 10.00 %"
    lacking = picture_of(small, {"svm.C": (INACTIVE - 0.05, INACTIVE + 0.05)})
    assert lacking.selected.tolist() == [False, False, True, False]


def test_log_axes_have_decades_and_choices_their_names(small: tuple[Space, RunSeries]) -> None:
    axis = parameter_axis(small[0], "svm.C", short=True)
    assert axis.title == "C (log)"
    assert [text for _, text in axis.ticks] == ["0.01", "0.1", "1", "10", "100"]
    np.testing.assert_allclose([at for at, _ in axis.ticks], [0, 0.25, 0.5, 0.75, 1])
    assert axis.special == (INACTIVE, "not active")
    root = parameter_axis(small[0], "algorithm", short=True)
    assert root.choices == ("svm", "tree")
    assert root.special[1] == ""
    assert [name for name, _ in root.intervals()] == ["svm", "tree"]
    whole = parameter_axis(small[0], "tree.depth", short=False)
    assert (whole.ticks[0], whole.ticks[-1]) == ((0.125, "1"), (0.875, "4"))


def test_powers_of_ten_are_all_written_out_or_none() -> None:
    space = Space("wide", (Float("C", 1e-5, 1e5, log=True), Integer("n", 0, 300_000)))
    assert [text for _, text in parameter_axis(space, "C", short=True).ticks] == [
        *("10⁻⁵", "10⁻²", "10¹", "10⁴"),
    ]
    assert [text for _, text in parameter_axis(space, "n", short=True).ticks] == [
        *("0", "150,000", "300,000"),
    ]


def test_the_error_goes_from_the_best_to_the_ninth_decile() -> None:
    losses = np.append(np.linspace(0.1, 0.2, 99), [0.9, np.nan])
    axis, heights = error_axis(Measure(), losses)
    assert heights[0] == 0.0
    assert heights[99] == 1.0
    assert heights[100] == FAILED
    assert axis.ticks[2][1].startswith("≥ ")
    axis, heights = error_axis(Measure(), np.array([0.1, 0.1]))
    assert heights.tolist() == [0.5, 0.5]


def test_the_axes_to_begin_with(small: tuple[Space, RunSeries]) -> None:
    assert default_names(*small) == ("algorithm", "svm.C", ERROR)
    assert default_names(small[0], RunSeries()) == ("algorithm", "svm.C", "tree.depth", ERROR)
    assert short_titles(["a.x", "b.x", "a.y"]) == {"a.x": False, "b.x": False, "a.y": True}


def test_colours_are_shared_out_evenly_by_error() -> None:
    groups = error_groups(np.append(np.arange(16.0)[::-1], np.nan))
    assert groups.tolist() == [*np.repeat(np.arange(8), 2)[::-1], -1]
    assert set(error_groups(np.array([0.1, 0.1, 0.1]))) == {0}


def test_one_path_draws_all_lines_apart() -> None:
    x, y, connect = line_arrays(np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]))
    assert x.tolist() == [0, 1, 2, 0, 1, 2]
    assert y.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert connect.tolist() == [1, 1, 0, 1, 1, 0]


def test_the_line_pointed_at_is_one_that_is_selected(small: tuple[Space, RunSeries]) -> None:
    picture = picture_of(small)
    middle = 0.5 * (picture.drawn[1, 0] + picture.drawn[1, 1])
    assert nearest_line(picture, 0.5, middle, 0.01) == 1
    assert nearest_line(picture, 0.5, 0.99, 0.01) == -1
    assert nearest_line(picture_of(small, {ERROR: (0.5, 1.0)}), 0.5, middle, 0.01) != 1
    assert line_words(picture, small[1], 1) == "trial 2 (svm)  ·  10.00 %  ·  C (log) = 1"
    assert "failed" in line_words(picture, small[1], 2)


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> ParallelPlot:
    made = ParallelPlot(plot_helper)
    qtbot.addWidget(made)
    made.resize(800, 460)
    made.show()
    return made


def box_of(plot: ParallelPlot) -> Any:
    """Return the box in which the lines are drawn."""
    return plot.canvas.getItem(0, 0).getViewBox()


def test_dragging_along_an_axis_selects_and_clicking_frees(
    plot: ParallelPlot, subject_of: SubjectOf
) -> None:
    plot.follow(subject_of(20))
    assert plot.picture is not None
    last = len(plot.picture.axes) - 1
    box_of(plot).dragged.emit(QPointF(last, -0.1), QPointF(last + 0.02, 0.5))
    assert set(plot.brushes) == {ERROR}
    assert "selected" in plot.read_out
    assert "not selected" in plot.legend.names
    plot.clicked(box_of(plot).mapViewToScene(QPointF(last, 0.2)))
    assert plot.brushes == {}


def test_a_drag_between_axes_selects_nothing(plot: ParallelPlot, subject_of: SubjectOf) -> None:
    plot.follow(subject_of(20))
    box_of(plot).dragged.emit(QPointF(0.5, 0.1), QPointF(0.5, 0.9))
    assert plot.brushes == {}


def test_escape_frees_all_axes(qtbot: Any, plot: ParallelPlot, subject_of: SubjectOf) -> None:
    plot.follow(subject_of(20))
    plot.brush(ERROR, (0.0, 0.5))
    plot.brush("algorithm", (0.0, 0.4))
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert plot.brushes == {}
    assert "drag along an axis" in plot.read_out


def test_the_list_chooses_axes_and_selects(plot: ParallelPlot, subject_of: SubjectOf) -> None:
    plot.follow(subject_of(20))
    panel = plot.open_panel()
    assert panel is not None
    assert not panel.boxes[ERROR].isEnabled()
    hidden = next(name for name, box in panel.boxes.items() if not box.isChecked())
    panel.boxes[hidden].setChecked(True)
    assert plot.picture is not None
    assert hidden in [axis.name for axis in plot.picture.axes]
    chooser = panel.filters["algorithm"]
    chooser.setCurrentIndex(1)
    chooser.activated.emit(1)
    assert set(plot.brushes) == {"algorithm"}
    panel.boxes["algorithm"].setChecked(False)
    assert plot.brushes == {}
    panel.close()


def test_brushes_belong_to_a_run(plot: ParallelPlot, subject_of: SubjectOf) -> None:
    plot.follow(subject_of(20))
    plot.brush(ERROR, (0.0, 0.5))
    plot.follow(subject_of(20, run_id=2))
    assert plot.brushes == {}


def test_pointing_at_a_line_makes_it_stand_out(plot: ParallelPlot, subject_of: SubjectOf) -> None:
    plot.follow(subject_of(20))
    assert plot.picture is not None
    height = float(plot.picture.drawn[7, 0])
    at_rest = plot.grab().toImage()
    words = plot.words_at(box_of(plot).mapViewToScene(QPointF(0.0, height)))
    assert "trial 8" in words
    assert plot.grab().toImage() != at_rest
    plot.words_at_rest()
    assert plot.grab().toImage() == at_rest


def test_without_a_choice_of_algorithm_colours_mean_the_error(
    plot: ParallelPlot, subject_of: SubjectOf
) -> None:
    subject = subject_of(20)
    subject.series.branch_parameter = None
    plot.colouring.show_key("branch")
    plot.follow(subject)
    assert plot.colouring.isHidden()
    assert "lowest error" in plot.legend.names


def test_the_mouse_draws_a_brush(qtbot: Any, plot: ParallelPlot, subject_of: SubjectOf) -> None:
    plot.follow(subject_of(20))
    assert plot.picture is not None
    last = len(plot.picture.axes) - 1
    view = plot.canvas.viewport()
    places = [
        plot.canvas.mapFromScene(box_of(plot).mapViewToScene(QPointF(last, height)))
        for height in (0.1, 0.3, 0.6)
    ]
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=places[0])
    for place in places[1:]:
        # QTest moves without a button; a drag has it pressed.
        at = QPointF(place)
        move = QMouseEvent(
            QEvent.Type.MouseMove,
            at,
            view.mapToGlobal(at),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(view, move)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=places[-1])
    low, high = plot.brushes[ERROR]
    assert low == pytest.approx(0.1, abs=0.03)
    assert high == pytest.approx(0.6, abs=0.03)


def test_trials_of_another_space_are_said_to_be(
    plot: ParallelPlot, subject_of: SubjectOf, small: tuple[Space, RunSeries]
) -> None:
    plot.follow(replace(subject_of(20), space=small[0]))
    assert "must be one of svm or tree" in plot.empty_text
    assert plot.open_panel() is None
    plot.follow(replace(subject_of(20), space=None))
    assert "cannot be read" in plot.empty_text
