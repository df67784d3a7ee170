"""Drop-downs elide long texts, and show them in full in the tooltip."""

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from studio.gui.widgets.fields import DropDown

LONG = "Several classes (multi-class classification)"


def make(qtbot: QtBot, width: int) -> DropDown:
    made = DropDown()
    qtbot.addWidget(made)
    made.addItem("    " + LONG)
    made.setToolTip("What kind of answer")
    made.resize(width, 32)
    made.show()
    return made


def test_long_text_is_elided(qtbot: QtBot) -> None:
    assert make(qtbot, 700).get_display_text() == LONG
    narrow = make(qtbot, 160).get_display_text()
    assert narrow.endswith("…")
    assert LONG.startswith(narrow[:-1])


def test_elided_text_has_full_tooltip(qtbot: QtBot) -> None:
    box = make(qtbot, 160)
    at = QPoint(5, 5)
    box.event(QHelpEvent(QEvent.Type.ToolTip, at, box.mapToGlobal(at)))
    assert QToolTip.text() == f"{LONG}\n{box.toolTip()}"
    QToolTip.hideText()


def test_arrow_is_drawn_beside_elided_text(qtbot: QtBot) -> None:
    picture = make(qtbot, 160).grab().toImage()
    marks = {picture.pixelColor(x, y).rgb() for x in range(135, 158) for y in range(8, 24)}
    assert len(marks) > 1


def test_drop_down_list_fits_longest_text(qtbot: QtBot) -> None:
    made = DropDown()
    qtbot.addWidget(made)
    made.addItems(["short", "5 folds, a third for the test, at most 5,000 rows to learn from"])
    made.setFixedWidth(140)
    made.show()
    made.showPopup()
    assert made.view().width() >= made.view().sizeHintForColumn(0)
    made.hidePopup()
