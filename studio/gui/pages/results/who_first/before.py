"""The last predicted table of a run, stored in the document for reuse, and tables like its own."""

import re
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Self

from studio.document.notes import run_note_name
from studio.document.shapes import pick
from studio.gui.session.session import Session

_NAME = "predicted"

_TEXT = {".csv", ".tsv", ".txt"}
_HEAD = 64 << 10
_LOOKED_AT = 30


def tables_beside(table: Path, most: int = 3) -> list[Path]:
    """Return tables with the same columns in a table's folder, the newest first.

    Args:
        table: A text file; of other kinds no columns are compared, so none is found.
        most: How many at most.
    """
    try:
        if table.suffix.lower() not in _TEXT or not (own := _names_in(table)):
            return []
        others = [
            each
            for each in table.parent.iterdir()
            if each.suffix.lower() == table.suffix.lower() and each != table and each.is_file()
        ]
        newest = sorted(others, key=lambda each: -each.stat().st_mtime)[:_LOOKED_AT]
        # The column to predict is missing in most of them.
        fit = [each for each in newest if len(own - _names_in(each)) <= 1]
    except OSError:
        return []
    return fit[:most]


def _names_in(table: Path) -> set[str]:
    """Return the cells of a file's first line, whatever separates them."""
    with table.open("rb") as file:
        first = file.read(_HEAD).partition(b"\n")[0].decode(errors="replace")
    return {name.strip(' "\r\ufeff') for name in re.split("[,;\t|]", first)}


@dataclass(frozen=True)
class StoredPredictions:
    """A table predicted with a run.

    Attributes:
        table: Its path.
        sha256: The checksum of the file as it was.
        interval: Whether ends of intervals were asked for.
        count: How many rows can be handled; 0: unknown.
        looked_for: The code of the class whose rows come first; -1: not chosen.
    """

    table: str
    sha256: str
    interval: bool = True
    count: int = 0
    looked_for: int = -1

    @classmethod
    def of(cls, session: Session, run_id: int) -> Self | None:
        """Return the open document's record of a run; ``None`` without predictions."""
        return session.kept(run_note_name(run_id, _NAME), partial(pick, cls))

    @property
    def wanted(self) -> dict[str, int]:
        """The view's settings, kept for other tables too."""
        return {"count": self.count, "looked_for": self.looked_for}

    def keep(self, session: Session, run_id: int) -> None:
        """Store it in the open document, replacing the previous one."""
        session.set_note(run_note_name(run_id, _NAME), asdict(self))
