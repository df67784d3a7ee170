"""Text columns as distinct cells, so that each text is parsed only once."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers, sort_indices
from studio.data.coded import CodedColumn
from studio.data.date_guess import guess_dates
from studio.data.dates import DateFormat, DatePart, detect_date_style
from studio.data.labels import normalise_label
from studio.data.missing import MISSING_TOKENS
from studio.data.numbers import PLAIN, NumberFormat, clip_numbers, parse_numbers
from studio.data.terms import TermPart
from studio.data.texts import Texts

Result = TypeVar("Result")


@dataclass(frozen=True)
class DistinctCells:
    """A column's distinct cells in one format; all attributes but ``codes`` have shape (k,).

    Slow results are computed once for all formats; large ones are freed with the object.

    Attributes:
        codes: Shape (n_rows,), int32. The index of each row's cell.
        texts: The cells as written in the file, in order of first appearance.
        date_format: ``None`` if unknown.
    """

    codes: AnyArray
    texts: Sequence[str]
    number_format: NumberFormat = PLAIN
    missing_words: frozenset[str] = MISSING_TOKENS
    date_format: DateFormat | None = None
    _facts: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def _get_or_compute(self, key: Hashable, find: Callable[[], Result]) -> Result:
        """Return a result shared by all formats; the key covers all its dependencies."""
        if key not in self._facts:
            self._facts[key] = find()
        result: Result = self._facts[key]
        return result

    @classmethod
    def from_cells(
        cls, cells: AnyArray, missing_words: frozenset[str] = MISSING_TOKENS
    ) -> "DistinctCells":
        """Find the distinct cells of a column, shape (n_rows,), str objects."""
        coded = CodedColumn.from_cells(cells.tolist())
        return cls(coded.codes, coded.texts, missing_words=missing_words)

    def read_as(
        self,
        number_format: NumberFormat,
        missing_words: frozenset[str],
        date_format: DateFormat | None = None,
    ) -> "DistinctCells":
        """Return the same cells interpreted in another format."""
        formats = (number_format, missing_words, date_format)
        if formats == (self.number_format, self.missing_words, self.date_format):
            return self
        return replace(
            self, number_format=number_format, missing_words=missing_words, date_format=date_format
        )

    @property
    def stripped(self) -> Texts:
        """The cells without surrounding blanks."""
        return self._get_or_compute("stripped", lambda: Texts.from_distinct(self.texts).strip())

    def _parse_numbers(self, number_format: NumberFormat) -> Floats:
        texts = self.stripped
        return self._get_or_compute(
            number_format,
            lambda: (
                texts.parse_numbers()
                if number_format.is_plain
                else parse_numbers(texts.to_list(), number_format)
            ),
        )

    @property
    def plain_numbers(self) -> Floats:
        """The cells parsed as in pandas, (k,); read-only."""
        return self._parse_numbers(PLAIN)

    def match_words(self, words: frozenset[str]) -> Flags:
        """Return which cells, (k,), are among some words that are not numbers; read-only."""

        def find() -> Flags:
            flags: Flags = np.isnan(self.plain_numbers)
            if flags.any():
                flags[flags] = self.stripped.select(flags).find_among(words)
            return flags

        return self._get_or_compute(("holds", words), find)

    @cached_property
    def missing(self) -> Flags:
        """Whether a cell counts as missing, shape (k,)."""
        missing = self.match_words(self.missing_words)
        # A custom word may be a number, such as -999.
        numbers = self.missing_words - MISSING_TOKENS
        return missing | self.stripped.find_among(numbers) if numbers else missing

    @cached_property
    def counts(self) -> Integers:
        """The number of rows of each cell, shape (k,)."""
        return np.bincount(self.codes, minlength=len(self.texts)).astype(np.int64, copy=False)

    @cached_property
    def numbers(self) -> Floats:
        """The cells as numbers, (k,): ±inf for infinities, NaN for missing cells and words."""
        numbers = self._parse_numbers(self.number_format)
        missing = self.missing
        if not missing.any():
            return numbers
        return np.where(missing, np.nan, numbers)

    @cached_property
    def levels(self) -> tuple[Floats, AnyArray]:
        """The distinct numbers within limits, ascending, (s,), and the cells' codes, (k,).

        Other cells have the code -1.
        """
        values = clip_numbers(self.numbers)
        valid = ~np.isnan(values)
        valid_values = values if valid.all() else values[valid]
        # Like np.unique, but optimised for mostly distinct values.
        order = sort_indices(valid_values)
        sorted_values = valid_values[order]
        is_first = np.ones(len(sorted_values), dtype=np.bool_)
        np.not_equal(sorted_values[1:], sorted_values[:-1], out=is_first[1:])
        ranks = np.empty(len(sorted_values), dtype=np.int32)
        if is_first.all():
            ranks[order] = np.arange(len(sorted_values), dtype=np.int32)
        else:
            sorted_values, ranks[order] = (
                sorted_values[is_first],
                np.cumsum(is_first, dtype=np.int32) - 1,
            )
        if valid.all():
            return sorted_values, ranks
        level_codes: AnyArray = np.full(len(values), -1, dtype=np.int32)
        level_codes[valid] = ranks
        return sorted_values, level_codes

    @property
    def known_labels(self) -> tuple[Texts, AnyArray]:
        """The distinct labels, and each cell's code, (k,); -1 for missing cells."""
        return self._get_or_compute(("labels", self.missing_words), self._find_labels)

    def _find_labels(self) -> tuple[Texts, AnyArray]:
        filled = ~self.missing
        texts = self.stripped.select(filled)
        label_codes: AnyArray = np.full(len(filled), -1, dtype=np.int32)
        if texts.are_ascii_words:
            label_codes[filled] = np.arange(len(texts))
            return texts, label_codes
        code_of: dict[str, int] = {}
        label_codes[filled] = [
            code_of.setdefault(normalise_label(text), len(code_of)) for text in texts
        ]
        return Texts.from_distinct(list(code_of)), label_codes

    @property
    def labels(self) -> list[str | None]:
        """The cells' labels, ``None`` for missing cells."""
        distinct_labels, label_codes = self.known_labels
        return [
            None if label_code < 0 else distinct_labels[label_code]
            for label_code in label_codes.tolist()
        ]

    @property
    def likely_date_format(self) -> DateFormat:
        """The date format; the most likely one if unknown."""
        if self.date_format is not None:
            return self.date_format
        filled = ~self.missing
        guess = self._get_or_compute(
            ("dates", self.missing_words),
            lambda: guess_dates(self.stripped.select(filled), self.counts[filled], partly=True),
        )
        return DateFormat("day-first") if guess is None else guess.format

    @cached_property
    def date_style(self) -> DatePart:
        """The style of the dates, for displaying others in the same way."""
        return detect_date_style(self.stripped, self.likely_date_format)

    def parse_dates(self, date_format: DateFormat | None = None) -> Floats:
        """Convert the cells to seconds since 1970, (k,); NaN for other cells. Read-only."""
        used_format = date_format or self.likely_date_format

        def find() -> Floats:
            seconds = used_format.parse(self.stripped)
            seconds[self.missing] = np.nan
            return seconds

        return self._get_or_compute((used_format, self.missing_words), find)

    @cached_property
    def filled_texts(self) -> list[str]:
        """The cells as text, (k,), missing ones empty."""
        return [
            "" if is_missing else text
            for text, is_missing in zip(self.stripped, self.missing.tolist(), strict=True)
        ]

    def compute_weights(self, part: TermPart) -> Floats:
        """Return a term's weights in the cells, (k,), computed for all terms at once."""
        weights = self._get_or_compute(
            (part.terms, self.missing_words), lambda: part.terms.compute_weights(self.filled_texts)
        )
        return weights[:, part.index]

    @property
    def label_rows(self) -> AnyArray:
        """The number of rows of each label, shape (labels,)."""
        labels, indices = self.known_labels
        is_known = indices >= 0
        return np.bincount(indices[is_known], self.counts[is_known], len(labels))

    @property
    def label_count(self) -> int:
        """The number of distinct labels."""
        return len(self.known_labels[0])
