"""One damaged record is recorded, and the rest is readable."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.document.damage import BACKUP_ADVICE, DamagedRecord, DamageLog, describe_damaged_records
from studio.document.follow import ChangeReader
from studio.document.sealing import DIGITS
from studio.document.store import Document
from studio.errors import DamagedError, DocumentError
from studio.trial import check_no_lost_trials
from tests.facts import about, facts
from tests.results import make_result


@pytest.fixture
def two_runs(path: Path, document: Document, work) -> Path:
    """Return a document of two runs of three trials each."""
    for _ in range(2):
        run = work.start(document)
        for number in range(1, 4):
            work.add(document, run, number)
    document.journal.add_message(2, "info", "It runs.")
    document.spaces.save("mine", {"a": 1})
    document.spaces.save("other", {"a": 2})
    document.close()
    return path


def corrupt_text(path: Path, table: str, column: str, where: str) -> None:
    """Flip a high bit in a text, which makes it invalid UTF-8."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        query = f"SELECT CAST({column} AS BLOB) FROM {table} WHERE {where}"
        ((content,),) = connection.execute(query).fetchall()
        spoilt = content[:20] + bytes([content[20] ^ 0x80]) + content[21:]
        connection.execute(
            f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE {where}", (spoilt,)
        )


READS: list[tuple[str, str, Callable[[Document], object]]] = [
    ("table 1", "age", lambda document: document.tables.read(1)),
    ("table 1", "", lambda document: document.tables.describe(1)),
    ("split of run 1", "train", lambda document: document.runs.split(1)),
    (
        "predictions of trial 1 2",
        "validation",
        lambda document: document.trials.read_predictions(1, 2, "validation"),
    ),
]


@pytest.mark.parametrize("table", ["blocks", "arrays"])
@pytest.mark.parametrize(("record", "part", "read"), READS)
def test_damaged_array_is_named_by_its_owner(
    filled: Path, table: str, record: str, part: str, read: Callable[[Document], object]
) -> None:
    array = find_array(filled, record, part)
    if table == "arrays":
        corrupt_text(filled, "arrays", "header", f"id = {array}")
    else:
        with contextlib.closing(sqlite3.connect(filled)) as connection, connection:
            change = "UPDATE blocks SET crc = crc + 1 WHERE id >> 20 = ?"
            assert connection.execute(change, (array,)).rowcount
    with Document.open(filled, writable=False) as document:
        with pytest.raises(DamagedError) as error_info:
            read(document)
        assert error_info.value.record == record
        assert repr(record) in str(error_info.value)


def find_array(path: Path, record: str, part: str) -> int:
    """Return the id of the array of a record's part."""
    query = {
        "table 1": "SELECT body FROM data",
        "split of run 1": "SELECT body FROM runs",
        "predictions of trial 1 2": "SELECT body FROM trials WHERE number = 2",
    }[record]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        content = json.loads(connection.execute(query).fetchone()[0][DIGITS:])
    if part == "validation":
        return int(content[part][0])
    return int(dict(content["arrays" if "arrays" in content else "split"])[part])


def test_run_without_record_is_skipped(two_runs: Path, work) -> None:
    corrupt_text(two_runs, "runs", "body", "id = 2")
    with Document.open(two_runs, writable=False) as document:
        assert [row.id for row in document.runs.list_all()] == [1]
        assert [(each.record, each.run_id) for each in document.damaged_records] == [("run 2", 2)]
        assert work.check(document, 1) == 3
        with pytest.raises(DamagedError, match="run 2"):
            document.runs.get(2)


def test_run_without_status_keeps_trials(two_runs: Path, work) -> None:
    corrupt_text(two_runs, "runs", "status", "id = 2")
    with Document.open(two_runs) as document:
        row = document.runs.list_all()[1]
        assert (row.state, row.result) == ("failed", None)
        assert "lost" in row.message
        assert work.check(document, 2) == 3
        document.runs.set_state(2, "running")
        assert document.runs.get(2).state == "running"


@pytest.mark.parametrize("damage", ["a flipped bit", "a missing row"])
def test_lost_trial_appears_as_failed(two_runs: Path, work, damage: str) -> None:
    if damage == "a flipped bit":
        corrupt_text(two_runs, "trials", "body", "run = 2 AND number = 2")
    else:
        with contextlib.closing(sqlite3.connect(two_runs)) as connection, connection:
            connection.execute("DELETE FROM trials WHERE run = 2 AND number = 2")
    with Document.open(two_runs, writable=False) as document:
        trials = document.trials.list_all(2)
        assert [(each.number, each.status, each.damaged_record) for each in trials[1:]] == [
            (2, "failed", "trial 2 2"),
            (3, "ok", ""),
        ]
        assert "trial 2 2" in trials[1].cause
        assert [each.record for each in document.damaged_records] == ["trial 2 2"]
        with pytest.raises(DocumentError, check=about(number="2", record="'trial 2 2'")):
            check_no_lost_trials(trials)
        check_no_lost_trials(document.trials.list_all(1))
    with ChangeReader(two_runs) as follower:
        changes = follower.read_changes()
    assert changes is not None
    assert [row.trial.number for row in changes.trials if row.run_id == 2] == [1, 2, 3]
    assert [each.record for each in changes.damaged_records] == ["trial 2 2"]


def test_run_with_lost_trial_can_be_removed(two_runs: Path, work) -> None:
    corrupt_text(two_runs, "trials", "body", "run = 2 AND number = 2")
    with Document.open(two_runs) as document:
        document.remove_run(2)
        assert [row.id for row in document.runs.list_all()] == [1]
        assert [each.record for each in document.damaged_records] == ["trial 2 2"]
        assert work.check(document, 1) == 3


def test_missing_trials_of_result_are_reported_as_lost(two_runs: Path) -> None:
    with Document.open(two_runs) as document:
        document.runs.set_result(2, make_result(trials=3))
        with document.run_transaction():
            document.execute("DELETE FROM trials WHERE run = 2 AND number > 1")
        assert [bool(each.damaged_record) for each in document.trials.list_all(2)] == [
            False,
            True,
            True,
        ]
        assert [each.number for each in document.trials.list_all(2, after=2)] == [3]
    with ChangeReader(two_runs) as follower:
        read = []
        while (changes := follower.read_changes(limit=2)) is not None:
            read += [
                (row.run_id, row.trial.number, bool(row.trial.damaged_record))
                for row in changes.trials
            ]
    assert [each for each in read if each[0] == 2] == [(2, 1, False), (2, 2, True), (2, 3, True)]


@pytest.mark.slow
def test_implausible_trial_count_of_result_is_reported_as_damage(two_runs: Path) -> None:
    with Document.open(two_runs) as document:
        document.runs.set_result(2, make_result(trials=1 << 40))
        missing_trials = document.trials.make_missing_trailing_trials(2, 3)
        assert [missing_trials[0].trial.number, missing_trials[-1].trial.number] == [4, 3 + 10_000]


def test_invalid_trial_numbers_are_skipped(two_runs: Path) -> None:
    with contextlib.closing(sqlite3.connect(two_runs)) as connection, connection:
        connection.execute("UPDATE trials SET number = 1 << 60 WHERE run = 2 AND number = 3")
    with Document.open(two_runs, writable=False) as document:
        assert [trial.number for trial in document.trials.list_all(2)] == [1, 2]
        assert document.damaged_records[-1].record == f"trial 2 {1 << 60}"


def test_damaged_non_trial_records_are_skipped(two_runs: Path) -> None:
    corrupt_text(two_runs, "messages", "body", "run = 2")
    corrupt_text(two_runs, "spaces", "body", "name = '\"other\"'")
    corrupt_text(two_runs, "data", "body", "id = 2")
    with Document.open(two_runs, writable=False) as document:
        assert document.journal.list_messages() == ()
        assert document.spaces.list_names() == ("mine",)
        assert [row.id for row in document.tables.list_all()] == [1]
        assert [each.record.split()[0] for each in document.damaged_records] == [
            "message",
            "space",
            "table",
        ]
        assert [each.run_id for each in document.damaged_records] == [2, None, None]


@pytest.mark.parametrize("note", ["1", {"1": 1}, [1, "2"], [1.5], [0]])
def test_invalid_ids_of_removed_runs_are_reported_as_damage(two_runs: Path, note: object) -> None:
    with Document.open(two_runs) as document:
        key = "document.removed_runs"
        document.notes.set(key, note)
        assert document.get_removed_runs() == ()
        assert [each.record for each in document.damaged_records] == [f'note "{key}"']
        assert document.runs.add("next", {}) == 3


def test_trial_with_damaged_predictions_counts_as_failed(two_runs: Path, work) -> None:
    with Document.open(two_runs) as document:
        lost_trial = document.trials.make_lost_trial(2, work.trial(3))
        assert (lost_trial.status, lost_trial.loss, lost_trial.damaged_record) == (
            "failed",
            None,
            "predictions of trial 2 3",
        )
        assert lost_trial.configuration == work.trial(3).configuration
        assert [(each.record, each.run_id) for each in document.damaged_records] == [
            (lost_trial.damaged_record, 2)
        ]
        assert "'predictions of trial 2 3'" in lost_trial.cause
        assert "backup" in lost_trial.remedy


def test_follower_reports_damage_once(two_runs: Path) -> None:
    corrupt_text(two_runs, "messages", "body", "run = 2")
    with ChangeReader(two_runs) as follower:
        first = follower.read_changes()
        assert first is not None
        assert len(first.damaged_records) == 1
        with Document.open(two_runs) as document:
            document.spaces.save("third", {})
            document.journal.set_running(1, [])
        second = follower.read_changes()
        assert second is not None
        assert (second.spaces, second.damaged_records) == (("third",), ())


def test_damage_is_reported_once_with_summary_and_remedy() -> None:
    damaged_records = DamageLog()
    for number in (1, 1, 2, 3, 4, 5):
        damaged_records.note_damage(DamagedRecord(f"trial 1 {number}", 1, "It is left out."))
    assert [
        each.count("trial")
        for each in describe_damaged_records(damaged_records.damaged_records[:3])
    ] == [1, 1, 1, 0]
    assert describe_damaged_records(damaged_records.damaged_records[:4])[3].startswith("1 more ")
    after_message = describe_damaged_records(damaged_records.damaged_records)
    assert len(after_message) == 5
    assert after_message[-1] == BACKUP_ADVICE
    assert describe_damaged_records(()) == []
    assert "'trial 1 3'" in after_message[2]
    assert facts(after_message[3]) == {"count": 2}


def test_other_errors_are_not_treated_as_damage() -> None:
    def fail() -> None:
        raise DocumentError("The disk is gone.")

    with pytest.raises(DocumentError, match="gone"):
        DamageLog().read_or_record_damage(fail, None, "")
