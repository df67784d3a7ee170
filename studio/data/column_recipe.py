"""Conversion of one column of a table to one column of the matrix."""

import itertools
from dataclasses import dataclass
from typing import Self

import numpy as np

from studio.arrays import Flags, Floats
from studio.data.column import Column, find_codes
from studio.data.dates import PART_WORDS, DatePart, extract_part, format_date
from studio.data.distinct import Distinct
from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS
from studio.data.numbers import PLAIN, NumberFormat, clip_numbers
from studio.data.terms import TermPart
from studio.data.treatments import ValueLimits
from studio.phrases import counted, listed, phrase

MIN_UNREADABLE_SHARE = 0.9
"""Minimum share of invalid cells for saying that a column cannot be read."""

_SAMPLE_DAY = 20_088
"""31 December 2024, an unambiguous example of a date."""


@dataclass(frozen=True)
class ColumnRecipe:
    """The recipe of one column of the matrix.

    Attributes:
        aliases: Other names by which it is found.
        categories: Labels by code; ``None`` for a column of numbers.
        date, term, limits, merged, missing_words: As of :class:`studio.data.column.Column`.
    """

    name: str
    aliases: tuple[str, ...] = ()
    categories: tuple[str, ...] | None = None
    number_format: NumberFormat = PLAIN
    date: DatePart | None = None
    term: TermPart | None = None
    limits: ValueLimits | None = None
    merged: tuple[tuple[str, str], ...] = ()
    missing_words: frozenset[str] = MISSING_TOKENS

    @classmethod
    def from_column(cls, column: Column) -> Self:
        """Return the recipe of a table's column."""
        categories = column.categories if column.kind == "category" else None
        return cls(
            column.name,
            column.aliases,
            categories,
            column.number_format,
            column.date,
            column.term,
            column.limits,
            column.merged,
            column.missing_words,
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """The names under which the column is searched for in a table."""
        return self.aliases if self.is_derived else (self.name, *self.aliases)

    @property
    def is_derived(self) -> bool:
        """Whether this is one of several columns made from one column of the table."""
        return self.date is not None or self.term is not None

    @property
    def is_later_part(self) -> bool:
        """Whether this is not the first of the parts made from one date."""
        return self.date is not None and self.date.part != "days"

    @property
    def own_name(self) -> str:
        """The name of its column in the table, shared by all parts."""
        return self.aliases[-1] if self.is_derived else self.name

    @property
    def absent(self) -> float:
        """The value used for tables without the column."""
        return np.nan if self.term is None else 0.0

    @property
    def display_name(self) -> str:
        """The display name; for a part of a date or a term a translatable phrase."""
        if self.term is not None:
            return phrase("{name}: contains “{word}”", name=self.own_name, word=self.term.word)
        if self.date is None:
            return self.name
        part = PART_WORDS[self.date.part]
        label = phrase("{name}: {part}", name=self.own_name, part=part)
        return label if label == self.name else self.name

    def unread(self, cells: Distinct) -> int:
        """Return the number of filled rows that are no valid number or date."""
        distinct = cells.read_as(self.number_format, self.missing_words)
        return int(distinct.counts[self._find_invalid(distinct)].sum())

    def _find_invalid(self, distinct: Distinct) -> Flags:
        values = distinct.numbers if self.date is None else distinct.parse_dates(self.date.format)
        return np.isnan(values) & ~distinct.missing

    def describe_unreadable(self, cells: Distinct, written: NumberFormat) -> str:
        """Return why hardly any cell is a valid number or date, and the remedy; "" if they are.

        Args:
            written: The column's own number format.
        """
        if self.categories is not None or self.term is not None or self.is_later_part:
            return ""
        distinct = cells.read_as(self.number_format, self.missing_words)
        n_filled = int(distinct.counts[~distinct.missing].sum())
        is_invalid = self._find_invalid(distinct)
        n_unread = int(distinct.counts[is_invalid].sum())
        if n_unread < max(2, MIN_UNREADABLE_SHARE * n_filled):
            return ""
        effect = phrase("the column is not used")
        if n_unread < n_filled:
            effect = phrase(
                "{count:,} of its {n_filled:,} cells are not used",
                count=n_unread,
                n_filled=n_filled,
            )
        ours, theirs = self.number_format.plain_units, written.plain_units
        if self.date is None and ours and theirs and ours != theirs:
            return phrase(
                "“{name}” is in {theirs} here, the model learned {ours}: {effect}. Convert it to "
                "{ours}.",
                name=self.own_name,
                theirs=", ".join(theirs),
                ours=", ".join(ours),
                effect=effect,
            )
        invalid = itertools.compress(distinct.stripped, is_invalid.tolist())
        values = {
            "name": self.own_name,
            "listed": listed(text[:40] for text in itertools.islice(invalid, 2)),
            "effect": effect,
        }
        if self.date is not None:
            return phrase(
                "“{name}” cannot be read as dates ({listed}): {effect}. Write its dates as in "
                "training, such as {sample}.",
                sample=format_date(self.date, _SAMPLE_DAY).partition(" ")[0],
                **values,
            )
        return phrase(
            "“{name}” cannot be read as numbers ({listed}): {effect}. Write its numbers as in "
            "training, such as {sample}.",
            sample=self.number_format.sample,
            **values,
        )

    def encode(self, cells: Distinct, notes: list[str]) -> Floats:
        """Return text cells as numbers or category codes, (n_rows,), NaN if missing; add notes."""
        distinct = cells.read_as(self.number_format, self.missing_words)
        if self.term is not None:
            term_weights: Floats = distinct.weights(self.term)[distinct.codes]
            return term_weights
        if self.date is not None:
            values = extract_part(distinct.parse_dates(self.date.format), self.date.part)
            # The other parts of the same dates need no further note.
            is_unread = np.isnan(values) & ~distinct.missing & (not self.is_later_part)
            reasons = (phrase("not a date"), phrase("not dates"))
        elif self.categories is None:
            values = clip_numbers(distinct.numbers)
            is_unread = np.isnan(values) & ~distinct.missing & ~distinct.holds(NUMBER_FILLERS)
            reasons = (phrase("not a number"), phrase("not numbers"))
            if self.limits is not None:
                values = self.limits.apply_to(values)
        else:
            codes = find_codes(distinct.labels, self.categories, self.merged, self.number_format)
            values = np.where(codes < 0, np.nan, codes.astype(np.float64))
            is_unread = (codes < 0) & ~distinct.missing
            reasons = (
                phrase("a category not seen in training"),
                phrase("categories not seen in training"),
            )
        if is_unread.any():
            notes.append(_describe_unread_cells(self.own_name, distinct, is_unread, reasons))
        encoded: Floats = values[distinct.codes]
        return encoded


def _describe_unread_cells(
    name: str, distinct: Distinct, unread: Flags, reasons: tuple[str, str]
) -> str:
    n_cells = int(distinct.counts[unread].sum())
    examples = itertools.islice(itertools.compress(distinct.stripped, unread.tolist()), 3)
    names = listed(text[:40] for text in examples)
    return counted(
        "1 cell of {name!r} is {meaning} ({listed}); it is treated as missing.",
        "{count:,} cells of {name!r} are {meaning} ({listed}); they are treated as missing.",
        n_cells,
        name=name,
        meaning=reasons[n_cells > 1],
        listed=names,
    )
