import numpy as np
import pytest

from studio.acquisition.maximisers.local_search import LocalSearch
from studio.space.parameters import Float, Integer
from studio.space.space import Space


def test_it_climbs_from_an_incumbent_to_a_peak_that_random_settings_miss(rng):
    space = Space("grid", tuple(Integer(f"k{number}", 0, 15) for number in range(6)))
    goal = np.full(6, 0.5) + 0.5 / 16

    def score(U):
        return -np.abs(U - goal).sum(axis=1)

    search = LocalSearch(starts=1, candidates=1)
    start = np.full((1, 6), 0.5 / 16)
    assert search.maximise(space, score, start, set(), rng).value == pytest.approx(0.0, abs=1e-9)


def test_no_row_is_scored_twice(finite, rng):
    scored = []

    def score(U):
        scored.extend(row.tobytes() for row in U)
        return np.nansum(U, axis=1)

    LocalSearch().maximise(finite, score, np.empty((0, 5)), set(), rng)
    assert len(scored) == len(set(scored)) <= 32


def test_all_starts_move_in_one_call(mixed, rng):
    calls = []

    def score(U):
        calls.append(len(U))
        return -np.nansum((U - 0.3) ** 2, axis=1)

    LocalSearch(steps=7).maximise(mixed, score, np.empty((0, 4)), set(), rng)
    assert len(calls) <= 8


def test_it_stops_after_the_given_number_of_steps(rng):
    space = Space("line", (Integer("k", 0, 1000),))

    def calls(steps):
        asked = []

        def score(U):
            asked.append(len(U))
            return U[:, 0]

        search = LocalSearch(starts=1, candidates=1, steps=steps, gain=0.0)
        search.maximise(space, score, np.zeros((1, 1)), set(), np.random.default_rng(0))
        return len(asked)

    # One call for the random candidate, one for the start, then one a step.
    assert [calls(1), calls(2), calls(5)] == [3, 4, 7]


def test_it_stops_when_the_gain_falls_below_the_threshold(rng):
    space = Space("line", (Float("x", 0.0, 1.0),))
    calls = []

    def score(U):
        calls.append(len(U))
        return 100.0 + 1e-3 * U[:, 0]

    search = LocalSearch(starts=1, candidates=1, gain=1e-3)
    search.maximise(space, score, np.zeros((1, 1)), set(), rng)
    assert len(calls) == 3


def test_it_refines_continuous_settings(box, rng):
    goal = np.array([0.123456, 0.654321])

    def score(U):
        return -((U - goal) ** 2).sum(axis=1)

    found = LocalSearch(gain=0.0).maximise(box, score, np.empty((0, 2)), set(), rng)
    np.testing.assert_allclose(found.u, goal, atol=2e-3)
