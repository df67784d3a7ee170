"""Documents with several names are opened read-only, as locks do not cover all names."""

import os
from pathlib import Path

import pytest

from studio import scratch
from studio.document import store
from studio.document.follow import ChangeReader
from studio.document.store import Document
from studio.errors import DocumentError
from studio.system import files
from tests.document.hostile_files import content, get_companion, write_and_kill


@pytest.fixture
def linked(filled: Path) -> Path:
    os.link(filled, filled.with_name("other.studio"))
    return filled


def test_hard_linked_document_is_read_only(linked: Path) -> None:
    content_before = content(linked.parent)
    for path in linked.parent.iterdir():
        with pytest.raises(DocumentError) as refused:
            Document.open(path)
        assert refused.value.args[0].values["path"] == repr(path.name)
        assert "hard link" in str(refused.value)
    assert content(linked.parent) == content_before


@pytest.mark.slow
def test_hard_linked_document_is_read_unchanged(linked: Path, work) -> None:
    content_before = content(linked.parent)
    for path in linked.parent.iterdir():
        for writable in (False, None):
            with Document.open(path, writable) as document, ChangeReader(path) as follower:
                assert not document.writable
                assert work.check(document, 1) == 5
                assert len(follower.read_changes().trials) == 5
                assert content(linked.parent) == content_before
    assert content(linked.parent) == content_before
    linked.unlink()
    with Document.open(linked.with_name("other.studio")) as document:
        assert document.writable


@pytest.mark.slow
def test_hard_linked_document_is_read_with_log_in_copy(filled: Path, work) -> None:
    write_and_kill(filled, lambda document: work.add(document, 1, 6))
    os.link(filled, filled.with_name("other.studio"))
    content_before = content(filled.parent)
    with Document.open(filled, writable=False) as document:
        assert work.check(document, 1) == 6
    assert content(filled.parent) == content_before


def test_copy_of_hard_linked_document_is_writable(linked: Path, tmp_path: Path) -> None:
    with Document.open(linked, writable=None) as document:
        document.copy_to(tmp_path / "copy.studio")
    with Document.open(tmp_path / "copy.studio") as copy:
        copy.notes.set("a", 1)


def test_hard_link_created_during_use_prevents_next_opening(filled, work) -> None:
    with Document.open(filled) as document:
        os.link(filled, filled.with_name("other.studio"))
        work.add(document, 1, 6)
        with pytest.raises(DocumentError, match="hard link"):
            Document.open(filled.with_name("other.studio"))
    filled.with_name("other.studio").unlink()
    with Document.open(filled) as document:
        assert work.check(document, 1) == 6


@pytest.mark.parametrize("alive", [False, True])
def test_new_document_has_single_link(
    path: Path, monkeypatch: pytest.MonkeyPatch, alive: bool
) -> None:
    """A process was killed after giving the document its name, or is about to continue."""
    process = os.getpid() if alive else 2**22
    prefix = scratch.get_process_prefix().replace(str(os.getpid()), str(process), 1)
    with monkeypatch.context() as patch:
        patch.setattr(scratch, "get_process_prefix", lambda: prefix)
        patch.setattr(store, "remove_if_free", lambda place: None)
        store._create_file(path)
    assert path.stat().st_nlink == 2
    with Document.open(path) as document:
        document.notes.set("a", 1)
    assert path.stat().st_nlink == 1 + alive
    for suffix in ("-wal", "-shm"):
        assert not get_companion(path, suffix).exists()


def test_document_mounted_as_single_file_is_read_only(
    filled: Path, work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container its log would be in another folder than for other users of the original."""
    path = filled.rename(filled.with_name("a b.studio"))
    mounts, name = tmp_path / "mountinfo", os.fsencode(path).replace(b" ", rb"\040")
    mounts.write_bytes(
        b"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:1 /a %s rw - ext4 /dev/a rw\n" % name
    )
    monkeypatch.setattr(files, "_MOUNTS", mounts)
    bytes_before = path.read_bytes()
    with pytest.raises(DocumentError) as refused:
        Document.open(path)
    assert refused.value.args[0].values["path"] == repr(path.name)
    for writable in (False, None):
        with Document.open(path, writable) as document:
            assert not document.writable
            assert work.check(document, 1) == 5
    assert path.read_bytes() == bytes_before and not get_companion(path, "-wal").exists()
    monkeypatch.setattr(files, "_MOUNTS", tmp_path / "none")
    Document.open(path).close()
