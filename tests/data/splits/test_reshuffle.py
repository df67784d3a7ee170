import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data.splits import Split, SplitPlan, make_strata, reshuffle_folds
from studio.errors import UsageError

STRATA = np.tile([0, 0, 1], 40).astype(np.int64)


def hold_out() -> Split:
    """Return 120 rows as 20 test, 10 selection, 60 training and 30 validation rows."""
    rows = np.arange(120)
    train, validation = rows[30:90], rows[90:]
    return Split(train, validation, rows[:20], ((train, validation),), rows[20:30])


def make_folds() -> Split:
    rows = np.arange(30, 120)
    folds = tuple((rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3))
    return Split(rows, rows, np.arange(20), folds, np.arange(20, 30))


def test_reshuffling_keeps_sizes():
    split = hold_out()
    ((train, validation),) = reshuffle_folds(
        split, SplitPlan(0.5, 0.25, 0.25), STRATA, None, seed=1
    )
    assert np.array_equal(np.union1d(train, validation), np.arange(30, 120))
    assert [len(train), len(validation)] == [60, 30]
    assert np.bincount(STRATA[validation]).tolist() == [20, 10]
    assert not np.array_equal(validation, split.validation)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 2**31 - 1), st.sampled_from([None, 2, 5]))
def test_reshuffling_keeps_selection_and_test_rows(seed, folds):
    plan = SplitPlan(folds=folds, cap=25)
    split = hold_out() if folds is None else make_folds()
    first, second = (reshuffle_folds(split, plan, STRATA, None, seed) for _ in range(2))
    predicted = np.sort(np.concatenate([validation for _, validation in first]))
    for one, other in zip(sum(first, ()), sum(second, ()), strict=True):
        assert np.array_equal(one, other)
        assert one.min() >= 30
    for train, validation in first:
        assert len(train) == 25
        assert not set(train) & set(validation)
    expected = np.arange(30, 120) if folds else np.setdiff1d(np.arange(30, 120), first[0][0])
    assert np.array_equal(predicted, expected)


@settings(max_examples=40)
@given(st.integers(0, 1000), st.sampled_from([None, 2, 4]))
def test_reshuffling_does_not_split_groups(seed, folds):
    groups = np.arange(120) // 5
    plan = SplitPlan(folds=folds)
    split = hold_out() if folds is None else make_folds()
    for train, validation in reshuffle_folds(split, plan, STRATA, groups, seed):
        assert not set(groups[train]) & set(groups[validation])


def test_reshuffling_is_reproducible_across_machines():
    rows = np.arange(10)
    split = Split(rows[:5], rows[5:], rows[:0], ((rows[:5], rows[5:]),))
    strata = make_strata(rows // 5, 2)
    ((train, _),) = reshuffle_folds(split, SplitPlan(0.5, 0.5, 0.0), strata, None, seed=3)
    assert train.tolist() == [1, 2, 5, 8, 9]
    assert split.development.dtype == np.int64
    assert make_strata(np.array([0.5, 1.5]), 0).tolist() == [0, 0]


def test_reshuffled_rows_depend_on_seed():
    fold_lists = [
        reshuffle_folds(make_folds(), SplitPlan(folds=3), STRATA, None, seed) for seed in range(4)
    ]
    for one, other in itertools.combinations(fold_lists, 2):
        assert not np.array_equal(one[0][1], other[0][1])


def test_reshuffling_rejects_time_order():
    ordered = dataclasses.replace(hold_out(), by_time=True)
    with pytest.raises(UsageError, match="time order"):
        reshuffle_folds(ordered, SplitPlan(), STRATA, None, 0)
