"""A document copied while it is open: whole, or not at all."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from studio.document.store import Document
from studio.errors import DocumentWriteError

ROOT = Path(__file__).parents[2]


def test_the_copy_has_what_every_process_wrote(tmp_path: Path) -> None:
    with Document.create(tmp_path / "a.studio") as one, Document.open(tmp_path / "a.studio") as two:
        one.set_note("x", 1)
        two.set_note("y", 2)
        one.copy_to(tmp_path / "b.studio")
    with Document.open(tmp_path / "b.studio") as copy:
        assert (copy.note("x"), copy.note("y")) == (1, 2)
        copy.set_note("x", 3)
    assert not list(tmp_path.glob(".*"))


def test_where_it_cannot_be_written_nothing_changes(tmp_path: Path) -> None:
    with Document.create(tmp_path / "a.studio") as one:
        with pytest.raises(DocumentWriteError, match="could not be written"):
            one.copy_to(tmp_path / "none" / "b.studio")
        (tmp_path / "folder.studio").mkdir()
        with pytest.raises(DocumentWriteError, match="could not be written"):
            one.copy_to(tmp_path / "folder.studio")
        one.set_note("x", 1)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.studio", "folder.studio"]


@pytest.mark.parametrize("begun", ["Document.create(path)", "document.copy_to(path)"])
def test_what_a_killed_process_left_beside_a_document_is_cleared_away(
    path: Path, document: Document, tmp_path: Path, begun: str
) -> None:
    """The draft of a copy is as large as the document, and hidden."""
    script = f"""
import os, signal
from pathlib import Path
from studio.document.store import Document
document, path = Document.open({str(path)!r}), Path({str(tmp_path / "new.studio")!r})
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
os.link = Path.replace = die
{begun}
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL
    drafts = list(tmp_path.glob(".*.studio-new"))
    assert len(drafts) == 1
    mine = tmp_path / ".mine.studio-new"
    mine.touch()
    document.copy_to(tmp_path / "other.studio")
    assert list(tmp_path.glob(".*.studio-new*")) == [mine]
