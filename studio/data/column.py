"""One column of a table, numeric or categorical, with the information to read it again."""

import dataclasses
import itertools
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.arrays import AnyArray
from studio.data.dates import PARTS, SECONDS_PER_DAY, DatePart, extract_part
from studio.data.distinct import DistinctCells
from studio.data.labels import LabelKeys, format_number_label, rank_labels, sort_labels
from studio.data.missing import MISSING_TOKENS
from studio.data.numbers import PLAIN, NumberFormat, clip_numbers, parse_numbers
from studio.data.terms import TermPart, Terms
from studio.data.treatments import MergeRareLabels, MergeSimilarLabels, ValueLimits
from studio.errors import DataError

ColumnKind = Literal["number", "category", "date", "text"]
ValueKind = Literal["number", "category"]
Direction = Literal["up", "down"]
Role = Literal["feature", "target", "ignore", "group", "time", "weight"]

KINDS: tuple[ColumnKind, ...] = ("number", "category", "date", "text")
"""Kinds of a column in a file. A date feature becomes several numeric columns, and a date with a
role days since 1970; a text feature becomes a column for each of its words, otherwise a category
(:func:`studio.data.table.make_columns`).
"""

WORD_KINDS: tuple[ColumnKind, ...] = ("category", "text")

VALUE_KINDS: tuple[ValueKind, ...] = ("number", "category")
ROLES: tuple[Role, ...] = ("feature", "target", "ignore", "group", "time", "weight")

DIRECTIONS: tuple[Direction, ...] = ("up", "down")
"""Monotonic constraint of the prediction by a column (:mod:`studio.data.monotone`): ``up``: the
prediction never falls as the column increases; ``down``: it never rises.
"""

_MAX_CLASSES = 1000  # maximum number of distinct numbers that may be class labels

SINGLE_ROLES: tuple[Role, ...] = ("target", "group", "time", "weight")
"""Roles of at most one column of a table."""


class ColumnNames:
    """Names of a column that may be one of several made from one column of the file."""

    name: str
    aliases: tuple[str, ...]
    date: DatePart | None
    term: TermPart | None

    @property
    def is_derived(self) -> bool:
        """Whether this is one of several columns made from one column of the file."""
        return self.date is not None or self.term is not None

    @property
    def column_name(self) -> str:
        """The name of the original column in the file, shared by all parts."""
        return self.aliases[-1] if self.is_derived else self.name

    @property
    def sources(self) -> tuple[str, ...]:
        """The names under which the column is searched for in another table."""
        return self.aliases if self.is_derived else (self.name, *self.aliases)


@dataclass(frozen=True)
class Column(ColumnNames):
    """One column.

    Attributes:
        name: Unique within the table.
        role: "feature", "target", "ignore", or a role for rows: "group" (splits keep it whole),
            "time" (their order) or "weight".
        values: Shape (n_rows,). Numbers: float64 within ±1e30, NaN where missing. Categories: int32
            indices into ``categories``, -1 where missing.
        categories: Labels (:mod:`studio.data.labels`) in order; empty for numbers.
        aliases: Other names under which pandas would show the column.
        date: Its part of a date column; an alias is that column's name.
        term: Its term of a text column; the last alias is that column's name.
        spellings: The target's numbers as written ("1.0", "+1", "50%"), if each has one spelling:
            the labels of its classes. Empty for the usual spelling.
    """

    name: str
    kind: ValueKind
    role: Role
    values: AnyArray
    categories: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    number_format: NumberFormat = PLAIN
    date: DatePart | None = None
    term: TermPart | None = None
    limits: ValueLimits | None = None
    merged: tuple[tuple[str, str], ...] = ()
    missing_words: frozenset[str] = MISSING_TOKENS
    spellings: tuple[str, ...] = ()

    @classmethod
    def from_cells(cls, name: str, kind: ColumnKind, role: Role, cells: DistinctCells) -> "Column":
        """Build a column of numbers or words from text; dates are days since 1970."""
        if kind == "date":
            days = cells.date_style
            seconds = cells.likely_date_format.parse(cells.stripped, zoned=True)
            seconds[cells.missing] = np.nan
            values = (seconds / SECONDS_PER_DAY)[cells.codes]
            return cls(name, "number", role, values, date=days, aliases=(name,))
        column = cls(
            name,
            "number" if kind == "number" else "category",
            role,
            np.empty(0),
            number_format=cells.number_format,
            missing_words=cells.missing_words,
        )
        if kind == "number":
            values = clip_numbers(cells.numbers)[cells.codes]
            spellings = _find_spellings(cells) if role == "target" else ()
            return dataclasses.replace(column, values=values, spellings=spellings)
        labels, label_codes = cells.known_labels
        order = rank_labels(labels)
        codes = np.full(len(labels) + 1, -1, dtype=np.int32)
        codes[order] = np.arange(len(labels), dtype=np.int32)
        categories = tuple(labels.select(order))
        return dataclasses.replace(
            column, values=codes[label_codes][cells.codes], categories=categories
        )

    @property
    def missing(self) -> int:
        """Number of rows without a value."""
        return int((np.isnan(self.values) if self.kind == "number" else self.values < 0).sum())

    def apply_treatment(self, rule: ValueLimits | MergeRareLabels | MergeSimilarLabels) -> "Column":
        """Return the column with unusual values treated (:mod:`studio.data.treatments`).

        Raises:
            DataError: If the treatment does not apply to this kind of column, or would change the
                prediction task: numbers of the target can only become missing, and only classes
                with similar spellings can be merged.
        """
        required_kind = "number" if isinstance(rule, ValueLimits) else "category"
        is_unsupported = self.role == "target" and (
            isinstance(rule, MergeRareLabels)
            or (isinstance(rule, ValueLimits) and rule.beyond != "missing")
        )
        if required_kind != self.kind or is_unsupported:
            raise DataError(
                "{treatment!r} cannot be applied to {name!r}: limits are for numbers and merging "
                "is for words. In the column to predict, numbers can only become missing, and only "
                "classes with similar spellings can be merged. Undo that choice.",
                treatment=rule.to_text(),
                name=self.name,
            )
        if isinstance(rule, ValueLimits):
            return dataclasses.replace(self, values=rule.apply_to(self.values), limits=rule)
        counts = np.bincount(self.values[self.values >= 0], minlength=len(self.categories))
        merged_labels = rule.list_merged_labels(self.categories, counts.tolist())
        if not merged_labels:
            return self
        remaining = sort_labels({*self.categories} - {label for label, _ in merged_labels})
        # A label that replaces rare values comes last, unless the column already contains it.
        replacements = [
            replacement
            for replacement in dict.fromkeys(replacement for _, replacement in merged_labels)
            if replacement not in remaining
        ]
        categories = (*remaining, *replacements)
        codes = np.append(find_codes(self.categories, categories, merged_labels), np.int32(-1))
        return dataclasses.replace(
            self, values=codes[self.values], categories=categories, merged=merged_labels
        )

    def convert_to_kind(self, kind: ValueKind) -> "Column":
        """Convert the column to the other kind; words that are not numbers become missing."""
        if kind == self.kind:
            return self
        if kind == "number":
            numbers = clip_numbers(parse_numbers(self.categories, self.number_format))
            values = np.append(numbers, np.nan)[self.values]
            return dataclasses.replace(self, kind=kind, values=values, categories=())
        distinct, inverse = np.unique(self.values, return_inverse=True)
        spelled_numbers = parse_numbers(self.spellings, self.number_format).tolist()
        spelling_of = dict(zip(spelled_numbers, self.spellings, strict=True))
        labels = [
            None if np.isnan(value) else spelling_of.get(value) or format_number_label(value)
            for value in distinct.tolist()
        ]
        categories = sort_labels(label for label in labels if label is not None)
        codes = find_codes(labels, categories)[inverse]
        return dataclasses.replace(self, kind=kind, values=codes, categories=categories)


def _find_spellings(cells: DistinctCells) -> tuple[str, ...]:
    """Return the spelling of each number if few are distinct and one is unusual; else empty."""
    valid = np.flatnonzero(~np.isnan(cells.numbers))
    texts = tuple(dict.fromkeys(cells.texts[i].strip() for i in valid.tolist()))
    numbers = set(cells.numbers[valid].tolist())
    if not len(texts) == len(numbers) <= _MAX_CLASSES or {*map(format_number_label, numbers)} == {
        *texts
    }:
        return ()
    return texts


def find_codes(
    labels: Sequence[str | None],
    categories: Sequence[str],
    merged: Sequence[tuple[str, str]] = (),
    number_format: NumberFormat = PLAIN,
) -> AnyArray:
    """Return labels' indices in the categories, (n,), int32; -1 for others and ``None``."""
    keys = LabelKeys(categories, merged, number_format)
    return np.array(keys.encode(labels), dtype=np.int32)


def split_date(
    name: str, cells: DistinctCells, aliases: tuple[str, ...], used_names: Container[str]
) -> list[Column]:
    """Return a column for each part of dates, ``name: part``; no hours unless dates have a time."""
    days, seconds = cells.date_style, cells.parse_dates()
    clock = bool(np.any(seconds[~np.isnan(seconds)] % SECONDS_PER_DAY))
    return [
        Column(
            find_free_name(f"{name}: {part}", used_names),
            "number",
            "feature",
            extract_part(seconds, part)[cells.codes],
            # These names identify the column in another table.
            aliases=(*aliases, name),
            number_format=cells.number_format,
            date=dataclasses.replace(days, part=part),
        )
        for part in PARTS
        if clock or part != "hour"
    ]


def find_free_name(name: str, used_names: Container[str]) -> str:
    """Return a unique name, with a number appended if necessary."""
    candidates = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
    return next(each for each in candidates if each not in used_names)


def split_text(
    name: str, cells: DistinctCells, aliases: tuple[str, ...], used_names: Container[str]
) -> list[Column]:
    """Return the column, hidden from models, and one for each of its terms, ``name: term``.

    A missing text contains no terms. Raises DataError if the column has no terms.
    """
    text_column = dataclasses.replace(
        Column.from_cells(name, "category", "ignore", cells), aliases=aliases
    )
    terms = Terms.from_texts(cells.filled_texts, cells.counts)
    if not terms.words:
        raise DataError(
            "{name!r} cannot be a column of text: no word occurs in several but not all of its "
            "cells. Undo that choice.",
            name=name,
        )
    return [
        text_column,
        *(
            Column(
                find_free_name(f"{name}: {word}", used_names),
                "number",
                "feature",
                cells.compute_weights(terms.get_part(term_index))[cells.codes],
                # These names identify the column in another table.
                aliases=(*aliases, name),
                missing_words=cells.missing_words,
                term=terms.get_part(term_index),
            )
            for term_index, word in enumerate(terms.words)
        ),
    ]
