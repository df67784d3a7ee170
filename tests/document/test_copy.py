"""A document copied while it is open: whole, or not at all."""

from pathlib import Path

import pytest

from studio.document.store import Document
from studio.errors import DocumentWriteError


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
