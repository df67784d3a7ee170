"""Histograms of columns compared with manual counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.data.distinct import DistinctCells
from studio.data.distribution import MAX_LABELS, N_BINS, compute_distribution


def cells(*texts: str) -> DistinctCells:
    return DistinctCells.from_cells(np.array(texts, dtype=object))


def test_few_integers_have_one_bar_each() -> None:
    distribution = compute_distribution(cells("1", "2", "2", "4", "", "NA", "x"), "number")
    assert distribution.counts == (1, 2, 0, 1)
    assert distribution.edges == (0.5, 4.5)


def test_histogram_bars_have_equal_width() -> None:
    values = np.linspace(0.05, 9.95, 100)
    distribution = compute_distribution(cells(*map(str, values), "0", "10"), "number")
    assert distribution.edges == (0.0, 10.0)
    assert distribution.counts == tuple(np.histogram([*values, 0, 10], N_BINS, (0, 10))[0])
    assert (distribution.n_below, distribution.n_above) == (0, 0)


def test_long_tail_does_not_distort_histogram() -> None:
    values = [*np.linspace(0, 1, 500).tolist(), 1e9, -1e9]
    distribution = compute_distribution(cells(*map(str, values)), "number")
    assert distribution.edges is not None
    assert -0.1 < distribution.edges[0] < distribution.edges[1] < 1.1
    assert sum(distribution.counts) == 502
    assert distribution.n_above >= 1
    assert distribution.n_below >= 1
    assert max(distribution.counts) < 100


def test_constant_and_empty_columns_have_distribution() -> None:
    assert compute_distribution(cells("2.5", "2.5", ""), "number").counts == (2,)
    assert compute_distribution(cells("", "NA"), "number").counts == ()
    assert compute_distribution(cells("", "NA"), "category").counts == ()


def test_categories_are_counted_most_frequent_first() -> None:
    distribution = compute_distribution(cells("b", "a", "b", " b ", "", "c", "a"), "category")
    assert distribution.labels == ("b", "a", "c")
    assert distribution.counts == (3, 2, 1)
    many = compute_distribution(cells(*(f"v{i:03}" for i in range(100)), "v007"), "category")
    assert many.labels[0] == "v007"
    assert len(many.labels) == MAX_LABELS
    assert many.n_other == 100 - MAX_LABELS


@pytest.mark.slow
@given(st.lists(st.floats(-1e300, 1e300) | st.just(float("nan")), min_size=1, max_size=60))
def test_histogram_bars_partition_rows(values: list[float]) -> None:
    distribution = compute_distribution(cells(*map(repr, values)), "number")
    there = sum(not np.isnan(each) for each in values)
    assert sum(distribution.counts) == there
    assert distribution.n_below + distribution.n_above <= there
