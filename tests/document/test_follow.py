import contextlib
import sqlite3

import pytest

from studio.document.follow import ChangeReader
from studio.document.journal import RunningJob
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.errors import DocumentError
from studio.trial import Trial


@pytest.fixture
def follower(document, path):
    with ChangeReader(path) as new_follower:
        new_follower.read_changes()
        yield new_follower


def test_first_poll_returns_all_records(filled, work):
    with ChangeReader(filled) as follower:
        changes = follower.read_changes()
        assert changes.tables == (1,)
        assert changes.spaces == ("mine",)
        assert [row.name for row in changes.runs] == ["first"]
        assert [row.trial for row in changes.trials] == [work.trial(n) for n in range(1, 6)]
        assert [row.iteration for row in changes.trials] == [work.iteration(n) for n in range(1, 6)]
        assert not changes.has_more
        assert follower.read_changes() is None


@pytest.mark.slow
def test_ten_followers_receive_same_changes(document, path, work):
    runs = [work.start(document) for _ in range(20)]
    with contextlib.ExitStack() as stack:
        windows = [stack.enter_context(ChangeReader(path)) for _ in range(10)]
        for window in windows:
            assert len(window.read_changes().runs) == len(runs)
        for index in (1, 2):
            work.add(document, runs[index], 1)
            document.remove_run(runs[-index])
            document.vacuum_free_pages()
            for window in windows:
                changes = window.read_changes()
                assert [row.trial for row in changes.trials] == [work.trial(1)]
                assert changes.removed_run_ids == tuple(runs[-each] for each in range(1, index + 1))
                assert window.read_changes() is None


def test_poll_returns_new_records_only(document, follower, work):
    run = work.start(document)
    changes = follower.read_changes()
    assert (changes.tables, [row.id for row in changes.runs]) == ((1,), [run])
    work.add(document, run, 1)
    changes = follower.read_changes()
    assert [(row.run_id, row.trial.number) for row in changes.trials] == [(run, 1)]
    assert (changes.runs, changes.tables) == ((), ())
    document.journal.set_running(run, [RunningJob(0, {}, 1.0)])
    assert follower.read_changes().running == {run: (RunningJob(0, {}, 1.0),)}
    document.runs.set_state(run, "paused")
    assert [row.state for row in follower.read_changes().runs] == ["paused"]
    document.journal.add_message(run, "info", "hello")
    document.journal.add_message(run, "info", "again")
    assert [message.text for message in follower.read_changes().messages] == ["hello", "again"]
    document.spaces.save("mine", {"a": 1})
    assert follower.read_changes().spaces == ("mine",)
    assert follower.read_changes() is None


def test_follower_reads_new_rows_only(document, follower, work, monkeypatch):
    run = work.start(document)
    for number in range(1, 6):
        work.add(document, run, number)
    follower.read_changes()
    read = []
    each = Document.query
    monkeypatch.setattr(
        Document, "query", lambda self, *query: read.append(each(self, *query)) or read[-1]
    )
    assert follower.read_changes() is None
    assert read == []
    with monkeypatch.context() as quiet:
        quiet.setattr(Document, "query", each)
        work.add(document, run, 6)
    assert len(follower.read_changes().trials) == 1
    assert sum(len(rows) for rows in read) == 2


def test_heartbeats_and_requests_are_not_changes(document, follower, work):
    run = work.start(document)
    follower.read_changes()
    document.owners.write_heartbeat(run)
    document.requests.post(run, "stop")
    document.requests.pop_all(run)
    assert follower.read_changes() is None


def test_follower_reads_selected_run_first(document, follower, work):
    runs = [work.start(document) for _ in range(3)]
    for number in range(1, 5):
        for run in runs:
            work.add(document, run, number)
    read = [(row.run_id, row.trial.number) for row in follower.read_changes(limit=3).trials]
    follower.prefer(runs[2])
    last = follower.read_changes(limit=3)
    read += [(row.run_id, row.trial.number) for row in last.trials]
    assert read[3:] == [(runs[2], 2), (runs[2], 3), (runs[2], 4)]
    work.add(document, runs[2], 5)
    while last is not None:
        last = follower.read_changes(limit=3)
        read += [(row.run_id, row.trial.number) for row in last.trials] if last else []
    assert read[6] == (runs[2], 5)
    assert sorted(read) == sorted(set(read))
    assert len(read) == 13
    assert follower._document.damaged_records == ()
    work.add(document, runs[2], 6)
    (row,) = follower.read_changes().trials
    assert row.trial.number == 6


def test_long_history_is_read_in_several_polls(document, follower, work):
    run = work.start(document)
    for number in range(1, 8):
        work.add(document, run, number)
    trial_numbers, more = [], []
    while (changes := follower.read_changes(limit=3)) is not None:
        trial_numbers += [row.trial.number for row in changes.trials]
        more.append(changes.has_more)
    assert trial_numbers == [1, 2, 3, 4, 5, 6, 7]
    assert more == [True, True, False]


def test_poll_reads_at_most_hundred_trials(document, follower, work):
    run = work.start(document)
    for number in range(1, 102):
        trial = Trial(number, {}, 0, None, cause="It hung.")
        document.trials.add(run, trial, None, None, Iteration(number))
    assert len(follower.read_changes().trials) == 100


def test_changes_between_polls_are_not_lost(document, follower, work):
    run = work.start(document)
    for number in range(1, 4):
        work.add(document, run, number)
    assert len(follower.read_changes(limit=2).trials) == 2
    document.runs.set_state(run, "paused")
    work.add(document, run, 4)
    changes = follower.read_changes()
    assert [row.trial.number for row in changes.trials] == [3, 4]
    assert [row.state for row in changes.runs] == ["paused"]


def test_follower_cannot_write(filled):
    with ChangeReader(filled) as follower:
        with pytest.raises(DocumentError, match="read-only"):
            follower._document.notes.set("x", 1)
        with pytest.raises(sqlite3.OperationalError):
            follower._document._connection.execute("DELETE FROM trials")


def test_following_creates_no_files(filled):
    with ChangeReader(filled) as follower:
        follower.read_changes()
    assert [entry.name for entry in filled.parent.iterdir()] == [filled.name]
