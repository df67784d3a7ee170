"""Data sets of a study: locating files, and storing each table once in the document."""

import hashlib
from dataclasses import asdict
from pathlib import Path

import numpy as np

from studio.arrays import Integers
from studio.compare import study_notes
from studio.compare.study import Study
from studio.compare.study_notes import SUFFIXES, Dataset, DatasetNote, get_dataset_name
from studio.data.problem import Problem
from studio.data.samples import list_samples
from studio.data.splits.splitter import RowSplitter, make_strata
from studio.document.store import Document
from studio.errors import DataError
from studio.runs.settings import TableSource
from studio.runs.table_files import read_table

_SAMPLING_SEED = 0x50E5
"""Random stream, derived from the study's seed, for sampling rows of large data sets."""


class MissingDatasetError(DataError):
    """A study's data set is neither in its folder nor a sample."""


def locate(entry: str, folder: Path) -> tuple[Path, str | None]:
    """Return the file of a study's entry, and its target if known, or raise MissingDatasetError."""
    for suffix in ("", *SUFFIXES):
        path = folder / f"{entry}{suffix}"
        if path.is_file():
            return path, None
    for sample in list_samples():
        if sample.key == entry:
            return sample.path, sample.target
    raise MissingDatasetError(
        "The folder {folder} has no data set {entry!r}, and no sample has that name.",
        entry=entry,
        folder=folder,
    )


def load_dataset(document: Document, study: Study, entry: str) -> Dataset:
    """Return a data set after storing its table in the document, if necessary.

    Raises:
        DataError: If it cannot be read or used, or differs from the one in the document.
        UsageError: If a choice of the study is impossible or refers to a missing column.
    """
    name = get_dataset_name(entry)
    note = study_notes.find_dataset_note(document, name)
    given_target, choices = study.get_target(name), study.get_choices(name)
    if note is not None:
        stored_choices = note.target, note.rows, dict(note.reading), note.choices
        _require_same_table(
            name, stored_choices, (given_target, study.rows, dict(study.reading), choices)
        )
        if study.folder is None:
            return note.dataset
    try:
        path, sample_target = locate(entry, study.folder or document.path.parent)
    except DataError:
        if note is None:
            raise
        # The table itself is in the document, so the study continues without the file.
        return note.dataset
    digest = _compute_digest(path)
    if note is not None:
        _require_same_table(name, note.file, digest)
        return note.dataset
    source = TableSource(
        str(path),
        target=given_target or sample_target,
        **{**vars(choices), "reading": {**study.reading, **choices.reading}},
    )
    table = read_table(source)
    problem = Problem.from_table(table, source.task, source.monotone)
    if study.rows is not None and study.rows < len(problem.y):
        table = table.select_rows(_sample_rows(problem, study.rows, study.seed))
        problem = Problem.from_table(table, source.task, source.monotone)
    with document.run_transaction():
        # Stored together with the note, so that no unnamed table remains.
        table_id = document.tables.add(table.to_description(), table.to_arrays())
        dataset = Dataset(name, table_id, problem.target_name, problem.task, len(problem.y))
        document.notes.set(
            study_notes.get_dataset_note_name(name),
            asdict(DatasetNote(digest, given_target, dataset, study.rows, study.reading, choices)),
        )
    return dataset


def _require_same_table(name: str, stored_table: object, requested_table: object) -> None:
    if stored_table != requested_table:
        raise DataError(
            "For the data set {name!r}, the document contains a different table (or target, number "
            "of rows, or decisions about its columns) than the study now names. Restore it, or "
            "choose another document.",
            name=name,
        )


def _sample_rows(problem: Problem, n_rows: int, seed: int) -> Integers:
    """Sample rows of the table, (k,), ascending: stratified by class, groups whole."""
    row_share = n_rows / len(problem.y)
    split_rule = RowSplitter(
        make_strata(problem.y, problem.n_classes), problem.groups, problem.times
    )
    rng = np.random.default_rng([seed, _SAMPLING_SEED])
    sampled, _ = split_rule.divide_by_shares(
        np.arange(len(problem.y)), (row_share, 1 - row_share), rng
    )
    return problem.rows[sampled]


def _compute_digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(
            "{path} cannot be read: {reason}.", path=path, reason=error.strerror
        ) from error
