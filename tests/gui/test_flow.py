"""The flow layout: wrapping, hidden widgets and stable positions."""

import shiboken6
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout, StableHeightColumn


def test_flow_layout_wraps_and_skips_hidden_widgets(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    one, two, three = (QPushButton(f"number {each}") for each in (1, 2, 3))
    flow = FlowLayout(one, two, three, parent=holder, gap=6, line_gap=20)
    width = one.sizeHint().width()
    holder.resize(2 * width + 6, 200)
    holder.show()
    assert one.y() == two.y() < three.y()
    assert flow.heightForWidth(2 * width + 6) == 2 * one.sizeHint().height() + 20
    two.hide()
    flow.activate()
    assert three.y() == one.y()
    assert three.x() == one.x() + width + 6


def test_flow_layout_keeps_position_of_other_lines(qtbot: QtBot) -> None:
    late, below, holder = kit.label("", wrap=True), QPushButton("below"), QWidget()
    qtbot.addWidget(holder)
    kit.column(StableHeightColumn(late, n_lines=2), below, None, parent=holder)
    holder.resize(300, 400)
    holder.show()
    QApplication.processEvents()
    y = below.y()
    kit.show_text(late, "one line")
    QApplication.processEvents()
    assert below.y() == y
    kit.show_text(late, "a sentence of five lines " * 8)
    qtbot.waitUntil(lambda: below.y() > y)
    pushed = below.y()
    kit.show_text(late, "")
    QApplication.processEvents()
    assert below.y() == pushed


def test_items_stay_valid_if_python_object_of_outer_layout_is_invalidated(qtbot: QtBot) -> None:
    button, holder = QPushButton("one"), QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(button)
    column = kit.column(flow, parent=holder)
    shiboken6.invalidate(column)
    assert flow.minimumSize().height() == button.sizeHint().height()
