"""The selected run and iteration, also after removal of runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.plots.base.subjects import Subjects
from studio.gui.session.session import Session

AddRun = Callable[..., int]


def test_selected_run_is_followed_live(session: Session, add_run: AddRun, qtbot: QtBot) -> None:
    first, second = add_run(2), add_run(1)
    session.following.poll()
    selection = session.run_selection
    selection.choose_run(first)
    selection.choose_iteration(1)
    assert selection.iteration == 1
    with qtbot.waitSignals([selection.run_chosen, selection.iteration_chosen]):
        selection.choose_run(second)
    assert selection.iteration is None
    with qtbot.assertNotEmitted(selection.run_chosen):
        selection.choose_run(second)


def test_selected_run_is_not_overlaid_on_itself(session: Session, add_run: AddRun) -> None:
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


def test_iteration_range_covers_longer_run(session: Session, add_run: AddRun) -> None:
    short, long = add_run(2), add_run(5)
    session.following.poll()
    selection = session.run_selection
    selection.choose_run(short)
    assert selection.last == 2
    selection.overlay(long, enabled=True)
    assert selection.last == 5
    selection.step(-1)
    assert selection.iteration == 4
    first, second = Subjects(session).get_side_by_side()
    assert first.iteration == 2, "the shorter one stays at its end"
    assert second.iteration == 4
    selection.overlay(long, enabled=False)
    assert selection.iteration is None
    selection.step(-1)
    assert selection.iteration == 1
    selection.step(1)
    assert selection.iteration is None


def set_ends(session: Session, run: int, ends: Sequence[float]) -> None:
    """Set the seconds at which a run's iterations ended."""
    view = session.runs.get_view(run)
    view.iterations[:] = [
        replace(each, details={"elapsed": end})
        for each, end in zip(view.iterations, ends, strict=True)
    ]


def test_runs_of_very_different_lengths_use_time_axis(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    slow, fast = add_run(2), add_run(5)
    session.following.poll()
    selection = session.run_selection
    selection.choose_run(fast)
    selection.overlay(slow, enabled=True)
    assert not selection.can_be_by_time and not selection.by_time, "their times are unknown"
    set_ends(session, slow, [3.5, 9.0])
    set_ends(session, fast, [1.0, 2.0, 3.0, 4.0, 9.5])
    assert selection.by_time
    views = [session.runs.get_view(each) for each in (fast, slow)]
    moments = []
    for iteration in (3, 4, None):
        selection.choose_iteration(iteration)
        moments.append([selection.get_iteration(each) for each in views])
    assert moments == [[3, 0], [4, 1], [None, None]]
    selection.choose_iteration_of(slow, 2)
    assert selection.iteration == 4, "the last that had ended by then"
    assert [each.iteration for each in Subjects(session).get_side_by_side()] == [1, 4]
    selection.choose_run(slow)
    selection.overlay(fast, enabled=True)
    assert selection.last == 2, "the slider moves the selected run"
    with qtbot.waitSignal(selection.overlay_changed):
        selection.compare_by_time(False)
    assert selection.last == 5
    selection.choose_iteration(4)
    assert selection.get_iteration(views[0]) == 4
    selection.compare_by_time(True)
    assert selection.iteration is None, "the slider has no such iteration by time"
    set_ends(session, fast, [1.0, 2.0, 3.0, 4.0, 9.5])
    third = add_run(3)
    session.following.poll()
    set_ends(session, third, [1.0, 2.0, 3.0])
    selection.clear()
    selection.choose_run(third)
    selection.overlay(slow, enabled=True)
    assert selection.can_be_by_time and not selection.by_time, (
        "runs of similar lengths are by trial"
    )


@pytest.mark.parametrize("chosen", [None, True, False])
def test_axis_stays_while_run_grows(session: Session, add_run: AddRun, chosen: bool | None) -> None:
    parent, fork = add_run(4), add_run(1)
    session.following.poll()
    set_ends(session, parent, [1.0, 2.0, 3.0, 4.0])
    set_ends(session, fork, [1.0])
    selection = session.run_selection
    selection.choose_run(fork)
    selection.overlay(parent, enabled=True)
    assert selection.by_time, "by default, as their lengths differ"
    if chosen is not None:
        selection.compare_by_time(chosen)
    expected = chosen is not False
    view = session.runs.get_view(fork)
    first = view.iterations[0]
    view.iterations[:] = [
        replace(first, number=n, details={"elapsed": float(n)}) for n in range(1, 4)
    ]
    assert selection.by_time is expected
    view.iterations.append(replace(first, number=4, details={}))
    assert not selection.by_time, "impossible without its time"
    view.iterations.pop()
    assert selection.by_time is expected, "it comes back"
    selection.overlay(parent, enabled=False)
    selection.overlay(parent, enabled=True)
    assert selection.by_time is expected


def test_chosen_axis_is_resumed(session: Session, add_run: AddRun) -> None:
    first, second = add_run(2), add_run(5)
    session.following.poll()
    selection = session.run_selection
    selection.choose_run(second)
    selection.overlay(first, enabled=True)
    set_ends(session, first, [1.0, 2.0])
    set_ends(session, second, [1.0, 2.0, 3.0, 4.0, 5.0])
    selection.compare_by_time(False)
    resumed = selection.selection
    selection.clear()
    selection.resume(resumed)
    assert selection.can_be_by_time and not selection.by_time
