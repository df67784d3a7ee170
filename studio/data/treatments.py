"""Treatments of odd values before training: the user's choice by column, as text.

There are four; limits are written with a decimal point, and either may be left out:

* ``missing -5..20000``: numbers beyond the limits are missing;
* ``limit ..20000``: numbers beyond become the limit;
* ``merge 10``: values in fewer than ten rows are merged into one;
* ``merge alike``: labels that differ only by case, blanks, width or a final full stop become
the most frequent one, as do synonymous forms (yes and Y) and rare misspellings.

Limits are chosen by the user, and merged values are stored with the table; hence every new table is
treated like the training table, regardless of its other values.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.arrays import Floats
from studio.data.coded import CodedColumn
from studio.data.distinct import DistinctCells
from studio.data.labels import find_misspellings, group_similar_labels
from studio.errors import UsageError

LimitAction = Literal["missing", "limit"]

RARE_VALUES_NAME = "rare values"
"""Name of merged values, unless the column already has it."""

_FORMS = (
    "missing LOW..HIGH, limit LOW..HIGH (either end may be left out), merge ROWS or merge alike"
)


@dataclass(frozen=True)
class ValueLimits:
    """Treatment of numbers beyond limits; -inf and inf for none."""

    beyond: LimitAction
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if self.beyond not in {"missing", "limit"} or not self.low < self.high:
            raise UsageError(
                "Numbers beyond limits must become “missing” or “limit”, and the lower limit "
                "must be below the upper one; {beyond} {low}..{high} was given.",
                beyond=self.beyond,
                low=f"{self.low:g}",
                high=f"{self.high:g}",
            )

    def apply_to(self, values: Floats) -> Floats:
        """Return numbers of any shape, with those beyond the limits missing or clipped."""
        if self.beyond == "limit":
            return np.clip(values, self.low, self.high)
        return np.where((values < self.low) | (values > self.high), np.nan, values)

    def to_text(self) -> str:
        """Return the text form, parsed by :func:`parse_treatment`."""
        limits = ["" if math.isinf(each) else repr(each) for each in (self.low, self.high)]
        return f"{self.beyond} " + "..".join(each.removesuffix(".0") for each in limits)


@dataclass(frozen=True)
class MergeRareLabels:
    """Treatment that merges values in fewer than ``rows`` rows, at least 2."""

    rows: int

    def __post_init__(self) -> None:
        if self.rows < 2:
            raise UsageError(
                "The limit below which values are merged must be at least 2 rows; {rows} was "
                "given.",
                rows=self.rows,
            )

    def to_text(self) -> str:
        """Return the text form, parsed by :func:`parse_treatment`."""
        return f"merge {self.rows}"

    def list_merged_labels(
        self, labels: Sequence[str], counts: Sequence[int]
    ) -> tuple[tuple[str, str], ...]:
        """Return merged labels with their categories, given the rows of each label."""
        name = make_rare_name(labels)
        rows = zip(labels, counts, strict=True)
        return tuple((label, name) for label, n in rows if n < self.rows)


@dataclass(frozen=True)
class MergeSimilarLabels:
    """Treatment that merges similar labels into the most frequent."""

    def to_text(self) -> str:
        """Return the text form, parsed by :func:`parse_treatment`."""
        return "merge alike"

    def list_merged_labels(
        self, labels: Sequence[str], counts: Sequence[int]
    ) -> tuple[tuple[str, str], ...]:
        """Return merged labels with their categories, given the rows of each label."""
        rows = dict(zip(labels, counts, strict=True))
        misspellings = dict(find_misspellings(labels, counts))
        most_frequent = {
            label: max(group, key=lambda each: rows[each])
            for group in group_similar_labels(labels)
            for label in group
        }
        label_of = {
            label: most_frequent.get(label, misspellings.get(label, label)) for label in labels
        }
        final = {
            label: label_of[misspellings.get(replacement, replacement)]
            for label, replacement in label_of.items()
        }
        return tuple(
            (label, replacement) for label, replacement in final.items() if label != replacement
        )


Treatment = ValueLimits | MergeRareLabels | MergeSimilarLabels


def merge_values(cells: DistinctCells, rule: Treatment | None) -> DistinctCells:
    """Return the cells of a column of words, with merged values spelled identically."""
    if rule is None or isinstance(rule, ValueLimits):
        return cells
    replacements = dict(rule.list_merged_labels(cells.known_labels[0], cells.label_rows.tolist()))
    pairs = zip(cells.labels, cells.texts, strict=True)
    coded = CodedColumn.from_cells(
        [text if label is None else replacements.get(label, text) for label, text in pairs]
    )
    return DistinctCells(
        coded.codes[cells.codes],
        coded.texts,
        cells.number_format,
        cells.missing_words,
        cells.date_format,
    )


def parse_treatment(text: str) -> Treatment:
    """Parse the text form of a treatment, or raise UsageError."""
    word, _, rest = text.partition(" ")
    low, dots, high = rest.partition("..")
    try:
        if word == "merge":
            return MergeSimilarLabels() if rest == "alike" else MergeRareLabels(int(rest))
        if word in {"missing", "limit"} and dots and (low or high):
            return ValueLimits(
                "missing" if word == "missing" else "limit",
                float(low) if low else -math.inf,
                float(high) if high else math.inf,
            )
    except ValueError:
        pass
    raise UsageError(
        "The treatment of outliers must be {forms}; {text!r} was given.", forms=_FORMS, text=text
    )


def make_rare_name(labels: Iterable[str]) -> str:
    """Return a name for merged values that differs from these labels."""
    used_names, name = set(labels), RARE_VALUES_NAME
    while name in used_names:
        name = f"({name})"
    return name


def parse_limits(content: object) -> ValueLimits | None:
    """Parse limits from JSON, or raise UsageError or ValueError."""
    if content is None:
        return None
    limits = parse_treatment(str(content))
    if not isinstance(limits, ValueLimits):
        raise ValueError(f"{content!r} are not limits")  # noqa: TRY004 - what is damaged is a value
    return limits
