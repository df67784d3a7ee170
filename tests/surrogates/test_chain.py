import math

import numpy as np
import pytest
from scipy import integrate, stats

from studio.surrogates import chain
from studio.surrogates.chain import make_initial_state, sample_posterior
from studio.surrogates.evidence import (
    LOG_NOISE,
    Hyperparameters,
    compute_log_evidence,
    horseshoe_log_density,
    log_normal_density,
    make_blocks,
)
from studio.surrogates.kernels.distance import Matern


def make_blocks_of(X, y, groups=None):
    groups = np.zeros(len(X), dtype=np.int64) if groups is None else np.asarray(groups)
    return make_blocks(Matern(), X, groups, y)


def columns(thetas):
    return np.array([[t.mean, t.log_amplitude, t.log_noise, *t.log_length_scales] for t in thetas])


@pytest.mark.slow
def test_chain_without_observations_samples_priors():
    thetas = sample_posterior([], make_initial_state(2), 20, 6000, np.random.default_rng(1))
    states = columns(thetas)[::4]
    for column in (1, 3, 4):
        assert stats.kstest(states[:, column], stats.norm.cdf).pvalue > 0.01
    support = LOG_NOISE
    total, _ = integrate.quad(lambda x: math.exp(horseshoe_log_density(x)), *support, limit=200)
    grid = np.linspace(*support, 4001)
    density = np.exp([horseshoe_log_density(x) for x in grid]) / total
    cumulated = integrate.cumulative_trapezoid(density, grid, initial=0.0)
    cdf = lambda x: np.interp(x, grid, cumulated)  # noqa: E731
    assert stats.kstest(states[:, 2], cdf).pvalue > 0.01
    assert (states[:, 0] == 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("groups", [[0, 0, 0, 0], [0, 0, 1, 1]])
def test_chain_samples_posterior(groups):
    """Compare with the posterior on a grid over mean, amplitude, noise and one length scale."""
    X = np.array([[0.1], [0.3], [0.45], [0.9]])
    y = np.array([-1.2, 0.1, 1.3, -0.2])
    blocks = make_blocks_of(X, y, groups)
    axes = [
        np.linspace(y.min(), y.max(), 13),
        np.linspace(-4.0, 4.0, 15),
        np.linspace(-14.0, 4.5, 21),
        np.linspace(-4.0, 4.0, 15),
    ]
    # It is quadratic in the mean: three of its values give the others.
    three = axes[0][[0, 6, 12]]
    log_densities = np.empty([3, *(len(axis) for axis in axes[1:])])
    for index in np.ndindex(log_densities.shape):
        m, a, v, length = (axis[i] for axis, i in zip([three, *axes[1:]], index, strict=True))
        log_densities[index] = (
            compute_log_evidence(blocks, Hyperparameters(m, a, v, np.array([length])))
            + log_normal_density(a)
            + log_normal_density(length)
            + horseshoe_log_density(v)
        )
    quadratic = np.vander(axes[0], 3) @ np.linalg.inv(np.vander(three, 3))
    log_posterior = np.einsum("mt,tavl->mavl", quadratic, log_densities)
    weights = np.exp(log_posterior - log_posterior.max())
    # The mean's support ends at the first and last grid line: trapezoid weights there.
    weights[[0, -1]] *= 0.5
    weights /= weights.sum()
    states = columns(
        sample_posterior(blocks, make_initial_state(1), 50, 7000, np.random.default_rng(2))
    )
    for column, axis in enumerate(axes):
        marginal = weights.sum(axis=tuple(d for d in range(4) if d != column))
        mean = float(marginal @ axis)
        deviation = math.sqrt(float(marginal @ (axis - mean) ** 2))
        assert states[:, column].mean() == pytest.approx(mean, abs=0.08 * deviation)
        assert states[:, column].std() == pytest.approx(deviation, rel=0.08)
    joint = np.einsum("mavl,a,l->", weights, axes[1], axes[3])
    product_mean = (states[:, 1] * states[:, 3]).mean()
    assert product_mean == pytest.approx(joint, abs=0.08)


@pytest.mark.slow
def test_length_scale_of_irrelevant_dimension_follows_prior(rng):
    X = np.column_stack([rng.random(6), np.full(6, 0.5)])
    blocks = make_blocks_of(X, rng.standard_normal(6))
    states = columns(
        sample_posterior(blocks, make_initial_state(2), 5, 1500, np.random.default_rng(3))
    )
    assert stats.kstest(states[:, 4], stats.norm.cdf).pvalue > 0.01


def test_chain_recovers_generating_length_scales(rng):
    X = rng.random((80, 2))
    y = np.sin(9.0 * X[:, 0])
    y = (y - y.mean()) / y.std()
    states = columns(
        sample_posterior(
            make_blocks_of(X, y), make_initial_state(2), 60, 60, np.random.default_rng(4)
        )
    )
    short, long = np.exp(np.median(states[:, 3:], axis=0))
    assert short < 0.5
    assert long > 4.0 * short
    assert np.exp(np.median(states[:, 2])) < 1e-3


def test_mean_is_between_lowest_and_highest_target(rng):
    y = np.array([-0.1, 0.4, 0.2])
    states = columns(
        sample_posterior(make_blocks_of(rng.random((3, 1)), y), make_initial_state(1), 0, 500, rng)
    )
    assert states[:, 0].min() >= -0.1
    assert states[:, 0].max() <= 0.4


def test_chain_is_deterministic_and_does_not_modify_start(rng):
    X, y = rng.random((15, 3)), rng.standard_normal(15)
    start = make_initial_state(3)
    chains = [
        columns(sample_posterior(make_blocks_of(X, y), start, 3, 4, np.random.default_rng(9)))
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*chains)
    assert not start.log_length_scales.any()


def test_burn_in_starts_with_few_observations(rng, monkeypatch):
    sweep_calls = []
    sweeps = chain._run_sweeps

    def watched(blocks, theta, count, rng):
        sweep_calls.append(([len(block.targets) for block in blocks], count))
        return sweeps(blocks, theta, count, rng)

    monkeypatch.setattr(chain, "_run_sweeps", watched)
    X, y = rng.random((148, 2)), rng.standard_normal(148)
    blocks = make_blocks_of(X, y, [0] * 18 + [1] * 30 + [2] * 100)
    assert len(sample_posterior(blocks, make_initial_state(2), 20, 3, rng)) == 3
    assert sweep_calls == [([18, 20, 20], 3), ([18, 30, 40], 4), ([18, 30, 100], 8)]
    sweep_calls.clear()
    assert len(sample_posterior(blocks, make_initial_state(2), 10, 3, rng)) == 3
    assert [count for _, count in sweep_calls] == [1, 2, 3 + 3]
    sweep_calls.clear()
    assert len(sample_posterior(blocks[:2], make_initial_state(2), 20, 3, rng)) == 3
    assert sweep_calls == [([18, 30], 23)]
