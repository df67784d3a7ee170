"""A column as codes of its different values, whatever kind they are: columns are compared by it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.column import ColumnKind
from studio.data.distinct import Distinct
from studio.data.numbers import bounded

_MANY = 10_000
"""Different texts that are taken as they are written."""


@dataclass(frozen=True)
class ValueCodes:
    """A column as codes.

    Attributes
    ----------
    cells : Distinct
        Its cells.
    kind : ColumnKind
        What they are read as; words and dates are the same if their labels are.
    """

    cells: Distinct
    kind: ColumnKind

    @cached_property
    def _cell_codes(self) -> tuple[Integers, Floats | None]:
        """Codes of the distinct cells, (k,), -1 without a value, and the numbers by code."""
        cells = self.cells
        codes = np.full(len(cells.texts), -1, dtype=np.int64)
        if self.kind == "number":
            values = bounded(cells.numbers)
            known = ~np.isnan(values)
            numbers, codes[known] = np.unique(values[known], return_inverse=True)
            return codes, numbers
        if len(cells.texts) > _MANY:
            codes[~cells.missing] = np.arange(int((~cells.missing).sum()))
            return codes, None
        places: dict[str, int] = {}
        for i, label in enumerate(cells.labels):
            if label is not None:
                codes[i] = places.setdefault(label, len(places))
        return codes, None

    @property
    def numbers(self) -> Floats | None:
        """The number of each code, (s,), ascending; ``None`` for words and dates."""
        return self._cell_codes[1]

    @cached_property
    def codes(self) -> Integers:
        """The code of each row, shape (n,); -1 where it has no value."""
        return self._cell_codes[0][self.cells.codes]

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
        if list(self.cells.stripped) == list(other.cells.stripped):
            return True
        one, two = self.cells.numbers, other.cells.numbers
        return bool(np.isfinite(one).all()) and np.array_equal(one, two)
