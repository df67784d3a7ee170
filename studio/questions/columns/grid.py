"""Values of a column that a partial dependence compares, and their names."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.dates import PART_VALUES
from studio.data.recipe import ColumnRecipe
from studio.phrases import phrase

N_GRID_VALUES = 24
"""Number of values of a numeric column; also of bins in its distribution."""

MIN_VALUE_ROWS = 10
"""Minimum rows of a category beyond the :data:`N_GRID_VALUES` most common ones."""

MAX_CATEGORIES = 100
"""Maximum number of compared categories: each costs predictions."""


def get_value_names(
    feature: ColumnRecipe, categories: Sequence[str] | None, grid: Floats
) -> tuple[str, ...]:
    """Return names of values (g,), as absent or present for a term; empty for plain numbers."""
    if categories is not None:
        return tuple(categories[int(code)] for code in grid)
    if feature.term is not None and len(grid) == 2:
        return phrase("without"), phrase("contains “{word}”", word=feature.term.term)
    names = PART_VALUES.get(feature.date.part, {}) if feature.date is not None else {}
    return tuple(names[int(value)] for value in grid) if names else ()


def make_grid(
    values: Floats, *, categorical: bool, is_word: bool = False
) -> tuple[Floats, Floats, Integers]:
    """Return the grid of a column's partial dependence, and its distribution.

    The grid has all values if they are few; else the categories with enough rows, or an even grid
    of numbers from the 1st to the 99th percentile, with bars between.

    Args:
        values: Shape (n,), n > 0. Without missing ones.

    Returns:
        Shapes (g,), (b + 1,) or (0,), and (b,) or (g,), as in :class:`Dependence`.
    """
    no_values: Floats = np.empty(0)
    if is_word and values.any():
        # Weights of words are hard to interpret: compare the presence of the word.
        is_present = values > 0
        grid = np.array([0.0, np.median(values[is_present])])
        return grid, no_values, np.bincount(is_present, minlength=2)
    distinct, counts = np.unique(values, return_counts=True)
    if distinct.size <= N_GRID_VALUES:
        return distinct, no_values, counts.astype(np.int64)
    if categorical:
        n_kept = int(np.clip((counts >= MIN_VALUE_ROWS).sum(), N_GRID_VALUES, MAX_CATEGORIES))
        kept_indices = np.sort(np.argsort(-counts, kind="stable")[:n_kept])
        return distinct[kept_indices], no_values, counts[kept_indices].astype(np.int64)
    low, high = np.quantile(values, [0.01, 0.99])
    if low == high:
        low, high = distinct[0], distinct[-1]
    bars, edges = np.histogram(values, bins=N_GRID_VALUES, range=(low, high))
    return np.linspace(low, high, N_GRID_VALUES), edges, bars.astype(np.int64)
