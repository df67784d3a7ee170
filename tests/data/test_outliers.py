"""Outliers are found, and long natural tails are not."""

import numpy as np
import pytest

from studio.data.outliers import Outliers, find_outliers


def find_outliers_of(values: object) -> tuple[Outliers, ...]:
    given = np.asarray(values, dtype=np.float64)
    return find_outliers(*np.unique(given[~np.isnan(given)], return_counts=True))


def test_misplaced_decimal_point_and_sentinel_are_outliers() -> None:
    (one,) = find_outliers_of([*np.linspace(3900, 4900, 300), 715_897])
    assert (one.upper, one.nearest, one.extreme, one.rows) == (True, 4900, 715_897, 1)
    assert 4900 < one.cut < 715_897
    (low,) = find_outliers_of([*list(range(91)) * 5, *[-999] * 40, np.nan])
    assert (low.upper, low.nearest, low.rows) == (False, 0, 40)
    assert -999 < low.cut < 0
    (nines,) = find_outliers_of([*np.linspace(100, 9000, 80), *[-999] * 8])
    assert (nines.upper, nines.nearest, nines.rows) == (False, 100, 8)
    assert find_outliers_of([*np.linspace(-500, 9000, 80), *[-999] * 8]) == ()
    both = find_outliers_of([*np.linspace(10, 20, 200), -5000, 9000])
    assert [each.upper for each in both] == [True, False]


@pytest.mark.parametrize("n", [200, 2000])
def test_long_tails_are_not_outliers(n: int) -> None:
    rng = np.random.default_rng(n)
    raised = 0
    for _ in range(100):
        pay = rng.lognormal(8, 1.5, n)
        zeros = np.where(rng.random(n) < 0.7, 0, pay)
        tails = rng.standard_t(3, n), rng.gamma(0.2, 1, n), rng.poisson(0.3, n)
        for sample in (rng.normal(size=n), pay, zeros, *tails):
            raised += bool(find_outliers_of(sample))
    assert raised <= 2  # of 600


def test_few_rows_and_clusters_are_not_outliers() -> None:
    assert find_outliers_of([*range(40), 99_999]) == ()
    assert find_outliers_of([0, 1] * 50 + [99]) == ()
    assert find_outliers_of([*np.linspace(0, 1, 100), *np.linspace(50, 51, 10)]) == ()
    assert find_outliers_of([np.nan] * 80) == ()
    assert find_outliers_of([5.0] * 80) == ()


@pytest.mark.parametrize(
    ("sentinel", "low", "rows"),
    [(-7999, 14, 3), (999, 20, 70), (-9999, -40, 60), (1e20, 0, 30), (-99.9, 0, 20)],
)
def test_frequent_sentinel_is_detected(sentinel, low, rows):
    others = np.linspace(low, low + 60, 150)
    (one,) = find_outliers_of([*others, *[sentinel] * rows])
    assert one.is_sentinel
    assert (one.extreme, one.rows) == (sentinel, rows)


def test_far_values_are_not_sentinels():
    (single,) = find_outliers_of([*np.linspace(14, 28, 150), -7999])
    (number,) = find_outliers_of([*np.linspace(14, 28, 150), 5234, 5234])
    (several,) = find_outliers_of([*np.linspace(14, 28, 400), -7999, -9999, -9999])
    assert not any(each.is_sentinel for each in (single, number, several))
