"""Collapsible groups of settings."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio.gui.widgets.fold import CollapsibleSection


def test_section_is_initially_collapsed_and_state_is_remembered(qtbot: QtBot) -> None:
    fold = CollapsibleSection("test", "More settings", "What is inside", QLabel("inside"))
    qtbot.addWidget(fold)
    assert fold.content.isHidden()
    assert fold.header_button.text() == "▸ More settings"
    qtbot.mouseClick(fold.header_button, Qt.MouseButton.LeftButton)
    assert not fold.content.isHidden()
    repeated = CollapsibleSection("test", "More settings", "What is inside", QLabel("inside"))
    qtbot.addWidget(repeated)
    assert repeated.is_open
    assert not repeated.content.isHidden()
    other = CollapsibleSection("other", "More settings", "What is inside", QLabel("inside"))
    qtbot.addWidget(other)
    assert not other.is_open
