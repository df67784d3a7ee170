"""The best few models, averaged with weights by how good each one is."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.metrics.weighting import mean
from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, pool_of
from studio.parts import option
from studio.trial import History


def best_few(history: History, count: int) -> Integers:
    """Return the trials with the lowest validation losses, best first, the earlier of equals, (k,).

    Args:
        history: The pool.
        count: How many at most.

    Raises:
        EnsembleError: If the history holds no successful trial.
    """
    numbers = pool_of(history)
    order = history.losses()[numbers - 1].argsort(kind="stable")
    best: Integers = numbers[order[:count]]
    return best


_SMALLEST = 1e-12
"""Mean squared errors below this share of the largest count as it: a perfect model stays finite."""


@dataclass(frozen=True)
class WeightedBagging(EnsembleBuilder):
    """The k best trials by the run's metric; predictions are averaged with fixed weights.

    DivBO picks the 5 best and names neither weights nor source, so the weights are the textbook's:
    for classes proportional to the accuracy on the validation rows (performance weighting: Opitz &
    Shavlik 1996; Rokach 2010, section 3), for values to the inverse mean squared error (the best
    weights of members with independent errors; Perrone & Cooper 1993).
    """

    key: ClassVar[str] = "weighted-bagging"
    title: ClassVar[str] = "Weighted bagging"
    summary: ClassVar[str] = (
        "Averages the few best models, the better ones with more weight. "
        "Nothing is searched for, so it is quick and hard to overfit."
    )
    reference: ClassVar[str] = "DivBO appendix A.4, table 9; weights: Opitz & Shavlik 1996"

    size: int = option(5, low=1, high=1000, help="How many of the best models are averaged.")

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Choose and weigh; the trials' losses are the metric's already, and nothing is drawn."""
        numbers = best_few(history, self.size)
        merit = _merits(history, numbers)
        weights = merit / merit.sum()
        kept = weights > 0
        return Ensemble(
            tuple(int(number) for number in numbers[kept]),
            tuple(float(weight) for weight in weights[kept]),
            "mean",
        )


def _merits(history: History, numbers: Integers) -> Floats:
    """Return accuracies, (t,), or inverse mean squared errors up to a factor; ones if all are 0."""
    if not history.is_regression:
        right = [
            mean(history.votes(int(number)) == history.truth, history.weights) for number in numbers
        ]
        accuracy = np.array(right)
        return accuracy if accuracy.any() else np.ones(len(numbers))
    squared = np.array(
        [
            mean(
                np.square(history.predictions(int(n)).astype(np.float64) - history.truth),
                history.weights,
            )
            for n in numbers
        ]
    )
    worst = squared.max()
    if worst == 0.0:
        return np.ones(len(numbers))
    merits: Floats = 1.0 / np.maximum(squared / worst, _SMALLEST)
    return merits
