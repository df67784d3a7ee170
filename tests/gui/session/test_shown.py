"""The selected run and iteration, also after removal of runs."""

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from studio.gui.plots.base.subjects import Subjects
from studio.gui.session.session import Session

AddRun = Callable[..., int]


def test_selected_run_is_followed_live(session: Session, add_run: AddRun, qtbot: QtBot) -> None:
    first, second = add_run(2), add_run(1)
    session.following.poll()
    shown = session.shown
    shown.choose_run(first)
    shown.choose_iteration(1)
    assert shown.iteration == 1
    with qtbot.waitSignals([shown.run_chosen, shown.iteration_chosen]):
        shown.choose_run(second)
    assert shown.iteration is None
    with qtbot.assertNotEmitted(shown.run_chosen):
        shown.choose_run(second)


def test_selected_run_is_not_its_own_overlay(session: Session, add_run: AddRun) -> None:
    first, second = add_run(1), add_run(1)
    session.following.poll()
    session.shown.choose_run(second)
    for run in (first, second):
        session.shown.overlay(run, wanted=True)
    assert [view.row.id for view in session.shown.overlaid] == [first]
    session.shown.choose_run(first)
    assert [view.row.id for view in session.shown.overlaid] == [second]


def test_hidden_run_can_be_restored(session: Session, add_run: AddRun) -> None:
    first, second = add_run(1), add_run(1)
    session.following.poll()
    session.shown.choose_run(second)
    session.shown.overlay(first, wanted=True)
    session.runs.hide(second, hidden=True)
    assert session.shown.run_id == first
    assert [view.row.id for view in session.runs.views] == [first]
    session.runs.hide(first, hidden=True)
    assert session.shown.run is None
    assert session.shown.overlaid == []
    session.runs.hide(second, hidden=False)
    assert [view.row.id for view in session.runs.views] == [second]


def test_time_reaches_the_end_of_the_longer_run(session: Session, add_run: AddRun) -> None:
    short, long = add_run(2), add_run(5)
    session.following.poll()
    shown = session.shown
    shown.choose_run(short)
    assert shown.last == 2
    shown.overlay(long, wanted=True)
    assert shown.last == 5
    shown.step(-1)
    assert shown.iteration == 4
    first, second = Subjects(session).get_side_by_side()
    assert first.iteration == 2, "the shorter one stays at its end"
    assert second.iteration == 4
    shown.overlay(long, wanted=False)
    assert shown.iteration is None
    shown.step(-1)
    assert shown.iteration == 1
    shown.step(1)
    assert shown.iteration is None
