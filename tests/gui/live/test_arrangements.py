"""Grid arrangements of plots, without a window."""

import pytest

from studio.gui.pages.live.bar import (
    INITIAL_PLOTS,
    MIN_PLOT_SIZE,
    choose_grid_shape,
    distribute_plots,
    group_by_question,
)
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.plot import QUESTION_TITLES

PLOTS = tuple(f"plot {number}" for number in range(15))


def test_plots_belong_to_known_questions() -> None:
    assert {plot.question for plot in REGISTRY} <= set(QUESTION_TITLES)
    assert sum(len(plots) for _, plots in group_by_question(REGISTRY)) == len(REGISTRY)
    assert set(INITIAL_PLOTS) < {plot.key for plot in REGISTRY}


@pytest.mark.parametrize(
    ("count", "width", "height", "shape"),
    [
        (1, 1220, 660, (1, 2)),
        (4, 1220, 660, (2, 2)),
        (5, 1220, 660, (3, 2)),
        (4, 1220, 600, (3, 1)),
        (15, 1220, 660, (3, 1)),
        (15, 1220, 720, (3, 2)),
        (15, 880, 440, (2, 1)),
        (15, 1775, 890, (4, 2)),
        (15, 300, 200, (1, 1)),
    ],
)
def test_arrangement_has_no_empty_cells(
    count: int, width: int, height: int, shape: tuple[int, int]
) -> None:
    assert choose_grid_shape(count, width, height) == shape


def test_plot_with_extra_lines_needs_higher_cell() -> None:
    assert choose_grid_shape(5, 1220, 660) == (3, 2)
    assert choose_grid_shape(5, 1220, 660, extra_height=100) == (3, 1)


@pytest.mark.parametrize("size", [(1220, 600), (880, 440), (1290, 700), (3600, 2000)])
def test_plots_have_minimum_size(size: tuple[int, int]) -> None:
    columns, rows = choose_grid_shape(len(PLOTS), *size)
    assert size[0] / columns > MIN_PLOT_SIZE[0]
    assert size[1] / rows > MIN_PLOT_SIZE[1]


def test_plots_without_cell_become_tabs() -> None:
    placed = distribute_plots(PLOTS[:7], 1220, 440)
    assert placed == [
        [["plot 0", "plot 3", "plot 6"]],
        [["plot 1", "plot 4"]],
        [["plot 2", "plot 5"]],
    ]
    for size in ((1220, 600), (300, 200), (3600, 2000)):
        keys = [key for column in distribute_plots(PLOTS, *size) for tabs in column for key in tabs]
        assert sorted(keys) == sorted(PLOTS)
