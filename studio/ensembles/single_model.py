"""Builders that select a single model, or the best few, weighted or combined by a linear model."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, Self

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.metrics.weighting import compute_mean
from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, get_pool
from studio.ensembles.layer import MISSING_CLASS_SCORE, Layer, make_features
from studio.ensembles.weights import count_effective_rows
from studio.errors import EnsembleError
from studio.parts import option
from studio.trial import History, Trial


@dataclass(frozen=True)
class SingleBest(EnsembleBuilder):
    """The trial with the lowest validation loss (thesis 2.1), the earliest on ties.

    With random ties, the best single model in a live plot would change repeatedly.
    """

    key: ClassVar[str] = "single-best"
    title: ClassVar[str] = "Best single model"
    summary: ClassVar[str] = (
        "Takes the one model with the lowest validation loss. "
        "The yardstick that every ensemble has to beat."
    )
    reference: ClassVar[str] = "EO section 2; thesis 2.1 (argmin of the validation loss)"
    needs_predictions: ClassVar[bool] = False

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select the trial with the lowest validation loss by the run's metric."""
        numbers = get_pool(history)
        losses = history.get_losses()[numbers - 1]
        return Ensemble.from_choices([int(numbers[losses.argmin()])], "mean")


@dataclass(frozen=True)
class PosteriorMean(EnsembleBuilder):
    """The concluding trial of the run: argmin of the surrogate's posterior mean (thesis 3.4).

    The argmin of noisy losses favours lucky trials; the posterior mean smooths the noise. The
    proposer returns the configuration when the budget is used, and it is trained as an additional
    trial. Until then (or if that trial failed) the choice is the best by validation; a run
    continued with a larger budget keeps its earlier concluding trial until the next one.
    """

    key: ClassVar[str] = "posterior-mean"
    title: ClassVar[str] = "Posterior mean"
    summary: ClassVar[str] = (
        "Lets the surrogate choose the best configuration once the budget is used, and trains it. "
        "One lucky trial misleads it less."
    )
    reference: ClassVar[str] = "thesis 3.4"
    needs_predictions: ClassVar[bool] = False
    adds_final_trial: ClassVar[bool] = True

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select the newest concluding trial, or the best by validation."""
        concluding = [trial.number for trial in history.succeeded if trial.concluding]
        if concluding:
            return Ensemble.from_choices([concluding[-1]], "mean")
        return SingleBest().build(history, metric, seed)


@dataclass(frozen=True)
class SelectionBest(EnsembleBuilder):
    """The trial with the lowest loss on D_S, the earliest on ties (thesis 3.2.2)."""

    key: ClassVar[str] = "selection-best"
    title: ClassVar[str] = "Best on selection rows"
    summary: ClassVar[str] = (
        "Takes the model that is best on rows set aside for this choice alone. The search cannot "
        "have fitted itself to them."
    )
    reference: ClassVar[str] = "thesis 3.2.2"
    needs_predictions: ClassVar[bool] = False
    needs_selection: ClassVar[bool] = True

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select the argmin of the trials' selection losses."""
        best = min(get_trials_with_selection_loss(history), key=get_selection_loss)
        return Ensemble.from_choices([best.number], "mean")


def get_trials_with_selection_loss(history: History) -> list[Trial]:
    """Return the trials with a loss on D_S, in order; raise EnsembleError if there are none."""
    get_pool(history)
    trials = [trial for trial in history.succeeded if trial.selection is not None]
    if not trials:
        raise EnsembleError(
            "This choice needs losses on selection rows, but no trial has one. Start a run with "
            "selection rows: evaluation.selection=0.2."
        )
    return trials


def get_selection_loss(trial: Trial) -> float:
    """Return the loss on D_S of a trial with such a loss."""
    assert trial.selection is not None, "only scored trials are compared"
    return trial.selection


DEFAULT_OFFSPRING = 6
"""λ of the thesis, with μ = 3; for searches without generations."""


@dataclass(frozen=True)
class Population(EnsembleBuilder):
    """Partial validation, backwarding and global validation (thesis equations 3.5 to 3.8).

    The population P_t depends on the history only: trials form generations of λ in the order of
    their numbers (including failed ones), and P_t is the selection of a (μ + λ) strategy from
    P_{t-1} and generation t: the μ trials with the lowest validation losses, the earliest on ties.
    An incomplete last generation also counts, so the choice is defined after every trial. Here b_V
    and b_S are the population's best by validation and by selection:

    - ``pv`` takes b_S of the last population;
    - ``bw`` archives b_V whenever it beats the archived trial on D_S (3.7);
    - ``gv`` does the same with b_S (3.8).
    """

    key: ClassVar[str] = "population"
    title: ClassVar[str] = "Best of a population"
    summary: ClassVar[str] = (
        "Chooses among the survivors of an evolution by rows set aside for this choice. Archives "
        "remember good models that later generations crowd out."
    )
    reference: ClassVar[str] = "thesis 3.2.2, eq. 3.5-3.8; Dos Santos et al. 2009"
    needs_predictions: ClassVar[bool] = False
    needs_selection: ClassVar[bool] = True

    strategy: str = option(
        "gv",
        choices=("pv", "bw", "gv"),
        help="Best survivor on selection rows (pv), or an archive of each generation's best by "
        "validation (bw) or by selection (gv).",
    )
    parents: int | None = option(
        None,
        kind=int,
        optional=True,
        low=1,
        high=1000,
        help="Survivors per generation (μ). Auto: half of the search's generation.",
    )
    offspring: int | None = option(
        None,
        kind=int,
        optional=True,
        low=1,
        high=10000,
        help="Trials per generation (λ). Auto uses the search's value, or 6.",
    )

    def with_generation(self, generation: Callable[[], int | None]) -> Self:
        """Set open options from the search's generations."""
        if self.parents is not None and self.offspring is not None:
            return self
        offspring = self.offspring or generation() or DEFAULT_OFFSPRING
        return replace(self, offspring=offspring, parents=self.parents or max(1, offspring // 2))

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Replay the generations, and select a trial by ``strategy``."""
        candidates = get_trials_with_selection_loss(history)
        archive: Trial | None = None
        for population in self._replay_populations(candidates):
            best_validated = population[0]
            best_selected = min(population, key=_get_selection_key)
            if self.strategy == "pv":
                archive = best_selected
                continue
            challenger = best_validated if self.strategy == "bw" else best_selected
            if archive is None or get_selection_loss(challenger) < get_selection_loss(archive):
                archive = challenger
        assert archive is not None, "there is a scored trial, so there is a population"
        return Ensemble.from_choices([archive.number], "mean")

    def _replay_populations(self, candidates: list[Trial]) -> Iterator[list[Trial]]:
        """Yield P_1, P_2, …, each sorted by validation loss; skip generations without success."""
        survivors: list[Trial] = []
        for _, generation in groupby(candidates, self._get_generation):
            max_parents = self.parents or DEFAULT_OFFSPRING // 2
            survivors = sorted([*survivors, *generation], key=_get_validation_key)[:max_parents]
            yield survivors

    def _get_generation(self, trial: Trial) -> int:
        return (trial.number - 1) // (self.offspring or DEFAULT_OFFSPRING)


def _get_validation_key(trial: Trial) -> tuple[float, int]:
    assert trial.loss is not None, "only successful trials survive"
    return trial.loss, trial.number


def _get_selection_key(trial: Trial) -> tuple[float, int]:
    return get_selection_loss(trial), trial.number


def select_best_trials(history: History, count: int) -> Integers:
    """Return the trials with the lowest validation losses, best first, the earlier on ties, (k,).

    Args:
        count: Maximum number of trials.

    Raises:
        EnsembleError: If the history holds no successful trial.
    """
    numbers = get_pool(history)
    order = history.get_losses()[numbers - 1].argsort(kind="stable")
    best: Integers = numbers[order[:count]]
    return best


_MIN_RELATIVE_ERROR = 1e-12
"""Minimum mean squared error as a share of the largest, so that weights stay finite."""


@dataclass(frozen=True)
class WeightedBagging(EnsembleBuilder):
    """The k best trials by the run's metric; predictions are averaged with fixed weights.

    DivBO uses the 5 best without specifying weights or a source, so the usual weights are used: for
    classes proportional to the accuracy on the validation rows (performance weighting: Opitz &
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

    size: int = option(5, low=1, high=1000, help="Number of best models to average.")

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
            compute_mean(history.get_votes(int(number)) == history.truth, history.weights)
            for number in numbers
        ]
        accuracy = np.array(accuracies)
        return accuracy if accuracy.any() else np.ones(len(numbers))
    squared = np.array(
        [
            compute_mean(
                np.square(history.get_predictions(int(n)).astype(np.float64) - history.truth),
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

    With k-fold cross-validation these are out-of-fold, as in Wolpert 1992 and DivBO; with a
    hold-out they are those of the hold-out (blending), without retraining any model. Features are
    the class probabilities, one-hot for label-only learners, or the values. The layer is fitted to
    the rows on which it is then scored, so its validation loss is optimistic; the test error is
    not. For regression, values are first centred and scaled to unit variance of the target, so that
    the penalty does not depend on their unit.
    """

    key: ClassVar[str] = "stacking"
    title: ClassVar[str] = "Stacking"
    summary: ClassVar[str] = (
        "Trains a small linear model on the predictions of the few best models. It can learn "
        "which model to trust for which class, and needs enough validation rows."
    )
    reference: ClassVar[str] = "Wolpert 1992; DivBO appendix A.4, table 9"

    monotone: ClassVar[bool] = False

    size: int = option(5, low=1, high=100, help="Number of best models to combine.")
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
    features = make_features([history.get_predictions(number) for number in numbers])
    weights = _scale_weights(history.weights, len(features))
    if history.is_regression:
        return _fit_ridge(features, history.truth.astype(np.float64), weights, penalty)
    return _fit_logistic(features, history.truth, weights, history.n_classes, penalty)


def _scale_weights(weights: Floats | None, n_rows: int) -> Floats:
    """Return weights, (n,), normalised to sum to the number of rows, as the penalty is per row."""
    if weights is None:
        return np.ones(n_rows)
    scaled: Floats = weights * (count_effective_rows(weights, n_rows) / weights.sum())
    return scaled


def _compute_feature_means(features: Floats, weights: Floats) -> Floats:
    return np.average(features, axis=0, weights=weights).astype(np.float64)


def _fit_ridge(features: Floats, truth: Floats, weights: Floats, penalty: float) -> Layer:
    centre = _compute_feature_means(features, weights)
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
    """Fit softmax regression to features (n, d) and classes (n,), weighted by weights (n,)."""
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
            # The penalty is tiny, so full convergence is unnecessary.
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted_model = model.fit(features, truth, sample_weight=weights)
        is_binary = len(present_classes) == 2
        # For two classes scikit-learn fits the odds of the second only.
        rows = (
            np.vstack([0.0 * fitted_model.coef_, fitted_model.coef_])
            if is_binary
            else fitted_model.coef_
        )
        coefficients[present_classes] = rows
        intercepts[present_classes] = (
            [0.0, *fitted_model.intercept_] if is_binary else fitted_model.intercept_
        )
    return Layer.from_coefficients(
        coefficients, intercepts, _compute_feature_means(features, weights)
    )
