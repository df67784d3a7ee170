"""A study's data sets: finding their files, and keeping each table once in the document."""

import hashlib
from dataclasses import asdict
from pathlib import Path

from studio.compare import notes
from studio.compare.names import SUFFIXES, name_of
from studio.compare.notes import Dataset, KeptDataset
from studio.compare.study import Study
from studio.data.problem import Problem
from studio.data.reading import read
from studio.data.samples import samples
from studio.data.table import Table
from studio.document.store import Document
from studio.errors import DataError


def locate(entry: str, folder: Path) -> tuple[Path, str | None]:
    """Return the file that an entry of a study means, and its target where that is known.

    Raises
    ------
    DataError
        If there is none.
    """
    for suffix in ("", *SUFFIXES):
        path = folder / f"{entry}{suffix}"
        if path.is_file():
            return path, None
    for sample in samples():
        if sample.key == entry:
            return sample.path, sample.target
    raise DataError(
        "There is no data set {entry!r} in {folder}, nor a sample of that name ({samples}). "
        "Name its folder with --data.",
        entry=entry,
        folder=folder,
        samples=", ".join(sample.key for sample in samples()),
    )


def load_dataset(document: Document, study: Study, entry: str) -> Dataset:
    """Return a data set, whose table is read and added to the document if it is not there yet.

    Raises
    ------
    DataError
        If it cannot be read or used, or is another than the one that the document keeps.
    """
    name = name_of(entry)
    kept = notes.kept_dataset(document, name)
    wanted = study.target_of(name)
    try:
        path, sample_target = locate(entry, study.folder)
    except DataError:
        if kept is None:
            raise
        # The table itself is in the document, so the study goes on without the file.
        return kept.dataset
    digest = _digest(path)
    if kept is not None:
        if kept.file != digest or kept.target != wanted:
            raise DataError(
                "The document keeps another table (or target) for the data set {name!r} than "
                "the study names now. Restore it, or choose another document.",
                name=name,
            )
        return kept.dataset
    table = Table.from_raw(read(path), target=wanted or sample_target)
    problem = Problem.from_table(table)
    with document.transaction():
        # Published together with the note, so a table that is not named by one is never left over.
        table_id = document.add_table(table.description(), table.arrays())
        found = Dataset(name, table_id, problem.target_name, problem.task, len(problem.y))
        document.set_note(notes.of_dataset(name), asdict(KeptDataset(digest, wanted, found)))
    return found


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(
            "{path} cannot be read: {reason}.", path=path, reason=error.strerror
        ) from error
