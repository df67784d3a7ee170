"""Drop-downs elide long texts, and show them in full in the tooltip."""

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from studio.gui.pages.live.registry import REGISTRY
from studio.gui.widgets.fields import DropDown

LONG = "Several classes (multi-class classification)"


def make(qtbot: QtBot, width: int) -> DropDown:
    drop_down = DropDown()
    qtbot.addWidget(drop_down)
    drop_down.addItem("    " + LONG)
    drop_down.setToolTip("Kind of prediction")
    drop_down.resize(width, 32)
    drop_down.show()
    return drop_down


def test_long_text_is_elided(qtbot: QtBot) -> None:
    assert make(qtbot, 700).get_display_text() == LONG
    narrow = make(qtbot, 160).get_display_text()
    assert narrow.endswith("…")
    assert LONG.startswith(narrow[:-1])


def test_elided_text_has_full_tooltip(qtbot: QtBot) -> None:
    box = make(qtbot, 160)
    position = QPoint(5, 5)
    box.event(QHelpEvent(QEvent.Type.ToolTip, position, box.mapToGlobal(position)))
    assert QToolTip.text() == f"{LONG}\n{box.toolTip()}"
    QToolTip.hideText()


def test_arrow_is_drawn_beside_elided_text(qtbot: QtBot) -> None:
    picture = make(qtbot, 160).grab().toImage()
    marks = {picture.pixelColor(x, y).rgb() for x in range(135, 158) for y in range(8, 24)}
    assert len(marks) > 1


def test_drop_down_list_fits_longest_text(qtbot: QtBot) -> None:
    drop_down = DropDown()
    qtbot.addWidget(drop_down)
    drop_down.addItems(["short", "5 folds, a third for the test, at most 5,000 rows to learn from"])
    drop_down.setFixedWidth(140)
    drop_down.show()
    drop_down.showPopup()
    assert drop_down.view().width() >= drop_down.view().sizeHintForColumn(0)
    drop_down.hidePopup()


def test_drop_down_list_shows_all_plots_without_scrolling(qtbot: QtBot) -> None:
    drop_down = DropDown()
    qtbot.addWidget(drop_down)
    drop_down.addItems([str(plot.title) for plot in REGISTRY])
    drop_down.show()
    drop_down.showPopup()
    view = drop_down.view()
    n_fitting = 2 * drop_down.screen().availableGeometry().height() // 3 // view.sizeHintForRow(0)
    assert 10 < drop_down.count() <= n_fitting, "more than a list of Qt shows"
    last = view.visualRect(drop_down.model().index(drop_down.count() - 1, 0))
    assert view.viewport().rect().contains(last.center()), "Membership and Diversity also"
    drop_down.hidePopup()
    drop_down.addItems([str(number) for number in range(200)])
    drop_down.showPopup()
    assert view.height() <= drop_down.screen().availableGeometry().height()
    drop_down.hidePopup()
