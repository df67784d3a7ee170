"""The proposed number of further trials follows the run until the user enters one."""

import numpy as np
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.gui.pages.results.cards.continue_card import ContinueCard
from studio.gui.session.control import increase_budget
from studio.gui.session.session import Session
from studio.trial import Trial


def add_trial(session: Session, run: int, number: int, elapsed: float | None = None) -> None:
    details = {"elapsed": 2.0 * number if elapsed is None else elapsed}
    iteration = Iteration(number, number, 0.1, None, 0.1, None, ((number, 1.0),), details)
    trial = Trial(number, {"algorithm": "knn"}, 0, 0.1)
    session.document.trials.add(run, trial, np.zeros((4, 2), np.float16), None, iteration)


def test_proposed_budget_follows_trials_until_edited(session: Session, qtbot: QtBot) -> None:
    run = session.document.runs.add("free", {"method": "RS", "budget": 9, "metric": "error"})
    add_trial(session, run, 1)
    session.document.runs.set_state(run, "stopped")
    session.following.poll()
    session.run_selection.choose_run(run)
    card = ContinueCard(session)
    qtbot.addWidget(card)
    card.show_run(session.run_selection.run)
    assert card.time_label.text().startswith("1 so far")
    for number in (2, 3):
        add_trial(session, run, number)
    session.following.poll()
    card.show_run(session.run_selection.run)
    assert card.time_label.text().startswith("3 so far")
    assert card.edit.text() == "150", "five minutes at two seconds a trial"

    card.edit.clear()
    qtbot.keyClicks(card.edit, "7")
    add_trial(session, run, 4)
    session.following.poll()
    card.show_run(session.run_selection.run)
    assert card.edit.text() == "7"
    assert card.time_label.text().startswith("4 so far, 11 in total")
    view = session.run_selection.run
    assert view is not None and view.budget == 9, "of which five were not tried"
    assert increase_budget(view, 7)["budget"] == 11


def test_proposed_budget_of_fork_follows_its_own_trials(session: Session, qtbot: QtBot) -> None:
    forked = {"run": 1, "iteration": 10, "searched": 10}
    run = session.document.runs.add(
        "fork", {"method": "RS", "budget": 40, "metric": "error", "forked": forked}
    )
    for number in range(1, 11):
        add_trial(session, run, number, 0.0)
    for number in (11, 12):
        add_trial(session, run, number, 20.0 * (number - 10))
    session.document.runs.set_state(run, "stopped")
    session.following.poll()
    session.run_selection.choose_run(run)
    card = ContinueCard(session)
    qtbot.addWidget(card)
    card.show_run(session.run_selection.run)
    assert card.edit.text() == "15", "five minutes at twenty seconds a trial"
