"""Helper tasks about a document's study: its grid of cells, and storing a checked study."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.compare import notes
from studio.compare.answers import GridRow, StudyGrid
from studio.compare.cell_names import cell_name
from studio.compare.cells import enumerate_cells, find_run
from studio.compare.conductor import conductor
from studio.compare.notes import get_dataset_name
from studio.compare.study import Study, common_spaces, load_study, parse_study
from studio.compare.targets import is_guess
from studio.document.store import Document
from studio.errors import UsageError
from studio.space.library import get_default


def study_grid(document: Path) -> StudyGrid:
    """Return the grid of a document's study; raise UsageError without one."""
    study = load_study(document)
    with Document.open(document, writable=False) as opened:
        return StudyGrid(tuple(grid_rows(opened, study)))


def grid_rows(document: Document, study: Study) -> list[GridRow]:
    """Return the rows of a study's grid in order; the document is only read."""
    last = conductor(document)
    failures: Mapping[str, str] = {} if last is None else last.failures
    searched = common_spaces(study)
    known = {row.id for row in document.runs.all()}
    found = []
    for entry in study.data:
        name = get_dataset_name(entry)
        kept = notes.find_dataset_note(document, name)
        about = None if kept is None else kept.dataset
        for space in searched:
            if space is not None:
                title = space.name
            else:
                title = get_default(about.task).name if about else ""
            cells = [
                [cell_name(name, method.name, title, r + 1) for r in range(study.repetitions)]
                for method in study.methods
            ]
            runs = tuple(tuple(_run(document, cell, known) for cell in each) for each in cells)
            refused = tuple(tuple(failures.get(cell, "") for cell in each) for each in cells)
            found.append(
                GridRow(
                    name,
                    title,
                    about.task if about else "",
                    about.target if about else "",
                    about.rows if about else 0,
                    failures.get(name, "") if not about else "",
                    runs,
                    kept is not None and is_guess(entry, kept),
                    refused,
                )
            )
    return found


def _run(document: Document, name: str, known: set[int]) -> int | None:
    kept = notes.find_cell_note(document, name)
    # A run removed by the user is computed again.
    return kept.run if kept is not None and kept.run in known else None


def store_study(path: Path, given: Mapping[str, Any]) -> None:
    """Store a study as the document's own.

    Args:
        given: As JSON.

    Raises:
        UsageError, SpaceError: If it says something impossible, two data sets have one name, or
            cells that the document holds were computed with other settings; the document is as
            before then.
    """
    study = parse_study(given)
    names = [get_dataset_name(entry) for entry in study.data]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(
            "Two data sets are called {twice!r}, so they could not be told apart. Rename one of "
            "the files, or remove one.",
            twice=twice[0],
        )
    with Document.open(path) as document:
        kept = (notes.find_dataset_note(document, name) for name in names)
        datasets = [each.dataset for each in kept if each is not None]
        for cell in enumerate_cells(study, datasets):
            find_run(document, cell)
        document.notes.set(notes.STUDY, study.to_json())
