import numpy as np
import pytest

from studio.acquisition.maximisers.base import apart, choose
from studio.space.encoding import keys


def score(U):
    return U[:, 0]


def test_the_best_row_that_is_not_to_be_avoided_is_chosen(box, rng):
    U = np.array([[0.1, 0.0], [0.9, 0.0], [0.5, 0.0]])
    avoid = set(keys(box, U[1:2]))
    maximum = choose(box, score, U, score(U), avoid, rng=rng)
    assert maximum.value == 0.5
    assert maximum.u.tolist() == [0.5, 0.0]


def test_equal_rows_are_settled_by_lot_however_many_are_to_be_avoided(box):
    U = np.column_stack([np.repeat([0.9, 0.5, 0.1], 70), np.linspace(0.0, 1.0, 210)])
    avoid = set(keys(box, U[:70]))
    chosen = [
        choose(box, score, U, score(U), avoid, rng=np.random.default_rng(seed)).u
        for seed in range(40)
    ]
    assert {u[0] for u in chosen} == {0.5}
    assert min(u[1] for u in chosen) < U[80, 1]
    assert max(u[1] for u in chosen) > U[130, 1]


def test_when_all_rows_are_to_be_avoided_another_one_is_drawn_and_scored(box, rng):
    U = np.array([[0.1, 0.0], [0.9, 0.0]])
    avoid = set(keys(box, U))
    maximum = choose(box, score, U, score(U), avoid, rng=rng)
    assert keys(box, maximum.u[None, :])[0] not in avoid
    assert maximum.value == pytest.approx(maximum.u[0])


def test_the_chosen_row_is_a_copy(box, rng):
    U = np.array([[0.1, 0.0]])
    choose(box, score, U, score(U), set(), rng=rng).u[0] = 7.0
    assert U[0, 0] == 0.1


def test_starts_are_the_best_of_their_surroundings():
    ranked = np.array([[0.50, 0.5], [0.55, 0.45], [0.7, 0.5], [0.52, np.nan], [0.9, 0.9]])
    np.testing.assert_array_equal(apart(ranked, 3), ranked[[0, 2, 3]])
    np.testing.assert_array_equal(apart(ranked, 9), ranked[[0, 2, 3, 4]])
    assert apart(ranked[:0], 3).shape == (0, 2)
    assert apart(ranked, 0).shape == (0, 2)
