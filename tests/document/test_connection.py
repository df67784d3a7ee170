import os
import random
import shutil
import sqlite3
import time

import pytest

from studio.document.follow import ChangeReader
from studio.document.store import Document
from studio.errors import DocumentError, DocumentWriteError


@pytest.mark.slow
def test_killed_writer_loses_no_committed_trial(path, work, fork):
    """The writer is killed 20 times at varying moments, and continues each time."""
    with Document.create(path) as document:
        run = work.start(document)

    def job(say):
        with Document.open(path) as document:
            document.owners.claim(run)
            for number in range(document.trials.count(run) + 1, 10_000):
                work.add(document, run, number)
                say(str(number))

    draw = random.Random(1)
    for _ in range(20):
        child = fork(job)
        reported = [child.line() for _ in range(draw.randrange(1, 6))]
        time.sleep(draw.random() * 0.01)
        child.kill()
        reported += child.end()
        last = max(int(line) for line in reported if line.isdecimal())
        with Document.open(path) as document:
            assert work.check(document, run) in {last, last + 1}
            assert not document.owners.is_alive(run)
    assert document_files(path) == [path.name]


def document_files(path):
    return sorted(entry.name for entry in path.parent.iterdir())


@pytest.mark.slow
def test_short_locks_are_retried(path, work, fork):
    """An engine, a second engine, a window and a helper work on one document at once."""
    with Document.create(path) as document:
        first, second = work.start(document), work.start(document)

    def engine(run):
        def job(say):
            with Document.open(path) as document:
                document.owners.claim(run)
                for number in range(1, 61):
                    work.add(document, run, number)
                    document.journal.set_running(run, [])
                    say(" ".join(request.kind for request in document.requests.pop_all(run)))
                document.owners.release(run)

        return job

    def window(say):
        for number in range(60):
            with Document.open(path) as document:
                document.spaces.save("mine", {"number": number})
                document.requests.post(first, "pause")
                document.runs.list_all()

    def helper(say):
        with Document.open(path) as document:
            for _ in range(10):
                document.tables.read(document.tables.add({}, work.columns))

    children = [fork(job) for job in (engine(first), engine(second), window, helper)]
    last_numbers = {first: 0, second: 0}
    with ChangeReader(path) as follower:
        while min(last_numbers.values()) < 60:
            changes = follower.read_changes()
            for row in changes.trials if changes else ():
                assert row.trial.number == last_numbers[row.run_id] + 1
                last_numbers[row.run_id] = row.trial.number
    after_message = [child.end() for child in children]
    assert not [line for lines in after_message for line in lines if line.startswith("ERROR")]
    with Document.open(path) as document:
        assert work.check(document, first) == work.check(document, second) == 60
        assert len(document.tables.list_all()) == 12
        requests = " ".join(after_message[0]).split() + [
            r.kind for r in document.requests.pop_all(first)
        ]
        assert requests == ["pause"] * 60
    assert document_files(path) == [path.name]


def test_long_read_does_not_block_writer(document, path, work):
    run = work.start(document)
    with Document.open(path) as reader, reader.open_snapshot():
        assert reader.trials.count(run) == 0
        for number in range(1, 6):
            work.add(document, run, number)
        assert reader.trials.count(run) == 0
    assert work.check(document, run) == 5


def test_permanent_lock_is_reported(path, work):
    Document.create(path).close()
    blocker = sqlite3.connect(path, isolation_level=None)
    with (
        Document(path, writable=True, busy_seconds=0.01) as document,
        ChangeReader(path) as follower,
    ):
        follower.read_changes()
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(DocumentWriteError, match="Another program"):
            document.notes.set("a", 1)
        assert follower.read_changes() is None
        blocker.execute("ROLLBACK")
        document.notes.set("a", 1)
        assert follower.read_changes() is not None
    blocker.close()


def test_exclusive_lock_is_reported_on_opening(path):
    Document.create(path).close()
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("PRAGMA locking_mode = EXCLUSIVE")
    blocker.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DocumentError, match="Another program"):
        Document(path, writable=True, busy_seconds=0.01)
    blocker.close()


def test_hostile_document_cannot_attach_files_or_allocate(document):
    connection = document._connection
    with pytest.raises(sqlite3.OperationalError, match="too many attached"):
        connection.execute("ATTACH ':memory:' AS other")
    assert connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) == 64 << 20
    assert connection.getlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH) == 1 << 20
    assert document.run_pragma("trusted_schema") == (0,)
    assert document.run_pragma("cell_size_check") == (1,)
    assert document.run_pragma("mmap_size") == (0,)
    assert document.run_pragma("journal_size_limit") == (32 << 20,)


def test_only_writers_and_owners_checkpoint_log(document, path, work):
    with Document.open(path) as other:
        assert other.run_pragma("wal_autocheckpoint") == (0,)
        run = work.start(other)
        assert other.run_pragma("wal_autocheckpoint") == (1000,)
    assert document.run_pragma("wal_autocheckpoint") == (0,)
    document.owners.claim(run)
    assert document.run_pragma("wal_autocheckpoint") == (1000,)


def test_follower_does_not_wait_for_locks(document, path):
    with ChangeReader(path) as follower:
        assert follower._document.run_pragma("busy_timeout") == (50,)
    assert document.run_pragma("busy_timeout") == (10_000,)


def test_follower_of_locked_file_reports_no_changes(document, path):
    with ChangeReader(path) as follower:
        follower.read_changes()
        document.spaces.save("mine", {"a": 1})

        def locked(*parts):
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise DocumentError("busy") from error

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Document, "get_revision", locked)
            assert follower.read_changes() is None
        assert follower.read_changes().spaces == ("mine",)


def test_error_rolls_back_transaction(document):
    with pytest.raises(ZeroDivisionError), document.run_transaction():
        document.notes.set("a", 1)
        document.runs.add("r", {})
        raise ZeroDivisionError
    assert document.notes.get("a") is None
    assert document.runs.list_all() == ()
    with document.run_transaction():
        document.notes.set("a", 2)
    assert document.notes.get("a") == 2


@pytest.mark.parametrize("what", ["moved", "deleted", "replaced"])
def test_write_to_deleted_file_is_rejected(path, work, what):
    document = Document.create(path)
    run = work.start(document)
    if what == "moved":
        path.rename(path.with_name("other.studio"))
    elif what == "deleted":
        path.unlink()
    else:
        shutil.copy(path, path.with_name("copy"))
        path.with_name("copy").replace(path)
    with pytest.raises(DocumentWriteError, match="moved, deleted"):
        work.add(document, run, 1)
    document.close()


def test_removed_log_is_detected_and_recovered(path, work):
    document = Document.create(path)
    run = work.start(document)
    work.add(document, run, 1)
    path.with_name(path.name + "-wal").unlink()
    with pytest.raises(DocumentWriteError, match="-wal, which belongs"):
        work.add(document, run, 2)
    document.close()
    with Document.open(path) as document:
        assert work.check(document, run) == 1


def test_document_returns_to_wal_mode(filled):
    connection = sqlite3.connect(filled)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    with Document.open(filled, writable=False) as document:
        assert document.trials.count(1) == 5
    with Document.open(filled) as document:
        assert document.run_pragma("journal_mode") == ("wal",)


@pytest.mark.slow
def test_log_stays_short_during_run(document, path, probabilities, work):
    run = document.runs.add("long", {})
    document.owners.claim(run)
    for number in range(1, 41):
        rows = probabilities(number, 5_000, 26)
        document.trials.add(run, work.trial(number), rows, rows, work.iteration(number))
    assert path.with_name(path.name + "-wal").stat().st_size < 12 << 20


def test_document_is_writable_with_full_temporary_folder(filled, work, monkeypatch):
    monkeypatch.setenv("SQLITE_TMPDIR", os.devnull)
    monkeypatch.setenv("TMPDIR", os.devnull)
    with Document.open(filled) as document:
        work.add(document, 1, 6)
        assert work.check(document, 1) == 6
