"""Which plots stand together, and where, without a window."""

import pytest

from studio.gui.pages.live.arrangements import Arrangement, arrangements, cells, grouped
from studio.gui.plots.base.questions import ENSEMBLE, GOOD, QUESTIONS, SEARCH, WORK
from studio.gui.plots.registry import REGISTRY


def kind(key: str, question: str) -> type:
    return type(key, (), {"key": key, "question": question})


PLOTS = [
    kind("progress", GOOD),
    kind("slice", SEARCH),
    kind("membership", ENSEMBLE),
    kind("diversity", ENSEMBLE),
    kind("errors", GOOD),
    kind("map", SEARCH),
    kind("parallel", SEARCH),
    kind("calibration", SEARCH),
    kind("importance", SEARCH),
    kind("resources", WORK),
]


def test_every_plot_answers_a_question_that_there_is() -> None:
    assert {plot.question for plot in REGISTRY} <= set(QUESTIONS)
    assert sum(len(found) for _, found in grouped(REGISTRY)) == len(REGISTRY)


def test_the_overview_begins_with_its_four_and_goes_on_by_turns() -> None:
    overview = arrangements(PLOTS)[0]
    assert overview.plots[:4] == ("progress", "slice", "membership", "diversity")
    assert overview.plots[4] == "resources"
    assert sorted(overview.plots) == sorted(plot.key for plot in PLOTS)


def test_each_question_with_plots_has_an_arrangement() -> None:
    assert [each.key for each in arrangements(PLOTS)] == [
        *("overview", SEARCH, ENSEMBLE, GOOD, WORK)
    ]
    assert [each.key for each in arrangements(PLOTS[:3])] == ["overview", SEARCH, ENSEMBLE, GOOD]


@pytest.mark.parametrize(
    ("width", "count", "columns"),
    [(700, 4, 1), (1136, 15, 2), (1136, 2, 1), (1920, 15, 3), (1920, 4, 2), (3840, 15, 4)],
)
def test_large_pages_have_more_columns(width: int, count: int, columns: int) -> None:
    plots = Arrangement("", "", "", tuple(f"plot {number}" for number in range(count)), least=0)
    assert len(cells(plots, width)) == columns


def test_a_small_page_shows_two_by_two_and_leaves_the_rest_out() -> None:
    overview = arrangements(PLOTS)[0]
    assert cells(overview, 1136) == [[["progress"], ["membership"]], [["slice"], ["diversity"]]]
    assert sum(len(column) for column in cells(overview, 1920)) == 6


def test_an_arrangement_of_a_question_puts_the_rest_behind_as_tabs() -> None:
    search = next(each for each in arrangements(PLOTS) if each.key == SEARCH)
    assert cells(search, 1136) == [
        [["slice", "importance"], ["parallel"]],
        [["map"], ["calibration"]],
    ]


def test_a_low_page_shows_one_row_so_that_plots_are_not_all_text() -> None:
    overview = arrangements(PLOTS)[0]
    assert cells(overview, 880, 448) == [[["progress", "membership"]], [["slice", "diversity"]]]
    search = next(each for each in arrangements(PLOTS) if each.key == SEARCH)
    placed = [key for column in cells(search, 850, 335) for tabs in column for key in tabs]
    assert sorted(placed) == sorted(search.plots)
