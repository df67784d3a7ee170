"""Packages of runs between documents: complete, incremental, and pickled."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from studio.document.journal import RunningJob
from studio.document.store import Document
from studio.errors import DamagedError, DocumentError


@pytest.fixture
def other(tmp_path):
    with Document.create(tmp_path / "other.studio") as other_document:
        other_document.tables.add({"columns": []}, {"elsewhere": np.arange(3.0)})
        yield other_document


def test_run_package_is_complete_and_updates_follow(document, other, work) -> None:
    run = work.start(document)
    for number in (1, 2, 3):
        work.add(document, run, number)
    table = other.tables.add(*document.tables.read(1))
    there = other.packages.unpack(pickle.loads(pickle.dumps(document.packages.pack(run))), table)
    assert work.check(other, there) == 3

    for number in (4, 5):  # the fourth one failed
        work.add(other, there, number)
    other.journal.add_message(there, "warning", "Look.")
    other.journal.set_running(there, [RunningJob(0, {"C": 1.0}, 5.0)])
    other.runs.set_state(there, "running", "Busy")
    other.runs.prepare(there, {"budget": 9, "more": 1}, table, {})
    document.owners.claim(run)
    document.packages.add_updates(
        run, pickle.loads(pickle.dumps(other.packages.pack(there, after=3)))
    )
    assert work.check(document, run) == 5
    row = document.runs.get(run)
    assert (row.state, row.message, row.settings) == ("running", "Busy", {"budget": 9, "more": 1})
    assert [each.text for each in document.journal.list_messages(run)] == ["Look."]
    assert document.journal.list_running(run) == (RunningJob(0, {"C": 1.0}, 5.0),)
    np.testing.assert_array_equal(document.runs.split(run)["train"], np.arange(30))

    nothing = other.packages.pack(
        there, after=5, after_message=other.journal.list_messages(there)[-1].id, settled=True
    )
    assert (nothing.settings, nothing.trials, nothing.messages) == (None, (), ())
    document.packages.add_updates(run, nothing)
    assert document.runs.get(run).settings == {"budget": 9, "more": 1}
    assert work.check(document, run) == 5


@pytest.mark.slow
def test_package_update_requires_consecutive_trials(document, other, work) -> None:
    run = work.start(document)
    there = other.packages.unpack(
        document.packages.pack(run), other.tables.add(*document.tables.read(1))
    )
    for number in (1, 2):
        work.add(other, there, number)
    late = replace(other.packages.pack(there, after=1), state="finished")
    with pytest.raises(DocumentError, match="cannot be added"):
        document.packages.add_updates(run, late)
    assert document.runs.get(run).state == "waiting"
    assert document.trials.count(run) == 0


def test_damaged_run_is_not_packed(document, work) -> None:
    run = work.start(document)
    for number in (1, 2):
        work.add(document, run, number)
    with document.run_transaction():
        document.execute("DELETE FROM trials WHERE number = 1")
    with pytest.raises(DamagedError):
        document.packages.pack(run)
