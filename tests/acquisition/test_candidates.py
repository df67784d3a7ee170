import numpy as np
import pytest

from studio.acquisition.maximisers.global_local import GlobalLocal, choose_argmax_at_random
from studio.errors import ExhaustedError
from studio.space.encoding import enumerate_all, make_keys, sample, snap


def nothing(space):
    return np.empty((0, space.dimensions))


def test_candidates_are_4950_global_and_50_local(mixed, rng):
    observed = sample(mixed, rng, 30)
    tried_keys = set(make_keys(mixed, observed))
    U = GlobalLocal().draw_candidates(mixed, observed, tried_keys, rng)
    # Forests and the branch without hyperparameters have 101 configurations, so draws repeat often.
    continuous = ~np.isnan(U[:, 1])
    expected = 5000 / 3
    assert continuous.sum() == pytest.approx(expected, rel=0.1)
    assert len(U) <= continuous.sum() + 101
    np.testing.assert_array_equal(snap(mixed, U), U)
    assert not tried_keys & set(make_keys(mixed, U))
    assert len(set(make_keys(mixed, U))) == len(U)


def test_local_candidates_change_one_coordinate_of_top_ten(box, rng):
    observed = sample(box, rng, 30)
    U = GlobalLocal(everywhere=1, around=25).draw_candidates(box, observed, set(), rng)
    assert len(U) == 26
    for u in U[1:]:
        n_changed = (u != observed).sum(axis=1)
        assert 1 in n_changed[:10]
        assert 1 not in n_changed[10:]
    # Each of the ten, two steps in both directions of two numbers.
    all_neighbours = GlobalLocal(everywhere=1, around=99)
    assert len(all_neighbours.draw_candidates(box, observed, set(), rng)) == 1 + 10 * 4


def test_candidates_include_all_untried_of_small_space(finite, rng):
    every = enumerate_all(finite)
    tried_keys = set(make_keys(finite, every[:20]))
    U = GlobalLocal().draw_candidates(finite, every[:20], tried_keys, rng)
    assert set(make_keys(finite, U)) == set(make_keys(finite, every[20:]))


def test_last_candidate_is_found_before_exhaustion_error(finite, rng):
    every = enumerate_all(finite)
    few = GlobalLocal(everywhere=1)
    U = few.draw_candidates(finite, nothing(finite), set(make_keys(finite, every[1:])), rng)
    np.testing.assert_array_equal(U, every[:1])
    with pytest.raises(ExhaustedError, match="All 32 configurations"):
        few.draw_candidates(finite, nothing(finite), set(make_keys(finite, every)), rng)


def test_ties_are_broken_at_random(rng):
    values = np.array([1.0, 3.0, 2.0, 3.0])
    chosen_indices = [choose_argmax_at_random(values, rng) for _ in range(60)]
    assert set(chosen_indices) == {1, 3}
