import itertools

import numpy as np

from studio.space.parameters import Categorical, Float
from studio.space.space import Space
from studio.surrogates.target_order import TargetOrder

SPACE = Space("colours", (Categorical("colour", tuple("abcd")), Float("x", 0.0, 1.0)))


def observed(rng, size=60):
    category = rng.integers(4, size=size)
    y = np.array([3.0, -1.0, 2.0, 0.0])[category] + rng.standard_normal(size)
    return category, np.column_stack([(category + 0.5) / 4, rng.random(size)]), y


def test_categories_stand_in_the_order_of_their_mean_target(rng):
    category, U, y = observed(rng)
    moved = TargetOrder.learnt(SPACE, U, y).moved(U)
    np.testing.assert_array_equal(moved[:, 1], U[:, 1])
    means = [y[category == c].mean() for c in range(4)]
    for c, rank in enumerate(np.argsort(np.argsort(means))):
        assert (moved[category == c, 0] == (rank + 0.5) / 4).all()


def test_one_cut_is_as_good_as_the_best_subset(rng):
    category, U, y = observed(rng)
    place = TargetOrder.learnt(SPACE, U, y).moved(U)[:, 0]

    def error(left):
        return sum(((part - part.mean()) ** 2).sum() for part in (y[left], y[~left]))

    cuts = [error(place < cut) for cut in (0.25, 0.5, 0.75)]
    subsets = [
        error(np.isin(category, chosen))
        for size in (1, 2)
        for chosen in itertools.combinations(range(4), size)
    ]
    assert min(cuts) == min(subsets)


def test_a_category_that_was_never_seen_counts_as_an_average_one():
    U = np.array([[0.125, 0.5], [0.375, 0.5], [0.625, np.nan]])
    order = TargetOrder.learnt(SPACE, U, np.array([0.9, 0.1, 0.2]))
    # Means: a 0.9, b 0.1, c 0.2, all 0.4; d was never seen.
    assert order.places[0].tolist() == [0.875, 0.125, 0.375, 0.625]
    assert np.isnan(order.moved(U)[2, 1])


def test_a_category_that_was_seen_once_counts_as_what_was_seen():
    category = np.array([0, 1, 1, 1, 1, 2, 3, 3])
    # About the mean of 2.125: a 1.875, b 1.125, c -2.125, d -2.125 and so after c by its place.
    targets = np.array([4.0, 3.25, 3.25, 3.25, 3.25, 0.0, 0.0, 0.0])
    U = np.column_stack([(category + 0.5) / 4, np.zeros(8)])
    order = TargetOrder.learnt(SPACE, U, targets)
    assert order.places[0].tolist() == [0.875, 0.625, 0.125, 0.375]


def test_without_observations_the_order_is_that_of_the_space():
    order = TargetOrder.learnt(SPACE, np.empty((0, 2)), np.empty(0))
    assert order.places[0].tolist() == [0.125, 0.375, 0.625, 0.875]
    inactive = np.array([[np.nan, 0.1]])
    assert np.isnan(order.moved(inactive)[0, 0])
