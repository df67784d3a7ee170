"""Statistics of one column, and its relation to the target."""

from collections import Counter
from functools import partial

import numpy as np

from studio.analysis.answers.column_facts import ColumnFacts, TargetStatistics
from studio.arrays import Floats, Integers
from studio.data.column import WORD_KINDS, ColumnKind
from studio.data.dates import SECONDS_PER_DAY, format_date
from studio.data.distinct import DistinctCells
from studio.data.distribution import make_number_histogram
from studio.data.labels import format_number_label
from studio.data.numbers import MAX_EXACT_INTEGER, clip_numbers
from studio.data.treatments import ValueLimits

MAX_FREQUENT = 5
"""Maximum number of separately counted values."""

MAX_GROUPS, MIN_GROUP_ROWS = 10, 5
"""Maximum number of equal-sized groups of a numeric target, and minimum rows per group."""

MAX_WHOLE = 40
"""Maximum number of integers with a bar each."""

MAX_LABELS, MAX_CLASSES = 8, 6
"""Maximum numbers of separately counted categories and classes."""


def compute_column_facts(
    name: str,
    cells: DistinctCells,
    kind: ColumnKind,
    limits: ValueLimits | None,
    target: DistinctCells | None,
    *,
    is_classification: bool,
) -> ColumnFacts:
    """Return the statistics of a column; ``target`` is ``None`` for the target itself."""
    is_words = kind in WORD_KINDS
    date_style = cells.date_style if kind == "date" else None
    values = _rank_labels(cells) if is_words else _to_numbers(cells, kind, limits)
    is_known = values >= 0 if is_words else ~np.isnan(values)
    known_values = values[is_known]
    quantiles = (
        ()
        if is_words or not len(known_values)
        else np.quantile(known_values, np.linspace(0, 1, 5)).tolist()
    )
    rows: Counter[str] = Counter()
    if is_words:
        rows.update({label: n for label, n in _count_labels(cells) if label is not None})
    else:
        distinct, counts = np.unique(known_values, return_counts=True)
        format_value = partial(format_date, date_style) if kind == "date" else format_number_label
        first = np.argsort(-counts, kind="stable")[:MAX_FREQUENT].tolist()
        rows.update({format_value(distinct[i].item()): int(counts[i]) for i in first})
    return ColumnFacts(
        name=name,
        kind=kind,
        date_format=date_style,
        n_filled=int(is_known.sum()),
        n_missing=int((~is_known).sum()),
        distinct=len(np.unique(known_values)),
        quantiles=tuple(quantiles),
        mean=float(known_values.mean()) if quantiles else float("nan"),
        frequent=tuple((label[:80], count) for label, count in rows.most_common(MAX_FREQUENT)),
        target_statistics=_compare_with_target(
            values, cells, target, is_words=is_words, is_classification=is_classification
        ),
    )


def _to_numbers(cells: DistinctCells, kind: ColumnKind, limits: ValueLimits | None) -> Floats:
    """Return the rows' numbers, (n,), with dates as days since 1970; NaN where missing."""
    if kind == "date":
        values = cells.parse_dates() / SECONDS_PER_DAY
    else:
        values = clip_numbers(cells.numbers)
        if limits is not None:
            values = limits.apply_to(values)
    rows: Floats = values[cells.codes]
    return rows


def _count_labels(cells: DistinctCells) -> list[tuple[str | None, int]]:
    """Return labels with their counts, the most frequent first, including missing cells."""
    rows: Counter[str | None] = Counter()
    for label, count in zip(cells.labels, cells.counts.tolist(), strict=True):
        rows[label] += count
    return rows.most_common()


def _rank_labels(cells: DistinctCells) -> Floats:
    """Return the rank of the rows' labels, (n,), the most frequent first; -1 where missing."""
    ranked = [label for label, _ in _count_labels(cells) if label is not None]
    rank_by_label = {label: rank for rank, label in enumerate(ranked)}
    codes = np.array(
        [-1 if each is None else rank_by_label[each] for each in cells.labels], dtype=float
    )
    rows: Floats = codes[cells.codes]
    return rows


def _compare_with_target(
    values: Floats,
    cells: DistinctCells,
    target: DistinctCells | None,
    *,
    is_words: bool,
    is_classification: bool,
) -> TargetStatistics:
    empty: Floats = np.empty(0)
    has_numbers = target is not None and not is_classification
    is_known = np.isfinite(values) & (values >= 0 if is_words else True)
    target_values = empty
    if target is not None:
        target_values = (
            _rank_labels(target) if is_classification else _to_numbers(target, "number", None)
        )
    if has_numbers:
        is_known &= np.isfinite(target_values)
    labels: tuple[str, ...] = ()
    if is_words:
        ranked_labels = [label for label, _ in _count_labels(cells) if label is not None]
        labels, edges = tuple(ranked_labels[:MAX_LABELS]), empty
        is_known &= values < len(labels)
        n_groups, group_codes = len(labels), values[is_known].astype(np.int64)
    else:
        edges = _choose_edges(values[is_known], by_quantiles=has_numbers)
        n_groups = max(0, len(edges) - 1)
        group_codes = np.clip(
            np.searchsorted(edges, values[is_known], "right") - 1, 0, n_groups - 1
        )
    names: tuple[str, ...] = ()
    counts, unknown = np.zeros((n_groups, 0), dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    mean_target = low = high = centres = empty
    if target is not None and is_classification:
        classes = target_values[is_known]
        names = tuple(x for x, _ in _count_labels(target) if x is not None)[:MAX_CLASSES]
        counts = _count_classes(group_codes, classes, n_groups, len(names))
        unknown = np.bincount(group_codes[classes < 0], minlength=n_groups).astype(np.int64)
    elif has_numbers:
        mean_target, low, high = _compute_quartiles(group_codes, target_values[is_known], n_groups)
        if not is_words:
            centres = _compute_quartiles(group_codes, values[is_known], n_groups)[0]
    rows = np.bincount(group_codes, minlength=n_groups).astype(np.int64)
    return TargetStatistics(
        labels, edges, rows, names, counts, unknown, mean_target, low, high, centres
    )


def _choose_edges(values: Floats, *, by_quantiles: bool) -> Floats:
    """Return edges, shape (k + 1,), of k groups of values (n,), by width or rows; (0,) if none."""
    if not len(values):
        return np.empty(0)
    if not by_quantiles:
        low, high = float(values.min()), float(values.max())
        is_whole = np.array_equal(values, np.floor(values)) and max(-low, high) < MAX_EXACT_INTEGER
        if is_whole and high - low <= MAX_WHOLE:
            return np.arange(low - 0.5, high + 1.0)
        histogram = make_number_histogram(values)
        edge_values = histogram.edges or (0.0, 1.0)
        low, high = (
            edge_values
            if edge_values[0] < edge_values[1]
            else (edge_values[0] - 0.5, edge_values[1] + 0.5)
        )
        return np.linspace(low, high, len(histogram.counts) + 1)
    groups = max(1, min(MAX_GROUPS, len(values) // MIN_GROUP_ROWS))
    edges = np.unique(np.quantile(values, np.linspace(0, 1, groups + 1)))
    return edges if len(edges) > 1 else np.array([edges[0] - 0.5, edges[0] + 0.5])


def _count_classes(group: Integers, classes: Floats, n_groups: int, n_classes: int) -> Integers:
    counts = np.zeros((n_groups, n_classes), dtype=np.int64)
    is_named = (classes >= 0) & (classes < n_classes)
    np.add.at(counts, (group[is_named], classes[is_named].astype(np.int64)), 1)
    return counts


def _compute_quartiles(
    group: Integers, target_values: Floats, n_groups: int
) -> tuple[Floats, Floats, Floats]:
    """Return mean and quartiles of numbers in each group, (k,); NaN in empty ones."""
    quartiles = np.full((3, n_groups), np.nan)
    for group_number in range(n_groups):
        in_group = target_values[group == group_number]
        if len(in_group):
            quartiles[:, group_number] = in_group.mean(), *np.quantile(in_group, (0.25, 0.75))
    return quartiles[0], quartiles[1], quartiles[2]
