"""Presentation mode shows what was shown, and gives it back."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from studio.gui.base.look import look
from studio.gui.pages.live.arrangements import Arrangement
from studio.gui.pages.live.docks import DockArea
from studio.gui.plots.registry import REGISTRY

FOUR = ("progress", "slice", "membership", "diversity")


@pytest.fixture
def area(qtbot: Any, qapp: QApplication) -> Iterator[DockArea]:
    made = DockArea(REGISTRY, Arrangement("four", "", "", FOUR, tabs=False))
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
    assert area.part()
    qapp.processEvents()
    assert area.open_keys == FOUR
    assert area.docks["slice"].isFloating()


def test_what_was_chosen_while_presenting_stays(area: DockArea, qapp: QApplication) -> None:
    area.hold()
    look().present(True)
    area.gather()
    area.arrange(Arrangement("one", "", "", ("errors",), tabs=True))
    look().present(False)
    assert not area.part()
    qapp.processEvents()
    assert area.open_keys == ("errors",)
