"""Parallel coordinates: axis positions, colours, and the hovered line."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pyqtgraph import TextItem
from PySide6.QtWidgets import QApplication

from studio.figures.figure import Pointer
from studio.figures.ink import SURFACE
from studio.figures.marks import Line, WordMarks
from studio.gui.base.inks import get_colour
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.parallel import (
    FAILED,
    INACTIVE,
    ParallelData,
    ParallelPlot,
    choose_axes,
    find_nearest_line,
    group_by_error,
    make_error_axis,
    make_parallel_data,
)
from studio.gui.plots.search.parameter_ticks import make_parameter_ticks
from studio.measure import Measure
from studio.space.base import Condition
from studio.space.parameters import Categorical, Float, Integer
from studio.space.space import Space
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.painted_texts import find_collisions, read_painted_texts

SubjectMaker = Callable[..., Subject]


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


def make_data(small: tuple[Space, RunSeries], iteration: int = 4) -> ParallelData:
    return make_parallel_data(*small, iteration)


def test_adjacent_runs_have_common_axes(small: tuple[Space, RunSeries]) -> None:
    space, first = small
    second = RunSeries(branch_parameter="algorithm", branches=("svm", "tree"))
    configuration = {"algorithm": "tree", "tree.depth": 2}
    losses = (0.5, 0.4, 0.6, 0.45)
    trials = [Trial(n, configuration, n, loss) for n, loss in enumerate(losses, 1)]
    second.extend(trials, [])
    pairs = ((first, [second]), (second, [first]))
    alone = {tuple(choose_axes(space, each)) for each, _ in pairs}
    assert len(alone) == 2, "the most tried kinds differ"
    (names,) = {tuple(choose_axes(space, each, others)) for each, others in pairs}
    assert names == ("algorithm", "tree.depth"), "5 of 8 trials"
    for iteration in (2, 4):
        data = [make_parallel_data(space, each, iteration, others) for each, others in pairs]
        assert data[0].axes == data[1].axes
        assert data[0].crossings[1, -1] == 0.0 and data[1].crossings[1, -1] > 0.5
    rooms = RunSeries(branch_parameter="kernel", branches=("rbf",))
    assert choose_axes(space, first, [rooms]) == choose_axes(space, first)
    percent = replace(second, measure=Measure("log loss", ""))
    other = make_parallel_data(space, first, 4, [percent])
    assert other.axes[-1] == make_parallel_data(space, first, 4).axes[-1]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.02, 0.2, ["0.02", "0.06", "0.2"]),
        (0.5, 0.9, ["0.5", "0.7", "0.9"]),
        (0.96, 1.0, ["0.96", "1"]),
    ],
)
def test_short_log_axis_has_round_middle(low: float, high: float, texts: list[str]) -> None:
    space = Space("one", (Float("share", low, high, log=True),))
    ticks = make_parameter_ticks(space, "share")
    assert [text for _, text in ticks] == texts
    for height, text in ticks:
        at = np.log(float(text) / low) / np.log(high / low)
        assert height == pytest.approx(at), "at its own value"


def test_parallel_lines_pass_through_values(small: tuple[Space, RunSeries]) -> None:
    crossings = make_data(small).crossings
    np.testing.assert_allclose(crossings[:, 0], [0.25, 0.25, 0.75, 0.25], atol=0.25)
    np.testing.assert_allclose(crossings[:, 1], [0, 0.5, INACTIVE, 1], atol=0.05)
    assert crossings[1, 2] == 0.0
    assert crossings[2, 2] == FAILED
    assert len(set(crossings[[0, 1, 3], 0])) == 3, "trials with one choice lie apart"


def test_plot_ignores_later_trials(small: tuple[Space, RunSeries]) -> None:
    assert make_data(small, iteration=2).numbers.tolist() == [1, 2]


def test_parallel_axes_have_decades_and_names(small: tuple[Space, RunSeries]) -> None:
    root, axis, error = make_data(small).axes
    assert (axis.name, axis.title, axis.is_numeric) == ("svm.C", "C (log)", True)
    assert [text for _, text in axis.ticks] == ["0.01", "0.1", "1", "10", "100"]
    np.testing.assert_allclose([at for at, _ in axis.ticks], [0, 0.25, 0.5, 0.75, 1])
    assert root.ticks == ((0.25, "svm"), (0.75, "Tree")) and not root.is_numeric
    assert error.name == ""
    integer_ticks = make_parameter_ticks(small[0], "tree.depth")
    assert (integer_ticks[0], integer_ticks[-1]) == ((0.125, "1"), (0.875, "4"))


def test_axes_with_equal_last_names_have_full_names() -> None:
    space = Space("twice", (Float("a.x", 0, 1), Float("b.x", 0, 1), Float("a.y", 0, 1)))
    series = RunSeries()
    series.extend([Trial(1, {"a.x": 0.5, "b.x": 0.5, "a.y": 0.5}, 1, 0.3)], [])
    titles = [axis.title for axis in make_parallel_data(space, series, 1).axes]
    assert titles[2] == "y" and titles[0] != titles[1]


def test_decade_labels_share_one_style() -> None:
    space = Space("wide", (Float("C", 1e-5, 1e5, log=True), Integer("n", 0, 300_000)))
    assert [text for _, text in make_parameter_ticks(space, "C")] == [
        *("10⁻⁵", "10⁻²", "10¹", "10⁴")
    ]
    assert [text for _, text in make_parameter_ticks(space, "n")] == [*("0", "150,000", "300,000")]


def test_error_axis_ends_at_ninth_decile() -> None:
    losses = np.append(np.linspace(0.1, 0.2, 99), [0.9, np.nan])
    axis, heights = make_error_axis(Measure(), losses, losses)
    assert heights[0] == 0.0
    assert heights[99] == 1.0
    assert heights[100] == FAILED
    assert axis.ticks[-1][1].startswith("≥ ")
    assert [(round(height, 2), text) for height, text in axis.ticks[1:-1]] == [
        *((0.22, "12.0 %"), (0.44, "14.0 %"), (0.66, "16.0 %"), (0.88, "18.0 %"))
    ]
    losses = np.array([0.1, 0.1])
    axis, heights = make_error_axis(Measure(), losses, losses)
    assert heights.tolist() == [0.5, 0.5]


def test_default_axes_belong_to_most_frequent_branch(small: tuple[Space, RunSeries]) -> None:
    assert choose_axes(*small) == ["algorithm", "svm.C"]
    assert choose_axes(small[0], RunSeries()) == ["algorithm", "svm.C", "tree.depth"]


def test_error_colours_are_quantiles() -> None:
    groups = group_by_error(np.append(np.arange(16.0)[::-1], np.nan))
    assert groups.tolist() == [*np.repeat(np.arange(8), 2)[::-1], -1]
    assert set(group_by_error(np.array([0.1, 0.1, 0.1]))) == {0}


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> ParallelPlot:
    parallel_plot = ParallelPlot(plot_helper)
    qtbot.addWidget(parallel_plot)
    parallel_plot.resize(800, 460)
    parallel_plot.show()
    return parallel_plot


def test_lines_are_drawn_in_order_of_error(plot: ParallelPlot, make_subject: SubjectMaker) -> None:
    plot.follow(make_subject(20))
    assert plot.data is not None and plot.subject is not None
    assert plot.legend.names[-1] == "lowest error"
    assert "20 trials" in plot.read_out
    height = float(plot.data.crossings[7, 0])
    text = plot.describe_hovered(plot.data, plot.subject, Pointer(0, 0.0, height, 0.001, 0.001))
    assert "trial 8" in text
    names, rows = plot.get_table()
    assert names[0] == "trial" and len(rows) == 20


def test_trials_of_other_space_are_reported(
    plot: ParallelPlot, make_subject: SubjectMaker, small: tuple[Space, RunSeries]
) -> None:
    plot.follow(replace(make_subject(20), space=small[0]))
    assert contains_facts(plot.empty_text, "svm or tree")
    plot.follow(replace(make_subject(20), space=None))
    assert "cannot be read" in plot.empty_text


@pytest.mark.slow
def test_axis_labels_fit_into_gaps(plot: ParallelPlot, make_subject: SubjectMaker) -> None:
    for room in ((800, 460), (380, 260)):
        plot.resize(*room)
        QApplication.processEvents()
        plot.follow(make_subject(20))
        assert plot.current_figure is not None
        word_marks = [each for each in plot.current_figure.marks if isinstance(each, WordMarks)]
        lines = [each for each in plot.current_figure.marks if isinstance(each, Line)]
        highest = max(each.depth or 0.0 for each in lines)
        assert all(each.background == SURFACE.with_opacity(0.85) for each in word_marks)
        assert all((each.depth or 0.0) > highest for each in word_marks)
        assert find_collisions(read_painted_texts(plot)) == []
        box = next(iter(plot.canvas.ci.items)).getViewBox()
        text_items = [
            each for each in box.allChildren() if isinstance(each, TextItem) and each.isVisible()
        ]
        last = len(plot.data.axes) - 1
        for each in text_items:
            at, low = each.pos().x(), box.viewRange()[0][0]
            wide = each.boundingRect().width() * box.viewPixelSize()[0]
            if at < 0:
                assert at - wide >= low, "before the first axis, where no line is"
            else:
                assert int(at) == last or at + wide <= int(at) + 1
            assert each.fill.color() == get_colour(SURFACE.with_opacity(0.85))


def test_hovered_line_is_described(
    plot: ParallelPlot, small: tuple[Space, RunSeries], make_subject: SubjectMaker
) -> None:
    data = make_data(small)
    subject = replace(make_subject(2), series=small[1])
    middle = 0.5 * (data.crossings[1, 0] + data.crossings[1, 1])
    assert find_nearest_line(data, 0.5, middle, 0.01) == 1
    assert find_nearest_line(data, 0.5, 0.99, 0.01) == -1
    at = Pointer(0, 0.5, middle, 0.001, 0.001)
    assert plot.describe_hovered(data, subject, at) == "trial 2 (svm)  ·  10.00 %  ·  C (log) = 1"
    failed = Pointer(0, 2.0, FAILED, 0.001, 0.001)
    assert "failed" in plot.describe_hovered(data, subject, failed)


def list_texts(plot: ParallelPlot, data: ParallelData, subject: Subject) -> list[list[str]]:
    """Return the labels of each axis."""
    marks = plot.make_figure(data, subject).marks
    return [list(each.texts) for each in marks if isinstance(each, WordMarks)]


def test_levels_are_named_once_where_a_line_passes(
    plot: ParallelPlot, small: tuple[Space, RunSeries], make_subject: SubjectMaker
) -> None:
    subject = make_subject(2)
    early, late = (list_texts(plot, make_data(small, n), subject) for n in (2, 4))
    assert all("not active" not in each and "no result" not in each for each in early)
    assert ["not active" in each for each in late] == [True, False, False]
    assert ["no result" in each for each in late] == [False, False, True]


def test_numbers_without_room_beside_inner_axes_are_dropped(
    plot: ParallelPlot, small: tuple[Space, RunSeries], make_subject: SubjectMaker
) -> None:
    data, subject = make_data(small), make_subject(2)
    plot.canvas.resize(1200, 400)
    wide = list_texts(plot, data, subject)
    assert "100" in wide[1]
    plot.canvas.resize(110, 400)
    narrow = list_texts(plot, data, subject)
    assert narrow[0] == wide[0] and narrow[2] == wide[2]
    assert narrow[1] == ["1"], "no ellipsis in place of a number"
