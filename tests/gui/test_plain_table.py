"""Tables scroll sideways only by a sideways wheel."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.gui.widgets.plain_table import PlainTable


def test_vertical_wheel_on_scroll_bar_scrolls_page(qtbot: QtBot) -> None:
    table = PlainTable()
    qtbot.addWidget(table)
    table.setModel(QStandardItemModel(2, 20))
    table.resize(300, 100)
    table.show()
    bar = table.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    for step, moves in ((QPoint(0, -120), False), (QPoint(-120, 0), True)):
        centre = QPointF(bar.rect().center())
        event = QWheelEvent(
            centre,
            bar.mapToGlobal(centre),
            QPoint(),
            step,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(bar, event)
        assert (bar.value() > 0) is moves
        assert event.isAccepted() is moves
