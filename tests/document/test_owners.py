import dataclasses
import os
import signal

import pytest

from studio.document import owners
from studio.document.processes import Owner
from studio.document.store import Document
from studio.errors import DocumentError


@pytest.fixture
def run(document, work):
    return work.start(document)


def test_a_claim_is_held_and_released(document, run):
    assert not document.owner_alive(run)
    document.claim(run)
    assert document.owner_alive(run)
    assert document.run(run).owner == Owner.current()
    document.claim(run)
    document.release(run)
    assert document.run(run).owner is None


def test_a_second_engine_is_refused_while_the_first_lives(document, path, run, fork):
    reader, writer = os.pipe()

    def job(say):
        with Document.open(path) as engine:
            engine.claim(run)
            say("claimed")
            os.read(reader, 1)
            engine.release(run)

    child = fork(job)
    assert child.line() == "claimed"
    with pytest.raises(DocumentError, match=f"already being computed by process {child.pid}"):
        document.claim(run)
    document.release(run)
    assert document.owner_alive(run)
    os.write(writer, b"x")
    assert child.end() == []
    document.claim(run)
    os.close(reader)
    os.close(writer)


def test_a_killed_engines_run_is_taken_over_even_while_it_is_a_zombie(document, path, run, fork):
    def job(say):
        with Document.open(path) as engine:
            engine.claim(run)
            say("claimed")
            signal.pause()

    child = fork(job)
    child.line()
    assert document.owner_alive(run)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not document.owner_alive(run)
    document.claim(run)
    assert document.run(run).owner == Owner.current()
    child.end()


def test_a_number_that_went_to_another_process_does_not_count(document, run):
    reused = dataclasses.replace(Owner.current(), started="1")
    document.claim(run, reused)
    assert not document.owner_alive(run)
    document.claim(run)
    assert document.owner_alive(run)


def test_an_engine_whose_run_was_taken_over_adds_nothing(document, run, work):
    work.add(document, run, 1)
    document.claim(run, dataclasses.replace(Owner.current(), pid=1))
    with pytest.raises(DocumentError, match="taken over by process 1 "):
        work.add(document, run, 2)
    assert document.trial_count(run) == 1


def test_a_sign_of_life_is_kept(document, run, monkeypatch):
    document.claim(run)
    before = document.run(run).heartbeat
    monkeypatch.setattr(owners.time, "time", lambda: before + 5)
    document.beat(run)
    assert document.run(run).heartbeat == before + 5


def test_an_owners_commits_reach_the_disk(document, run):
    assert document._pragma("synchronous") == (1,)
    document.claim(run)
    assert document._pragma("synchronous") == (2,)
