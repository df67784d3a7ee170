"""Remedies for a warning, each with its effect on the column."""

from dataclasses import replace

import numpy as np

from studio.arrays import Flags
from studio.data.date_guess import fit_century
from studio.data.dates import (
    ORDERS,
    PART_WORDS,
    PARTS,
    SECONDS_PER_DAY,
    SHORT_ORDERS,
    DateFormat,
    Order,
    format_days,
)
from studio.data.description import ColumnRemedy
from studio.data.distinct import DistinctCells
from studio.data.identifiers import FEW_ROWS, MIN_DISTINCT_SHARE
from studio.data.numbers import PLAIN, NumberFormat
from studio.data.outliers import Outliers
from studio.data.read_options import ColumnReading
from studio.data.terms import MAX_TERMS
from studio.data.treatments import MergeRareLabels, MergeSimilarLabels, ValueLimits
from studio.phrases import count_phrase, join_phrases, phrase

RARE_ROWS = 10
"""Maximum frequency of rare values that may be merged."""


EXCLUDE = ColumnRemedy("role", "ignore", phrase("Models do not see it."))
INCLUDE = ColumnRemedy("role", "feature", phrase("Models learn from it."))
USE_AS_WEIGHT = ColumnRemedy(
    "role", "weight", phrase("A row of weight 2 counts as much as two rows.")
)
USE_AS_TIME = ColumnRemedy(
    "role",
    "time",
    phrase(
        "Models learn from the past and are tested on the latest rows; they no longer see the "
        "column itself, such as its month or weekday."
    ),
)
READ_AS_TEXT = ColumnRemedy(
    "kind",
    "text",
    phrase(
        "free text → weights of its {most} most informative words and word pairs", most=MAX_TERMS
    ),
)


def group_by_column(n_groups: int) -> ColumnRemedy:
    """Return the remedy that keeps rows with the same value together in splits."""
    effect = phrase("Rows of one of {n:,} groups stay together in every split.", n=n_groups)
    return ColumnRemedy("role", "group", effect)


def read_as_numbers(cells: DistinctCells) -> tuple[ColumnRemedy, ...]:
    """Read words as numbers, unless the numbers would be infinite or all equal."""
    numbers = cells.levels[0]
    if len(numbers) < 2:
        return ()
    effect = phrase(
        "{categories:,} categories → numbers from {low:,.8g} to {high:,.8g}",
        categories=cells.label_count,
        low=float(numbers[0]),
        high=float(numbers[-1]),
    )
    n_lost = int(cells.counts[np.isnan(cells.numbers) & ~cells.missing].sum())
    effect = join_phrases((effect, _describe_more_missing(n_lost)), "; ")
    return (ColumnRemedy("kind", "number", effect),)


def read_as_words(cells: DistinctCells) -> tuple[ColumnRemedy, ...]:
    """Read numbers as words, unless the words would be ignored as identifiers."""
    n_filled = int(cells.counts[~cells.missing].sum())
    if n_filled >= FEW_ROWS and cells.label_count > MIN_DISTINCT_SHARE * n_filled:
        return ()
    effect = phrase("numbers → {categories:,} categories", categories=cells.label_count)
    return (ColumnRemedy("kind", "category", effect),)


def keep_missing_words(cells: DistinctCells) -> ColumnRemedy:
    """Read words that mean "missing" as labels."""
    labels = cells.read_as(cells.number_format, frozenset(("",))).label_count
    effect = phrase("{n:,} classes → {labels:,}", n=cells.label_count, labels=labels)
    return ColumnRemedy("reading", ColumnReading(missing=("",)).to_text(), effect)


def remove_words(cells: DistinctCells, words: Flags) -> tuple[ColumnRemedy, ...]:
    """Read additional cells of a date column, (k,), as missing, if their text form is valid."""
    texts = [text for text in cells.stripped.select(words | cells.missing) if text]
    if any(mark in text for text in texts for mark in ",|"):
        return ()
    reading = ColumnReading(order=cells.likely_date_format.order, missing=tuple(texts))
    effect = count_phrase(
        "1 value missing", "{count:,} values missing", int(cells.counts[words].sum())
    )
    return (ColumnRemedy("reading", reading.to_text(), effect),)


def split_date(cells: DistinctCells) -> tuple[ColumnRemedy, ...]:
    """Read words as dates, if at least half of them are valid."""
    filled = ~cells.missing
    n_lost = int(cells.counts[np.isnan(cells.parse_dates()) & filled].sum())
    if 2 * n_lost > int(cells.counts[filled].sum()):
        return ()
    parts = join_phrases((PART_WORDS[part] for part in PARTS[1:-1]), ", ")
    effect = phrase("{n:,} categories → days, {parts}", n=cells.label_count, parts=parts)
    effect = join_phrases((effect, _describe_more_missing(n_lost)), "; ")
    return (ColumnRemedy("kind", "date", effect),)


def read_marks(cells: DistinctCells, mark: str) -> tuple[ColumnRemedy, ...]:
    """Read a mark in numbers as the decimal mark, or as the group separator."""
    other_mark = "," if mark == "." else "."
    has_both = any(other_mark in text for text in cells.stripped)
    choices: list[ColumnRemedy] = []
    for reading in (
        ColumnReading(decimal=mark, thousands=other_mark if has_both else None),
        ColumnReading(thousands=mark),
    ):
        marks = reading.number_format or PLAIN
        number_format = replace(
            cells.number_format, decimal=marks.decimal, thousands=marks.thousands
        )
        choices += _read_numbers(cells, number_format, reading)
    return tuple(choices)


def read_with_other_marks(
    cells: DistinctCells, other_format: NumberFormat
) -> tuple[ColumnRemedy, ...]:
    """Read words as numbers with other marks, unless all of these are infinite."""
    reading = ColumnReading(decimal=other_format.decimal, thousands=other_format.thousands or None)
    return _read_numbers(cells, other_format, reading)


def _read_numbers(
    cells: DistinctCells, number_format: NumberFormat, reading: ColumnReading
) -> tuple[ColumnRemedy, ...]:
    numbers = cells.read_as(number_format, cells.missing_words).levels[0]
    if not len(numbers):
        return ()
    low, high = float(numbers[0]), float(numbers[-1])
    effect = phrase("numbers from {low:,.8g} to {high:,.8g}", low=low, high=high)
    return (ColumnRemedy("reading", reading.to_text(), effect),)


def read_dates(cells: DistinctCells) -> tuple[ColumnRemedy, ...]:
    """Read words as dates in each order valid for at least half of them."""
    likely_format = cells.likely_date_format
    filled = ~cells.missing
    orders = SHORT_ORDERS if likely_format.order in SHORT_ORDERS else ORDERS[1:]
    formats = [DateFormat(order, likely_format.has_words) for order in orders]
    texts = cells.stripped.select(filled)
    timestamps_by_order = [cells.parse_dates(fit_century(each, texts)) for each in formats]
    differs = timestamps_by_order[0] != timestamps_by_order[1]
    choices = []
    for order, timestamps in zip(orders, timestamps_by_order, strict=True):
        valid = ~np.isnan(timestamps)
        n_lost = int(cells.counts[~valid & filled].sum())
        if not valid.any() or 2 * n_lost > int(cells.counts[filled].sum()):
            continue
        # the first cell with a day that depends on the order
        index = int(np.argmax(valid & differs))
        effect = phrase(
            "{example!r} is {date}; dates from {low} to {high}",
            example=cells.stripped[index][:40],
            date=format_days(float(timestamps[index]) / SECONDS_PER_DAY),
            low=format_days(float(timestamps[valid].min()) / SECONDS_PER_DAY),
            high=format_days(float(timestamps[valid].max()) / SECONDS_PER_DAY),
        )
        effect = join_phrases((effect, _describe_more_missing(n_lost)), "; ")
        choices.append(ColumnRemedy("reading", ColumnReading(order=order).to_text(), effect))
    return tuple(choices)


def read_stored(cells: DistinctCells, order: Order) -> tuple[ColumnRemedy, ...]:
    """Read numbers as stored dates, if all of them are plain numbers."""
    moments = cells.parse_dates(DateFormat(order))
    if np.isnan(moments[~np.isnan(cells.numbers)]).any():
        return ()
    effect = phrase(
        "numbers → dates from {low} to {high}",
        low=format_days(float(np.nanmin(moments)) / SECONDS_PER_DAY),
        high=format_days(float(np.nanmax(moments)) / SECONDS_PER_DAY),
    )
    return (ColumnRemedy("reading", ColumnReading(order=order).to_text(), effect),)


def merge(cells: DistinctCells) -> tuple[ColumnRemedy, ...]:
    """Merge rare values, if some but not all are rare."""
    n_labels, n_rare = cells.label_count, count_rare_labels(cells)
    if not 1 < n_rare < n_labels:
        return ()
    effect = phrase(
        "{categories:,} categories → {kept:,}: values in fewer than {least} rows are merged",
        categories=n_labels,
        kept=n_labels - n_rare + 1,
        least=RARE_ROWS,
    )
    return (ColumnRemedy("treatment", MergeRareLabels(RARE_ROWS).to_text(), effect),)


def merge_similar(cells: DistinctCells) -> tuple[ColumnRemedy, ...]:
    """Merge labels with similar spellings."""
    rule, n_labels = MergeSimilarLabels(), cells.label_count
    merged = rule.list_merged_labels(cells.known_labels[0], cells.label_rows.tolist())
    effect = phrase(
        "{categories:,} categories → {kept:,}", categories=n_labels, kept=n_labels - len(merged)
    )
    return (ColumnRemedy("treatment", rule.to_text(), effect),)


def count_rare_labels(cells: DistinctCells) -> int:
    """Return the number of labels in fewer than :data:`RARE_ROWS` rows."""
    return int((cells.label_rows < RARE_ROWS).sum())


def treat_outliers(outliers: tuple[Outliers, ...], *, clips: bool) -> tuple[ColumnRemedy, ...]:
    """Read outliers as missing, or (for a feature) clip them to the nearest other value."""
    rows = sum(each.n_rows for each in outliers)
    effect = count_phrase("1 value missing", "{count:,} values missing", rows)
    removal = ValueLimits("missing", **{_get_bound_name(each): each.cut for each in outliers})
    clipping = ValueLimits("limit", **{_get_bound_name(each): each.nearest for each in outliers})
    choices = (
        ColumnRemedy("treatment", removal.to_text(), _describe_extremes(outliers, effect)),
        ColumnRemedy("treatment", clipping.to_text(), _describe_extremes(outliers, "")),
    )
    return choices if clips else choices[:1]


def _describe_more_missing(count: int) -> str:
    text = count_phrase("1 more cell missing", "{count:,} more cells missing", count)
    return text if count else ""


def _get_bound_name(each: Outliers) -> str:
    return "high" if each.is_upper else "low"


def _describe_extremes(outliers: tuple[Outliers, ...], further: str) -> str:
    """Describe the effect of limits on the extreme values of a column."""
    changes = [
        phrase("maximum {before:,.8g} → {after:,.8g}", before=each.extreme, after=each.nearest)
        if each.is_upper
        else phrase("minimum {before:,.8g} → {after:,.8g}", before=each.extreme, after=each.nearest)
        for each in outliers
    ]
    return join_phrases((*changes, further), "; ")
