"""The best few models, weighted by merit or combined by a linear model."""

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.metrics.weighting import mean
from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, get_pool
from studio.ensembles.layer import MISSING_CLASS_SCORE, Layer, make_features
from studio.ensembles.weights import count_effective_rows
from studio.parts import option
from studio.trial import History


def select_best_trials(history: History, count: int) -> Integers:
    """Return the trials with the lowest validation losses, best first, the earlier of equals, (k,).

    Args:
        count: At most.

    Raises:
        EnsembleError: If the history holds no successful trial.
    """
    numbers = get_pool(history)
    order = history.losses()[numbers - 1].argsort(kind="stable")
    best: Integers = numbers[order[:count]]
    return best


_MIN_RELATIVE_ERROR = 1e-12
"""Minimum mean squared error as a share of the largest, so that weights stay finite."""


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
        """Select the best trials by validation loss, and weight them; deterministic."""
        numbers = select_best_trials(history, self.size)
        merit = _compute_member_weights(history, numbers)
        weights = merit / merit.sum()
        is_positive = weights > 0
        return Ensemble(
            tuple(int(number) for number in numbers[is_positive]),
            tuple(float(weight) for weight in weights[is_positive]),
            "mean",
        )


def _compute_member_weights(history: History, numbers: Integers) -> Floats:
    """Return accuracies, (t,), or inverse mean squared errors up to a factor; ones if all are 0."""
    if not history.is_regression:
        accuracies = [
            mean(history.votes(int(number)) == history.truth, history.weights) for number in numbers
        ]
        accuracy = np.array(accuracies)
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
    worst_loss = squared.max()
    if worst_loss == 0.0:
        return np.ones(len(numbers))
    merits: Floats = 1.0 / np.maximum(squared / worst_loss, _MIN_RELATIVE_ERROR)
    return merits


_MAX_ITERATIONS = 1000
"""Maximum iterations of the logistic regression, which usually needs tens."""


@dataclass(frozen=True)
class Stacking(EnsembleBuilder):
    """Logistic or ridge regression on the validation predictions of the k best trials.

    With k-fold cross-validation these are out-of-fold, as Wolpert 1992 and DivBO have them; with a
    hold-out they are the hold-out's (blending), and no model is trained again. Features are the
    class probabilities, one-hot for label-only learners, or the values. The layer is fitted to the
    very rows on which it is then scored, so its validation loss flatters it; the test error does
    not. Numbers are centred and brought to unit variance of the target first, so that the strength
    of the penalty does not depend on their unit.
    """

    key: ClassVar[str] = "stacking"
    title: ClassVar[str] = "Stacking"
    summary: ClassVar[str] = (
        "Trains a small linear model on what the few best models predict. It can learn which "
        "model to trust for which class, and needs enough validation rows for it."
    )
    reference: ClassVar[str] = "Wolpert 1992; DivBO appendix A.4, table 9"

    monotone: ClassVar[bool] = False

    size: int = option(5, low=1, high=100, help="Number of best models that are combined.")
    penalty: float = option(
        1.0, low=1e-6, high=1e6, help="Strength of the squared penalty on the layer's coefficients."
    )

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select the best trials by the run's metric, and fit the layer; deterministic."""
        return self.fit_layer(
            history, tuple(int(number) for number in select_best_trials(history, self.size))
        )

    def fit_layer(self, history: History, numbers: tuple[int, ...]) -> Ensemble:
        """Return the ensemble of these successful trials, with its layer fitted."""
        layer = _fit_layer(self.penalty, history, numbers)
        weights = tuple(float(share) for share in layer.get_influence())
        return Ensemble(numbers, weights, "stack", layer)


@lru_cache(maxsize=4)
def _fit_layer(penalty: float, history: History, numbers: tuple[int, ...]) -> Layer:
    """Fit the layer to these trials, cached, as the best few rarely change in a run."""
    features = make_features([history.predictions(number) for number in numbers])
    weights = _scale_weights(history.weights, len(features))
    if history.is_regression:
        return _fit_ridge(features, history.truth.astype(np.float64), weights, penalty)
    return _fit_logistic(features, history.truth, weights, history.n_classes, penalty)


def _scale_weights(weights: Floats | None, rows: int) -> Floats:
    """Return weights, (n,), that sum to the number of rows, as the penalty is per row."""
    if weights is None:
        return np.ones(rows)
    scaled: Floats = weights * (count_effective_rows(weights, rows) / weights.sum())
    return scaled


def _centre_features(features: Floats, weights: Floats) -> Floats:
    return np.average(features, axis=0, weights=weights).astype(np.float64)


def _fit_ridge(features: Floats, truth: Floats, weights: Floats, penalty: float) -> Layer:
    centre = _centre_features(features, weights)
    mean_target = float(np.average(truth, weights=weights))
    spread = float(np.sqrt(np.average(np.square(truth - mean_target), weights=weights))) or 1.0
    scaled = (features - centre) / spread
    gram = (scaled.T * weights) @ scaled + penalty * np.eye(features.shape[1])
    target = (scaled.T * weights) @ ((truth - mean_target) / spread)
    coefficients = np.linalg.solve(gram, target).astype(np.float64)
    intercept = mean_target - coefficients @ centre
    return Layer.from_coefficients(coefficients[None, :], np.array([intercept]), centre)


def _fit_logistic(
    features: Floats, truth: Integers, weights: Floats, n_classes: int, penalty: float
) -> Layer:
    """Fit softmax regression to (n, d), truth and weights (n,); missing classes never win."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    coefficients = np.zeros((n_classes, features.shape[1]))
    intercepts = np.full(n_classes, MISSING_CLASS_SCORE)
    has_weight = weights > 0
    features, truth, weights = features[has_weight], truth[has_weight], weights[has_weight]
    present_classes = np.unique(truth)
    if len(present_classes) == 1:
        intercepts[present_classes] = 0.0
    else:
        model = LogisticRegression(C=1.0 / penalty, max_iter=_MAX_ITERATIONS)
        with warnings.catch_warnings():
            # Almost no penalty, so convergence to the last digit is unnecessary.
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted_model = model.fit(features, truth, sample_weight=weights)
        two = len(present_classes) == 2
        # For two classes scikit-learn fits the odds of the second only.
        rows = (
            np.vstack([0.0 * fitted_model.coef_, fitted_model.coef_]) if two else fitted_model.coef_
        )
        coefficients[present_classes] = rows
        intercepts[present_classes] = (
            [0.0, *fitted_model.intercept_] if two else fitted_model.intercept_
        )
    return Layer.from_coefficients(coefficients, intercepts, _centre_features(features, weights))
