"""The time slider."""

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from studio.gui.shell.bars.time_slider import TimeSlider


def test_showing_is_not_choosing(qtbot: QtBot) -> None:
    slider = TimeSlider()
    qtbot.addWidget(slider)
    with qtbot.assertNotEmitted(slider.iteration_chosen):
        slider.show_time(0, None)
        slider.show_time(83, None)
        slider.show_time(84, 12)
    assert slider.text.text() == "iteration 12 of 84"


@pytest.mark.parametrize("last", [7, 15, 101])
def test_a_click_jumps_there_and_the_end_is_live(qtbot: QtBot, last: int) -> None:
    slider = TimeSlider()
    qtbot.addWidget(slider)
    slider.resize(600, 40)
    slider.show()
    slider.show_time(last, None)
    chosen: list[object] = []
    slider.iteration_chosen.connect(chosen.append)
    middle = QPoint(slider.slider.width() // 2, slider.slider.height() // 2)
    qtbot.mouseClick(slider.slider, Qt.MouseButton.LeftButton, pos=middle)
    assert isinstance(chosen[0], int)
    assert len(chosen) == 1
    assert abs(chosen[0] - (last + 1) / 2) <= 1
    qtbot.keyClick(slider.slider, Qt.Key.Key_End)
    assert chosen[-1] is None
