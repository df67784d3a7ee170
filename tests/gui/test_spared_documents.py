"""Whatever the window writes, it never takes the place of a document."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.pages.compare.export import save_diagram, write
from studio.gui.pages.space.space_files import write_space
from studio.gui.plots.base.pictures import write_whole
from studio.space.library import load
from tests.gui.compare.test_diagrams import DIAGRAM

WRITERS: dict[str, Callable[[Path], None]] = {
    "a plot": lambda path: write_whole(path, b"x"),
    "a space": lambda path: write_space(load("svm-rbf"), path),
    "a report": lambda path: write(path, "x"),
    "a diagram": lambda path: save_diagram(DIAGRAM, path),
}


@pytest.mark.parametrize("what", WRITERS)
def test_a_document_is_not_written_over(what: str, tmp_path: Path) -> None:
    path = tmp_path / "w.studio"
    Document.create(path).close()
    with pytest.raises(StudioError, match="it is a document"):
        WRITERS[what](path)
    Document.open(path).close()
    assert [each.name for each in tmp_path.iterdir() if "part" in each.name] == []
