"""A column that stays visible beside a longer one."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.widgets import kit
from studio.gui.widgets.flow import StickyColumn


def test_column_follows_scrolling_within_its_space(qtbot: QtBot) -> None:
    inside, tall, label = QWidget(), QWidget(), QLabel("effect")
    tall.setFixedHeight(1000)
    area = kit.scroll_area(inside)
    follower = StickyColumn(area, label)
    below = QWidget()
    below.setFixedHeight(1000)
    kit.column(kit.row(tall, follower), below, parent=inside, spacing=0)
    area.resize(300, 400)
    qtbot.addWidget(area)
    area.show()
    qtbot.wait(1)

    def get_position() -> int:
        return label.mapTo(area.viewport(), QPoint()).y()

    bar = area.verticalScrollBar()
    positions = []
    for value in (0, 300, 900, 1600):
        bar.setValue(value)
        positions.append(get_position())
    assert positions[:2] == [0, 0], "at the top of the visible part"
    assert positions[2] in {0, 1000 - 900 - label.height()}
    assert positions[3] < 0, "not beyond its neighbour"
    tall.setFixedHeight(200)
    qtbot.wait(1)
    assert follower.height() == 200
    bar.setValue(0)
    tall.hide()
    qtbot.wait(1)
    assert follower.height() >= label.height()
