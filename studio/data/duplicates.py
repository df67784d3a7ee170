"""Rows that repeat another row of the table, or of another table, told by a key of each row.

A key is a hash of 64 bits of the row's values (numbers as numbers, words by their labels), so it is
the same in every table. Two different ones of a million rows share a key once in 37 million tables.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.data.column import ColumnKind
from studio.data.description import Finding, Level
from studio.data.distinct import Distinct
from studio.data.numbers import bounded
from studio.phrases import phrase

Cells = tuple[Distinct, ColumnKind]
"""A column's cells, and what they are read as."""

_SURPRISE = 10
"""How many times the pairs of equal rows that independent columns would have are no chance."""

_FEW = 0.01
"""Share of repeated rows up to which they hardly matter."""

_EMPTY = np.uint64(0x9E3779B97F4A7C15)


def row_keys(columns: Iterable[Cells]) -> AnyArray:
    """Return a key for each row, shape (n,), uint64: equal where all the columns' values are.

    Parameters
    ----------
    columns : iterable of Cells
        At least one, of n rows each; in another table in the same order.
    """
    keys: AnyArray = np.zeros(1, dtype=np.uint64)
    for cells, kind in columns:
        keys = _mixed(keys * np.uint64(31) + _cell_keys(cells, kind)[cells.codes])
    return keys


def _cell_keys(cells: Distinct, kind: ColumnKind) -> AnyArray:
    """Return a key for each distinct cell, shape (k,), uint64."""
    if kind == "number":
        numbers: AnyArray = bounded(cells.numbers) + 0.0  # -0 is 0
        return _mixed(np.where(np.isnan(numbers), _EMPTY, numbers.view(np.uint64)))
    digests = (
        hashlib.blake2b(b"" if label is None else b"=" + label.encode(), digest_size=8).digest()
        for label in cells.labels
    )
    return np.frombuffer(b"".join(digests), dtype=np.uint64)


def _mixed(values: AnyArray) -> AnyArray:
    """Spread the bits of numbers, shape (k,), uint64 (the last step of SplitMix64)."""
    first: AnyArray = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    second: AnyArray = (first ^ (first >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: AnyArray = second ^ (second >> np.uint64(31))
    return mixed


@dataclass(frozen=True)
class Repeats:
    """How many rows are equal.

    Attributes
    ----------
    rows : int
        Those that repeat an earlier one.
    pairs : int
        Pairs of equal rows.
    """

    rows: int
    pairs: int

    @classmethod
    def of(cls, keys: AnyArray) -> "Repeats":
        """Count keys, shape (n,)."""
        return cls._of_counts(np.unique(keys, return_counts=True)[1])

    @classmethod
    def of_column(cls, cells: Distinct, kind: ColumnKind) -> "Repeats":
        """Count the values of one column."""
        found, place = np.unique(_cell_keys(cells, kind), return_inverse=True)
        counts = np.zeros(len(found), dtype=np.int64)
        np.add.at(counts, place, cells.counts)
        return cls._of_counts(counts)

    @classmethod
    def _of_counts(cls, counts: Integers) -> "Repeats":
        return cls(int((counts - 1).sum()), int((counts * (counts - 1) // 2).sum()))


def about_duplicates(columns: Sequence[Cells]) -> Finding | None:
    """Say that rows repeat others, in all of the columns that are used.

    Where that is to be expected of columns of few values, it is only noted.

    Parameters
    ----------
    columns : sequence of Cells
        Those that are used, the target among them.
    """
    if not columns:
        return None
    keys = row_keys(columns)
    n_rows, found = len(keys), Repeats.of(keys)
    if not found.rows:
        return None
    others = n_rows * (n_rows - 1) // 2 - found.pairs
    expected = float(others)
    for column in columns:
        # Pairs that are equal in this column alone: copies would be their own excuse.
        alone = Repeats.of_column(*column)
        expected *= max((alone.pairs - found.pairs) / max(1, others), 1 / (n_rows - alone.rows))
    repeated = (
        phrase("1 of {n_rows:,} rows repeats an earlier row", n_rows=n_rows)
        if found.rows == 1
        else phrase(
            "{rows:,} of {n_rows:,} rows repeat an earlier row", rows=found.rows, n_rows=n_rows
        )
    )
    if found.pairs < _SURPRISE * expected:
        sentence = phrase(
            "{repeated}, as is to be expected of columns with so few values.", repeated=repeated
        )
        return Finding("duplicates", "done", sentence)
    sentence = phrase(
        "{repeated} in every column that is used. If they are copies of the same case, remove "
        "them from the file.",
        repeated=repeated,
    )
    level: Level = "decide" if found.rows > _FEW * n_rows else "done"
    return Finding("duplicates", level, sentence)
