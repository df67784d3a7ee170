"""Cells whose search is the same, and which differ in what is made of its trials.

A suggestion depends on the trials before it, the space and seeds, never on the builder of the final
ensemble (:class:`studio.proposers.base.Search`). So RS, RS-post and ERS have the same trials in a
repetition, to the last bit: one of them makes these, and the others take them over as a fork does.
"""

import hashlib
import json
from collections.abc import Collection

from studio.compare.cells import StudyCell, add_fork
from studio.document.store import Document
from studio.errors import StudioError


class Searches:
    """The searches of a study's cells, and which run has made the trials of each."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._made: dict[str, int] = {}

    def of(self, cell: StudyCell) -> str:
        """Return what is equal for cells with the same trials."""
        if cell.name not in self._known:
            self._known[cell.name] = _search(cell)
        return self._known[cell.name]

    @property
    def made(self) -> Collection[str]:
        """The searches whose trials some run has."""
        return self._made.keys()

    def finished(self, cell: StudyCell, run_id: int) -> None:
        """Note that a cell's run has all its trials."""
        self._made.setdefault(self.of(cell), run_id)

    def run_like(self, cell: StudyCell) -> int | None:
        """Return a finished run with the trials that a cell would make; ``None`` without."""
        return self._made.get(self.of(cell))


def take_over(document: Document, cell: StudyCell, run_id: int) -> int:
    """Add a cell's run with the trials that the search of another run has made; return its id."""
    searched = [row for row in document.trials.rows(run_id) if not row.trial.concluding]
    return add_fork(document, cell, run_id, len(searched))


def _search(cell: StudyCell) -> str:
    try:
        method = cell.composed()
    except StudioError:
        return cell.name  # It cannot work, and says so where it begins.
    plain = cell.settings.to_json()
    for name in ("method", "overrides"):
        del plain[name]
    whole = json.dumps([cell.dataset.name, plain], sort_keys=True, default=str)
    return hashlib.sha256(f"{whole} {method.proposer} {method.evaluation}".encode()).hexdigest()
