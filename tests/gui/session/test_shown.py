"""The selected run and iteration, also after removal of runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pytestqt.qtbot import QtBot

from studio.gui.plots.base.subjects import Subjects
from studio.gui.session.session import Session

AddRun = Callable[..., int]


def test_selected_run_is_followed_live(session: Session, add_run: AddRun, qtbot: QtBot) -> None:
    first, second = add_run(2), add_run(1)
    session.following.poll()
    shown = session.run_selection
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
    session.run_selection.choose_run(second)
    for run in (first, second):
        session.run_selection.overlay(run, enabled=True)
    assert [view.row.id for view in session.run_selection.overlaid_runs] == [first]
    session.run_selection.choose_run(first)
    assert [view.row.id for view in session.run_selection.overlaid_runs] == [second]


def test_hidden_run_can_be_restored(session: Session, add_run: AddRun) -> None:
    first, second = add_run(1), add_run(1)
    session.following.poll()
    session.run_selection.choose_run(second)
    session.run_selection.overlay(first, enabled=True)
    session.runs.hide(second, hidden=True)
    assert session.run_selection.run_id == first
    assert [view.row.id for view in session.runs.views] == [first]
    session.runs.hide(first, hidden=True)
    assert session.run_selection.run is None
    assert session.run_selection.overlaid_runs == []
    session.runs.hide(second, hidden=False)
    assert [view.row.id for view in session.runs.views] == [second]


def test_time_reaches_the_end_of_the_longer_run(session: Session, add_run: AddRun) -> None:
    short, long = add_run(2), add_run(5)
    session.following.poll()
    shown = session.run_selection
    shown.choose_run(short)
    assert shown.last == 2
    shown.overlay(long, enabled=True)
    assert shown.last == 5
    shown.step(-1)
    assert shown.iteration == 4
    first, second = Subjects(session).get_side_by_side()
    assert first.iteration == 2, "the shorter one stays at its end"
    assert second.iteration == 4
    shown.overlay(long, enabled=False)
    assert shown.iteration is None
    shown.step(-1)
    assert shown.iteration == 1
    shown.step(1)
    assert shown.iteration is None


def set_ends(session: Session, run: int, ends: Sequence[float]) -> None:
    """Set the seconds at which a run's iterations ended."""
    view = session.runs.get_view(run)
    view.iterations[:] = [
        replace(each, details={"elapsed": end})
        for each, end in zip(view.iterations, ends, strict=True)
    ]


def test_runs_of_very_different_lengths_are_compared_by_time(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    slow, fast = add_run(2), add_run(5)
    session.following.poll()
    shown = session.run_selection
    shown.choose_run(fast)
    shown.overlay(slow, enabled=True)
    assert not shown.can_be_by_time and not shown.by_time, "their times are unknown"
    set_ends(session, slow, [3.5, 9.0])
    set_ends(session, fast, [1.0, 2.0, 3.0, 4.0, 9.5])
    assert shown.by_time
    views = [session.runs.get_view(each) for each in (fast, slow)]
    moments = []
    for iteration in (3, 4, None):
        shown.choose_iteration(iteration)
        moments.append([shown.get_iteration(each) for each in views])
    assert moments == [[3, 0], [4, 1], [None, None]]
    shown.choose_iteration_of(slow, 2)
    assert shown.iteration == 4, "the last that had ended by then"
    assert [each.iteration for each in Subjects(session).get_side_by_side()] == [1, 4]
    shown.choose_run(slow)
    shown.overlay(fast, enabled=True)
    assert shown.last == 2, "the slider moves the selected run"
    with qtbot.waitSignal(shown.overlay_changed):
        shown.compare_by_time(False)
    assert shown.last == 5
    shown.choose_iteration(4)
    assert shown.get_iteration(views[0]) == 4
    shown.compare_by_time(True)
    assert shown.iteration is None, "the slider has no such iteration by time"
    set_ends(session, fast, [1.0, 2.0, 3.0, 4.0, 9.5])
    third = add_run(3)
    session.following.poll()
    set_ends(session, third, [1.0, 2.0, 3.0])
    shown.clear()
    shown.choose_run(third)
    shown.overlay(slow, enabled=True)
    assert shown.can_be_by_time and not shown.by_time, "runs of similar lengths are by trial"
