"""A column of text as its distinct cells, so that each text is looked at only once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.coded import Coded
from studio.data.labels import labels
from studio.data.missing import MISSING_TOKENS
from studio.data.numbers import PLAIN, NumberFormat, parse_numbers

_MANY = 10_000
"""Different texts whose labels are not compared any more."""


@dataclass(frozen=True)
class Distinct:
    """A column's distinct cells; all attributes but ``codes`` run over these.

    Attributes
    ----------
    codes : array, shape (n_rows,), int32
        Which cell a row holds.
    texts : sequence of str
        The cells as written in the file, in order of first appearance.
    number_format : NumberFormat
        How numbers are written.
    """

    codes: AnyArray
    texts: Sequence[str]
    number_format: NumberFormat = PLAIN

    @classmethod
    def of(cls, cells: AnyArray, number_format: NumberFormat = PLAIN) -> "Distinct":
        """Find the distinct cells of a column, shape (n_rows,), str objects."""
        coded = Coded.of(cells.tolist())
        return cls(coded.codes, coded.texts, number_format)

    @cached_property
    def stripped(self) -> Sequence[str]:
        """The cells without blanks around them."""
        return [text.strip() for text in self.texts]

    @cached_property
    def missing(self) -> Flags:
        """Whether a cell counts as missing, shape (k,)."""
        flags = [text in MISSING_TOKENS for text in self.stripped]
        return np.array(flags, dtype=np.bool_)

    @cached_property
    def counts(self) -> Integers:
        """The number of rows that hold each cell, shape (k,)."""
        return np.bincount(self.codes, minlength=len(self.texts)).astype(np.int64)

    @cached_property
    def numbers(self) -> Floats:
        """The cells as numbers, (k,): ±inf for infinities, NaN for missing cells and words."""
        numbers = parse_numbers(self.stripped, self.number_format)
        numbers[self.missing] = np.nan
        return numbers

    @cached_property
    def labels(self) -> list[str | None]:
        """The cells' canonical labels, ``None`` for missing cells."""
        return labels(self.texts, self.number_format)

    @cached_property
    def label_count(self) -> int:
        """How many different labels there are."""
        # Where every row differs, the labels differ but for odd spellings; that is near enough.
        if len(self.texts) > _MANY:
            return int((~self.missing).sum())
        return len({label for label in self.labels if label is not None})
