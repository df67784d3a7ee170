"""Mismatched logs are rejected without changes."""

import contextlib
import random
import sqlite3
import time
from pathlib import Path

import pytest

from studio.document import connection, log_check, schema, store
from studio.document.follow import ChangeReader, Playback
from studio.document.store import Document
from studio.errors import DamagedError, DocumentError, DocumentWriteError, ForeignLogError
from tests.document.hostile_files import (
    content,
    copy_with_companions,
    get_companion,
    write_and_kill,
)
from tests.facts import about

pytestmark = pytest.mark.slow

WAYS = {
    "read": lambda path: Document.open(path, writable=False).close(),
    "write": lambda path: Document.open(path).close(),
    "as allowed": lambda path: Document.open(path, writable=None).close(),
    "follow": lambda path: ChangeReader(path).close(),
    "play": Playback,
}


def list_trials(path: Path, work, run: int = 1) -> int:
    with Document.open(path) as document:
        work.check_all(document)
        return document.trials.count(run)


def assert_rejected(path: Path, way: str = "write") -> None:
    """Assert that a document is rejected for its log, unchanged."""
    content_before = content(path.parent)
    with pytest.raises(ForeignLogError) as error_info:
        WAYS[way](path)
    assert error_info.value.args[0].values == {
        "log": str(get_companion(path, "-wal")),
        "path": repr(path.name),
    }
    assert content(path.parent) == content_before


def make_filled_document(path: Path, work, trials: int) -> Path:
    with Document.create(path) as document:
        run = work.start(document)
        for number in range(1, trials + 1):
            work.add(document, run, number)
    return path


def add_trials(work, *numbers: int):
    def write(document: Document) -> None:
        document.owners.claim(1)
        for number in numbers:
            work.add(document, 1, number)

    return write


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("in_place", ["another document", "a backup", "a later state"])
def test_replaced_file_is_not_rewritten(
    filled: Path, work, tmp_path: Path, way: str, in_place: str
) -> None:
    other, trials = tmp_path / "other.studio", 7
    if in_place == "a backup":
        copy_with_companions(filled, other)
        with Document.open(filled) as document:
            work.add(document, 1, 6)
        trials = 5
    write_and_kill(filled, add_trials(work, 6 + (in_place == "a backup")))
    if in_place == "another document":
        make_filled_document(other, work, trials)
    elif in_place == "a later state":
        copy_with_companions(filled, other)
        with Document.open(other) as document:
            add_trials(work, 7)(document)
    other.replace(filled)
    assert_rejected(filled, way)
    assert_rejected(filled, way)
    get_companion(filled, "-wal").unlink()
    assert list_trials(filled, work) == trials


def test_foreign_file_at_log_path_is_not_modified(filled: Path) -> None:
    get_companion(filled, "-wal").write_bytes(b"Dear Sir or Madam, " * 40)
    assert_rejected(filled)
    assert_rejected(filled, "read")


@pytest.mark.parametrize("octets", [bytes(4096), bytes(7), b"\x37\x7f\x06\x82", None])
def test_incomplete_log_is_ignored(filled: Path, work, octets) -> None:
    """Zeroed by a power cut, truncated by a kill, or with half a header."""
    if octets is None:
        write_and_kill(filled, add_trials(work, 6))
        octets = get_companion(filled, "-wal").read_bytes()[:20] + b"12345678" * 9
        killed_file = filled.read_bytes()
        filled.write_bytes(killed_file)
    get_companion(filled, "-wal").write_bytes(octets)
    assert list_trials(filled, work) == 5


def test_log_of_killed_process_is_recovered(filled: Path, work, tmp_path: Path) -> None:
    write_and_kill(filled, add_trials(work, 6, 7))
    assert log_check.find_log(filled) is not None
    copy = copy_with_companions(filled, tmp_path / "copy.studio")
    assert list_trials(filled, work) == list_trials(copy, work) == 7
    backup = copy_with_companions(filled, tmp_path / "backup.studio")
    write_and_kill(filled, add_trials(work, 8))
    backup.replace(filled)  # as it was before the log's first transaction
    assert list_trials(filled, work) == 8
    assert sorted(each.name for each in tmp_path.iterdir()) == ["copy.studio", filled.name]


@pytest.mark.parametrize("step", [1, 1000])
def test_only_matching_file_and_log_of_run_are_opened(
    path: Path, work, tmp_path: Path, monkeypatch, step: int
) -> None:
    """A file and a log copied at two points in time, as by a synchronising tool."""
    monkeypatch.setattr(connection, "_CHECKPOINT_PAGES", step)
    files, logs, copy_path = [], [], tmp_path / "copy" / "c.studio"
    copy_path.parent.mkdir()
    with Document.create(path) as document:
        run = work.start(document)
        document.owners.claim(run)
        for number in range(1, 7):
            work.add(document, run, number)
            if number == 4:
                document.run_pragma("wal_checkpoint(RESTART)")
            files.append(path.read_bytes())
            logs.append(get_companion(path, "-wal").read_bytes())
    opened = 0
    for with_file, file in enumerate(files):
        for with_log, log in enumerate(logs):
            copy_path.write_bytes(file)
            get_companion(copy_path, "-wal").write_bytes(log)
            try:
                trials = list_trials(copy_path, work)
            except ForeignLogError:
                assert with_file != with_log
                assert content(copy_path.parent) == {
                    copy_path.name: file,
                    f"{copy_path.name}-wal": log,
                }
            else:
                opened += 1
                assert trials == with_log + 1
            for each in copy_path.parent.iterdir():
                each.unlink()
    assert len(files) <= opened < len(files) ** 2


def test_mismatched_file_and_log_of_removal_are_rejected(
    path: Path, work, tmp_path: Path, monkeypatch
) -> None:
    """Pages move while space is freed, so a log from another time would mix them up."""
    monkeypatch.setattr(connection, "_STEP_PAGES", 1)
    moments, copy_path = [], tmp_path / "copy" / "c.studio"
    copy_path.parent.mkdir()
    work.rows = 1500
    with Document.create(path) as document:
        for _ in range(2):
            run = work.start(document)
            for number in (1, 2, 3):
                work.add(document, run, number)
        document.checkpoint()
        move = document.checkpoint

        def checkpoint() -> bool:
            for is_after_move in (False, True):
                if is_after_move and not move():
                    return False
                moments.append((path.read_bytes(), get_companion(path, "-wal").read_bytes()))
            return True

        monkeypatch.setattr(document, "checkpoint", checkpoint)
        document.remove_run(1)
        document.vacuum_free_pages()
    opened = 0
    for with_file, (file, _) in enumerate(moments):
        for with_log, (_, log) in enumerate(moments):
            copy_path.write_bytes(file)
            get_companion(copy_path, "-wal").write_bytes(log)
            try:
                trials = list_trials(copy_path, work, 2)
            except ForeignLogError:
                assert with_file != with_log
            else:
                opened += 1
                assert trials == 3
            for each in copy_path.parent.iterdir():
                each.unlink()
    assert len(moments) <= opened < len(moments) ** 2


def test_file_copied_during_write_is_rejected(path: Path, work, tmp_path: Path) -> None:
    """The copy mixes pages from two points in time."""
    copy_path = tmp_path / "copy" / "c.studio"
    copy_path.parent.mkdir()
    states = []
    with Document.create(path) as document:
        run = work.start(document)
        document.owners.claim(run)
        for first in (1, 80):
            for number in range(first, first + 80 - first % 2):
                work.add(document, run, number)
            document.run_pragma("wal_checkpoint(TRUNCATE)")
            octets = path.read_bytes()
            states.append(
                [octets[offset : offset + 8192] for offset in range(0, len(octets), 8192)]
            )
        work.add(document, run, 160)
        log = get_companion(path, "-wal").read_bytes()
    early, late = states
    changed_positions = [offset for offset in range(2, len(early)) if early[offset] != late[offset]]
    draw, rejections = random.Random(4), 0
    for _ in range(15):
        old = draw.sample(changed_positions, draw.randrange(1, len(changed_positions)))
        mixed = b"".join(
            early[offset] if offset in old else page for offset, page in enumerate(late)
        )
        copy_path.write_bytes(mixed)
        get_companion(copy_path, "-wal").write_bytes(log)
        try:
            assert list_trials(copy_path, work) == 160, "the log has what was mixed up"
        except ForeignLogError:
            rejections += 1
            assert content(copy_path.parent) == {
                copy_path.name: mixed,
                f"{copy_path.name}-wal": log,
            }
        except DamagedError:
            pass
        for each in copy_path.parent.iterdir():
            each.unlink()
    assert rejections > 11


def test_damaged_log_does_not_undo_changes(filled: Path, work, tmp_path: Path) -> None:
    """All changes were checkpointed; SQLite reads the log only up to the damage."""

    def write(document: Document) -> None:
        add_trials(work, 6, 7, 8)(document)
        document.run_pragma("wal_checkpoint(PASSIVE)")

    write_and_kill(filled, write)
    file, log = filled.read_bytes(), get_companion(filled, "-wal").read_bytes()
    for offset in range(32, len(log), 4444):
        filled.write_bytes(file)
        get_companion(filled, "-shm").unlink(missing_ok=True)
        get_companion(filled, "-wal").write_bytes(
            log[:offset] + bytes([log[offset] ^ 1]) + log[offset + 1 :]
        )
        try:
            assert list_trials(filled, work) == 8
        except ForeignLogError:
            assert filled.read_bytes() == file


def test_renamed_log_is_not_deleted(filled: Path, work, tmp_path: Path) -> None:
    for number in (1, 2):
        write_and_kill(filled, lambda document: document.owners.claim(1))
        log = get_companion(filled, "-wal").read_bytes()
        make_filled_document(tmp_path / "other.studio", work, 2).replace(filled)
        assert_rejected(filled)
        aside = store.set_log_aside(filled)
        assert (aside.name, aside.read_bytes()) == (f"{filled.name}-wal-{number}", log)
        assert list_trials(filled, work) == 2
    with Document.open(filled) as document, pytest.raises(DocumentError) as rejection:
        document.notes.set("a", 1)
        store.set_log_aside(filled)
    assert rejection.value.args[0].values == {"path": str(filled)}


@pytest.mark.parametrize("left", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_new_document_ignores_log_of_deleted_document(filled: Path, work, left) -> None:
    write_and_kill(filled, add_trials(work, 6))
    filled.unlink()
    for suffix in {"-wal", "-shm"} - set(left):
        get_companion(filled, suffix).unlink()
    with Document.create(filled) as document:
        assert document.runs.list_all() == document.tables.list_all() == ()
    assert list(content(filled.parent)) == [filled.name]


def test_failed_creation_does_not_delete_log(filled, work, monkeypatch) -> None:
    write_and_kill(filled, add_trials(work, 6))
    filled.unlink()
    content_before = content(filled.parent)

    def full(draft: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(DocumentWriteError):
        patch.setattr(store, "_initialise", full)
        Document.create(filled)
    assert content(filled.parent) == content_before


def test_foreign_file_is_not_removed_for_new_document(path: Path) -> None:
    get_companion(path, "-wal").write_bytes(b"Dear Sir or Madam, " * 40)
    content_before = content(path.parent)
    with pytest.raises(DocumentWriteError) as refused:
        Document.create(path)
    assert refused.value.args[0].values["log"] == str(get_companion(path, "-wal"))
    assert content(path.parent) == content_before


@pytest.mark.parametrize("here", [True, False])
def test_log_of_open_deleted_document_is_kept(filled, work, fork, here) -> None:
    def hold(say) -> None:
        with Document.open(filled) as document:
            work.add(document, 1, 6)
            say("open")
            time.sleep(600)

    child = None if here else fork(hold)
    with contextlib.ExitStack() as stack:
        if child is None:
            document = stack.enter_context(Document.open(filled))
            work.add(document, 1, 6)
        else:
            assert child.line() == "open"
        aside = filled.rename(filled.with_name("aside.studio"))
        with pytest.raises(DocumentWriteError) as refused:
            Document.create(filled)
        assert refused.value.args[0].values == {"path": str(filled)}
        aside.rename(filled)  # as requested by the window
        if child is not None:
            child.kill()
            child.end()
    assert list_trials(filled, work) == 6


def test_stamp_is_written_only_with_changes(document) -> None:
    def stamp() -> str:
        ((both,),) = document.query("SELECT stamp FROM clock")
        return both

    first = stamp()
    document.notes.set("a", 1)
    second = stamp()
    assert (len(first), len(second), second[:16]) == (32, 32, first[16:])
    with document.run_transaction():
        document.notes.set("a", 2)
        document.notes.set("b", 2)
    third = stamp()
    assert third[:16] == second[16:] != third[16:]
    document.requests.pop_all(1)
    with document.run_transaction():
        document.check_writable()
    with contextlib.suppress(ZeroDivisionError), document.run_transaction():
        document.notes.set("a", 3)
        raise ZeroDivisionError
    assert stamp() == third


def test_open_document_is_checked_once(document, path, work) -> None:
    run = work.start(document)
    for number in range(1, 4):
        work.add(document, run, number)
        with Document.open(path) as other, ChangeReader(path) as follower:
            assert other.trials.count(run) == number
            assert len(follower.read_changes().trials) == number


def test_file_replaced_under_open_document_is_not_rewritten(
    filled: Path, work, tmp_path: Path
) -> None:
    make_filled_document(tmp_path / "other.studio", work, 2)
    with Document.open(filled) as document:
        work.add(document, 1, 6)
        (tmp_path / "other.studio").replace(filled)
        bytes_before = filled.read_bytes()
        with pytest.raises(ForeignLogError):
            Document.open(filled)
    assert filled.read_bytes() == bytes_before


def test_rejected_foreign_database_keeps_log(path: Path) -> None:
    def write(_: object) -> None:
        other = sqlite3.connect(path)
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE mine (a)")
        other.execute("INSERT INTO mine VALUES (1)")
        other.commit()

    pid_safe = path.with_name("empty.studio")
    write_and_kill(pid_safe, write)
    pid_safe.unlink()
    content_before = content(path.parent)
    with pytest.raises(
        DocumentError, match="Ensemble Studio document", check=about(name=repr(path.name))
    ):
        Document.open(path)
    assert content(path.parent) == content_before


def test_document_with_log_is_verified_before_merge(filled: Path) -> None:
    def write(document: Document) -> None:
        document.notes.set("a", 1)
        document._connection.execute(
            "CREATE TRIGGER x AFTER INSERT ON trials BEGIN DELETE FROM runs; END"
        )

    write_and_kill(filled, write)
    content_before = content(filled.parent)
    for way in WAYS.values():
        with pytest.raises(DocumentError, check=about(kind="trigger", label="'x on trials'")):
            way(filled)
    assert content(filled.parent) == content_before


def test_documents_without_stamps_accept_matching_log_only(
    path: Path, work, monkeypatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as older:
        older.setattr(schema, "SCRIPTS", schema.SCRIPTS[:4])
        make_filled_document(path, work, 4)
        early = copy_with_companions(path, tmp_path / "early.studio")
        write_and_kill(path, add_trials(work, 5))
        with Document.open(copy_with_companions(path, tmp_path / "late.studio")) as document:
            add_trials(work, 6)(document)
    late = tmp_path / "late.studio"
    log = get_companion(path, "-wal").read_bytes()
    get_companion(late, "-wal").write_bytes(log)
    assert_rejected(late)
    get_companion(early, "-wal").write_bytes(log)
    assert list_trials(early, work) == list_trials(path, work) == 5
    write_and_kill(path, add_trials(work, 6))
    stamped = get_companion(path, "-wal").read_bytes()
    with monkeypatch.context() as older:
        older.setattr(schema, "SCRIPTS", schema.SCRIPTS[:4])
        make_filled_document(tmp_path / "unstamped.studio", work, 4)
    get_companion(tmp_path / "unstamped.studio", "-wal").write_bytes(stamped)
    assert_rejected(tmp_path / "unstamped.studio")


def test_kill_during_stamp_migration_loses_no_data(path, work, monkeypatch, fork) -> None:
    with monkeypatch.context() as older:
        older.setattr(schema, "SCRIPTS", schema.SCRIPTS[:4])
        make_filled_document(path, work, 4)
    content = path.read_bytes()

    def job(number):
        def migrate(say):
            from tests.document.failing_disk import FailingDisk

            disk = FailingDisk(number, number, "kill")
            document = Document.open(path)
            document.notes.set("a", 1)
            document.close()
            say(f"calls {disk.count}")

        return migrate

    (count,) = (int(line.split()[1]) for line in fork(job(0)).end())
    for number in range(1, count + 1, 2):
        for suffix in ("-wal", "-shm"):
            get_companion(path, suffix).unlink(missing_ok=True)
        path.write_bytes(content)
        fork(job(number)).end()
        assert list_trials(path, work) == 4
