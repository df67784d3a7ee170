import numpy as np
import pytest

from studio.acquisition.maximisers import local_search
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.space.encoding import sample
from studio.space.neighbours import find_neighbours
from studio.space.parameters import Categorical, Condition, Float, Integer
from studio.space.space import Space


def test_local_search_climbs_from_incumbent_to_narrow_peak(rng):
    space = Space("grid", tuple(Integer(f"k{number}", 0, 15) for number in range(6)))
    goal = np.full(6, 0.5) + 0.5 / 16

    def score(U):
        return -np.abs(U - goal).sum(axis=1)

    search = LocalSearch(starts=1, candidates=1)
    start = np.full((1, 6), 0.5 / 16)
    assert search.maximise(space, score, start, set(), rng).value == pytest.approx(0.0, abs=1e-9)


def test_local_search_scores_each_row_once(finite, rng):
    scored = []

    def score(U):
        scored.extend(row.tobytes() for row in U)
        return np.nansum(U, axis=1)

    LocalSearch().maximise(finite, score, np.empty((0, 5)), set(), rng)
    assert len(scored) == len(set(scored)) <= 32


def test_local_search_moves_all_starts_in_one_call(mixed, rng):
    calls = []

    def score(U):
        calls.append(len(U))
        return -np.nansum((U - 0.3) ** 2, axis=1)

    LocalSearch(steps=7).maximise(mixed, score, np.empty((0, 4)), set(), rng)
    assert len(calls) <= 8


def test_local_search_stops_at_maximum_number_of_steps(rng):
    space = Space("line", (Integer("k", 0, 1000),))

    def calls(steps):
        batch_sizes = []

        def score(U):
            batch_sizes.append(len(U))
            return U[:, 0]

        search = LocalSearch(starts=1, candidates=1, steps=steps, gain=0.0)
        search.maximise(space, score, np.zeros((1, 1)), set(), np.random.default_rng(0))
        return len(batch_sizes)

    # One call each for the random candidate, the start and every step.
    assert [calls(1), calls(2), calls(5)] == [3, 4, 7]


def test_local_search_stops_below_minimum_gain(rng):
    space = Space("line", (Float("x", 0.0, 1.0),))
    calls = []

    def score(U):
        calls.append(len(U))
        return 100.0 + 1e-3 * U[:, 0]

    search = LocalSearch(starts=1, candidates=1, gain=1e-3)
    search.maximise(space, score, np.zeros((1, 1)), set(), rng)
    assert len(calls) == 3


def test_local_search_refines_continuous_hyperparameters(box, rng):
    goal = np.array([0.123456, 0.654321])

    def score(U):
        return -((U - goal) ** 2).sum(axis=1)

    maximum = LocalSearch(gain=0.0).maximise(box, score, np.empty((0, 2)), set(), rng)
    np.testing.assert_allclose(maximum.u, goal, atol=2e-3)


@pytest.mark.parametrize("height", [1.0, 0.0], ids=["peak", "plain"])
def test_local_search_shrinks_step_without_better_neighbour(box, rng, height):
    start = np.array([[0.5, 0.5]])
    batches = []

    def score(U):
        batches.append(U)
        return -height * np.abs(U - start).sum(axis=1)

    search = LocalSearch(starts=1, candidates=1)
    maximum = search.maximise(box, score, start, set(), rng)
    assert maximum.value == 0.0
    # After the random one and the start: steps of 0.1, 0.025, 0.00625, 0.0015625.
    closer = batches[2:]
    assert len(closer) == 4
    for size, around in zip([0.1, 0.025, 0.00625, 0.0015625], closer, strict=True):
        assert len(around) == 8
        assert ((around != start).sum(axis=1) == 1).all()
        away = np.abs(around - start).max(axis=1)
        assert 0.1 * size < away.max() < 4.0 * size


def test_local_search_refines_active_continuous_hyperparameters_only(monkeypatch):
    space = Space(
        "either",
        (
            Categorical("algorithm", ("a", "b", "c")),
            Float("a.x", 0.0, 1.0, conditions=(Condition("algorithm", ("a",)),)),
            Float("b.y", 0.0, 1.0, conditions=(Condition("algorithm", ("b",)),)),
        ),
    )

    def rounds(start):
        row_counts = []

        def spy(space, rows, *rest):
            row_counts.append(len(rows))
            return find_neighbours(space, rows, *rest)

        def score(U):
            return np.where((np.nan_to_num(U) == np.nan_to_num(start)).all(axis=1), 1.0, 0.0)

        monkeypatch.setattr(local_search, "find_neighbours", spy)
        search = LocalSearch(starts=1, candidates=1)
        search.maximise(space, score, start, set(), np.random.default_rng(0))
        return np.count_nonzero(row_counts[1:])  # the first batch has the candidates for starts

    assert rounds(np.array([[1 / 6, 0.5, np.nan]])) == 4
    assert rounds(np.array([[5 / 6, np.nan, np.nan]])) == 1

    # Starts are independent of each other.
    starts = np.array([[1 / 6, 0.5, np.nan], [5 / 6, np.nan, np.nan]])
    looked_at = []

    def record_rows(space, rows, *rest):
        looked_at.append(rows.copy())
        return find_neighbours(space, rows, *rest)

    monkeypatch.setattr(local_search, "find_neighbours", record_rows)
    LocalSearch(starts=8, candidates=1).maximise(
        space, lambda U: np.zeros(len(U)), starts, set(), np.random.default_rng(0)
    )
    np.testing.assert_array_equal(looked_at[1][:2], starts)
    assert len(looked_at[2])
    assert not np.isnan(looked_at[2][:, 1:]).all(axis=1).any()


def test_local_search_merges_coinciding_starts(monkeypatch, rng):
    space = Space("line", (Integer("k", 0, 14),))
    places = []

    def record_places(space, rows, *rest):
        places.append(np.rint(rows[:, 0] * 15.0 - 0.5).astype(int).tolist())
        return find_neighbours(space, rows, *rest)

    monkeypatch.setattr(local_search, "find_neighbours", record_places)
    # One start on each side of the maximum; a random row and the neighbours are starts as well.
    observed = (np.array([[5.0], [9.0]]) + 0.5) / 15.0
    LocalSearch(starts=8, candidates=1, gain=0.0).maximise(
        space, lambda U: 20.0 - np.abs(U[:, 0] * 15.0 - 7.5), observed, set(), rng
    )
    for rows in places:
        assert len(set(rows)) == len(rows)
    assert {5, 9} <= set(places[1])
    assert {6, 8} <= set(places[2])
    assert 7 in places[3]


def test_local_search_starts_from_best_observed_and_promising_rows(mixed, rng, monkeypatch):
    observed = sample(mixed, rng, 250)
    row_batches, scored = [], []

    def spy(space, rows, *rest):
        row_batches.append(rows.copy())
        return find_neighbours(space, rows, *rest)

    def score(U):
        scored.append(U)
        return -np.nansum((U - 0.3) ** 2, axis=1)

    monkeypatch.setattr(local_search, "find_neighbours", spy)
    LocalSearch(starts=12, candidates=300).maximise(mixed, score, observed, set(), rng)
    np.testing.assert_array_equal(row_batches[0], observed[:200])
    starts, pool = row_batches[1], scored[0]
    assert len(starts) <= 12
    np.testing.assert_array_equal(starts[:3], observed[:3])
    best = pool[np.argmax(-np.nansum((pool - 0.3) ** 2, axis=1))]
    np.testing.assert_array_equal(starts[3], best)
    # Starts that reach the same row are merged.
    for rows in row_batches[1:]:
        assert len(np.unique(rows, axis=0)) == len(rows)

    row_batches.clear()
    LocalSearch(starts=1, candidates=1).maximise(mixed, score, observed, set(), rng)
    np.testing.assert_array_equal(row_batches[1], observed[:1])
