"""Parallel coordinates: axis positions, colours, and the hovered line."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pyqtgraph import TextItem
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from studio.figures.figure import Pointer
from studio.figures.ink import SURFACE
from studio.figures.marks import Line, WordMarks
from studio.gui.base import theme
from studio.gui.base.inks import get_colour
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.parallel import (
    ParallelPlot,
    _compute_room,
    _drop_wide_numbers,
    _make_axes,
)
from studio.gui.plots.search.parallel_model import (
    ERROR,
    FAILED,
    INACTIVE,
    ParallelData,
    UnitRows,
    choose_default_axes,
    describe_line,
    find_nearest_line,
    find_unique_tails,
    group_by_error,
    make_error_axis,
    make_line_arrays,
    make_parallel_data,
    make_parameter_axis,
)
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
    names = ("algorithm", "svm.C", "tree.depth", ERROR)
    return make_parallel_data(UnitRows(*small), names, iteration)


def test_adjacent_runs_have_common_axes(small: tuple[Space, RunSeries]) -> None:
    space, first = small
    second = RunSeries(branch_parameter="algorithm", branches=("svm", "tree"))
    configuration = {"algorithm": "tree", "tree.depth": 2}
    losses = (0.5, 0.4, 0.6, 0.45)
    trials = [Trial(n, configuration, n, loss) for n, loss in enumerate(losses, 1)]
    second.extend(trials, [])
    pairs = ((first, [second]), (second, [first]))
    alone = {choose_default_axes(space, each) for each, _ in pairs}
    assert len(alone) == 2, "the most tried kinds differ"
    (names,) = {choose_default_axes(space, each, others) for each, others in pairs}
    assert names == ("algorithm", "tree.depth", ERROR), "5 of 8 trials"
    for iteration in (2, 4):
        data = [
            make_parallel_data(UnitRows(space, each), names, iteration, others)
            for each, others in pairs
        ]
        assert data[0].axes == data[1].axes
        assert data[0].crossings[1, -1] == 0.0 and data[1].crossings[1, -1] > 0.5
    rooms = RunSeries(branch_parameter="kernel", branches=("rbf",))
    assert choose_default_axes(space, first, [rooms]) == choose_default_axes(space, first)
    percent = replace(second, measure=Measure("log loss", ""))
    other = make_parallel_data(UnitRows(space, first), names, 4, [percent])
    assert other.axes == make_parallel_data(UnitRows(space, first), names, 4).axes


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
    axis = make_parameter_axis(space, "share", is_short=False)
    assert [text for _, text in axis.ticks] == texts
    for height, text in axis.ticks:
        at = np.log(float(text) / low) / np.log(high / low)
        assert height == pytest.approx(at), "at its own value"


def test_parallel_lines_pass_through_values(small: tuple[Space, RunSeries]) -> None:
    crossings = make_data(small).crossings
    np.testing.assert_allclose(crossings[:, 0], [0.25, 0.25, 0.75, 0.25], atol=0.25)
    np.testing.assert_allclose(crossings[:, 1], [0, 0.5, INACTIVE, 1], atol=0.05)
    np.testing.assert_allclose(crossings[:, 2], [INACTIVE, INACTIVE, 0.875, INACTIVE], atol=0.05)
    assert crossings[1, 3] == 0.0
    assert crossings[2, 3] == FAILED
    assert len(set(crossings[[0, 1, 3], 0])) == 3, "trials with one choice lie apart"


def test_plot_ignores_later_trials(small: tuple[Space, RunSeries]) -> None:
    assert make_data(small, iteration=2).numbers.tolist() == [1, 2]


def test_parallel_axes_have_decades_and_names(small: tuple[Space, RunSeries]) -> None:
    axis = make_parameter_axis(small[0], "svm.C", is_short=True)
    assert axis.title == "C (log)"
    assert [text for _, text in axis.ticks] == ["0.01", "0.1", "1", "10", "100"]
    np.testing.assert_allclose([at for at, _ in axis.ticks], [0, 0.25, 0.5, 0.75, 1])
    assert axis.special == (INACTIVE, "not active")
    root = make_parameter_axis(small[0], "algorithm", is_short=True)
    assert root.choices == 2
    assert root.special[1] == ""
    assert [text for _, text in root.ticks] == ["svm", "Tree"]
    integer_axis = make_parameter_axis(small[0], "tree.depth", is_short=False)
    assert (integer_axis.ticks[0], integer_axis.ticks[-1]) == ((0.125, "1"), (0.875, "4"))


def test_decade_labels_share_one_style() -> None:
    space = Space("wide", (Float("C", 1e-5, 1e5, log=True), Integer("n", 0, 300_000)))
    assert [text for _, text in make_parameter_axis(space, "C", is_short=True).ticks] == [
        *("10⁻⁵", "10⁻²", "10¹", "10⁴")
    ]
    assert [text for _, text in make_parameter_axis(space, "n", is_short=True).ticks] == [
        *("0", "150,000", "300,000")
    ]


def test_error_axis_ends_at_ninth_decile() -> None:
    losses = np.append(np.linspace(0.1, 0.2, 99), [0.9, np.nan])
    axis, heights = make_error_axis(Measure(), losses)
    assert heights[0] == 0.0
    assert heights[99] == 1.0
    assert heights[100] == FAILED
    assert axis.ticks[-1][1].startswith("≥ ")
    assert [(round(height, 2), text) for height, text in axis.ticks[1:-1]] == [
        *((0.22, "12.0 %"), (0.44, "14.0 %"), (0.66, "16.0 %"), (0.88, "18.0 %"))
    ]
    axis, heights = make_error_axis(Measure(), np.array([0.1, 0.1]))
    assert heights.tolist() == [0.5, 0.5]


def test_default_axes_belong_to_most_frequent_branch(small: tuple[Space, RunSeries]) -> None:
    assert choose_default_axes(*small) == ("algorithm", "svm.C", ERROR)
    assert choose_default_axes(small[0], RunSeries()) == ("algorithm", "svm.C", "tree.depth", ERROR)
    assert find_unique_tails(["a.x", "b.x", "a.y"]) == {"a.x": False, "b.x": False, "a.y": True}


def test_error_colours_are_quantiles() -> None:
    groups = group_by_error(np.append(np.arange(16.0)[::-1], np.nan))
    assert groups.tolist() == [*np.repeat(np.arange(8), 2)[::-1], -1]
    assert set(group_by_error(np.array([0.1, 0.1, 0.1]))) == {0}


def test_lines_are_drawn_as_one_path() -> None:
    x, y = make_line_arrays(np.array([[0.1, 0.2], [0.4, 0.5]]))
    np.testing.assert_array_equal(x, [0, 1, np.nan, 0, 1, np.nan])
    np.testing.assert_array_equal(y, [0.1, 0.2, np.nan, 0.4, 0.5, np.nan])


def test_hovered_line_is_described(small: tuple[Space, RunSeries]) -> None:
    data = make_data(small)
    middle = 0.5 * (data.crossings[1, 0] + data.crossings[1, 1])
    assert find_nearest_line(data, 0.5, middle, 0.01) == 1
    assert find_nearest_line(data, 0.5, 0.99, 0.01) == -1
    assert describe_line(data, small[1], 1) == "trial 2 (svm)  ·  10.00 %  ·  C (log) = 1"
    assert "failed" in describe_line(data, small[1], 2)


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


def test_level_without_value_is_named_in_full(
    plot: ParallelPlot, small: tuple[Space, RunSeries], make_subject: SubjectMaker
) -> None:
    space, series = small
    names = ("algorithm", "svm.C", "tree.depth", ERROR)
    data = make_parallel_data(UnitRows(space, series), names, len(series.trials))
    name = data.axes[1].special[1]
    assert name
    for width, n_names in ((1200, 2), (300, 1)):
        plot.canvas.resize(width, 400)
        figure = plot.make_figure(data, make_subject(2))
        marks = [
            each for each in figure.marks if isinstance(each, WordMarks) and name in each.texts
        ]
        assert len(marks) == n_names
        axis = figure.panels[0].x
        assert axis.low is not None and axis.high is not None
        pixels = width / (axis.high - axis.low)
        text_width = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(name)
        for each in marks:
            assert each.max_width * pixels >= text_width
            assert each.is_right_aligned == (n_names == 1), "before the first axis"


def test_missing_value_label_needs_line(plot: ParallelPlot, small: tuple[Space, RunSeries]) -> None:
    def list_axis_texts(iteration: int) -> list[str]:
        data = make_parallel_data(UnitRows(*small), ("algorithm", "svm.C", ERROR), iteration)
        return [text for each in _make_axes(data, 0.01, 0.2) for text in getattr(each, "texts", ())]

    assert "not active" not in list_axis_texts(2) and "no result" not in list_axis_texts(2)
    assert "not active" in list_axis_texts(4) and "no result" in list_axis_texts(4)


def test_numbers_without_room_beside_inner_axes_are_dropped(
    qtbot: Any, small: tuple[Space, RunSeries]
) -> None:
    names = ("algorithm", "svm.C", "tree.depth", ERROR)
    data = make_parallel_data(UnitRows(*small), names, 4)
    assert _drop_wide_numbers(data, 1200) == data
    narrow = _drop_wide_numbers(data, 110)
    assert narrow.axes[1].ticks != data.axes[1].ticks, "no ellipsis in place of a number"
    assert narrow.axes[0] == data.axes[0] and narrow.axes[-1] == data.axes[-1]
    room, metrics = _compute_room(data, 110), QFontMetrics(theme.font(theme.SMALL))
    assert all(metrics.horizontalAdvance(text) <= room for _, text in narrow.axes[1].ticks)
