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
from studio.data.row_facts import ROW_ROLES, get_more_group_codes, get_weights, parse_times
from studio.data.table import Table
from studio.errors import DataError
from studio.phrases import counted, joined, phrase


@dataclass(frozen=True)
class SecondFile:
    """Rows with a known target, in the form of a problem.

    Attributes:
        X: Shape (m, d), float64. As :attr:`studio.data.problem.Problem.X`.
        y: Shape (m,). Class codes or values.
        weights, times: Shape (m,), float64. ``None`` if the problem has none, or the file lacks the
            column.
        groups: Shape (m,), int64. Group codes, the problem's for groups in both.
        seen: Shape (s,), int64. Rows that are also in the training table.
    """

    X: Floats
    y: AnyArray
    weights: Floats | None = None
    groups: Integers | None = None
    times: Floats | None = None
    seen: Integers = dataclasses.field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def arrays(self) -> dict[str, AnyArray]:
        """Return the arrays by name for a document, in the shapes above."""
        plain = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return {f"test_{name}": each for name, each in plain.items() if each is not None}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "SecondFile | None":
        """Return the inverse of :meth:`arrays`, of those shapes; ``None`` without a second file.

        Of versions that have not kept them there are no weights, groups and times.
        """
        if "test_X" not in arrays:
            return None
        known = {each.name: arrays.get(f"test_{each.name}") for each in dataclasses.fields(cls)}
        known["X"] = np.asarray(known["X"], dtype=np.float64)
        return cls(**{name: each for name, each in known.items() if each is not None})

    def append_to(self, problem: Problem) -> Problem:
        """Return the problem with these rows appended."""
        return problem.extended(self.X, self.y, self.weights, self.groups, self.times)

    def notes(self, problem: Problem) -> tuple[str, ...]:
        """Explain why the rows are no fair test of a problem; empty if they are."""
        return tuple(
            filter(
                None,
                (
                    _describe_seen_rows(len(self.seen), len(self.y)),
                    _describe_groups(problem.groups, self.groups),
                    _describe_times(problem.times, self.times),
                ),
            )
        )


def read_like(path: str | Path, options: ReadOptions, known: Iterable[str]) -> RawTable:
    """Read a second file in the first one's format, or in its own if that matches more columns.

    Args:
        options: How the first file was read.

    Raises:
        DataError: If it cannot be read.
    """
    wanted = set(map(names.loose_key, known))

    def missing(raw: RawTable) -> int:
        return len(wanted - set(map(names.loose_key, raw.names)))

    own = ReadOptions(missing=options.missing, columns=options.columns)
    try:
        first = read(path, options.for_similar_file())
    except DataError:
        return read(path, own)
    if not missing(first):
        return first
    try:
        second = read(path, own)
    except DataError:
        return first
    return min((first, second), key=missing)


def read_second(
    raw: RawTable, problem: Problem, table: Table
) -> tuple[SecondFile, tuple[str, ...]]:
    """Return a second file's rows, and notes about the file.

    Args:
        table: Its table, whose columns say by their roles where weights, groups and times are.

    Raises:
        DataError: If it lacks most columns or the target, no row of it can be judged, or a weight
            or time cannot be read.
    """
    ours = {column.role: column for column in table.columns if column.role in ROW_ROLES}
    places = _places(table, raw)
    there = {role: at for role, column in ours.items() if (at := places[column.name]) is not None}
    labelled = problem.recipe().encode_labelled(raw, there.values())
    X, y, rows, notes = labelled.X, labelled.y, labelled.rows, list(labelled.notes)
    notes += [
        _describe_absent_column(role, column.name, raw.source)
        for role, column in ours.items()
        if role not in there
    ]
    theirs = {role: _column(raw, at, ours[role]) for role, at in there.items()}
    times = parse_times(theirs["time"]) if "time" in theirs else None
    if times is not None:
        timed = ~np.isnan(times[rows])
        if not timed.all():
            notes.append(_describe_untimed_rows(int((~timed).sum()), raw.source))
        if not timed.any():
            raise DataError(
                "No row of {source!r} has both a target and a time. Fill them in, or remove the "
                "role “time”.",
                source=raw.source,
            )
        X, y, rows = X[timed], y[timed], rows[timed]
    seen = find_duplicates([*np.vstack([problem.X, X]).T], np.concatenate([problem.y, y]))
    first = seen.first[len(problem.y) :]
    groups, weights = None, None
    if "group" in theirs:
        groups = get_more_group_codes(ours["group"], problem.rows, theirs["group"], rows)
    if "weight" in theirs:
        weights = get_weights(theirs["weight"], rows)
    if times is not None:
        times = times[rows]
    common = np.flatnonzero(first < len(problem.y)) if seen.are_copies else first[:0]
    return SecondFile(X, y, weights, groups, times, common), tuple(notes)


def _places(table: Table, raw: RawTable) -> dict[str, int | None]:
    """Return the indices of a table's columns in a raw table, by name; ``None``: missing."""
    wanted = [
        each.aliases if each.is_part else (each.name, *each.aliases) for each in table.columns
    ]
    places = names.match(wanted, raw.names, raw.aliases)
    return {column.name: at for column, at in zip(table.columns, places, strict=True)}


def _column(raw: RawTable, at: int, like: Column) -> Column:
    """Return a column of a raw table, parsed like that of another table."""
    cells, own = raw.cells(at), raw.formats[at].date
    dates = None if like.date is None else like.date.format
    if dates is not None and own is not None and not own.is_open:
        dates = min((dates, own.format), key=lambda way: np.isnan(cells.moments(way)).sum())
    cells = cells.read_as(like.number_format, like.missing_words, dates)
    kind = like.kind if dates is None else "date"
    return Column.from_cells(like.name, kind, like.role, cells)


_WITHOUT: Mapping[Role, str] = {
    "weight": phrase("So all its rows count the same."),
    "group": phrase("So it is not known whether its groups are also in the training table."),
    "time": phrase("So it is not known whether its rows are later than the training rows."),
}


def _describe_absent_column(role: Role, name: str, source: str) -> str:
    absent = phrase("{source!r} has no column {name!r}.", source=source, name=name)
    return joined((absent, _WITHOUT[role]))


def _describe_untimed_rows(untimed: int, source: str) -> str:
    return counted(
        "1 row of {source!r} without a time was left out.",
        "{count:,} rows of {source!r} without a time were left out.",
        untimed,
        source=source,
    )


def _describe_seen_rows(seen: int, of: int) -> str:
    if not seen:
        return ""
    return phrase(
        "Test rows that are also in the training table (equal in all features): {count:,} of "
        "{n_rows:,}. So the test error is optimistic.",
        count=seen,
        n_rows=of,
    )


def _describe_groups(known: Integers | None, groups: Integers | None) -> str:
    if known is None or groups is None or not (shared := np.isin(groups, known)).any():
        return ""
    return phrase(
        "Test rows of groups of the training table: {n_shared:,} of {n_rows:,} (groups: "
        "{count:,}). So the test error is optimistic for new groups.",
        count=len(np.unique(groups[shared])),
        n_shared=int(shared.sum()),
        n_rows=len(groups),
    )


def _describe_times(known: Floats | None, times: Floats | None) -> str:
    earlier = 0 if known is None or times is None else int((times < known.max()).sum())
    if times is None or not earlier:
        return ""
    return phrase(
        "Test rows earlier than the latest training row: {count:,} of {n_rows:,}. So the test "
        "error says little about later rows.",
        count=earlier,
        n_rows=len(times),
    )
