"""Integer codes of a column's distinct values, and the target column."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.column import ColumnKind
from studio.data.distinct import DistinctCells
from studio.data.tasks import MAX_INTEGER_CLASSES


@dataclass(frozen=True)
class ValueCodes:
    """A column as codes of its parsed values; words and dates are coded by their labels."""

    cells: DistinctCells
    kind: ColumnKind

    @cached_property
    def _cell_codes(self) -> tuple[AnyArray, Floats | None]:
        """Codes of the distinct cells, (k,), -1 for missing ones, and the numbers by code."""
        cells = self.cells
        if self.kind == "number":
            numbers, codes = cells.levels
            return codes, numbers
        codes = cells.known_labels[1]
        if self.kind == "date":  # 0000-00-00 counts as missing
            codes = np.where(np.isnan(cells.parse_dates()), -1, codes)
        return codes, None

    @property
    def numbers(self) -> Floats | None:
        """The number of each code, (s,), ascending; ``None`` for words and dates."""
        return self._cell_codes[1]

    @cached_property
    def codes(self) -> Integers:
        """The code of each row, shape (n,); -1 if missing."""
        return self._cell_codes[0].astype(np.int64)[self.cells.codes]

    @cached_property
    def size(self) -> int:
        """The number of distinct values."""
        return int(self._cell_codes[0].max(initial=-1)) + 1

    def get_text(self, code: int) -> str:
        """Return a value in its first spelling."""
        return self.cells.stripped[int(np.argmax(self._cell_codes[0] == code))]

    def has_same_cells(self, other_column: "ValueCodes") -> bool:
        """Whether another column is equal in this one's filled rows, apart from number formats."""
        if not np.array_equal(self.cells.codes, other_column.cells.codes):
            return False
        if self.cells.stripped == other_column.cells.stripped:
            return True
        numbers, other_numbers = self.cells.numbers, other_column.cells.numbers
        return bool(np.isfinite(numbers).all()) and np.array_equal(numbers, other_numbers)


_N_SPACED_ROWS = 1000

MIN_SAMPLED_SHARE = 0.98
"""Minimum share of sampled rows that satisfy a condition, before all rows of a large table are
checked.
"""


@dataclass(frozen=True)
class TargetCells:
    """The target column with its cells in all rows, and the number of columns compared with it."""

    name: str
    column: ValueCodes
    n_columns: int

    @cached_property
    def rows(self) -> Integers:
        """Mask of known rows, shape (n,)."""
        return np.flatnonzero(self.column.codes >= 0)

    @cached_property
    def codes(self) -> Integers:
        """The codes in known rows, shape (n,)."""
        return self.column.codes[self.rows]

    @cached_property
    def counts(self) -> Integers:
        """Number of rows of each value, shape (C,)."""
        return np.bincount(self.codes, minlength=self.column.size).astype(np.int64)

    @property
    def can_be_classes(self) -> bool:
        """Whether the target has words, or few distinct numbers."""
        return self.column.numbers is None or len(self.counts) <= MAX_INTEGER_CLASSES

    @cached_property
    def groups(self) -> tuple[Integers, Integers]:
        """The classes as codes, (n,); for numbers, whether each is the most common, such as 0.

        Also the code of each class's value; -1 for all other values together.
        """
        if self.can_be_classes:
            return self.codes, np.arange(len(self.counts))
        most_common = int(np.argmax(self.counts))
        return (self.codes == most_common).astype(np.int64), np.array([-1, most_common])

    @cached_property
    def group_counts(self) -> Integers:
        """Number of rows of each class, shape (G,)."""
        codes, values = self.groups
        return np.bincount(codes, minlength=len(values)).astype(np.int64)

    def get_label(self, group: int) -> str:
        """Return the value of a class as written in the table, at most 40 characters."""
        return self.column.get_text(int(self.groups[1][group]))[:40]


def space_rows_evenly(n: int) -> Integers:
    """Return evenly spaced indices, (m,), of n rows: a counterexample in these is conclusive."""
    return np.arange(0, n, max(1, n // _N_SPACED_ROWS))
