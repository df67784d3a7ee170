import math

import numpy as np
import pytest
from scipy import stats

from studio.errors import SurrogateError
from studio.surrogates.chain import slice_step

EVERYWHERE = (-np.inf, np.inf)


def chain(log_density, start, steps, *, width, support=EVERYWHERE, seed=0):
    rng = np.random.default_rng(seed)
    x, states = start, []
    for _ in range(steps):
        x, _ = slice_step(log_density, x, log_density(x), rng, width=width, support=support)
        states.append(x)
    return np.array(states)


@pytest.mark.parametrize("width", [2.0, 6.0, 30.0])
def test_slice_sampler_samples_normal_density(width):
    # Every 15th state: at the smallest width states are correlated, and the test needs draws.
    states = chain(lambda x: -0.5 * (x - 1) ** 2, 0.0, 15 * 1500, width=width)[::15]
    assert stats.kstest(states, stats.norm(1, 1).cdf).pvalue > 0.01


def test_slice_sampler_respects_bounds():
    density = stats.gamma(1.0)
    states = chain(lambda x: -x, 1.0, 9000, width=4.0, support=(0.0, np.inf))[::6]
    assert states.min() >= 0.0
    assert stats.kstest(states, density.cdf).pvalue > 0.01


def test_slice_sampler_samples_uniform_density():
    states = chain(lambda x: 0.0, 0.3, 3000, width=0.8, support=(0.0, 1.0))[::2]
    assert stats.kstest(states, stats.uniform.cdf).pvalue > 0.01


@pytest.mark.slow
def test_slice_sampler_mixes_between_two_modes():
    def log_density(x):
        return np.logaddexp(math.log(0.3) - 0.5 * (x + 2) ** 2, math.log(0.7) - 0.5 * (x - 2) ** 2)

    states = chain(log_density, 0.0, 20_000, width=8.0)
    assert np.mean(states > 0) == pytest.approx(
        0.3 * stats.norm.sf(2) + 0.7 * stats.norm.cdf(2), abs=0.03
    )


def test_slice_sampler_returns_density_at_new_state():
    visited = []

    def log_density(x):
        visited.append(x)
        return -abs(x)

    x, height = slice_step(
        log_density, 0.5, -0.5, np.random.default_rng(3), width=1.0, support=EVERYWHERE
    )
    assert x == visited[-1]
    assert height == -abs(x)


def test_states_are_determined_by_seed():
    runs = [chain(lambda x: -(x**4), 0.0, 50, width=1.0, seed=5) for _ in range(2)]
    np.testing.assert_array_equal(*runs)


def test_nan_density_is_rejected_without_hanging():
    for broken in (lambda x: math.nan, lambda x: math.nan if x != 0.0 else 0.0):
        with pytest.raises(SurrogateError, match="not a number"):
            chain(broken, 0.0, 1, width=1.0)


def test_sampler_does_not_leave_single_point_density():
    states = chain(lambda x: 0.0 if x == 0.25 else -math.inf, 0.25, 3, width=1.0)
    assert states.tolist() == [0.25] * 3
