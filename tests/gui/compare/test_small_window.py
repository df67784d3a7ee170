"""The Compare page in a low or narrow window, such as 1366 × 768 at 150 %."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.compare.coordinator import StudyHeartbeat
from studio.gui.base.theme import MIN_WINDOW_SIZE
from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.compare.study_view import ANSWER, RUNS
from studio.gui.session.session import Session

pytestmark = pytest.mark.slow

RAIL, TOP_BAR = 58, 57
SMALL = (911 - RAIL, 478 - TOP_BAR)
LEAST = (MIN_WINDOW_SIZE[0] - RAIL, MIN_WINDOW_SIZE[1] - TOP_BAR)


@pytest.fixture
def full(
    page: ComparePage, put_study: Callable[..., Any], qtbot: QtBot, session: Session
) -> ComparePage:
    """Return the page of a finished study with three omitted data sets."""
    put_study(session.document)
    reasons = {f"broken {each}": "It is no table. " * 8 for each in range(3)}
    StudyHeartbeat(session.document, 1).report(stage="ended", failures=reasons)
    session.following.poll()
    page.resize(*SMALL)
    page.show()
    page.model.poll()
    qtbot.waitUntil(lambda: page.model.grid.n_planned_runs == 8)
    return page


def get_area(page: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(page, QPoint()), widget.size())


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_runs_legend_and_omissions_are_one_below_the_other(
    full: ComparePage, qtbot: QtBot, size: tuple[int, int]
) -> None:
    study = full.study_view
    full.resize(*size)
    study.show_tab(RUNS)
    parts = (study.tabs, study.grid, study.legend, study.exclusions_table)

    def are_separate() -> bool:
        areas = [get_area(full, each) for each in parts]
        pairs = pairwise(areas)
        return full.rect().contains(areas[-1]) and all(a.bottom() < b.top() for a, b in pairs)

    qtbot.waitUntil(are_separate)
    assert full.height() == size[1], "it requires no higher window"


def test_results_have_most_of_a_low_page(full: ComparePage, qtbot: QtBot) -> None:
    study = full.study_view
    study.show_tab(ANSWER)
    qtbot.waitUntil(lambda: study.stack.height() >= 0.6 * SMALL[1])
    assert full.height() == SMALL[1]
    full.resize(1200, 700)
    qtbot.waitUntil(study.title_label.isVisible)


def test_steps_are_below_each_other_on_a_narrow_page(page: ComparePage, qtbot: QtBot) -> None:
    page.resize(1220, SMALL[1])
    page.show()
    form = page.form
    steps = (form.data_sets, form.methods, form.fields.inputs["budget"], form.start_button)

    def get_gaps() -> list[int]:
        areas = [get_area(page, each) for each in steps]
        return [below.top() - above.bottom() for above, below in pairwise(areas)]

    for _ in range(2):
        page.resize(SMALL[0], SMALL[1])
        qtbot.waitUntil(lambda: min(get_gaps()) > 0)
        page.resize(1220, SMALL[1])
        qtbot.waitUntil(lambda: get_gaps()[1] < 0)
        assert get_area(page, steps[2]).left() > get_area(page, steps[0]).right()
        assert form.start_button.isVisibleTo(page)


def test_legend_explains_symbols_that_occur(full: ComparePage) -> None:
    study = full.study_view
    study.show_tab(RUNS)
    visible = {state for state, each in study.legend.entries.items() if not each.isHidden()}
    assert visible == {"finished"}
