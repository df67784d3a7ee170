"""Conversion of one column of a table to one column of the matrix."""

import itertools
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from studio.arrays import Flags, Floats
from studio.data.column import Column, ColumnNames, find_codes
from studio.data.dates import PART_WORDS, DatePart, extract_part
from studio.data.distinct import Distinct
from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS
from studio.data.numbers import PLAIN, NumberFormat, clip_numbers
from studio.data.terms import TermPart
from studio.data.treatments import ValueLimits
from studio.phrases import counted, listed, phrase


@dataclass(frozen=True)
class ColumnRecipe(ColumnNames):
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
        facts = {each.name: getattr(column, each.name) for each in fields(cls)}
        categories = column.categories if column.kind == "category" else None
        return cls(**facts | {"categories": categories})

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
        values = distinct.numbers if self.date is None else distinct.parse_dates(self.date.format)
        return int(cells.counts[np.isnan(values) & ~distinct.missing].sum())

    def encode(self, cells: Distinct, notes: list[str]) -> Floats:
        """Return text cells as numbers or category codes, (n_rows,), NaN if missing; add notes."""
        distinct = cells.read_as(self.number_format, self.missing_words)
        if self.term is not None:
            term_weights: Floats = distinct.weights(self.term)[distinct.codes]
            return term_weights
        if self.date is not None:
            values = extract_part(distinct.parse_dates(self.date.format), self.date.part)
            # The other parts of the same dates need no further note.
            is_unread = np.isnan(values) & ~distinct.missing & (self.date.part == "days")
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
