import itertools

import numpy as np
import pytest

from studio.data.splits.assignment import assign_groups_to_parts
from studio.errors import DataError
from tests.facts import about


def distance(place, counts, share):
    """Return Σ (F − s·n)² / n over parts and strata, by brute force."""
    totals = counts.sum(axis=0)
    filled = np.array([counts[place == k].sum(axis=0) for k in range(2)])
    return (np.square(filled - np.outer([share, 1 - share], totals)) / totals).sum()


def test_group_split_is_near_optimum():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 10, 200)
    strata = rng.integers(0, 2, 200)
    counts = np.array([np.bincount(strata[groups == g], minlength=2) for g in range(10)])
    part = assign_groups_to_parts(strata, groups, (0.7, 0.3), np.random.default_rng(0))
    part_by_group = np.array([part[groups == g][0] for g in range(10)])
    every = [np.array(each) for each in itertools.product([0, 1], repeat=10)]
    distances = np.sort([distance(each, counts, 0.7) for each in every])
    # Steepest descent is not exhaustive; its result is among the best 5 % of all assignments.
    assert distance(part_by_group, counts, 0.7) <= distances[len(distances) // 20]


def test_every_part_contains_group():
    groups = np.repeat([0, 1, 2], [98, 1, 1])
    fold = assign_groups_to_parts(
        np.zeros(100, dtype=np.int64), groups, (1 / 3,) * 3, np.random.default_rng(0)
    )
    assert sorted(np.bincount(fold).tolist()) == [1, 1, 98]
    for group in range(3):
        assert len(set(fold[groups == group])) == 1


def test_empty_parts_get_smallest_groups():
    # Every group is assigned to the first part, which lacks most rows of each; the others follow.
    groups = np.repeat([5, 6, 7, 8], [50, 30, 20, 40])
    strata = np.zeros(140, dtype=np.int64)
    part = assign_groups_to_parts(strata, groups, (0.98, 0.01, 0.0, 0.01), np.random.default_rng(0))
    assert [set(part[groups == group].tolist()) for group in (5, 6, 7, 8)] == [{0}, {3}, {1}, {0}]


@pytest.mark.parametrize("seed", range(4))
def test_group_is_assigned_to_part_with_largest_deficit(seed):
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(40), rng.integers(0, 40, 160))
    strata = (rng.random(200) < 0.1).astype(np.int64) + 2 * (groups % 3 == 0)
    shares = (0.61, 0.27, 0.12)
    n = [np.sum(strata == c) for c in range(4)]
    sizes = np.bincount(groups)
    group_order = np.random.default_rng(seed).permutation(40).tolist()
    filled = np.zeros((3, 4))
    part = assign_groups_to_parts(strata, groups, shares, np.random.default_rng(seed))
    for group in sorted(group_order, key=lambda group: -sizes[group]):
        stratum_counts = [np.sum(strata[groups == group] == c) for c in range(4)]
        lacking = [
            sum(stratum_counts[c] * (filled[p, c] - shares[p] * n[c]) / n[c] for c in range(4))
            for p in range(3)
        ]
        best = int(np.argmin(lacking))
        assert set(part[groups == group].tolist()) == {best}
        filled[best] += stratum_counts


def test_fewer_groups_than_folds_are_rejected():
    with pytest.raises(DataError, check=about(count="3", n_used="4")):
        assign_groups_to_parts(
            np.zeros(6, dtype=int), np.arange(6) % 3, (1 / 4,) * 4, np.random.default_rng(0)
        )
    with pytest.raises(DataError, match="1 group ", check=about(n_used="2")):
        assign_groups_to_parts(
            np.zeros(6, dtype=int), np.zeros(6, dtype=int), (1 / 2,) * 2, np.random.default_rng(0)
        )
