"""The map of the surrogate: its model with example answers, and its widget."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from studio.figures.figure import Pointer
from studio.figures.marks import Heatmap
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.parameter_ticks import make_parameter_ticks
from studio.gui.plots.search.slice_model import group_parameters
from studio.gui.plots.search.surrogate_map import (
    QUANTITIES,
    MapData,
    SurrogateMapPlot,
    choose_first_pair,
    describe_flat_map,
    describe_map_point,
    format_value,
    make_map_data,
)
from studio.measure import Measure
from studio.space.library import load
from studio.space.parameters import Float
from studio.space.space import Space
from tests.gui.plots.examples import PLANE, make_constant_answer

SeriesMaker = Callable[[int], RunSeries]
SubjectMaker = Callable[..., Subject]


# Map ----------------------------------------------------------------------------------------


def make_example_map(space: Space, what: str) -> MapData:
    return make_map_data(PLANE, Measure(), space, what)


@pytest.mark.parametrize(
    ("followed", "over", "expected"),
    [
        (True, False, "inactive in it"),
        (False, False, "being chosen"),
        (False, True, "run has finished"),
    ],
)
def test_map_explains_missing_next_configuration(
    qtbot: Any,
    plot_helper: Any,
    make_subject: SubjectMaker,
    followed: bool,
    over: bool,
    expected: str,
) -> None:
    plot_helper.answers["surrogate_map"] = make_constant_answer(
        replace(PLANE, next_point=(), has_next_trial=followed)
    )
    plot = SurrogateMapPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.follow(replace(make_subject(8), test_loss=0.1 if over else None))
    assert expected in plot.read_out


def test_map_uses_unit_of_quantity(space: Space) -> None:
    mean = make_example_map(space, "mean")
    assert (mean.low, mean.high) == pytest.approx((10, 40))
    assert mean.format_value(mean.low) == "10\N{NO-BREAK SPACE}%"
    assert make_example_map(space, "sd").high == pytest.approx(4)
    promise = make_example_map(space, "acquisition")
    assert (promise.low, promise.high) == (0, 1)
    assert "expected improvement" in promise.title


def test_map_describes_trials_and_cells(space: Space, make_series: SeriesMaker) -> None:
    data, series = make_example_map(space, "mean"), make_series(8)
    assert "trial 2" in describe_map_point(data, series, Pointer(0, 0.2, 0.1))
    low = describe_map_point(data, series, Pointer(0, 0.01, 0.01))
    assert "expected 10\N{NO-BREAK SPACE}%" in low
    assert "C = " in low and "rbf-svm" not in low
    assert describe_map_point(data, series, Pointer(0, 1.2, 0.5)) == ""


def test_map_is_empty_for_inactive_values(space: Space, make_series: SeriesMaker) -> None:
    plane = replace(PLANE, mean=np.where(PLANE.mean > 0.3, np.nan, PLANE.mean))
    data = make_map_data(plane, Measure(), space, "mean")
    assert data.high <= 30
    text = describe_map_point(data, make_series(4), Pointer(0, 0.9, 0.95))
    assert "never active together" in text


def test_map_values_match_axis() -> None:
    space = Space("one", (Float("C", 0.01, 100.0, log=True), Float("b", 0.0, 10.0)))
    assert format_value(space, "C", 0.5) == "1"
    assert format_value(space, "C", 0.0) == "0.01"
    assert format_value(space, "b", 0.25) == "2.5"
    full_space = load("sklearn-cash")
    ticks = [text for _, text in make_parameter_ticks(full_space, "algorithm")]
    units = (np.arange(len(ticks)) + 0.5) / len(ticks)
    assert [format_value(full_space, "algorithm", each) for each in units] == ticks
    assert format_value(full_space, "forest.max_depth", 1.0).isdigit()


def test_powers_of_ten_are_formatted(space: Space) -> None:
    texts = [text for _, text in make_example_map(space, "mean").make_ticks("rbf-svm.C")]
    assert "10⁴" in texts or "10⁻⁵" in texts


def test_map_defaults_to_most_frequent_branch(space: Space, make_series: SeriesMaker) -> None:
    first, second = choose_first_pair(space, make_series(20))
    assert first != second
    assert first.split(".")[0] == second.split(".")[0]
    assert choose_first_pair(Space("one", (Float("C", 0.0, 1.0),)), RunSeries()) == ("", "")


def test_map_without_trials_defaults_to_hyperparameters_of_one_branch() -> None:
    space = load("sklearn-cash")
    pair = choose_first_pair(space, RunSeries())
    groups = group_parameters(space)
    assert any(set(pair) <= set(names) for names in groups.values()), "not one strip of a map"
    assert "algorithm" not in pair


def test_map_needs_two_different_hyperparameters(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = SurrogateMapPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.show()
    plot.follow(make_subject(8))
    n_requests = len(plot_helper.asked)
    plot.y_chooser.choose(plot.x_chooser.key)
    plot.follow(make_subject(8))
    assert "two different" in plot.empty_text
    assert len(plot_helper.asked) == n_requests
    assert plot.y_chooser.isVisible()


@pytest.mark.slow
def test_branches_with_both_parameters_share_colour_scale(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    three = np.concatenate([PLANE.mean * k for k in (1, 2, 3)])
    panels = replace(PLANE, panels=("a", "b", "c"), fixed_values=("trial 1",) * 3, mean=three)
    panels = replace(panels, sd=three, acquisition=three, next_point=(2.0, 0.5, 0.5))
    plot_helper.answers["surrogate_map"] = make_constant_answer(panels)
    plot = SurrogateMapPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(700, 400)
    plot.show()
    plot.follow(make_subject(8))
    assert plot.data is not None
    assert [panel.name for panel in plot.data.panels] == ["a", "b", "c"]
    assert plot.data.high == pytest.approx(120)
    assert [panel.following for panel in plot.data.panels] == [None, None, (0.5, 0.5)]
    assert len(plot.get_table()[1]) == 3 * 12
    plot.quantity_chooser.show_key("sd")
    assert "standard deviation" in plot.scale.accessibleDescription()


def test_flat_map_shows_message_instead_of_scale(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker, space: Space
) -> None:
    flat = replace(
        PLANE,
        mean=0.2 + 1e-6 * PLANE.mean,
        sd=0 * PLANE.sd + 0.03,
        acquisition=0.1 + 1e-14 * PLANE.acquisition,
    )
    texts = [describe_flat_map(make_map_data(flat, Measure(), space, each)) for each in QUANTITIES]
    assert "20\N{NO-BREAK SPACE}%" in texts[0] and "3\N{NO-BREAK SPACE}%" in texts[1] and texts[2]
    assert not any(describe_flat_map(make_example_map(space, each)) for each in QUANTITIES)
    plot_helper.answers["surrogate_map"] = make_constant_answer(flat)
    plot = SurrogateMapPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.follow(make_subject(8))
    assert plot.data is not None
    figure = plot.make_figure(plot.data, make_subject(8))
    assert figure.scale is None and figure.lead.startswith(texts[0])
    heat = next(each for each in figure.marks if isinstance(each, Heatmap))
    assert not np.nan_to_num(heat.values).any(), "rounding errors have no colours"


@pytest.mark.slow
def test_map_takes_most_of_a_low_plot(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot_helper.answers["surrogate_map"] = make_constant_answer(PLANE)
    plot = SurrogateMapPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.show()
    plot.follow(make_subject(8))
    shares = []
    for width in (812, 390):
        plot.resize(width, 308)
        qtbot.waitUntil(lambda w=width: plot.width() == w)
        plot.refresh()
        qtbot.wait(50)
        (axes,) = plot.canvas.ci.items
        shares.append(axes.getViewBox().height() / plot.height())
        assert plot.x_chooser.isVisible() and plot.y_chooser.isVisible()
    assert shares[0] >= 0.65
    assert shares[1] < shares[0], "its header has no room for the choosers of the axes"
