"""The guided first run: its steps, when it goes on, and where its card stands."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.gui.session.session import Session
from studio.gui.shell.tour.tour import ENOUGH_TRIALS, STEPS, Tour, TourStep
from studio.gui.shell.tour.tour_card import TourCard, _free_corner
from studio.trial import Trial


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session()
    made.create(tmp_path / "d.studio")
    yield made
    made.close()


@pytest.fixture
def tour(session: Session) -> Tour:
    return Tour(session)


def add_trials(session: Session, run: int, first: int, last: int) -> None:
    for number in range(first, last + 1):
        trial = Trial(number=number, configuration={}, seed=0, loss=None, cause="c", remedy="r")
        session.document.add_trial(run, trial, None, None, Iteration(number))
    session.following.poll()


def place_of(waits_for: str) -> int:
    return next(i for i, step in enumerate(STEPS) if step.waits_for == waits_for)


def test_it_goes_on_by_itself_once_a_run_was_started(session: Session, tour: Tour) -> None:
    old = session.document.add_run("old", {"method": "RS"})
    session.following.poll()
    tour.begin()
    assert (tour.number, tour.done) == (1, True)
    for _ in range(place_of("run")):
        tour.next()
    assert not tour.done
    assert "Run button" in tour.hint()
    run = session.document.add_run("new", {"method": "RS"})
    session.following.poll()
    session.shown.choose_run(run)
    session.runs.changed.emit()
    assert tour.step is STEPS[place_of("run") + 1]
    assert not tour.done
    add_trials(session, run, 1, ENOUGH_TRIALS - 1)
    assert not tour.done
    add_trials(session, run, ENOUGH_TRIALS, ENOUGH_TRIALS)
    assert tour.done
    tour.next()
    tour.next()
    assert tour.step is STEPS[-1]
    assert not tour.done
    session.document.set_state(run, "finished")
    session.following.poll()
    assert tour.done
    assert old != run
    tour.back()
    assert tour.number == len(STEPS) - 1
    tour.next()
    tour.next()
    assert tour.step is None
    assert tour.number == 0


def test_the_card_frames_what_is_meant_and_ends_on_escape(
    session: Session, tour: Tour, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1000, 700)
    target = QWidget(window)
    target.setGeometry(500, 400, 490, 290)
    shown: list[TourStep] = []
    card = TourCard(tour, lambda _: target, shown.append, window)
    window.show()
    tour.begin()
    assert card.isVisible()
    assert shown == [STEPS[0]]
    assert card.spotlight.geometry().contains(target.geometry())
    assert not card.geometry().intersects(target.geometry())
    qtbot.mouseClick(card.next, Qt.MouseButton.LeftButton)
    assert tour.number == 2
    qtbot.mouseClick(card.back, Qt.MouseButton.LeftButton)
    assert tour.number == 1
    assert not card.back.isEnabled()
    window.resize(1200, 800)
    assert window.rect().contains(card.geometry())
    qtbot.keyClick(card, Qt.Key.Key_Escape)
    assert tour.step is None
    assert card.isHidden()
    assert card.spotlight.isHidden()


def test_enter_presses_next_as_soon_as_it_can_be_pressed(
    session: Session, tour: Tour, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    run = QPushButton("Run", window)
    card = TourCard(tour, lambda _: run, lambda _: None, window)
    window.show()
    window.activateWindow()
    tour.begin()
    for number in range(2, place_of("run") + 2):
        assert window.focusWidget() is card.next
        qtbot.keyClick(card.next, Qt.Key.Key_Return)
        assert tour.number == number
    assert window.focusWidget() is run, "what the step waits for is at hand"
    session.shown.choose_run(session.document.add_run("new", {"method": "RS"}))
    session.following.poll()
    assert not card.next.isEnabled()
    add_trials(session, 1, 1, ENOUGH_TRIALS)
    assert window.focusWidget() is card.next
    card.back.setFocus()
    qtbot.keyClick(card.back, Qt.Key.Key_Return)
    assert tour.number == place_of("run") + 1, "Enter presses the button that has the focus"


def test_it_ends_with_its_document(session: Session, tour: Tour, tmp_path: Path) -> None:
    tour.begin()
    session.play()
    assert tour.number == 1, "the same document, read once more"
    session.create(tmp_path / "another.studio")
    assert tour.step is None


def test_the_card_stands_where_it_hides_least() -> None:
    area = QRect(0, 0, 1000, 700)
    assert _free_corner(area, 300, 200, QRect()) == QPoint(699, 499)
    assert _free_corner(area, 300, 200, QRect(500, 300, 500, 400)) == QPoint(0, 499)
    assert _free_corner(area, 300, 200, QRect(0, 300, 1000, 400)) == QPoint(699, 0)
