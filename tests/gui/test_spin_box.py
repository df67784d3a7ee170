"""Integer fields with arrow buttons."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.widgets import kit


def _get_text_offset(edit: QLineEdit, at: QWidget) -> int:
    """Return the pixels from the left edge of a field to its text."""
    edit.setCursorPosition(0)
    bare = edit.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
    return edit.mapTo(at, QPoint(bare.x(), 0)).x()


def test_spin_box_text_is_aligned_with_fields(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT)
    page, spin, line = QWidget(), kit.make_spin_box(), QLineEdit("50")
    spin.setValue(50)
    kit.column(spin, line, parent=page)
    qtbot.addWidget(page)
    page.show()
    assert _get_text_offset(spin.lineEdit(), spin) == pytest.approx(
        _get_text_offset(line, line), abs=2
    )


@pytest.mark.parametrize("text", ["99999", "99999 rows", "9" * 5000])
def test_number_above_maximum_becomes_maximum(qtbot: QtBot, text: str) -> None:
    spin = kit.make_spin_box()
    qtbot.addWidget(spin)
    spin.setRange(0, 300)
    spin.setSuffix(" rows")
    spin.lineEdit().setText(text)
    spin.interpretText()
    assert spin.value() == 300
