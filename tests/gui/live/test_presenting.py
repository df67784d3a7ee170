"""Presentation mode shows what was shown, and gives it back."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from studio.gui.base.look import look
from studio.gui.pages.live.arrangements import Arrangement
from studio.gui.pages.live.docks import DockArea
from studio.gui.pages.live.page import LivePage
from studio.gui.plots.registry import REGISTRY
from studio.gui.session.session import Session

FOUR = ("progress", "slice", "membership", "diversity")


@pytest.fixture
def area(qtbot: Any, qapp: QApplication) -> Iterator[DockArea]:
    made = DockArea(REGISTRY, Arrangement("four", "", "", FOUR, least=0))
    qtbot.addWidget(made)
    made.resize(1200, 560)
    made.show()
    qapp.processEvents()
    yield made
    look().present(False)


def test_plots_without_room_become_tabs_and_come_back(area: DockArea, qapp: QApplication) -> None:
    assert area.seen_keys == FOUR
    area.docks["slice"].setFloating(True)
    qapp.processEvents()
    area.hold()
    look().present(True)
    area.gather()
    qapp.processEvents()
    assert area.open_keys == FOUR
    assert area.is_gathered
    assert len(area.seen_keys) == 2
    look().present(False)
    area.part()
    qapp.processEvents()
    assert area.open_keys == FOUR
    assert area.docks["slice"].isFloating()


def heights(area: DockArea) -> set[int]:
    return {area.docks[key].height() for key in area.seen_keys}


def test_rows_stay_even_on_a_page_of_another_size(area: DockArea, qapp: QApplication) -> None:
    for dock in area.docks.values():
        filled = QWidget()
        filled.setMinimumHeight(300 if dock.key == "progress" else 20)
        dock.take(filled)  # type: ignore[arg-type]
    area.hold()
    look().present(True)
    area.gather()
    qapp.processEvents()
    look().present(False)
    area.part()
    for height in (700, 560):
        area.resize(1200, height)
        qapp.processEvents()
        assert area.seen_keys == FOUR
        assert len(heights(area)) == 1


def test_a_page_that_becomes_low_shows_one_row_and_then_two_again(
    qtbot: Any, helper: Any, qapp: QApplication
) -> None:
    page = LivePage(Session(), helper)
    qtbot.addWidget(page)
    page.resize(1135, 640)
    page.show()
    area = page.area
    qtbot.waitUntil(lambda: area.seen_keys == FOUR)
    page.resize(880, 490)
    qtbot.waitUntil(lambda: len(area.seen_keys) == 2)
    assert area.open_keys == FOUR
    page.resize(1135, 640)
    qtbot.waitUntil(lambda: area.seen_keys == FOUR)


def test_what_was_chosen_while_presenting_stays(area: DockArea, qapp: QApplication) -> None:
    area.hold()
    look().present(True)
    area.gather()
    area.arrange(Arrangement("one", "", "", ("errors",), least=1))
    look().present(False)
    area.part()
    qapp.processEvents()
    assert area.open_keys == ("errors",)
