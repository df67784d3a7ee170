"""Hostile companion files are rejected before SQLite opens them."""

import contextlib
import os
from pathlib import Path

import pytest

from studio.document.follow import ChangeReader, Playback
from studio.document.store import Document
from studio.errors import DocumentError, DocumentWriteError
from tests.document.hostile_files import (
    KINDS,
    SUFFIXES,
    content,
    create_special_file,
    get_companion,
    write_rollback_journal,
)

WAYS = {
    "read": lambda path: Document.open(path, writable=False).close(),
    "write": lambda path: Document.open(path).close(),
    "as allowed": lambda path: Document.open(path, writable=None).close(),
    "follow": lambda path: ChangeReader(path).close(),
    "play": Playback,
}


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    found = tmp_path / "elsewhere" / "thesis.tex"
    found.parent.mkdir()
    found.write_text("years of work")
    return found


@pytest.mark.parametrize("way", WAYS)
def test_rollback_journal_does_not_delete_files(filled: Path, victim: Path, way: str) -> None:
    journal = write_rollback_journal(filled, victim)
    content_before = content(filled.parent)
    with pytest.raises(DocumentError) as refused:
        WAYS[way](filled)
    assert refused.value.args[0].values["journal"] == str(journal)
    assert victim.read_text() == "years of work"
    assert content(filled.parent) == content_before
    journal.unlink()
    WAYS[way](filled)


def test_empty_journal_is_rejected(filled: Path) -> None:
    get_companion(filled, "-journal").touch()
    with pytest.raises(DocumentError, match="-journal"):
        Document.open(filled, writable=False)


def test_companions_of_linked_document_are_next_to_target(
    filled: Path, victim: Path, tmp_path: Path
) -> None:
    link = tmp_path / "elsewhere" / "link.studio"
    link.symlink_to(filled)
    write_rollback_journal(filled, victim)
    with pytest.raises(DocumentError, match="-journal"):
        Document.open(link, writable=False)
    assert victim.exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize("way", ["read", "write"])
def test_special_file_is_rejected_without_blocking(
    filled: Path, victim: Path, suffix: str, kind: str, way: str
) -> None:
    create_special_file(filled, suffix, kind, victim)
    content_before = content(filled.parent)
    with pytest.raises(DocumentError) as refused:
        WAYS[way](filled)
    assert str(get_companion(filled, suffix)) in refused.value.args[0].values.values()
    assert content(filled.parent) == content_before
    assert victim.read_text() == "years of work"


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_document_is_not_created_with_special_companion_file(
    path: Path, victim: Path, suffix: str, kind: str
) -> None:
    create_special_file(path, suffix, kind, victim)
    before = sorted(path.parent.iterdir())
    with pytest.raises(DocumentWriteError) as refused:
        Document.create(path)
    assert str(get_companion(path, suffix)) in refused.value.args[0].values.values()
    assert sorted(path.parent.iterdir()) == before
    assert victim.read_text() == "years of work"


def test_rollback_journal_prevents_creation_and_copy(
    filled: Path, path: Path, victim: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new.studio"
    write_rollback_journal(filled, victim).rename(get_companion(new, "-journal"))
    with pytest.raises(DocumentWriteError, match="-journal"):
        Document.create(new)
    with Document.open(filled) as document, pytest.raises(DocumentWriteError, match="-journal"):
        document.copy_to(new)
    assert not new.exists()
    assert victim.exists()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_process_killed_during_creation_does_not_block_others(path, work, fork) -> None:
    """The kill comes at every write, so also where SQLite has a rollback journal."""

    def job(number):
        def make(say):
            from tests.document.failing_disk import FailingDisk

            disk = FailingDisk(number, number, "kill")
            Document.create(path).close()
            say(f"calls {disk.count}")

        return make

    (count,) = (int(line.split()[1]) for line in fork(job(0)).end())
    assert count > 10
    path.unlink()
    for number in range(1, count + 1):
        fork(job(number)).end()
        if not path.exists():
            Document.create(path).close()
        with Document.open(path) as document:
            document.notes.set("a", number)
        path.unlink()
    assert list(path.parent.iterdir()) == []


@pytest.mark.slow
def test_kill_during_adoption_of_copy_leaves_no_journal(filled: Path, work, fork) -> None:
    """A document that another program wrote may be one without a log."""
    import sqlite3

    connection = sqlite3.connect(filled)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    content = filled.read_bytes()

    def job(number):
        def opened(say):
            from tests.document.failing_disk import FailingDisk

            disk = FailingDisk(number, number, "kill")
            Document.open(filled).close()
            say(f"calls {disk.count}")

        return opened

    (count,) = (int(line.split()[1]) for line in fork(job(0)).end())
    for number in range(1, count + 1):
        for suffix in SUFFIXES:
            get_companion(filled, suffix).unlink(missing_ok=True)
        filled.write_bytes(content)
        fork(job(number)).end()
        assert not get_companion(filled, "-journal").exists()
        with Document.open(filled) as document:
            assert work.check(document, 1) == 5


def test_hard_linked_log_is_not_modified(filled: Path, victim: Path) -> None:
    for suffix in ("-wal", "-shm"):
        create_special_file(filled, suffix, "hard link", victim)
        with pytest.raises(DocumentError):
            Document.open(filled)
        with pytest.raises(DocumentError) if suffix == "-wal" else contextlib.nullcontext():
            Document.open(filled, writable=False).close()
        assert victim.read_text() == "years of work"
        os.unlink(get_companion(filled, suffix))
