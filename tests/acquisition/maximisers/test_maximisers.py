"""Contract of all maximisers."""

import numpy as np
import pytest

from studio.acquisition.maximisers.base import Acquisition, Maximiser
from studio.acquisition.maximisers.global_local import RandomCandidates
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.acquisition.maximisers.sobol_lbfgs import SobolLbfgs
from studio.acquisition.registry import CRITERIA, MAXIMISERS
from studio.errors import ExhaustedError
from studio.space.encoding import enumerate_all, make_keys, sample, snap
from studio.space.parameters import Constant
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess

EVERY = pytest.mark.parametrize("maximiser", [made() for made in MAXIMISERS], ids=lambda m: m.key)


def peak(U):
    """Score rows by distance from a point, ignoring inactive coordinates."""
    away = np.where(np.isnan(U), 0.0, U - np.linspace(0.2, 0.9, U.shape[1]))
    return -(away**2).sum(axis=1)


def peak_gradient(U):
    away = np.where(np.isnan(U), 0.0, U - np.linspace(0.2, 0.9, U.shape[1]))
    return peak(U), -2.0 * away


def nothing(space):
    return np.empty((0, space.dimensions))


def test_maximisers_have_distinct_keys_and_descriptions():
    assert len({maximiser.key for maximiser in MAXIMISERS}) == len(MAXIMISERS)
    for maximiser in MAXIMISERS:
        assert maximiser.title
        assert maximiser.reference
        assert maximiser.summary.endswith(".")
    with pytest.raises(TypeError, match="abstract"):
        Maximiser()


def test_maximisers_have_default_numbers_of_candidates():
    assert LocalSearch() == LocalSearch(starts=20, candidates=1000, steps=100, gain=1e-3)
    assert SobolLbfgs() == SobolLbfgs(points=1024, starts=20, iterations=50)
    assert RandomCandidates() == RandomCandidates(samples=1000)


@pytest.mark.slow
@EVERY
def test_maximiser_ranks_small_space_until_exhausted(maximiser, finite, rng):
    every = enumerate_all(finite)
    expected = np.sort(peak(every))[::-1]
    tried_keys, rows, maximum_values = set(), nothing(finite), []
    for _ in range(len(every)):
        maximum = maximiser.maximise(finite, peak, rows, tried_keys, rng, gradient=peak_gradient)
        (key,) = make_keys(finite, maximum.u[None, :])
        assert key not in tried_keys
        assert maximum.value == pytest.approx(peak(maximum.u[None, :])[0])
        tried_keys.add(key)
        rows = np.concatenate([maximum.u[None, :], rows])
        maximum_values.append(maximum.value)
    np.testing.assert_allclose(maximum_values, expected, atol=1e-12)
    with pytest.raises(ExhaustedError, match="All 32 configurations"):
        maximiser.maximise(finite, peak, rows, tried_keys, rng, gradient=peak_gradient)


@EVERY
def test_maximiser_approaches_peak_of_mixed_space(maximiser, mixed, rng):
    def score(U):
        return peak(U) - 10.0 * np.isnan(U[:, 1])

    def gradient(U):
        return score(U), peak_gradient(U)[1]

    maximum = maximiser.maximise(mixed, score, nothing(mixed), set(), rng, gradient=gradient)
    away = 0.05 if maximiser.key in {"random", "global-local"} else 1e-3
    np.testing.assert_allclose(maximum.u[1:3], np.linspace(0.2, 0.9, 4)[1:3], atol=away)
    np.testing.assert_array_equal(snap(mixed, maximum.u[None, :])[0], maximum.u)


@EVERY
def test_maximiser_is_reproducible(maximiser, mixed, rng):
    U = sample(mixed, rng, 10)
    one, two = (
        maximiser.maximise(
            mixed,
            peak,
            U,
            set(make_keys(mixed, U)),
            np.random.default_rng(4),
            gradient=peak_gradient,
        )
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.u, two.u)
    assert one.value == two.value


@EVERY
def test_ties_depend_on_seed(maximiser, finite):
    def flat(U):
        return np.zeros(len(U))

    def flat_gradient(U):
        return np.zeros(len(U)), np.zeros(U.shape)

    chosen_rows = {
        maximiser.maximise(
            finite,
            flat,
            nothing(finite),
            set(),
            np.random.default_rng(seed),
            gradient=flat_gradient,
        ).u.tobytes()
        for seed in range(12)
    }
    assert len(chosen_rows) > 4


@EVERY
def test_maximiser_does_not_modify_arguments(maximiser, mixed, rng):
    U = sample(mixed, rng, 25)
    before = U.copy()
    maximiser.maximise(mixed, peak, U, set(), rng, gradient=peak_gradient)
    np.testing.assert_array_equal(U, before)


@EVERY
def test_maximiser_supports_space_of_one_configuration(maximiser, rng):
    space = Space("fixed", (Constant("algorithm", "only"),))

    def score(U):
        return np.zeros(len(U))

    def gradient(U):
        return score(U), np.zeros(U.shape)

    maximum = maximiser.maximise(space, score, nothing(space), set(), rng, gradient=gradient)
    assert maximum.u.shape == (0,)
    with pytest.raises(ExhaustedError):
        maximiser.maximise(space, score, nothing(space), {b""}, rng, gradient=gradient)


@EVERY
@pytest.mark.parametrize("criterion", CRITERIA)
def test_maximiser_supports_every_criterion_of_gaussian_process(maximiser, criterion, mixed, rng):
    U = sample(mixed, rng, 25)
    tried_keys = set(make_keys(mixed, U))
    targets = np.nansum(np.sin(4.0 * U), axis=1)
    posterior = GaussianProcess(samples=3, burn_in=3).fit(mixed, U, targets, rng)
    acquisition = Acquisition(posterior, criterion())
    maximum = maximiser.maximise(
        mixed, acquisition, U, tried_keys, rng, gradient=acquisition.value_and_gradient
    )
    others = sample(mixed, np.random.default_rng(1), 300)
    elsewhere = acquisition(others[[key not in tried_keys for key in make_keys(mixed, others)]])
    assert maximum.value == pytest.approx(acquisition(maximum.u[None, :])[0])
    assert maximum.value >= np.quantile(elsewhere, 0.99)
    assert make_keys(mixed, maximum.u[None, :])[0] not in tried_keys
