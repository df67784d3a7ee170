"""A metric from a scikit-learn scorer, for runs within the caller's process."""

import hashlib
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from studio.arrays import AnyArray, Floats
from studio.awake_clock import read_awake_seconds
from studio.data.metrics.base import Metric, find_argmax_labels, normalise_rows
from studio.data.metrics.ratios import Ratios
from studio.data.tasks import Task
from studio.errors import ScoreError, UsageError

Scorer = Callable[..., float]
"""Called like a scikit-learn scorer: ``scorer(estimator, X, y)``, higher is better."""

_PROBE_ROWS = 4  # rows per class, or of regression, on which a scorer is tested


@dataclass(frozen=True)
class ScorerPlaceholder:
    """Placeholder for a scorer excluded from a pickle."""

    name: str

    @classmethod
    def from_scorer(cls, scorer: Scorer) -> "ScorerPlaceholder":
        """Return a placeholder with the scorer's name only."""
        return scorer if isinstance(scorer, cls) else cls(_get_scorer_name(scorer))

    def __call__(self, *_: object, **__: object) -> float:
        """Raise UsageError with a remedy."""
        raise UsageError(
            "The metric {name} is your own function, which a pickle does not contain. Set it "
            "again before fit: set_params(metric=…).",
            name=self.name,
        )


MAX_FAILURES = 3
"""Number of initial failures without a success after which a scorer is abandoned."""

MAX_TIME_SHARE = 0.5
"""Maximum share of the working time for scorer calls beyond the trials' own losses."""

MAX_ELAPSED_SHARE = 0.9
"""Share of a search's time after which no further ensemble is scored."""

KEY_DECIMALS = 9
"""Tolerance of equal probabilities: sums in another order differ in their last bits."""

_scorer_ids = itertools.count(1)


@dataclass
class _ScoreCache:
    """Cache of a scorer's results in a search, with their cost."""

    seconds: float | None
    start_time: float
    seconds_spent: float = 0.0
    n_calls: int = 0
    scores: dict[bytes, float] = field(default_factory=dict)
    n_failures: int = 0

    @property
    def has_time(self) -> bool:
        """Whether there is time for another optional call."""
        if self.seconds is None:
            return True
        worked, call = (
            read_awake_seconds() - self.start_time,
            self.seconds_spent / max(self.n_calls, 1),
        )
        in_time = worked + call <= MAX_ELAPSED_SHARE * self.seconds
        return in_time and self.seconds_spent + call <= MAX_TIME_SHARE * worked


@dataclass(frozen=True)
class ScorerMetric(Metric):
    """The negative score; :func:`make_scorer_metric` creates one from a scorer.

    The scorer is called once for equal predictions, and for candidate ensembles only while there is
    time.

    Attributes:
        scorer, cache: The caller's scorer, and its cache in the search.
        labels: The caller's classes by code; empty for values.
    """

    local = True
    scorer: ClassVar[Scorer]
    cache: ClassVar[_ScoreCache]
    labels: ClassVar[tuple[Any, ...]] = ()

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the negative score of predictions (n, C) or (n,).

        Raises:
            ScoreError: If the scorer fails, or the score is not a finite number.
            UsageError: If all calls have failed.
        """
        double_predictions = self._to_double(predictions)
        key, score_cache = self._make_key(truth, double_predictions, weights), self.cache
        if key not in score_cache.scores:
            started = read_awake_seconds()
            try:
                score_cache.scores[key] = self._score(
                    _FixedPredictionEstimator(double_predictions, self.labels), truth, weights
                )
            except ScoreError as error:
                score_cache.n_failures += 1
                if score_cache.n_failures >= MAX_FAILURES and not score_cache.scores:
                    raise _make_scorer_error(error) from error
                raise
            finally:
                score_cache.seconds_spent += read_awake_seconds() - started
                score_cache.n_calls += 1
        return -score_cache.scores[key]

    def compute_candidate_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the loss of predictions (n, C) or (n,); infinity for a failure or a timeout."""
        is_cached = (
            self._make_key(truth, self._to_double(predictions), weights) in self.cache.scores
        )
        if not is_cached and not self.cache.has_time:
            return math.inf
        try:
            return self.compute_loss(truth, predictions, weights)
        except ScoreError:
            return math.inf

    def _to_double(self, predictions: AnyArray) -> AnyArray:
        # Stored predictions are rounded; scorers clip and compare by the precision they receive.
        return normalise_rows(predictions) if self.labels else predictions.astype(np.float64)

    def _make_key(self, truth: AnyArray, exact: AnyArray, weights: Floats | None) -> bytes:
        rounded = exact.round(KEY_DECIMALS) if self.labels else exact
        arrays = (truth, rounded) if weights is None else (truth, rounded, weights)
        return hashlib.sha256(b"".join(each.tobytes() for each in arrays)).digest()

    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        """Return ``None``, as the score's dependence on rows, shape (n,), is unknown."""
        del truth, predictions, weights
        return None

    def _score(
        self, predictions: "_FixedPredictionEstimator", truth: AnyArray, weights: Floats | None
    ) -> float:
        true_values = np.asarray(self.labels)[truth.astype(np.int64)] if self.labels else truth
        options = {} if weights is None else {"sample_weight": weights}
        try:
            result: object = type(self).scorer(
                predictions, np.empty((len(truth), 0)), true_values, **options
            )
        except UsageError:
            raise
        except Exception as error:  # any exception of a caller's function
            raise ScoreError(
                "The metric {name} failed: {reason}.",
                name=self.title,
                reason=f"{type(error).__name__}: {error}",
            ) from error
        try:
            score = float(result)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            score = math.nan
        if not math.isfinite(score):
            raise ScoreError(
                "The metric {name} must return a finite number, not {found}.",
                name=self.title,
                found=repr(result),
            )
        return score


class _FixedPredictionEstimator(BaseEstimator):  # type: ignore[misc]
    """Estimator that returns given predictions to a scorer.

    Attributes:
        classes_: The classes, shape (C,); only where classes are predicted.
    """

    def __init__(self, predictions: AnyArray, labels: Sequence[Any]) -> None:
        self._predictions = predictions
        self.was_called = False
        if labels:
            self.classes_ = np.asarray(labels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if hasattr(self, "classes_") else "regressor"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: AnyArray, y: AnyArray) -> Self:
        """Return itself; X, (n, 0), and y, (n,), are ignored."""
        del X, y
        return self

    def predict(self, X: AnyArray) -> AnyArray:
        """Return the predicted classes, or values, shape (n,); X, shape (n, 0), is ignored."""
        del X  # the rows are those predicted
        if not hasattr(self, "classes_"):
            return self._predictions
        return self.classes_[find_argmax_labels(self._predictions)]

    @available_if(lambda self: hasattr(self, "classes_"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: AnyArray) -> AnyArray:
        """Return the probabilities of the classes, shape (n, C); X, shape (n, 0), is ignored."""
        del X
        self.was_called = True
        return self._predictions


def make_scorer_metric(
    scorer: Scorer, labels: Sequence[Any], *, weighted: bool, seconds: float | None = None
) -> type[Metric]:
    """Return the metric of a scorer, after a test on a few artificial predictions.

    Args:
        scorer: As returned by ``sklearn.metrics.make_scorer``. Its X has no columns: a metric
            depends on predictions only.
        labels: The classes by code; empty for values.
        weighted: Whether the scorer must accept ``sample_weight``.
        seconds: Time limit of the search, which begins now; ``None`` for none.

    Raises:
        UsageError: If the call fails, or returns no finite number.
    """
    task: Task = ("multiclass" if len(labels) > 2 else "binary") if labels else "regression"
    class_attributes: dict[str, Any] = {
        "__doc__": ScorerMetric.__doc__,
        "__module__": __name__,
        "key": f"scorer-{next(_scorer_ids)}",
        "title": _get_scorer_name(scorer),
        "summary": "",
        "tasks": (task,),
        "prediction_type": "labels" if labels else "values",
        "scorer": staticmethod(scorer),
        "cache": _ScoreCache(seconds, read_awake_seconds()),
        "labels": tuple(labels),
    }
    metric: type[ScorerMetric] = type("ScorerMetric", (ScorerMetric,), class_attributes)
    codes = np.tile(np.arange(max(len(labels), 2)), _PROBE_ROWS)
    probe_truth = codes if labels else codes.astype(np.float64) + 1.0
    probe_predictions = (
        0.9 * np.eye(len(labels))[codes] + 0.1 / len(labels) if labels else probe_truth
    )
    estimator = _FixedPredictionEstimator(probe_predictions, labels)
    try:
        metric()._score(estimator, probe_truth, np.ones(len(probe_truth)) if weighted else None)
    except ScoreError as error:
        raise _make_scorer_error(error) from error
    if estimator.was_called:
        metric.prediction_type = "probabilities"
    return metric


def _get_scorer_name(scorer: Scorer) -> str:
    return str(getattr(scorer, "__name__", "") or repr(scorer))


def _make_scorer_error(error: ScoreError) -> UsageError:
    return UsageError(
        "{fault} It is called as a scikit-learn scorer: create it by make_scorer(function, "
        "greater_is_better=…). Its X has no columns; if rows have weights, the function must "
        "accept sample_weight.",
        fault=error,
    )
