import numpy as np
import pytest

from studio.data.splits.assignment import sample_rows, split_into_folds, split_into_parts


def test_folds_are_assigned_per_class_in_random_order():
    strata = np.random.default_rng(1).integers(0, 3, 200)
    order = np.random.default_rng(5).permutation(200).tolist()
    expected = np.empty(200, dtype=np.int64)
    for nth, row in enumerate(sorted(order, key=lambda row: strata[row])):
        expected[row] = nth % 7
    fold = split_into_folds(strata, 7, np.random.default_rng(5))
    assert fold.tolist() == expected.tolist()
    assert fold.dtype == np.int64


def test_part_with_zero_share_is_empty():
    strata = np.zeros(2, dtype=np.int64)
    assert sorted(split_into_parts(strata, (0.5, 0.0, 0.5), np.random.default_rng(0))) == [0, 2]


def test_empty_part_gets_row_of_most_frequent_class():
    strata = np.repeat([0, 1, 2], [10, 3, 1])
    for seed in range(5):
        part = split_into_parts(strata, (0.98, 0.01, 0.01), np.random.default_rng(seed))
        assert np.bincount(part).tolist() == [12, 1, 1]
        assert np.all(part[strata > 0] == 0)


@pytest.mark.parametrize("seed", range(6))
def test_thinning_is_stratified_and_keeps_rare_classes(seed):
    rng = np.random.default_rng(seed)
    strata = rng.permutation(np.repeat([0, 1, 2], [60, 30, 10]))
    sampled_rows = sample_rows(np.arange(100), strata, 10, rng)
    assert np.bincount(strata[sampled_rows]).tolist() == [6, 3, 1]
    # Twenty classes with one row each are kept, leaving four rows for the frequent class.
    strata = rng.permutation(np.append(np.arange(20), np.full(40, 20)))
    rows = np.arange(1, 60)
    sampled_rows = sample_rows(rows, strata, 24, rng)
    assert len(sampled_rows) == 24
    assert np.all(np.diff(sampled_rows) > 0)
    assert set(strata[sampled_rows]) == set(strata[rows])


def test_thinning_keeps_all_rows_below_limit():
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    rows = np.arange(5)
    assert sample_rows(rows, np.zeros(5, dtype=np.int64), 5, rng).tolist() == rows.tolist()
    assert rng.bit_generator.state == before
