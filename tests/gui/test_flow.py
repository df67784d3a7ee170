"""Widgets that wrap like words."""

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.widgets.flow import Flow


def test_they_wrap_and_a_hidden_one_takes_no_place(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    one, two, three = (QPushButton(f"number {each}") for each in (1, 2, 3))
    flow = Flow(one, two, three, on=holder, gap=6, leading=20)
    width = one.sizeHint().width()
    holder.resize(2 * width + 6, 200)
    holder.show()
    assert one.y() == two.y() < three.y()
    assert flow.heightForWidth(2 * width + 6) == 2 * one.sizeHint().height() + 20
    two.hide()
    flow.activate()
    assert three.y() == one.y()
    assert three.x() == one.x() + width + 6
