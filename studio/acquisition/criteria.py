"""Acquisition criteria: improvement, its logarithm and probability, and a confidence bound."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr, logsumexp, ndtr, softmax

from studio.arrays import Floats
from studio.parts import Part, option


class Criterion(Part, ABC):
    """Base of all criteria; losses are minimised, criteria maximised."""

    @abstractmethod
    def compute_values(self, mean: Floats, variance: Floats, best: Floats) -> Floats:
        """Return the criterion for each prediction, (S, q); higher is more promising.

        Args:
            mean, variance: Shape (S, q). Predictions of S models; variances are positive.
            best: Shape (S, 1). The lowest observed objective of each model, f_best.
        """

    @abstractmethod
    def compute_derivatives(
        self, mean: Floats, variance: Floats, best: Floats
    ) -> tuple[Floats, Floats]:
        """Return the values' derivatives in mean and variance, shape (S, q) each."""

    def average(self, values: Floats) -> Floats:
        """Return the criterion integrated over the models (thesis eq. 2.17), shape (q,)."""
        averaged: Floats = values.mean(axis=0)
        return averaged

    def average_gradient(self, values: Floats) -> Floats:
        """Return the derivatives of :meth:`average` in the values, shape (S, q)."""
        return np.full(values.shape, 1.0 / len(values))


_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class ExpectedImprovement(Criterion):
    """EI = sigma (z Phi(z) + phi(z)), z = (f_best - mu) / sigma (thesis eq. 2.10-2.11)."""

    key = "ei"
    title = "Expected improvement"
    summary = "The expected improvement over the best so far. The usual choice."
    reference = "thesis eq. 2.10; SMBEO eq. 3 (which prints the variance)"

    def compute_values(self, mean: Floats, variance: Floats, best: Floats) -> Floats:
        sigma = np.sqrt(variance)
        z = (best - mean) / sigma
        # Rounding in the far tail may leave a tiny negative number.
        improvement: Floats = sigma * np.maximum(z * ndtr(z) + _compute_density(z), 0.0)
        return improvement

    def compute_derivatives(
        self, mean: Floats, variance: Floats, best: Floats
    ) -> tuple[Floats, Floats]:
        """Return -Phi(z) and phi(z) / (2 sigma), the derivatives in mean and variance, (S, q)."""
        sigma = np.sqrt(variance)
        z = (best - mean) / sigma
        return -ndtr(z), _compute_density(z) / (2.0 * sigma)


@dataclass(frozen=True)
class LogExpectedImprovement(Criterion):
    """log EI, accurate where EI itself underflows to 0 (Ament et al. 2023, eq. 9).

    EI is averaged over the models before taking the logarithm, so the maximiser is that of EI.
    """

    key = "log-ei"
    title = "Log expected improvement"
    summary = (
        "Expected improvement on a logarithmic scale. The same choice, found more reliably "
        "when hardly any improvement is left."
    )
    reference = "Ament et al. 2023, eq. 9; thesis eq. 2.10"

    def compute_values(self, mean: Floats, variance: Floats, best: Floats) -> Floats:
        """Return log EI, shape (S, q)."""
        sigma = np.sqrt(variance)
        logarithm: Floats = np.log(sigma) + _log_h((best - mean) / sigma)
        return logarithm

    def compute_derivatives(
        self, mean: Floats, variance: Floats, best: Floats
    ) -> tuple[Floats, Floats]:
        """Return the derivatives, shape (S, q) each.

        They are -Phi / (sigma h) and phi / (2 sigma^2 h), h = z Phi + phi.
        """
        sigma = np.sqrt(variance)
        z = (best - mean) / sigma
        log_h = _log_h(z)
        d_mean = -np.exp(log_ndtr(z) - log_h) / sigma
        d_variance = np.exp(-0.5 * z * z - _LOG_SQRT_2PI - log_h) / (2.0 * variance)
        return d_mean, d_variance

    def average(self, values: Floats) -> Floats:
        """Return the logarithm of the mean of EI over the models, shape (q,)."""
        averaged: Floats = logsumexp(values, axis=0) - math.log(len(values))
        return averaged

    def average_gradient(self, values: Floats) -> Floats:
        """Return each model's share of the mean of EI, shape (S, q)."""
        weights: Floats = softmax(values, axis=0)
        return weights


def _compute_density(z: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * z * z - _LOG_SQRT_2PI)
    return density


def _log_h(z: Floats) -> Floats:
    """Return log(z Phi(z) + phi(z)), any shape, without cancellation.

    For z < -1 it is log phi(z) + log(1 - |z| R), with Mills' ratio
    R = sqrt(pi/2) erfcx(|z| / sqrt 2). Below about z = -1000 that difference cancels as well and is
    replaced by its expansion 1/z^2 - 3/z^4 + 15/z^6.
    """
    upper_part = np.maximum(z, -1.0)
    middle_part = np.clip(z, -100.0, -1.0)
    lower_part = np.clip(z, -np.inf, -100.0)
    direct = np.log(upper_part * ndtr(upper_part) + _compute_density(upper_part))
    mills = math.sqrt(math.pi / 2.0) * erfcx(-middle_part / math.sqrt(2.0))
    scaled = -0.5 * middle_part**2 - _LOG_SQRT_2PI + np.log1p(middle_part * mills)
    inverse = 1.0 / lower_part**2
    expansion = (
        -0.5 * lower_part**2
        - _LOG_SQRT_2PI
        - 2.0 * np.log(-lower_part)
        + np.log1p(-3.0 * inverse + 15.0 * inverse**2 - 105.0 * inverse**3)
    )
    return np.where(z >= -1.0, direct, np.where(z >= -100.0, scaled, expansion))


@dataclass(frozen=True)
class ProbabilityOfImprovement(Criterion):
    """PI = Phi(z), z = (f_best - mu) / sigma (Kushner 1964; thesis 2.2)."""

    key = "pi"
    title = "Probability of improvement"
    summary = "The probability of beating the best so far, however slightly. Explores little."
    reference = "Kushner 1964; thesis 2.2"

    def compute_values(self, mean: Floats, variance: Floats, best: Floats) -> Floats:
        probability: Floats = ndtr((best - mean) / np.sqrt(variance))
        return probability

    def compute_derivatives(
        self, mean: Floats, variance: Floats, best: Floats
    ) -> tuple[Floats, Floats]:
        """Return the derivatives -phi(z) / sigma and -z phi(z) / (2 sigma^2), shape (S, q) each."""
        sigma = np.sqrt(variance)
        z = (best - mean) / sigma
        density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        return -density / sigma, -z * density / (2.0 * variance)


@dataclass(frozen=True)
class LowerConfidenceBound(Criterion):
    """-(mu - kappa sigma), an optimistic bound on the loss (Srinivas et al. 2010)."""

    key = "lcb"
    title = "Lower confidence bound"
    summary = (
        "Prefers configurations with a possibly low loss. One number sets how far it explores."
    )
    reference = "Srinivas et al. 2010; thesis 2.2"

    kappa: float = option(
        2.0,
        low=0.0,
        high=100.0,
        help=("Number of standard deviations subtracted from the prediction."),
    )

    def compute_values(self, mean: Floats, variance: Floats, best: Floats) -> Floats:
        """Return kappa sigma - mu, shape (S, q)."""
        del best
        bound: Floats = self.kappa * np.sqrt(variance) - mean
        return bound

    def compute_derivatives(
        self, mean: Floats, variance: Floats, best: Floats
    ) -> tuple[Floats, Floats]:
        """Return the derivatives -1 and kappa / (2 sigma), shape (S, q) each."""
        del best
        return np.full(mean.shape, -1.0), self.kappa / (2.0 * np.sqrt(variance))
