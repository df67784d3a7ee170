"""Training of a network for tables in the manner of RealMLP, watching held-out rows and a clock."""

from collections.abc import Callable
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.awake import awake_seconds
from studio.learners.handover import Handover
from studio.learners.real_mlp_course import Course, Recipe
from studio.learners.real_mlp_inputs import Inputs
from studio.learners.real_mlp_network import Network
from studio.learners.real_mlp_plain import plain_network
from studio.learners.real_mlp_target import Target

BEGINNING_ROWS = 2048
"""Most rows by which the weights are scaled at the beginning."""


MIN_WATCHED = 100
"""Fewest watched rows by which the best epoch of a regression is chosen."""


class RealMlpTraining(Handover):
    """Trains a network; hands over a pipeline of scikit-learn's own steps that computes the same.

    Args:
        recipe: What to train, and how.
        classes: Whether classes are predicted.
        seed: Of everything that is drawn.
        level: The quantile that is to be predicted; ``None`` for the mean.
    """

    def __init__(
        self, recipe: Recipe, *, classes: bool, seed: int, level: float | None = None
    ) -> None:
        self.recipe, self.classes, self.seed, self.level = recipe, classes, seed, level

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Train on X of shape (n, d), y of shape (n,), until the watched rows or the clock end."""
        begun = awake_seconds()
        X = np.asarray(X, dtype=np.float64)
        rng = np.random.default_rng(self.seed)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
        weights = weights / weights.mean()
        target = Target.of(np.asarray(y), weights, classes=self.classes, level=self.level)
        inputs = Inputs.of(X, self.recipe.waves, self.recipe.sigma, rng)
        rows = inputs(X)
        network = Network(
            (inputs.width, *[self.recipe.width] * self.recipe.layers, target.width),
            bend=self.recipe.bend,
            batch=min(2 * self.recipe.batch, len(X)),
            classes=self.classes,
            level=self.level,
        )
        network.begin(rows[rng.permutation(len(rows))[:BEGINNING_ROWS]], rng)
        seconds = self.watched.seconds
        course = Course(self.recipe, len(rows), None if seconds is None else begun + seconds)
        epochs = course.run(
            network,
            rows,
            target.wanted(np.asarray(y), self.recipe.smoothing),
            weights.astype(np.float32)[:, None],
            self._score(network, inputs, target),
            rng,
        )
        self.found = {"epochs": epochs}
        return plain_network(network, inputs, target)

    def _score(
        self, network: Network, inputs: Inputs, target: Target
    ) -> Callable[[], float] | None:
        """Return what computes the network's loss on the watched rows, if there are any.

        Of numbers the last epoch is nearly the best one, and so few rows that they would choose
        another one by chance would look better than they are to whoever reads their predictions.
        """
        watched = self.watched
        if watched.X is None or watched.y is None:
            return None
        known = target.knows(watched.y)
        if known.sum() < (1 if self.classes else MIN_WATCHED):
            return None
        rows, truth = inputs(np.asarray(watched.X, dtype=np.float64)[known]), watched.y[known]
        weights = np.ones(len(truth)) if watched.weights is None else watched.weights[known]
        wanted = target.wanted(truth, 0.0)
        return lambda: target.loss(network.outputs(rows), wanted, weights)
