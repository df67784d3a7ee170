"""A column as codes of its different values, whatever kind they are: columns are compared by it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.column import ColumnKind
from studio.data.distinct import Distinct


@dataclass(frozen=True)
class ValueCodes:
    """A column as codes.

    Attributes:
        cells: Its cells.
        kind: What they are read as; words and dates are the same if their labels are.
    """

    cells: Distinct
    kind: ColumnKind

    @cached_property
    def _cell_codes(self) -> tuple[AnyArray, Floats | None]:
        """Codes of the distinct cells, (k,), -1 without a value, and the numbers by code."""
        cells = self.cells
        if self.kind == "number":
            numbers, codes = cells.levels
            return codes, numbers
        return cells.known_labels[1], None

    @property
    def numbers(self) -> Floats | None:
        """The number of each code, (s,), ascending; ``None`` for words and dates."""
        return self._cell_codes[1]

    @cached_property
    def codes(self) -> Integers:
        """The code of each row, shape (n,); -1 where it has no value."""
        return self._cell_codes[0].astype(np.int64)[self.cells.codes]

    @cached_property
    def size(self) -> int:
        """How many different values there are."""
        return int(self._cell_codes[0].max(initial=-1)) + 1

    def text(self, code: int) -> str:
        """Return how a value is written, where it stands first."""
        return self.cells.stripped[int(np.argmax(self._cell_codes[0] == code))]

    def same_cells(self, other: "ValueCodes") -> bool:
        """Whether all rows hold what another column holds there; numbers may look otherwise."""
        if not np.array_equal(self.cells.codes, other.cells.codes):
            return False
        if self.cells.stripped == other.cells.stripped:
            return True
        one, two = self.cells.numbers, other.cells.numbers
        return bool(np.isfinite(one).all()) and np.array_equal(one, two)
