import dataclasses
import os
import signal

import pytest

from studio.document import owners
from studio.document.processes import Owner
from studio.document.store import Document
from studio.document.tables import Tables
from studio.errors import DocumentError
from tests.document.hostile_files import copy_with_companions
from tests.facts import about


@pytest.fixture
def run(document, work):
    return work.start(document)


def test_run_claim_can_be_released(document, run):
    assert not document.owners.is_alive(run)
    document.owners.claim(run)
    assert document.owners.is_alive(run)
    assert document.runs.get(run).owner == document.get_current_owner()
    document.owners.claim(run)
    document.owners.release(run)
    assert document.runs.get(run).owner is None


@pytest.mark.slow
def test_second_engine_is_rejected(document, path, run, fork):
    reader, writer = os.pipe()

    def job(say):
        with Document.open(path) as engine:
            engine.owners.claim(run)
            say("claimed")
            os.read(reader, 1)
            engine.owners.release(run)

    child = fork(job)
    assert child.line() == "claimed"
    with pytest.raises(DocumentError, check=about(row="'first'", pid=str(child.pid))):
        document.owners.claim(run)
    document.owners.release(run)
    assert document.owners.is_alive(run)
    os.write(writer, b"x")
    assert child.end() == []
    document.owners.claim(run)
    os.close(reader)
    os.close(writer)


def test_run_of_killed_engine_is_taken_over(document, path, run, fork):
    def job(say):
        with Document.open(path) as engine:
            engine.owners.claim(run)
            say("claimed")
            signal.pause()

    child = fork(job)
    child.line()
    assert document.owners.is_alive(run)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not document.owners.is_alive(run)
    document.owners.claim(run)
    assert document.runs.get(run).owner == document.get_current_owner()
    child.end()


def test_process_with_reused_id_is_not_owner(document, run):
    reused = dataclasses.replace(Owner.for_current_process(), started="1")
    document.owners.claim(run, reused)
    assert not document.owners.is_alive(run)
    document.owners.claim(run)
    assert document.owners.is_alive(run)


def test_engine_stops_writing_after_loss_of_claim(document, run, work):
    work.add(document, run, 1)
    document.owners.claim(run, dataclasses.replace(Owner.for_current_process(), pid=1))
    with pytest.raises(DocumentError, check=about(run_id=str(run), pid="1")):
        work.add(document, run, 2)
    assert document.trials.count(run) == 1


def test_heartbeat_is_stored(document, run, monkeypatch):
    document.owners.claim(run)
    run_before = document.runs.get(run).heartbeat
    monkeypatch.setattr(owners.time, "time", lambda: run_before + 5)
    document.owners.write_heartbeat(run)
    assert document.runs.get(run).heartbeat == run_before + 5


def test_commits_of_owner_are_synced(document, run):
    assert document.run_pragma("synchronous") == (1,)
    document.owners.claim(run)
    assert document.run_pragma("synchronous") == (2,)


@pytest.fixture
def engine(document, path, run, fork):
    """Another running process that computes the run."""

    def job(say):
        with Document.open(path) as engine:
            engine.owners.claim(run)
            say("claimed")
            signal.pause()

    child = fork(job)
    assert child.line() == "claimed"
    yield child
    child.kill()
    child.end()


@pytest.mark.slow
@pytest.mark.parametrize("suffixes", [("",), ("", "-wal"), ("", "-wal", "-shm")])
def test_copied_run_in_progress_has_no_owner(document, path, run, engine, work, tmp_path, suffixes):
    document.run_pragma("wal_checkpoint(PASSIVE)")
    copy = copy_with_companions(path, tmp_path / "copy.studio", suffixes)
    with Document.open(copy) as other:
        assert (other.runs.get(run).owner, other.owners.is_alive(run)) == (None, False)
        other.owners.claim(run)
        work.add(other, run, 1)
        assert other.owners.is_alive(run)
        assert work.check(other, run) == 1
        repeated = other.runs.get(run).owner
    assert document.owners.is_alive(run)
    with pytest.raises(DocumentError, check=about(row="'first'", pid=str(engine.pid))):
        document.owners.claim(run)
    moved_path = copy.rename(tmp_path / "moved.studio")
    with Document.open(moved_path) as other:
        assert other.runs.get(run).owner == repeated == other.get_current_owner()


def test_moved_run_in_progress_keeps_owner(document, path, run, engine, tmp_path):
    document.run_pragma("wal_checkpoint(PASSIVE)")
    moved_path = path.rename(tmp_path / "moved.studio")
    with Document.open(moved_path, writable=False) as other:
        assert other.owners.is_alive(run)
    moved_path.rename(path)


def test_remote_owner_is_trusted_in_copy(document, path, run, tmp_path):
    """Another machine has a different inode number for the same file."""
    elsewhere = dataclasses.replace(document.get_current_owner(), host="other")
    document.owners.claim(run, elsewhere)
    document.run_pragma("wal_checkpoint(PASSIVE)")
    with Document.open(copy_with_companions(path, tmp_path / "copy.studio", ("",))) as other:
        assert other.owners.is_alive(run)


def test_owner_of_earlier_version_is_trusted(document, run):
    document.owners.claim(run, dataclasses.replace(document.get_current_owner(), file=""))
    assert document.owners.is_alive(run)


def test_copied_document_removes_unfinished_table(document, path, work, tmp_path, monkeypatch):
    monkeypatch.setattr(Tables, "_publish", lambda *_: document.run_pragma("wal_checkpoint"))
    document.tables.add({}, work.columns)
    with Document.open(copy_with_companions(path, tmp_path / "copy.studio", ("",))) as copy:
        assert len(copy.query("SELECT 1 FROM data")) == 1
        monkeypatch.undo()
        copy.tables.add({}, work.columns)
        assert len(copy.query("SELECT 1 FROM data")) == 1
    document.tables.add({}, work.columns)
    assert len(document.query("SELECT 1 FROM data")) == 2
