"""Fields of whole numbers with arrows."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.widgets import kit


def _begins(edit: QLineEdit, at: QWidget) -> int:
    """Return the pixels from the left edge of a field to its text."""
    edit.setCursorPosition(0)
    bare = edit.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
    return edit.mapTo(at, QPoint(bare.x(), 0)).x()


def test_text_begins_where_that_of_other_fields_does(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT)
    page, spin, line = QWidget(), kit.spin_box(), QLineEdit("50")
    spin.setValue(50)
    kit.column(spin, line, on=page)
    qtbot.addWidget(page)
    page.show()
    assert _begins(spin.lineEdit(), spin) == pytest.approx(_begins(line, line), abs=2)
