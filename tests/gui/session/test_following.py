"""Changes of the open document by other processes are followed."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.gui.session.session import Session

AddRun = Callable[..., int]


@pytest.mark.slow
def test_changes_of_other_processes_are_signalled(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(session.runs.trials_added) as blocker:
        run = add_run(3)
    assert blocker.args == [run]
    view = session.runs.get_view(run)
    assert [trial.number for trial in view.trials] == [1, 2, 3]
    assert [iteration.number for iteration in view.iterations] == [1, 2, 3]
    assert session.runs.views == [view]


def test_unchanged_document_emits_no_signal(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    add_run()
    session.following.poll()
    with qtbot.assertNotEmitted(session.runs.changed):
        for _ in range(30):
            session.following.poll()


def test_run_removed_by_another_process_disappears(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    first, second = add_run(2), add_run(2)
    session.following.poll()
    session.run_selection.choose_run(second)
    with Document.open(session.path) as other:  # type: ignore[arg-type]
        other.remove_run(second)
    with qtbot.waitSignal(session.runs.changed):
        session.following.poll()
    assert session.run_selection.run_id == first
    assert [view.row.id for view in session.runs.views] == [first]
    later = add_run(1)
    session.following.poll()
    assert [trial.number for trial in session.runs.get_view(later).trials] == [1]
