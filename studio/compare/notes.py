"""Names of the notes by which a document keeps a study: light, so that the window reads them."""

from collections.abc import Sequence

from studio.compare.names import name_of
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

_PARTS = 4


def of_cell(name: str) -> str:
    """Return the name of the note that knows a cell's run."""
    return f"study cell {name}"


def of_dataset(name: str) -> str:
    """Return the name of the note that knows a data set's table."""
    return f"study data {name}"


def cells_among(document: Document, rows: Sequence[RunRow]) -> set[int]:
    """Return the ids of runs that are cells of the document's study, going by their names.

    (One that was renamed is an ordinary run.)
    """
    study = document.note(STUDY) if any(_BETWEEN in row.name for row in rows) else None
    if study is None:
        return set()
    begins = {
        (name_of(entry), method["name"]) for entry in study["data"] for method in study["methods"]
    }
    return {row.id for row in rows if _beginning(row.name) in begins}


def _beginning(name: str) -> tuple[str, ...]:
    """Return the data set and the method of a cell's name; nothing for other names."""
    parts = name.split(_BETWEEN)
    return (parts[0], parts[1]) if len(parts) == _PARTS else ()
