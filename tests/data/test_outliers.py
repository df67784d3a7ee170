"""Outliers are found, and long natural tails are not."""

import numpy as np
import pytest

from studio.data.outliers import Outliers, find_outliers, find_placeholder_dates, find_survey_codes


def find_outliers_of(values: object) -> tuple[Outliers, ...]:
    numbers = np.asarray(values, dtype=np.float64)
    return find_outliers(*np.unique(numbers[~np.isnan(numbers)], return_counts=True))


def test_misplaced_decimal_point_and_sentinel_are_outliers() -> None:
    (outliers,) = find_outliers_of([*np.linspace(3900, 4900, 300), 715_897])
    assert (outliers.is_upper, outliers.nearest, outliers.extreme, outliers.n_rows) == (
        True,
        4900,
        715_897,
        1,
    )
    assert 4900 < outliers.cut < 715_897
    (low,) = find_outliers_of([*list(range(91)) * 5, *[-999] * 40, np.nan])
    assert (low.is_upper, low.nearest, low.n_rows) == (False, 0, 40)
    assert -999 < low.cut < 0
    (nines,) = find_outliers_of([*np.linspace(100, 9000, 80), *[-999] * 8])
    assert (nines.is_upper, nines.nearest, nines.n_rows) == (False, 100, 8)
    assert find_outliers_of([*np.linspace(-500, 9000, 80), *[-999] * 8]) == ()
    both = find_outliers_of([*np.linspace(10, 20, 200), -5000, 9000])
    assert [each.is_upper for each in both] == [True, False]


@pytest.mark.slow
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


def test_few_rows_or_clusters_are_not_outliers() -> None:
    assert find_outliers_of([*range(40), 99_999]) == ()
    assert find_outliers_of([0, 1] * 50 + [99]) == ()
    assert find_outliers_of([*np.linspace(0, 1, 100), *np.linspace(50, 51, 10)]) == ()
    assert find_outliers_of([np.nan] * 80) == ()
    assert find_outliers_of([5.0] * 80) == ()


@pytest.mark.parametrize(
    ("sentinel", "low", "rows"),
    [
        (-7999, 14, 3),
        (999, 20, 70),
        (-9999, -40, 60),
        (1e20, 0, 30),
        (-99.9, 0, 20),
        (-999.25, 0, 9),
    ],
)
def test_frequent_sentinel_is_detected(sentinel, low, rows):
    others = np.linspace(low, low + 60, 150)
    (outliers,) = find_outliers_of([*others, *[sentinel] * rows])
    assert outliers.is_sentinel
    assert (outliers.extreme, outliers.n_rows) == (sentinel, rows)


def test_far_values_are_not_sentinels():
    (single,) = find_outliers_of([*np.linspace(14, 28, 150), -7999])
    (number,) = find_outliers_of([*np.linspace(14, 28, 150), 5234, 5234])
    (several,) = find_outliers_of([*np.linspace(14, 28, 400), -7999, -9999, -9999])
    assert not any(each.is_sentinel for each in (single, number, several))


@pytest.mark.parametrize(
    ("others", "codes", "doubtful"),
    [
        ([1, 2, 3, 4, 5], [97, 98, 99], False),
        ([1, 2], [8, 9], True),
        ([1, 2, 3, 4, 5], [9], True),
        ([0, 1, 2, 3], [-9, -8, -1], False),
        ([*range(18, 90)], [-9, -8], False),
        ([0, 0, 0, 0.2, 1.4], [-7999], False),
        ([0], [999], False),
        ([1, 2, 3, 4, 5], [777, 888, 999], False),
        ([0.5, 2.5, 9.75], [-999, -888], False),
    ],
)
def test_codes_outside_short_scale_are_detected(others, codes, doubtful):
    values, rows = np.unique([*np.resize(others, 150), *codes * 6], return_counts=True)
    (survey_codes,) = find_survey_codes(values, rows)
    assert (survey_codes.codes, survey_codes.n_rows, survey_codes.is_doubtful) == (
        tuple(codes),
        6 * len(codes),
        doubtful,
    )
    assert survey_codes.is_sentinel
    assert codes[-1] < survey_codes.cut < min(others) or max(others) < survey_codes.cut < codes[0]


@pytest.mark.parametrize(
    "cells",
    [
        [1] * 60 + [2] * 30 + [3] * 8 + [4] * 2 + [8] * 3 + [9] * 2,  # a tail
        [1, 2, 4, 8] * 30,
        [3, 4, 5, 6, 8] * 30,
        [-9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2] * 9,
        [0, 1] * 60 + [99],
        [*range(60)] * 3 + [97, 98, 99],
        np.random.default_rng(0).poisson(2, 500),
        np.random.default_rng(0).geometric(0.3, 500),
    ],
)
def test_counts_and_tails_are_not_codes(cells):
    assert (
        find_survey_codes(*np.unique(np.asarray(cells, dtype=np.float64), return_counts=True)) == ()
    )


def test_repeated_date_far_from_others_is_placeholder():
    births = np.arange(-3000.0, 10_000.0, 130.0)
    days = np.array([-25_567.0, *births])  # 1900-01-01
    rows = np.ones(len(days))
    assert find_placeholder_dates(days, rows) == ()
    rows[0] = 6
    assert find_placeholder_dates(days, rows) == (-25_567.0,)
    assert find_placeholder_dates(days[1:], rows[:-1]) == ()
    recent = np.array([*np.arange(19_000.0, 19_030.0), 22_000.0])
    assert find_placeholder_dates(recent, np.full(31, 3.0)) == (22_000.0,)
