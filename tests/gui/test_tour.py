"""The guided first run: its steps, when it goes on, and where its card stands."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.gui.session.session import Session
from studio.gui.shell.tour.tour import ENOUGH_TRIALS, STEPS, Tour
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
    pages: list[str] = []
    card = TourCard(tour, lambda _: target, pages.append, window)
    window.show()
    tour.begin()
    assert card.isVisible()
    assert pages == ["data"]
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


def test_the_card_stands_where_it_hides_least() -> None:
    area = QRect(0, 0, 1000, 700)
    assert _free_corner(area, 300, 200, QRect()) == QPoint(699, 499)
    assert _free_corner(area, 300, 200, QRect(500, 300, 500, 400)) == QPoint(0, 499)
    assert _free_corner(area, 300, 200, QRect(0, 300, 1000, 400)) == QPoint(699, 0)
