import pytest

from studio.document import connection
from studio.document.follow import ChangeReader
from studio.document.store import Document
from studio.errors import DocumentError
from tests.document.hostile_files import get_companion
from tests.document.old_documents import unpack


def counts(document):
    tables = ("runs", "trials", "running", "requests", "messages")
    return {name: document.query(f"SELECT count(*) FROM {name}")[0][0] for name in tables}


def count_blocks_and_arrays(document):
    """Blocks and arrays in the file."""
    return [document.query(f"SELECT count(*) FROM {name}")[0][0] for name in ("arrays", "blocks")]


def test_removal_of_run_keeps_other_records(document, work):
    keep = work.start(document)
    for number in range(1, 4):
        work.add(document, keep, number)
    before = count_blocks_and_arrays(document)
    removed_run = document.runs.add("gone", {}, 1, {"train": work.predictions(1)[0]})
    for number in range(1, 6):
        work.add(document, removed_run, number)
    document.journal.add_message(removed_run, "info", "hello")
    document.requests.post(removed_run, "stop")
    document.journal.set_running(removed_run, [])
    document.remove_run(removed_run)
    assert count_blocks_and_arrays(document) == before
    assert counts(document) == {"runs": 1, "trials": 3, "running": 0, "requests": 0, "messages": 0}
    assert work.check(document, keep) == 3
    assert document.tables.read(1)[0]
    with pytest.raises(DocumentError, match="no run 2"):
        document.runs.get(removed_run)


def test_running_run_is_not_removed(document, work):
    run = work.start(document)
    document.owners.claim(run)
    with pytest.raises(DocumentError, match="Stop it first"):
        document.remove_run(run)
    document.owners.release(run)
    document.remove_run(run)
    assert document.runs.list_all() == ()


def test_run_numbers_are_not_reused(document):
    first, second = document.runs.add("a", {}), document.runs.add("b", {})
    document.remove_run(second)
    document.remove_run(first)
    assert document.get_removed_runs() == (second, first)
    assert document.runs.add("c", {}) == 3


def test_first_removed_run_is_recorded(document):
    document.notes.set("document.removed_runs", [4])
    assert document.get_revision() == 1
    assert document.get_removed_runs() == (4,)
    assert document.get_removed_runs(1) == ()
    assert document.runs.add("next", {}) == 5


def test_followers_report_removal_and_later_changes(document, path, work):
    run = work.start(document)
    with ChangeReader(path) as follower:
        for number in range(1, 4):
            work.add(document, run, number)
        document.journal.add_message(run, "info", "one")
        document.journal.add_message(run, "info", "two")
        assert len(follower.read_changes().trials) == 3
        document.remove_run(run)
        changes = follower.read_changes()
        assert (changes.removed_run_ids, changes.runs, changes.trials) == ((run,), (), ())
        later = work.start(document)
        work.add(document, later, 1)
        document.journal.add_message(later, "info", "three")
        changes = follower.read_changes()
        assert [row.run_id for row in changes.trials] == [later]
        assert [message.text for message in changes.messages] == ["three"]
        assert changes.removed_run_ids == ()


def test_failed_removal_changes_nothing(document, work, monkeypatch):
    run = work.start(document)
    work.add(document, run, 1)

    def fail(run_id):
        raise DocumentError("no space")

    monkeypatch.setattr(document._removed, "record_removal", fail)
    with pytest.raises(DocumentError, match="no space"):
        document.remove_run(run)
    assert work.check(document, run) == 1


def test_run_can_be_renamed(document, path):
    run = document.runs.add("old", {"budget": 4})
    with ChangeReader(path) as follower:
        follower.read_changes()
        document.runs.rename(run, "  a \n new name ")
        assert [row.name for row in follower.read_changes().runs] == ["a new name"]
    assert document.runs.get(run).settings == {"budget": 4}
    with pytest.raises(DocumentError, match="needs a name"):
        document.runs.rename(run, "  ")
    with Document.open(path) as other, pytest.raises(DocumentError, match="no run 9"):
        other.runs.rename(9, "x")


@pytest.fixture
def two_runs(document, work):
    """The first of two runs, with most of the file's predictions."""
    work.rows = 20_000
    first, second = work.start(document), work.start(document)
    for number in range(1, 7):
        work.add(document, first, number)
        work.add(document, second, number)
    document.run_pragma("wal_checkpoint(TRUNCATE)")
    return first


@pytest.mark.slow
def test_removal_frees_disk_space_with_open_followers(document, path, work, two_runs, monkeypatch):
    monkeypatch.setattr(connection, "_STEP_PAGES", 4)
    before, held_before = path.stat().st_size, document.count_bytes()
    with ChangeReader(path) as follower, Document.open(path) as other:
        other.remove_run(two_runs)
        # Removal and compaction need little space.
        assert get_companion(path, "-wal").stat().st_size < before / 4
        removed = held_before - other.count_bytes()
        assert removed > before / 3
        assert other.vacuum_free_pages() == before - path.stat().st_size >= 0.9 * removed
        assert get_companion(path, "-wal").stat().st_size < before / 4
        assert other.count_free_bytes() == 0
        assert follower.read_changes().removed_run_ids == (two_runs,)
        assert work.check(other, 2) == 6
        work.add(document, 2, 7)
    assert document.query("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.slow
def test_locked_space_is_freed_by_next_removal(document, path, work, two_runs):
    before = path.stat().st_size
    with Document.open(path) as other:
        with other.open_snapshot():
            other.runs.list_all()
            document.remove_run(two_runs)
            assert document.vacuum_free_pages() == 0
            assert work.check(other, two_runs) == 6
        assert (path.stat().st_size, document.count_free_bytes() > 0) == (before, True)
        assert document.vacuum_free_pages() > 0 == document.count_free_bytes()


def test_document_without_incremental_vacuum_reuses_space(tmp_path):
    with Document.open(unpack("3-numbers", tmp_path)) as old:
        old.remove_run(2)
        free = old.count_free_bytes()
        assert (old.vacuum_free_pages(), old.count_free_bytes()) == (0, free)
        assert free > 0
