"""A column of text as its distinct cells, so that each text is looked at only once."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.coded import Coded
from studio.data.dates import DateFormat, guess_dates
from studio.data.labels import label_of
from studio.data.missing import MISSING_TOKENS
from studio.data.numbers import PLAIN, NumberFormat, parse_numbers

_MANY = 10_000
"""Different texts whose labels are not compared any more."""


_KEPT = 50_000
"""Different texts of which a list is kept; of more only the latest column's, which takes memory."""


class _Shared:
    """What a column's cells are, however they are read.

    Parameters
    ----------
    texts : sequence of str, length k
        The cells.
    """

    _latest: ClassVar[list["_Shared"]] = []

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._stripped: list[str] | None = None
        self._numbers: dict[NumberFormat, Floats] = {}

    def stripped(self) -> list[str]:
        """Return the cells without blanks around them."""
        if self._stripped is not None:
            return self._stripped
        if len(self._texts) > _KEPT:
            for other in self._latest:
                other._stripped = None
            self._latest[:] = [self]
        self._stripped = list(map(str.strip, self._texts))
        return self._stripped

    def numbers(self, number_format: NumberFormat) -> Floats:
        """Return the cells as numbers, (k,), words as NaN; read once in each format."""
        if number_format not in self._numbers:
            self._numbers[number_format] = parse_numbers(self.stripped(), number_format)
        return self._numbers[number_format]


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
    missing_words : frozenset of str
        Cells that hold nothing.
    date_format : DateFormat or None
        How dates are written; ``None``: nothing is known.
    """

    codes: AnyArray
    texts: Sequence[str]
    number_format: NumberFormat = PLAIN
    missing_words: frozenset[str] = MISSING_TOKENS
    date_format: DateFormat | None = None
    _views: "list[_Shared]" = field(default_factory=list, repr=False, compare=False)

    @property
    def _shared(self) -> "_Shared":
        if not self._views:
            self._views.append(_Shared(self.texts))
        return self._views[0]

    @classmethod
    def of(
        cls,
        cells: AnyArray,
        number_format: NumberFormat = PLAIN,
        missing_words: frozenset[str] = MISSING_TOKENS,
    ) -> "Distinct":
        """Find the distinct cells of a column, shape (n_rows,), str objects."""
        coded = Coded.of(cells.tolist())
        return cls(coded.codes, coded.texts, number_format, missing_words)

    def read_as(
        self,
        number_format: NumberFormat,
        missing_words: frozenset[str],
        date_format: DateFormat | None = None,
    ) -> "Distinct":
        """Return the same cells, read in another way."""
        wanted = (number_format, missing_words, date_format)
        if wanted == (self.number_format, self.missing_words, self.date_format):
            return self
        return replace(
            self,
            number_format=number_format,
            missing_words=missing_words,
            date_format=date_format,
        )

    @property
    def stripped(self) -> Sequence[str]:
        """The cells without blanks around them."""
        return self._shared.stripped()

    @property
    def plain_numbers(self) -> Floats:
        """The cells as pandas reads numbers by default, (k,); not to be changed."""
        return self._shared.numbers(PLAIN)

    def holds(self, words: frozenset[str]) -> Flags:
        """Return which cells, (k,), are one of some words that are no numbers."""
        flags: Flags = np.zeros(len(self.texts), dtype=np.bool_)
        candidates = np.flatnonzero(np.isnan(self.plain_numbers)).tolist()
        if candidates:
            stripped = self.stripped
            flags[[at for at in candidates if stripped[at] in words]] = True
        return flags

    @cached_property
    def missing(self) -> Flags:
        """Whether a cell counts as missing, shape (k,)."""
        missing: Flags = self.holds(self.missing_words)
        if self.missing_words - MISSING_TOKENS:
            # A user's word may be a number, such as -999.
            numbers = frozenset(word for word in self.missing_words if word not in MISSING_TOKENS)
            missing |= np.array([text in numbers for text in self.stripped], dtype=np.bool_)
        return missing

    @cached_property
    def counts(self) -> Integers:
        """The number of rows that hold each cell, shape (k,)."""
        return np.bincount(self.codes, minlength=len(self.texts)).astype(np.int64)

    @cached_property
    def numbers(self) -> Floats:
        """The cells as numbers, (k,): ±inf for infinities, NaN for missing cells and words."""
        numbers = self._shared.numbers(self.number_format)
        missing = self.missing
        if not missing.any():
            return numbers
        found: Floats = np.where(missing, np.nan, numbers)
        return found

    @cached_property
    def labels(self) -> list[str | None]:
        """The cells' labels, ``None`` for missing cells."""
        return [
            None if missing else label_of(text)
            for text, missing in zip(self.texts, self.missing.tolist(), strict=True)
        ]

    @cached_property
    def dates(self) -> DateFormat:
        """How dates are written; the likeliest way where nothing is known."""
        if self.date_format is not None:
            return self.date_format
        filled = ~self.missing
        texts = list(itertools.compress(self.stripped, filled.tolist()))
        guess = guess_dates(texts, self.counts[filled], partly=True)
        return DateFormat("day-first") if guess is None else guess.format

    @cached_property
    def _moments(self) -> dict[DateFormat, Floats]:
        return {}

    def moments(self, date_format: DateFormat | None = None) -> Floats:
        """Return the cells' seconds since 1970, (k,), computed once; NaN for other cells."""
        date_format = date_format or self.dates
        if date_format not in self._moments:
            seconds = date_format.moments(self.stripped)
            seconds[self.missing] = np.nan
            self._moments[date_format] = seconds
        return self._moments[date_format]

    @cached_property
    def label_count(self) -> int:
        """How many different labels there are."""
        # Where every row differs, the labels differ but for odd spellings; that is near enough.
        if len(self.texts) > _MANY:
            return int((~self.missing).sum())
        return len({label for label in self.labels if label is not None})
