import numpy as np
import pytest

from studio.acquisition.maximisers import base
from studio.acquisition.maximisers.base import choose_maximum, find_distant_starts
from studio.space.encoding import make_keys


def score(U):
    return U[:, 0]


def test_maximiser_chooses_best_allowed_row(box, rng):
    U = np.array([[0.1, 0.0], [0.9, 0.0], [0.5, 0.0]])
    avoid = set(make_keys(box, U[1:2]))
    maximum = choose_maximum(box, score, U, score(U), avoid, rng=rng)
    assert maximum.value == 0.5
    assert maximum.u.tolist() == [0.5, 0.0]


def test_ties_among_allowed_rows_are_broken_at_random(box):
    U = np.column_stack([np.repeat([0.9, 0.5, 0.1], 70), np.linspace(0.0, 1.0, 210)])
    avoid = set(make_keys(box, U[:70]))
    chosen_rows = [
        choose_maximum(box, score, U, score(U), avoid, rng=np.random.default_rng(seed)).u
        for seed in range(40)
    ]
    assert {u[0] for u in chosen_rows} == {0.5}
    assert min(u[1] for u in chosen_rows) < U[80, 1]
    assert max(u[1] for u in chosen_rows) > U[130, 1]


def test_ties_are_sampled_among_best_allowed_rows(box):
    rng = np.random.default_rng(8)
    for seed in range(30):
        U = rng.random((int(rng.integers(1, 300)), 2))
        values = np.floor(U[:, 0] * rng.integers(1, 12))
        is_tried = rng.random(len(U)) < rng.choice([0.0, 0.5, 0.99])
        is_tried[0] = False
        best = np.flatnonzero(~is_tried & (values == values[~is_tried].max()))
        expected = np.random.default_rng(seed).choice(best)
        avoid = set(make_keys(box, U[is_tried]))
        maximum = choose_maximum(box, score, U, values, avoid, rng=np.random.default_rng(seed))
        assert maximum.u.tolist() == U[expected].tolist()
        assert maximum.value == values[expected]


@pytest.mark.parametrize(
    # The last of the first 50 rows may tie with the next one, so further keys are needed.
    ("tried", "looked_up"),
    [(0, [50]), (48, [50]), (49, [50, 300]), (50, [50, 300])],
)
def test_keys_are_computed_lazily(box, rng, monkeypatch, tried, looked_up):
    ranked = np.column_stack([np.linspace(1.0, 0.0, 300)] * 2)
    avoid = set(make_keys(box, ranked[:tried]))
    U = rng.permutation(ranked)
    row_counts = []

    def count_calls(space, rows):
        row_counts.append(len(rows))
        return make_keys(space, rows)

    monkeypatch.setattr(base, "make_keys", count_calls)
    maximum = choose_maximum(box, score, U, score(U), avoid, rng=rng)
    assert row_counts == looked_up
    assert maximum.u.tolist() == ranked[tried].tolist()
    # There may be no further rows.
    row_counts.clear()
    choose_maximum(box, score, U[:30], np.zeros(30), set(), rng=rng)
    assert row_counts == [30]


def test_untried_row_is_sampled_if_candidates_are_exhausted(box, rng):
    U = np.array([[0.1, 0.0], [0.9, 0.0]])
    avoid = set(make_keys(box, U))
    maximum = choose_maximum(box, score, U, score(U), avoid, rng=rng)
    assert make_keys(box, maximum.u[None, :])[0] not in avoid
    assert maximum.value == pytest.approx(maximum.u[0])


def test_returned_row_is_copy(box, rng):
    U = np.array([[0.1, 0.0]])
    choose_maximum(box, score, U, score(U), set(), rng=rng).u[0] = 7.0
    assert U[0, 0] == 0.1


def test_starts_are_local_optima_of_their_neighbourhoods():
    ranked = np.array([[0.50, 0.5], [0.55, 0.45], [0.7, 0.5], [0.52, np.nan], [0.9, 0.9]])
    np.testing.assert_array_equal(find_distant_starts(ranked, 3), ranked[[0, 2, 3]])
    np.testing.assert_array_equal(find_distant_starts(ranked, 9), ranked[[0, 2, 3, 4]])
    # An inactive coordinate is not close to the border, and 0.1 is still close.
    borders = np.array([[0.0, 0.5], [np.nan, 0.5], [1.0, 0.5], [0.1, 0.5]])
    np.testing.assert_array_equal(find_distant_starts(borders, 4), borders[:3])
    assert find_distant_starts(ranked[:0], 3).shape == (0, 2)
    assert find_distant_starts(ranked, 0).shape == (0, 2)


def test_starts_are_searched_among_first_rows_only():
    alike = np.full((99, 1), 0.5)
    other = np.array([[0.9]])
    assert len(find_distant_starts(np.concatenate([alike, other]), 2)) == 2
    assert len(find_distant_starts(np.concatenate([alike, alike[:1], other]), 2)) == 1
