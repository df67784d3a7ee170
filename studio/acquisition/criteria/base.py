"""Interface of acquisition criteria."""

from abc import ABC, abstractmethod

import numpy as np

from studio.arrays import Floats
from studio.parts import Part


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
