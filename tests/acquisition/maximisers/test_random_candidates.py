import numpy as np

from studio.acquisition.maximisers.global_local import RandomCandidates


def test_random_candidates_draws_requested_number(mixed, rng):
    calls = []

    def score(U):
        calls.append(len(U))
        return np.nansum(U, axis=1)

    RandomCandidates(samples=250).maximise(mixed, score, np.empty((0, 4)), set(), rng)
    assert calls == [250]
