"""Probability of improvement."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtr

from studio.acquisition.criteria.base import Criterion
from studio.arrays import Floats


@dataclass(frozen=True)
class ProbabilityOfImprovement(Criterion):
    """PI = Phi(z), z = (f_best - mu) / sigma (Kushner 1964; thesis 2.2)."""

    key: ClassVar[str] = "pi"
    title: ClassVar[str] = "Probability of improvement"
    summary: ClassVar[str] = (
        "How likely a setting is to beat the best so far, by however little. Stays close to "
        "good settings."
    )
    reference: ClassVar[str] = "Kushner 1964; thesis 2.2"

    def value(self, mean: Floats, variance: Floats, best: Floats) -> Floats:
        """Return the probability, shape (S, q)."""
        probability: Floats = ndtr((best - mean) / np.sqrt(variance))
        return probability

    def slopes(self, mean: Floats, variance: Floats, best: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives -phi(z) / sigma and -z phi(z) / (2 sigma^2), shape (S, q) each."""
        sigma = np.sqrt(variance)
        z = (best - mean) / sigma
        density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        return -density / sigma, -z * density / (2.0 * variance)
