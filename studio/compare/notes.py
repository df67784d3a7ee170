"""Names of the notes by which a document keeps a study: light, so that the window reads them."""

from studio.document.runs import RunRow
from studio.document.store import Document

STUDY = "study"
"""What the study asks for (:meth:`studio.compare.study.Study.to_json`)."""

CONDUCTOR = "study conductor"
"""Who works on it, and how that goes (:class:`studio.compare.conductor.Conductor`)."""

WISH = "study wish"
"""What whoever works on it shall do: :data:`STOP`, or nothing."""

STOP = "stop"


_BETWEEN = " · "
"""Stands between the parts of a cell's name, so that few other runs are looked for."""


def of_cell(name: str) -> str:
    """Return the name of the note that knows a cell's run."""
    return f"study cell {name}"


def of_dataset(name: str) -> str:
    """Return the name of the note that knows a data set's table."""
    return f"study data {name}"


def is_cell(document: Document, row: RunRow) -> bool:
    """Tell whether a run is a cell of the document's study (one that was renamed is not)."""
    if _BETWEEN not in row.name:
        return False
    kept = document.note(of_cell(row.name))
    return kept is not None and kept["run"] == row.id
