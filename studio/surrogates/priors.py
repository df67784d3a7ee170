"""Priors on the Gaussian process' own hyperparameters (thesis 5.5), in log coordinates.

The chain moves in log l_d, log a and log nu, where l_d are the length scales, a = sigma_a^2 the
amplitude *as a variance* and nu the noise *as a variance*, all for standardised targets. Every
density below is the proper one of the logarithm, its Jacobian included:

- l_d and a are log-normal(0, 1), so their logarithms are standard normal. (The reference codes
  differ: -log(s)^2/2 added for s = a, or for s = sqrt(a), without a Jacobian.)
- nu has the horseshoe density of scale 1, p(nu) proportional to log(1 + 1/nu^2) (Carvalho, Polson
  & Scott 2009, in the closed form of Snoek's code), hence p(nu) nu for log nu.
- The constant mean m is uniform between the lowest and the highest target.

Supports are cut off where nothing is left to learn, so that no computation overflows.
"""

import math

LOG_LENGTH = (-8.0, 8.0)
"""Support of log l_d: eight standard deviations of its prior either way."""

LOG_AMPLITUDE = (-8.0, 8.0)
"""Support of log sigma_a^2."""

LOG_NOISE = (math.log(1e-10), math.log(1e4))
"""Support of log nu: below 1e-10 of the targets' variance the noise cannot be seen."""

NOISE_SCALE = 1.0
"""Scale of the horseshoe prior on the noise variance (thesis 5.5)."""


def log_normal(x: float) -> float:
    """Return the log density, up to a constant, of x = log l_d or x = log sigma_a^2."""
    return -0.5 * x * x


def horseshoe(x: float) -> float:
    """Return the log density, up to a constant, of x = log nu."""
    return math.log(math.log1p(NOISE_SCALE**2 * math.exp(-2.0 * x))) + x
