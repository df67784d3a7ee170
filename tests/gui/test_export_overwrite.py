"""Exports of the window never replace a document."""

import contextlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.document.atomic_files import write_file
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.pages.compare.sections import save_diagram
from studio.gui.screenshot import ScreenshotOptions, capture
from tests.gui.compare.test_diagrams import DIAGRAM

READ = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT * FROM clock").fetchall()
connection.close()
"""

WRITERS: dict[str, Callable[[Path], None]] = {
    "a plot or a report": lambda path: write_file(path, b"x"),
    "a diagram": lambda path: save_diagram(DIAGRAM, path),
    "a picture of the window": lambda path: capture(path, path, ScreenshotOptions()),
}


@pytest.mark.parametrize("here", [False, True], ids=["closed", "open here"])
@pytest.mark.parametrize("linked", [False, True], ids=["itself", "by a link"])
@pytest.mark.parametrize("what", WRITERS)
def test_exports_do_not_overwrite_document(
    what: str, tmp_path: Path, linked: bool, here: bool
) -> None:
    path, way = tmp_path / "w.studio", tmp_path / "link.svg"
    Document.create(path).close()
    way.symlink_to(path)
    octets = path.read_bytes()
    with Document.open(path) if here else contextlib.nullcontext():
        with pytest.raises(StudioError):
            WRITERS[what](way if linked else path)
        assert path.read_bytes() == octets
    Document.open(path).close()
    assert {each.name for each in tmp_path.iterdir()} - {"untitled"} == {"link.svg", "w.studio"}


@pytest.mark.slow
def test_document_check_does_not_release_locks(tmp_path: Path) -> None:
    """Closing a document elsewhere would checkpoint and remove its write-ahead log."""
    path = tmp_path / "w.studio"
    with Document.create(path) as document:
        document.notes.set("a", 1)
        with pytest.raises(StudioError):
            write_file(path, "x")
        subprocess.run([sys.executable, "-c", READ, str(path)], check=True)
        assert (tmp_path / "w.studio-wal").exists()
        document.notes.set("a", 2)
