"""A separate test file, including the weights, groups and times of its rows."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data import names
from studio.data.column import Column, Role
from studio.data.duplicates import find_duplicates
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.row_facts import (
    METADATA_ROLES,
    get_more_group_codes,
    get_weights,
    parse_times,
    parse_weights,
)
from studio.data.table import Table
from studio.errors import DataError
from studio.phrases import count_phrase, join_phrases, phrase

_MIN_BIASING_SHARE = 0.01
"""Share of test rows also in the training table from which they bias the test error."""


@dataclass(frozen=True)
class ExternalTestRows:
    """The rows of a separate test file, encoded like the problem.

    Attributes:
        X: Shape (m, d), float64. As :attr:`studio.data.problem.Problem.X`.
        y: Shape (m,). Class codes or values.
        weights, times: Shape (m,), float64. ``None`` if the problem has none, or the file lacks the
            column.
        groups: Shape (m,), int64. Group codes, the problem's for groups in both.
        seen_rows: Shape (s,), int64. Rows that are also in the training table.
    """

    X: Floats
    y: AnyArray
    weights: Floats | None = None
    groups: Integers | None = None
    times: Floats | None = None
    seen_rows: Integers = dataclasses.field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays by name for a document, in the shapes of the attributes."""
        values = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return {f"test_{name}": each for name, each in values.items() if each is not None}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "ExternalTestRows | None":
        """Return the inverse of :meth:`to_arrays`, of those shapes; ``None`` without a second file.

        Documents of older versions contain no weights, groups and times.
        """
        if "test_X" not in arrays:
            return None
        values = {each.name: arrays.get(f"test_{each.name}") for each in dataclasses.fields(cls)}
        values["X"] = np.asarray(values["X"], dtype=np.float64)
        return cls(**{name: each for name, each in values.items() if each is not None})

    def append_to(self, problem: Problem) -> Problem:
        """Return the problem with these rows appended."""
        return problem.with_rows(self.X, self.y, self.weights, self.groups, self.times)

    def list_notes(self, problem: Problem) -> tuple[str, ...]:
        """Describe the rows' relation to a problem's, with all of :meth:`list_biases`."""
        few: tuple[str, ...] = ()
        if 0 < len(self.seen_rows) < _MIN_BIASING_SHARE * len(self.y):
            few = (
                phrase(
                    "Test rows also in the training table (equal in all features): {count:,} of "
                    "{n_rows:,}, too few to matter.",
                    count=len(self.seen_rows),
                    n_rows=len(self.y),
                ),
            )
        return (*few, *self.list_biases(problem))

    def list_biases(self, problem: Problem) -> tuple[str, ...]:
        """Explain why the rows are a biased test of a problem; empty if unbiased."""
        notes, n_rows = [], len(self.y)
        if len(self.seen_rows) >= max(1, _MIN_BIASING_SHARE * n_rows):
            note = phrase(
                "Test rows also in the training table (equal in all features): {count:,} of "
                "{n_rows:,}. So the test error is optimistic.",
                count=len(self.seen_rows),
                n_rows=n_rows,
            )
            notes.append(note)
        if problem.groups is not None and self.groups is not None:
            is_shared = np.isin(self.groups, problem.groups)
            note = phrase(
                "Test rows of groups of the training table: {n_shared:,} of {n_rows:,} (groups: "
                "{count:,}). So the test error is optimistic for new groups.",
                count=len(np.unique(self.groups[is_shared])),
                n_shared=int(is_shared.sum()),
                n_rows=n_rows,
            )
            notes += [note] * bool(is_shared.any())
        if problem.times is not None and self.times is not None:
            n_earlier = int((self.times < problem.times.max()).sum())
            note = phrase(
                "Test rows earlier than the latest training row: {count:,} of {n_rows:,}. So the "
                "test error says little about later rows.",
                count=n_earlier,
                n_rows=n_rows,
            )
            notes += [note] * (n_earlier > 0)
        return tuple(notes)


def read_like_training(
    path: str | Path, options: ReadOptions, known_columns: Iterable[str]
) -> RawTable:
    """Read a second file like the first, or independently if that yields more known columns."""
    known_names = set(map(names.fold_name, known_columns))

    def count_missing(raw: RawTable) -> int:
        return len(known_names - set(map(names.fold_name, raw.names)))

    own_options = ReadOptions(missing=options.missing, columns=options.columns)
    try:
        first = read(path, options.for_similar_file())
    except DataError:
        return read(path, own_options)
    if not count_missing(first):
        return first
    try:
        second = read(path, own_options)
    except DataError:
        return first
    return min((first, second), key=count_missing)


def read_test_file(
    raw: RawTable, problem: Problem, table: Table
) -> tuple[ExternalTestRows, tuple[str, ...]]:
    """Return a second file's rows, and notes about the file.

    Args:
        table: The problem's table, whose roles determine the columns of weights, groups and times.

    Raises:
        DataError: If the file lacks most columns or the target, no row can be evaluated, or a
            weight or time cannot be read.
    """
    training_columns = {
        column.role: column for column in table.columns if column.role in METADATA_ROLES
    }
    column_indices = _find_columns(table, raw)
    present_columns = {
        role: index
        for role, column in training_columns.items()
        if (index := column_indices[column.name]) is not None
    }
    labelled = problem.make_recipe().encode_labelled(raw, present_columns.values())
    X, y, rows, notes = labelled.X, labelled.y, labelled.rows, list(labelled.notes)
    notes += [
        _describe_missing_column(raw, column, role)
        for role, column in training_columns.items()
        if role not in present_columns
    ]
    test_columns = {
        role: _parse_column(raw, index, training_columns[role])
        for role, index in present_columns.items()
    }
    times = parse_times(test_columns["time"]) if "time" in test_columns else None
    if times is not None:
        has_time = ~np.isnan(times[rows])
        if not has_time.all():
            note = count_phrase(
                "1 row of {source!r} without a time was left out.",
                "{count:,} rows of {source!r} without a time were left out.",
                int((~has_time).sum()),
                source=raw.source,
            )
            notes.append(note)
        if not has_time.any():
            raise DataError(
                "No row of {source!r} has both a target and a time. Fill them in, or remove the "
                "role “time”.",
                source=raw.source,
            )
        X, y, rows = X[has_time], y[has_time], rows[has_time]
    duplicates = find_duplicates([*np.vstack([problem.X, X]).T], np.concatenate([problem.y, y]))
    first = duplicates.first[len(problem.y) :]
    groups, weights = None, None
    if "group" in test_columns:
        groups = get_more_group_codes(
            training_columns["group"], problem.rows, test_columns["group"], rows
        )
    if "weight" in test_columns:
        weights = get_weights(test_columns["weight"], rows)
    if times is not None:
        times = times[rows]
    repeated_rows = np.flatnonzero(first < len(problem.y)) if duplicates.are_copies else first[:0]
    return ExternalTestRows(X, y, weights, groups, times, repeated_rows), tuple(notes)


CORRECT_WEIGHTS = phrase("For a weighted comparison, correct the weights in this file.")


def read_weights(raw: RawTable, table: Table, rows: Integers) -> tuple[Floats | None, str]:
    """Return the weights of a file's rows, (m,), ``None`` if they count the same, and a note.

    The note states why the rows, (m,) numbers in the file, count the same although the problem's
    table has weights.
    """
    training_column = table.get_single_column("weight")
    if training_column is None:
        return None, ""
    index = _find_columns(table, raw)[training_column.name]
    if index is None:
        return None, _describe_missing_column(raw, training_column, "weight")
    try:
        column = _parse_column(raw, index, training_column)
    except DataError as error:
        return None, join_phrases((error.args[0], _CONSEQUENCES["weight"]))
    weights, problem, _ = parse_weights(column, rows)
    if problem:  # another column is no remedy, as the model has been trained
        return None, join_phrases((problem, _CONSEQUENCES["weight"], CORRECT_WEIGHTS))
    return weights, ""


def _describe_missing_column(raw: RawTable, column: Column, role: Role) -> str:
    missing = phrase("{source!r} has no column {name!r}.", source=raw.source, name=column.name)
    return join_phrases((missing, _CONSEQUENCES[role]))


def _find_columns(table: Table, raw: RawTable) -> dict[str, int | None]:
    """Return the indices of a table's columns in a raw table, by name; ``None``: missing."""
    indices = names.match([each.sources for each in table.columns], raw.names, raw.aliases)
    return {column.name: index for column, index in zip(table.columns, indices, strict=True)}


def _parse_column(raw: RawTable, index: int, training_column: Column) -> Column:
    cells, date_guess = raw.get_cells(index), raw.formats[index].date
    dates = None if training_column.date is None else training_column.date.format
    if dates is not None and date_guess is not None and not date_guess.is_open:
        dates = min(
            (dates, date_guess.format),
            key=lambda date_format: np.isnan(cells.parse_dates(date_format)).sum(),
        )
    cells = cells.read_as(training_column.number_format, training_column.missing_words, dates)
    kind = training_column.kind if dates is None else "date"
    return Column.from_cells(training_column.name, kind, training_column.role, cells)


_CONSEQUENCES: Mapping[Role, str] = {
    "weight": phrase("So all its rows count the same."),
    "group": phrase("So it is unknown whether its groups also occur in the training table."),
    "time": phrase("So it is not known whether its rows are later than the training rows."),
}
