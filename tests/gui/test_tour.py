"""Show me around: its steps, and where its card stands."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.gui.shell.tour.tour import STEPS, TourCard, TourStep, _free_corner


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.activateWindow()
    return made


def test_the_card_frames_what_is_meant_and_ends_on_escape(window: QWidget, qtbot: QtBot) -> None:
    target = QWidget(window)
    target.setGeometry(500, 400, 490, 290)
    target.show()
    shown: list[TourStep] = []
    card = TourCard(lambda _: target, shown.append, window)
    assert card.isHidden()
    card.go(1)
    assert card.isVisible()
    assert shown == [STEPS[0]]
    assert card.spotlight.geometry().contains(target.geometry())
    assert not card.geometry().intersects(target.geometry())
    qtbot.mouseClick(card.next, Qt.MouseButton.LeftButton)
    assert card.number == 2
    qtbot.mouseClick(card.back, Qt.MouseButton.LeftButton)
    assert card.number == 1
    assert not card.back.isEnabled()
    window.resize(1200, 800)
    assert window.rect().contains(card.geometry())
    qtbot.keyClick(card, Qt.Key.Key_Escape)
    assert card.number == 0
    assert card.isHidden()
    assert card.spotlight.isHidden()


def test_enter_goes_through_all_steps_to_the_end(window: QWidget, qtbot: QtBot) -> None:
    card = TourCard(lambda _: None, lambda _: None, window)
    card.go(1)
    for number in range(2, len(STEPS) + 1):
        assert window.focusWidget() is card.next
        qtbot.keyClick(card.next, Qt.Key.Key_Return)
        assert card.number == number
    assert card.next.text() == "Finish"
    qtbot.keyClick(card.next, Qt.Key.Key_Return)
    assert card.isHidden()


def test_the_card_stands_where_it_hides_least() -> None:
    area = QRect(0, 0, 1000, 700)
    assert _free_corner(area, 300, 200, QRect()) == QPoint(699, 499)
    assert _free_corner(area, 300, 200, QRect(500, 300, 500, 400)) == QPoint(0, 499)
    assert _free_corner(area, 300, 200, QRect(0, 300, 1000, 400)) == QPoint(699, 0)
