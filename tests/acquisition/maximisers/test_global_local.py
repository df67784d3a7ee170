import numpy as np

from studio.acquisition.maximisers.global_local import GlobalLocal
from studio.space.encoding import make_keys, sample


def test_global_local_returns_best_candidate(mixed):
    observed = sample(mixed, np.random.default_rng(0), 12)
    tried_keys = set(make_keys(mixed, observed))
    maximiser = GlobalLocal(everywhere=60, around=30)
    rows = maximiser.draw_candidates(mixed, observed, tried_keys, np.random.default_rng(4))
    assert len(rows) <= 90

    def score(U):
        return np.nansum(np.cos(9.0 * U), axis=1)

    maximum = maximiser.maximise(mixed, score, observed, tried_keys, np.random.default_rng(4))
    assert maximum.value == score(rows).max()
    np.testing.assert_array_equal(maximum.u, rows[score(rows).argmax()])


def test_global_local_defaults_match_paper():
    assert GlobalLocal() == GlobalLocal(everywhere=4950, around=50)


def test_local_candidates_find_peak_near_best_trial(box):
    observed = np.array([[0.5, 0.5]])

    def score(U):
        # Only on the lines through the observation, which random draws never hit.
        return np.where((U == 0.5).any(axis=1), 1.0, 0.0)

    rng = np.random.default_rng(1)
    tried_keys = set(make_keys(box, observed))
    assert GlobalLocal().maximise(box, score, observed, tried_keys, rng).value == 1.0
    assert GlobalLocal(around=0).maximise(box, score, observed, tried_keys, rng).value == 0.0
