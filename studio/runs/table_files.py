"""Reading of a run's table, and of new files with the same columns."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from studio.data.names import match
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, is_guessed, read, read_with_column
from studio.data.recipe import EncodedTable, Recipe
from studio.data.table import Table
from studio.document.store import Document
from studio.errors import DataError, ExportError, RunError, UsageError
from studio.phrases import phrase
from studio.runs.settings import TableSource


def read_source(source: TableSource) -> RawTable:
    """Read a source's file; raise DataError if unreadable, UsageError if a column is missing."""
    if not source.path:
        raise RunError("This run names no table. Start a new run with one.")
    options = ReadOptions.from_json(source.reading)
    raw = read_with_column(Path(source.path), options, source.target)
    for name in (source.target, *source.roles, *source.kinds, *source.treatments, *source.monotone):
        if name is not None:
            _check_column(raw, name)
    return raw


def read_table(source: TableSource) -> Table:
    """Read a source's table, as :func:`read_source`; raise DataError for impossible choices."""
    raw = read_source(source)
    return Table.from_raw(raw, source.kinds, source.roles, source.target, source.treatments)


def _check_column(raw: RawTable, name: str) -> None:
    """Reject an unknown column name: a usage error, not a bad table."""
    try:
        raw.find_position(name)
    except DataError as error:
        raise UsageError(str(error)) from error


_SEPARATOR_NAMES = {
    "\t": phrase("a tab"),
    " ": phrase("a space"),
    ",": phrase("a comma"),
    ";": phrase("a semicolon"),
    ".": phrase("a point"),
}


@dataclass(frozen=True)
class PredictionFile:
    """A file with a table suitable for prediction.

    Attributes:
        notes: Sentences on differences from training: another format, missing and extra columns,
            unseen categories, words among numbers.
    """

    raw: RawTable
    notes: tuple[str, ...]
    encoded: EncodedTable

    @property
    def n_unread_cells(self) -> int:
        """Number of empty and unreadable cells."""
        return int(np.isnan(self.encoded.X).sum())


def get_training_options(document: Document, run_id: int) -> ReadOptions:
    """Return options for reading a file like the run's table; raise ExportError if not read yet."""
    table_id = document.runs.get(run_id).table_id
    if table_id is None:
        raise ExportError("This run has not read its table yet; let it run first.")
    description = document.tables.describe(table_id)
    return ReadOptions.from_json(description["options"]).for_similar_file()


def read_prediction_file(
    path: Path,
    recipe: Recipe,
    training_read_options: ReadOptions,
    *,
    are_options_fixed: bool = False,
    needed: Collection[Sequence[str]] = (),
) -> PredictionFile:
    """Read a file and report differences from training; nothing is written.

    If columns are missing or cells unreadable in the training file's format, the guessed format is
    used if it reads more.

    Args:
        training_read_options: The training file's options, or the user's for this file.
        are_options_fixed: Whether the user set the options, in which case no other format is tried.
        needed: Names of each column needed for something else, as in :func:`match`.

    Raises:
        DataError: If the file cannot be read or lacks most of the columns.
    """
    if are_options_fixed:
        return _read_and_encode(path, recipe, training_read_options, needed)
    first: PredictionFile | None = None
    with suppress(DataError):
        first = _read_and_encode(path, recipe, training_read_options, needed)
        if not first.notes or _is_read_as_well(path, first, training_read_options):
            return first
    try:
        second = _read_and_encode(path, recipe, ReadOptions(), needed)
    except DataError:
        if first is None:
            raise
        return first
    if first is not None and second.n_unread_cells >= first.n_unread_cells:
        return first
    notes = (*_describe_delimiter(second.raw.options, training_read_options), *second.notes)
    return replace(second, notes=notes)


def _read_and_encode(
    path: Path, recipe: Recipe, options: ReadOptions, needed: Collection[Sequence[str]]
) -> PredictionFile:
    raw = read(path, options)
    indices = match(list(needed), raw.names, raw.aliases)
    encoded = recipe.encode(raw, [each for each in indices if each is not None])
    return PredictionFile(raw, encoded.notes, encoded)


def _is_read_as_well(path: Path, first: PredictionFile, training_read_options: ReadOptions) -> bool:
    """Whether the training file's options read a file at least as well as guessed options."""
    if not first.n_unread_cells:
        return True
    # The header's row is the same, whether a header is expected or guessed.
    layout_options = ReadOptions(
        separator=training_read_options.separator,
        quote=training_read_options.quote,
        header=training_read_options.header or None,
    )
    if first.encoded.missing_columns or training_read_options != layout_options:
        return False
    return is_guessed(path, first.raw.options)


def _describe_delimiter(options: ReadOptions, training_read_options: ReadOptions) -> list[str]:
    """Return a note if the file's delimiter differs from the training file's."""
    if options.separator == training_read_options.separator:
        return []
    difference = phrase(
        "{what} is {file} (in training {training})",
        what=phrase("the field separator"),
        file=_get_separator_name(options.separator),
        training=_get_separator_name(training_read_options.separator),
    )
    return [
        phrase(
            "The file is written differently, and was read accordingly: {differences}.",
            differences=difference,
        )
    ]


def _get_separator_name(mark: str | None) -> str:
    return "none" if not mark else _SEPARATOR_NAMES.get(mark, f"“{mark}”")
