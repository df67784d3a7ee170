"""Helper tasks about a document's study: its grid of cells, and storing a checked study."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.compare import study_notes
from studio.compare.answers import GridRow, StudyGrid
from studio.compare.cell_names import make_cell_name
from studio.compare.cells import enumerate_cells, find_run
from studio.compare.coordinator import load_coordinator
from studio.compare.study import Study, get_common_spaces, load_study, parse_study
from studio.compare.study_notes import get_dataset_name
from studio.compare.targets import is_guess
from studio.document.store import Document
from studio.errors import UsageError
from studio.space.library import get_default


def load_study_grid(document: Path) -> StudyGrid:
    """Return the grid of a document's study; raise UsageError if there is none."""
    study = load_study(document)
    with Document.open(document, writable=False) as stored_document:
        return StudyGrid(tuple(list_grid_rows(stored_document, study)))


def list_grid_rows(document: Document, study: Study) -> list[GridRow]:
    """Return the rows of a study's grid in order; the document is only read."""
    last_coordinator = load_coordinator(document)
    failures: Mapping[str, str] = {} if last_coordinator is None else last_coordinator.failures
    searched = get_common_spaces(study)
    run_ids = {row.id for row in document.runs.list_all()}
    grid = []
    for entry in study.data:
        name = get_dataset_name(entry)
        note = study_notes.find_dataset_note(document, name)
        dataset = None if note is None else note.dataset
        for space in searched:
            if space is not None:
                title = space.name
            else:
                title = get_default(dataset.task).name if dataset else ""
            cells = [
                [make_cell_name(name, method.name, title, r + 1) for r in range(study.repetitions)]
                for method in study.methods
            ]
            runs = tuple(tuple(_find_run(document, name, run_ids) for name in row) for row in cells)
            rejections = tuple(tuple(failures.get(cell, "") for cell in each) for each in cells)
            task, target, n_rows, reason = "", "", 0, failures.get(name, "")
            if dataset is not None:
                task, target, n_rows, reason = dataset.task, dataset.target, dataset.rows, ""
            guessed = note is not None and is_guess(entry, note)
            grid.append(
                GridRow(name, title, task, target, n_rows, reason, runs, guessed, rejections)
            )
    return grid


def _find_run(document: Document, name: str, run_ids: set[int]) -> int | None:
    note = study_notes.find_cell_note(document, name)
    # Runs removed by the user are computed again.
    return note.run if note is not None and note.run in run_ids else None


def store_study(path: Path, study_json: Mapping[str, Any]) -> None:
    """Store a study as the document's own.

    Raises:
        UsageError, SpaceError: If it is invalid, two data sets have the same name, or cells in the
            document have other settings; the document is then unchanged.
    """
    study = parse_study(study_json)
    names = [get_dataset_name(entry) for entry in study.data]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise UsageError(
            "Two data sets are called {duplicate!r} and could not be distinguished. Rename or "
            "remove one of the files.",
            duplicate=duplicates[0],
        )
    with Document.open(path) as document:
        dataset_notes = (study_notes.find_dataset_note(document, name) for name in names)
        datasets = [each.dataset for each in dataset_notes if each is not None]
        for cell in enumerate_cells(study, datasets):
            find_run(document, cell)
        document.notes.set(study_notes.STUDY, study.to_json())
