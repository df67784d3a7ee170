import numpy as np
import pytest
from scipy import integrate, stats

from studio.surrogates.evidence import (
    LOG_AMPLITUDE,
    LOG_LENGTH_SCALE_BOUNDS,
    LOG_NOISE,
    horseshoe_log_density,
    log_normal_density,
)


def normalised(log_density, support):
    total, _ = integrate.quad(lambda x: np.exp(log_density(x)), *support, limit=200)
    return lambda x: np.exp(log_density(x)) / total


def test_length_scales_and_amplitude_are_log_normal():
    density = normalised(log_normal_density, LOG_LENGTH_SCALE_BOUNDS)
    # Density of the length scale itself, by the Jacobian 1 / length.
    for length in (0.1, 1.0, 5.0):
        expected = stats.lognorm(1.0).pdf(length)
        assert density(np.log(length)) / length == pytest.approx(expected, rel=1e-6)


def test_noise_variance_has_horseshoe_density():
    density = normalised(horseshoe_log_density, LOG_NOISE)
    ratio = (density(np.log(0.1)) / 0.1) / (density(np.log(2.0)) / 2.0)
    assert ratio == pytest.approx(np.log1p(1 / 0.1**2) / np.log1p(1 / 2.0**2), rel=1e-9)


def test_prior_mass_outside_supports_is_negligible():
    inside, _ = integrate.quad(lambda v: np.log1p(v**-2.0), 0, np.inf, limit=200)
    below, _ = integrate.quad(lambda v: np.log1p(v**-2.0), 0, 1e-10)
    above, _ = integrate.quad(lambda v: np.log1p(v**-2.0), 1e4, np.inf)
    assert (below + above) / inside < 1e-4
    assert LOG_LENGTH_SCALE_BOUNDS == LOG_AMPLITUDE == (-8.0, 8.0)
    assert pytest.approx((1e-10, 1e4)) == np.exp(LOG_NOISE)
    assert stats.norm.sf(LOG_LENGTH_SCALE_BOUNDS[1]) < 1e-14
