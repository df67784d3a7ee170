"""Where each cell of a document's study is: data sets and spaces × methods × repetitions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.compare import notes
from studio.compare.cells import cell_name
from studio.compare.conductor import conductor
from studio.compare.names import name_of
from studio.compare.study import Study
from studio.document.store import Document
from studio.space.library import default_for, load


@dataclass(frozen=True)
class GridRow:
    """A data set in one space.

    Attributes
    ----------
    name : str
        The data set.
    space : str
        The space's name; empty while the data set's task is not known.
    task, target : str
        What is predicted; empty while the table has not been read.
    rows : int
        Rows with a target, 0 while the table has not been read.
    left_out : str
        Why the data set cannot be used; empty where it can.
    runs : tuple of tuples of (int or None)
        For each method and repetition the run, ``None`` where it does not exist yet.
    """

    name: str
    space: str
    task: str
    target: str
    rows: int
    left_out: str
    runs: tuple[tuple[int | None, ...], ...]


def grid(document: Document, study: Study) -> list[GridRow]:
    """Return the rows of a study's grid in its order.

    Parameters
    ----------
    document : Document
        Keeps the study; it is only read.
    study : Study
        What is asked for.
    """
    last = conductor(document)
    failures: Mapping[str, str] = {} if last is None else last.failures
    loaded = {key: None if key is None else load(key) for key in study.spaces}
    known = {row.id for row in document.runs()}
    found = []
    for entry in study.data:
        name = name_of(entry)
        kept = document.note(notes.of_dataset(name))
        about: dict[str, Any] = {} if kept is None else kept["dataset"]
        for space in loaded.values():
            if space is not None:
                title = space.name
            else:
                title = default_for(about["task"]).name if about else ""
            runs = tuple(
                tuple(
                    _run(document, cell_name(name, method.name, title, repetition), known)
                    for repetition in range(1, study.repetitions + 1)
                )
                for method in study.methods
            )
            found.append(
                GridRow(
                    name,
                    title,
                    str(about.get("task", "")),
                    str(about.get("target", "")),
                    int(about.get("rows", 0)),
                    failures.get(name, "") if not about else "",
                    runs,
                )
            )
    return found


def _run(document: Document, name: str, known: set[int]) -> int | None:
    kept = document.note(notes.of_cell(name))
    # A run that somebody removed is computed anew.
    return int(kept["run"]) if kept is not None and int(kept["run"]) in known else None
