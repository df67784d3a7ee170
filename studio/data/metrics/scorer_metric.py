"""A metric made of a scorer of scikit-learn, for a run within the caller's own process."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric, normalised, predicted_labels
from studio.data.metrics.ratios import Ratios
from studio.data.tasks import Task
from studio.errors import UsageError

Scorer = Callable[..., float]
"""Called as scikit-learn calls one: ``scorer(estimator, X, y)``, higher is better."""

_PROBE_ROWS = 4
"""Rows of each class, or of values, with which a scorer is tried."""

_numbers = itertools.count(1)


@dataclass(frozen=True)
class ScorerMetric(Metric):
    """The negative score; :func:`scorer_metric` makes that of a scorer.

    Attributes:
        scorer: Of the caller.
        labels: The classes by code, as the caller has them; empty for values.
    """

    local: ClassVar[bool] = True
    scorer: ClassVar[Scorer]
    labels: ClassVar[tuple[Any, ...]] = ()

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return the negative score of predictions (n, C) or (n,).

        Raises:
            UsageError: If the scorer fails, or the score is no finite number.
        """
        # Stored predictions are rounded, and scorers clip and compare by the precision they see.
        exact = normalised(predictions) if self.labels else predictions.astype(np.float64)
        return -self._score(_Answers(exact, self.labels), truth, weights)

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios | None:
        """Return ``None``: nothing is known of how a score comes from rows, shape (n,)."""
        del truth, predictions, weights
        return None

    def _score(self, answers: "_Answers", truth: AnyArray, weights: Floats | None) -> float:
        known = np.asarray(self.labels)[truth.astype(np.int64)] if self.labels else truth
        weighted = {} if weights is None else {"sample_weight": weights}
        try:
            found: object = type(self).scorer(answers, np.empty((len(truth), 0)), known, **weighted)
        except Exception as error:  # whatever a caller's function may raise
            raise UsageError(
                "The metric {name} cannot be called as a scorer of scikit-learn: {reason}. Make it "
                "one by make_scorer(function, greater_is_better=…). Its X has no columns; where "
                "rows have weights, the function has to take sample_weight.",
                name=self.title,
                reason=f"{type(error).__name__}: {error}",
            ) from error
        try:
            score = float(found)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            score = math.nan
        if not math.isfinite(score):
            raise UsageError(
                "The metric {name} must return a finite number; it returned {found}.",
                name=self.title,
                found=repr(found),
            )
        return score


class _Answers(BaseEstimator):  # type: ignore[misc]
    """Predictions in the place of the estimator that a scorer asks.

    Attributes:
        classes_: The classes, shape (C,); only where classes are predicted.
        asked: Whether probabilities were asked for.
    """

    def __init__(self, predictions: AnyArray, labels: Sequence[Any]) -> None:
        self._predictions = predictions
        self.asked = False
        if labels:
            self.classes_ = np.asarray(labels)

    def __sklearn_tags__(self) -> Any:
        """Return what it predicts."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if hasattr(self, "classes_") else "regressor"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Return that it can predict."""
        return True

    def fit(self, X: AnyArray, y: AnyArray) -> Self:
        """Return itself, whatever X, (n, 0), and y, (n,): scikit-learn asks for the method."""
        del X, y
        return self

    def predict(self, X: AnyArray) -> AnyArray:
        """Return the predicted classes, or values, shape (n,), whatever X, shape (n, 0)."""
        del X  # the rows are those that were predicted
        if not hasattr(self, "classes_"):
            return self._predictions
        labels: AnyArray = self.classes_[predicted_labels(self._predictions)]
        return labels

    @available_if(lambda self: hasattr(self, "classes_"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: AnyArray) -> AnyArray:
        """Return the probabilities of the classes, shape (n, C), whatever X, shape (n, 0)."""
        del X
        self.asked = True
        return self._predictions


def scorer_metric(scorer: Scorer, labels: Sequence[Any], *, weighted: bool) -> type[Metric]:
    """Return the metric of a scorer, once it was tried on a few made answers.

    Args:
        scorer: As ``sklearn.metrics.make_scorer`` gives one. Its X has no columns: a metric judges
            answers, whatever the rows look like.
        labels: The classes by code; empty for values.
        weighted: Whether rows have weights, which the scorer then has to take as ``sample_weight``.

    Raises:
        UsageError: If it cannot be called so, or gives no finite number.
    """
    name = str(getattr(scorer, "__name__", "") or repr(scorer))
    task: Task = ("multiclass" if len(labels) > 2 else "binary") if labels else "regression"
    declared: dict[str, Any] = {
        "__doc__": ScorerMetric.__doc__,
        "__module__": __name__,
        "key": f"scorer-{next(_numbers)}",
        "title": name,
        "summary": "",
        "tasks": (task,),
        "needs": "labels" if labels else "values",
        "scorer": staticmethod(scorer),
        "labels": tuple(labels),
    }
    metric: type[ScorerMetric] = type("ScorerMetric", (ScorerMetric,), declared)
    codes = np.tile(np.arange(max(len(labels), 2)), _PROBE_ROWS)
    truth = codes if labels else codes.astype(np.float64) + 1.0
    sure = 0.9 * np.eye(len(labels))[codes] + 0.1 / len(labels) if labels else truth
    answers = _Answers(sure, labels)
    metric()._score(answers, truth, np.ones(len(truth)) if weighted else None)
    if answers.asked:
        metric.needs = "probabilities"
    return metric
