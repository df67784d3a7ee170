"""Numbers typed in a spin box, up to its maximum and above."""

import pytest
from PySide6.QtCore import QLocale, Qt
from pytestqt.qtbot import QtBot

from studio.gui.widgets import kit


@pytest.mark.parametrize(
    ("typed", "maximum", "shown"),
    [
        ("99999", 300, "300"),
        ("301", 300, "300"),
        ("300", 300, "300"),
        ("42", 300, "42"),
        ("99999999999999999999", 2500, "2,500"),
        ("2,600", 2500, "2,500"),
        ("4x2", 300, "42"),
    ],
)
def test_number_above_maximum_becomes_maximum(
    qtbot: QtBot, typed: str, maximum: int, shown: str
) -> None:
    field = kit.make_spin_box()
    field.setLocale(QLocale(QLocale.Language.English))
    qtbot.addWidget(field)
    field.setGroupSeparatorShown(True)
    field.setKeyboardTracking(False)
    field.setRange(1, maximum)
    field.setValue(50)
    field.lineEdit().selectAll()
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == shown
    assert field.value() == int(shown.replace(",", ""))
