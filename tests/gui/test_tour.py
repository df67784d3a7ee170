"""Show me around: its steps, and where its card stands."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
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
    card = TourCard(lambda _: target, shown.append, lambda _: True, (), window)
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
    card = TourCard(lambda _: None, lambda _: None, lambda _: True, (), window)
    card.go(1)
    for number in range(2, len(STEPS) + 1):
        assert window.focusWidget() is card.next
        qtbot.keyClick(card.next, Qt.Key.Key_Return)
        assert card.number == number
    assert card.next.text() == "Finish"
    qtbot.keyClick(card.next, Qt.Key.Key_Return)
    assert card.isHidden()


def test_what_needs_a_run_waits_for_one_and_the_tour_continues_then(window: QWidget) -> None:
    runs: list[int] = []
    ready = lambda step: step.page == "data" or bool(runs)  # noqa: E731
    card = TourCard(lambda _: None, lambda _: None, ready, (), window)
    last = next(number for number, step in enumerate(STEPS, 1) if step.points_at == "run")
    card.go(last)
    assert not card.next.isEnabled()
    card.go_on()
    assert card.number == last
    runs.append(1)
    card.go_on()
    assert card.number == last + 1
    assert card.next.isEnabled()


def test_the_card_stands_where_it_hides_least() -> None:
    area, size = QRect(0, 0, 1000, 700), QSize(300, 200)
    assert _free_corner(area, size, QRect(), ()) == QPoint(699, 499)
    assert _free_corner(area, size, QRect(500, 300, 500, 400), ()) == QPoint(0, 499)
    assert _free_corner(area, size, QRect(0, 300, 1000, 400), ()) == QPoint(699, 0)
    bars = (QRect(0, 0, 1000, 50), QRect(0, 50, 100, 650))
    assert _free_corner(area, size, QRect(100, 50, 900, 650), bars) == QPoint(699, 499)
