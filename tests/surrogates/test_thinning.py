import numpy as np

from studio.surrogates.evidence import select_representatives


def test_thinning_does_not_change_few_rows(rng):
    assert select_representatives(rng.random((5, 2)), rng.random(5), 5).tolist() == [0, 1, 2, 3, 4]
    assert select_representatives(np.empty((0, 2)), np.empty(0), 3).tolist() == []


def test_thinning_keeps_best_half_and_distant_rows(rng):
    X, y = rng.random((200, 2)), rng.random(200)
    representatives = select_representatives(X, y, 31)
    assert len(representatives) == len(np.unique(representatives)) == 31
    assert (np.diff(representatives) > 0).all()
    assert set(np.argsort(y)[:16]) <= set(representatives)
    # Every row is about as close to a kept one as 31 points in a square allow.
    gap = np.linalg.norm(X[:, None] - X[representatives][None], axis=2).min(axis=1).max()
    random_gaps = [
        np.linalg.norm(X[:, None] - X[rng.permutation(200)[:31]][None], axis=2).min(axis=1).max()
        for _ in range(50)
    ]
    assert gap < np.quantile(random_gaps, 0.05)


def test_furthest_row_equals_brute_force(rng):
    X, y = rng.random((12, 3)), rng.random(12)
    representatives = {int(y.argmin()), int(np.argsort(y)[1])}
    while len(representatives) < 4:
        away = {
            row: min(np.linalg.norm(X[row] - X[other]) for other in representatives)
            for row in set(range(12)) - representatives
        }
        representatives.add(max(away, key=away.get))
    assert select_representatives(X, y, 4).tolist() == sorted(representatives)


def test_thinning_handles_repeated_inputs():
    X = np.repeat([[0.1], [0.9]], 10, axis=0)
    representatives = select_representatives(X, np.arange(20.0), 4)
    assert len(np.unique(representatives)) == 4
    assert X[representatives].max() == 0.9
