"""A plot in a separate window, and its return to the page."""

from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication

from studio.gui.pages.live.docks import DockArea
from studio.gui.pages.live.registry import REGISTRY

FOUR = ("progress", "slice", "membership", "diversity")


class _CloseByUser(QCloseEvent):
    def spontaneous(self) -> bool:
        return True


@pytest.mark.parametrize("closes", [False, True])
def test_separate_plot_is_usual_window(closes: bool, qtbot: Any, qapp: QApplication) -> None:
    area = DockArea(REGISTRY, FOUR)
    qtbot.addWidget(area)
    area.resize(1200, 700)
    area.show()
    qapp.processEvents()
    area.rearrange()
    places = {key: area.docks[key].geometry() for key in FOUR}
    dock = area.docks["membership"]
    position = dock.mapToGlobal(dock.rect().topLeft())
    area.toggle_floating("membership")
    flags = dock.windowFlags()
    assert dock.isVisible() and dock.isFloating()
    assert flags & Qt.WindowType.WindowType_Mask == Qt.WindowType.Window
    assert not flags & Qt.WindowType.FramelessWindowHint, "moved by its title bar"
    assert dock.pos() != position and dock.width() > places["membership"].width()
    assert dock.screen().availableGeometry().contains(dock.geometry())
    assert dock.grip.sizeHint().height() == 0
    if closes:
        event = _CloseByUser()
        dock.closeEvent(event)
        assert event.type() == QEvent.Type.Close and not event.isAccepted()
    else:
        area.toggle_floating("membership")
    qapp.processEvents()
    assert not dock.isFloating() and dock.grip.sizeHint().height() > 0
    assert {key: area.docks[key].geometry() for key in FOUR} == places
