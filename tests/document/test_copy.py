"""Copies of an open document are complete or absent."""

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from studio.document.store import Document
from studio.errors import DocumentWriteError
from tests.document.hostile_files import write_and_kill
from tests.facts import about

ROOT = Path(__file__).parents[2]


def test_copy_contains_changes_of_all_processes(tmp_path: Path) -> None:
    with Document.create(tmp_path / "a.studio") as one, Document.open(tmp_path / "a.studio") as two:
        one.notes.set("x", 1)
        two.notes.set("y", 2)
        one.copy_to(tmp_path / "b.studio")
    with Document.open(tmp_path / "b.studio") as copy:
        assert (copy.notes.get("x"), copy.notes.get("y")) == (1, 2)
        copy.notes.set("x", 3)
    assert not list(tmp_path.glob(".*"))


def test_copy_to_unwritable_path_is_rejected_without_changes(tmp_path: Path) -> None:
    with Document.create(tmp_path / "a.studio") as one:
        with pytest.raises(DocumentWriteError, check=about(name="'b.studio'")):
            one.copy_to(tmp_path / "none" / "b.studio")
        (tmp_path / "folder.studio").mkdir()
        where = about(path=str(tmp_path / "folder.studio"))
        with pytest.raises(DocumentWriteError, check=where):
            one.copy_to(tmp_path / "folder.studio")
        one.notes.set("x", 1)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.studio", "folder.studio"]


@pytest.mark.slow
@pytest.mark.parametrize("begun", ["Document.create(path)", "document.copy_to(path)"])
def test_temporary_files_of_killed_process_are_removed(
    path: Path, document: Document, tmp_path: Path, begun: str
) -> None:
    """The draft of a copy is as large as the document, and hidden."""
    script = f"""
import os, signal
from pathlib import Path
from typing import Any
from studio.document.store import Document
document, path = Document.open({str(path)!r}), Path({str(tmp_path / "new.studio")!r})
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
os.link = Path.replace = die
{begun}
"""
    process = subprocess.run([sys.executable, "-c", script], check=False, cwd=ROOT)
    assert process.returncode == -signal.SIGKILL
    drafts = list(tmp_path.glob(".*.studio-new"))
    assert len(drafts) == 1
    mine = tmp_path / ".mine.studio-new"
    mine.touch()
    document.copy_to(tmp_path / "other.studio")
    assert list(tmp_path.glob(".*.studio-new*")) == [mine]


@pytest.mark.parametrize("way", ["by its own name", "by a link", "by another folder"])
def test_document_is_not_copied_onto_itself(
    filled: Path, tmp_path: Path, way: str, work: Any
) -> None:
    (tmp_path / "a").mkdir()
    target = {
        "by its own name": filled,
        "by a link": tmp_path / "a" / "link.studio",
        "by another folder": tmp_path / "a" / "folder" / filled.name,
    }[way]
    (tmp_path / "a" / "link.studio").symlink_to(filled)
    (tmp_path / "a" / "folder").symlink_to(tmp_path)
    with Document.open(filled) as document:
        work.add(document, 1, 6)
        with pytest.raises(DocumentWriteError) as refused:
            document.copy_to(target)
        assert refused.value.args[0].values == {"path": str(target)}
        work.add(document, 1, 7)
        assert work.check(document, 1) == 7
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_copy_removes_log_of_replaced_document(filled: Path, tmp_path: Path, work: Any) -> None:
    other = tmp_path / "other.studio"
    write_and_kill(other, lambda document: document.notes.set("a", 1))
    with Document.open(filled) as document:
        document.copy_to(other)
    with Document.open(other) as copy:
        assert work.check(copy, 1) == 5
        assert copy.notes.get("a") is None


@pytest.mark.slow
@pytest.mark.parametrize("here", [True, False])
def test_copy_does_not_replace_open_document(
    filled: Path, tmp_path: Path, fork: Any, work: Any, here: bool
) -> None:
    other = tmp_path / "other.studio"
    Document.create(other).close()

    def hold(say: Any) -> None:
        with Document.open(other) as document:
            document.notes.set("a", 1)
            say("open")
            time.sleep(600)

    child = None if here else fork(hold)
    with contextlib.ExitStack() as stack, Document.open(filled) as document:
        if child is None:
            stack.enter_context(Document.open(other)).notes.set("a", 1)
        else:
            assert child.line() == "open"
        with pytest.raises(DocumentWriteError) as refused:
            document.copy_to(other)
        assert refused.value.args[0].values == {"path": str(other)}
        if child is not None:
            child.kill()
            child.end()
    with Document.open(other) as other_document:
        assert other_document.notes.get("a") == 1
    with Document.open(filled) as document:
        document.copy_to(other)
    with Document.open(other) as copy:
        assert work.check(copy, 1) == 5
