"""Distribution of a column's values, small enough for a header's histogram."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.column import WORD_KINDS, ColumnKind
from studio.data.dates import SECONDS_PER_DAY
from studio.data.distinct import DistinctCells
from studio.data.numbers import clip_numbers
from studio.data.treatments import ValueLimits

N_BINS = 20

MAX_LABELS = 12
"""Maximum number of separately counted categories, the most frequent."""

_TAIL_SHARE = 0.01
_MAX_LABEL_LENGTH = 60


@dataclass(frozen=True)
class Distribution:
    """Counts of a column's values, without missing ones.

    Attributes:
        labels: The bars' categories; empty for numbers.
        edges: The outer ends of the equally wide bars; ``None`` for categories.
        n_below, n_above: Rows beyond the edges, counted in the outermost bars.
        n_other: Rows with values other than ``labels``.
        unit: The unit of the column's cells; empty for none.
    """

    counts: tuple[int, ...]
    labels: tuple[str, ...] = ()
    edges: tuple[float, float] | None = None
    n_below: int = 0
    n_above: int = 0
    n_other: int = 0
    unit: str = ""


def compute_distribution(
    cells: DistinctCells, kind: ColumnKind, limits: ValueLimits | None = None
) -> Distribution:
    """Count a column's values.

    Numbers get :data:`N_BINS` bars, or one per integer if these are fewer. Where a long tail would
    leave all rows in one bar, the bars range from the 1 % to the 99 % quantile, and the outermost
    bars include the rest. Dates are converted to years.
    """
    if kind in WORD_KINDS:
        return _count_labels(cells)
    years = 365.2425 * SECONDS_PER_DAY
    values = clip_numbers(cells.numbers) if kind == "number" else 1970 + cells.parse_dates() / years
    return _bin_numbers(values if limits is None else limits.apply_to(values), cells.counts)


def make_number_histogram(values: Floats) -> Distribution:
    """Return the histogram of numbers, shape (n,), without NaN; each counts as one row."""
    return _bin_numbers(values, np.ones(len(values), dtype=np.int64))


def _bin_numbers(values: Floats, counts: Integers) -> Distribution:
    valid = ~np.isnan(values)
    values, weights = values[valid], counts[valid]
    if not len(values):
        return Distribution(())
    low, high = float(values.min()), float(values.max())
    if np.all(values == np.floor(values)) and high - low < N_BINS:
        n_bars = round(high - low) + 1
        rows = np.bincount((values - low).astype(np.int64), weights, n_bars)
        return Distribution(tuple(int(each) for each in rows), (), (low - 0.5, high + 0.5))
    edges = _choose_range(values, weights, low, high)
    if edges[0] == edges[1]:
        return Distribution((int(weights.sum()),), (), (low, high))
    clipped = np.clip(values, *edges)
    counts, _ = np.histogram(clipped, N_BINS, edges, weights=weights)
    return Distribution(
        tuple(int(each) for each in counts),
        (),
        edges,
        n_below=int(weights[values < edges[0]].sum()),
        n_above=int(weights[values > edges[1]].sum()),
    )


def _choose_range(
    values: Floats, weights: Integers, low: float, high: float
) -> tuple[float, float]:
    """Return the histogram's range for values (k,): all, or the inner 98 % if far narrower."""
    order = np.argsort(values)
    share = np.cumsum(weights[order]) / weights.sum()
    inner_low = float(values[order][int(np.searchsorted(share, _TAIL_SHARE))])
    inner_high = float(
        values[order][min(int(np.searchsorted(share, 1 - _TAIL_SHARE)), len(values) - 1)]
    )
    if inner_high > inner_low and (high - low) > 4 * (inner_high - inner_low):
        return inner_low, inner_high
    return low, high


def _count_labels(cells: DistinctCells) -> Distribution:
    rows = Counter[str]()
    labels = cells.labels if len(cells.texts) <= 10_000 else list(cells.stripped)
    for label, missing, count in zip(labels, cells.missing, cells.counts, strict=True):
        if label is not None and not missing:
            rows[label] += int(count)
    ranked = sorted(rows.items(), key=lambda item: (-item[1], item[0]))
    top_labels = ranked[:MAX_LABELS]
    return Distribution(
        tuple(count for _, count in top_labels),
        tuple(label[:_MAX_LABEL_LENGTH] for label, _ in top_labels),
        n_other=sum(count for _, count in ranked[MAX_LABELS:]),
    )
