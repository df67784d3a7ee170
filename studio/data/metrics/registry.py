"""Registry of metrics, with scikit-learn's names for them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from studio.data.metrics.absolute_errors import (
    Mae,
    Mape,
    MedianAbsoluteError,
    find_pinball,
    make_pinball,
)
from studio.data.metrics.base import Metric
from studio.data.metrics.predicted_classes import BalancedError, ErrorRate, MacroF1, Mcc
from studio.data.metrics.probabilities import BrierScore, LogLoss
from studio.data.metrics.rankings import Auc, AveragePrecision
from studio.data.metrics.squared_errors import R2, Rmse, Rmsle
from studio.data.tasks import Task
from studio.errors import UsageError
from studio.parts import find_part
from studio.phrases import phrase

REGISTRY: tuple[type[Metric], ...] = (
    ErrorRate,
    BalancedError,
    LogLoss,
    Auc,
    AveragePrecision,
    MacroF1,
    Mcc,
    BrierScore,
    Rmse,
    Mae,
    R2,
    MedianAbsoluteError,
    Mape,
    Rmsle,
    make_pinball(0.1),
    make_pinball(0.9),
)
"""Metrics shown in lists; the pinball loss is also available for any other quantile."""


def get_metrics(task: Task) -> tuple[type[Metric], ...]:
    """Return the metrics of a task, the default first."""
    return tuple(metric for metric in REGISTRY if task in metric.tasks)


def get_default(task: Task) -> Metric:
    """Return the default metric: error, or RMSE for regression."""
    return get_metrics(task)[0]()


EARLIER_MACRO_F1 = "f1"
"""Key of the macro F1 in earlier documents; scikit-learn's f1 is that of one class."""

_local: dict[str, type[Metric]] = {}


@contextmanager
def register_temporarily(metric: type[Metric]) -> Iterator[None]:
    """Register a custom metric by its key, temporarily in this process."""
    _local[metric.key] = metric
    try:
        yield
    finally:
        del _local[metric.key]


def find_metric(key: str | None) -> type[Metric] | None:
    """Return the metric of a key, or of a name in scikit-learn; ``None`` for others."""
    if key is None:
        return None
    if key == EARLIER_MACRO_F1:
        return MacroF1
    resolved_key = _METRICS_BY_SKLEARN_NAME.get(key, key)
    if resolved_key in _local:
        return _local[resolved_key]
    return next((each for each in REGISTRY if each.key == resolved_key), None) or find_pinball(
        resolved_key
    )


def find_new_metric(key: str, task: Task | None) -> type[Metric]:
    """Return the metric of a new run; raise UsageError if no metric has this name.

    ``task``: ``None`` if not known yet.
    """
    if key == EARLIER_MACRO_F1:
        raise UsageError(
            "The F1 of one class, which scikit-learn calls f1, is not available. Choose f1_macro, "
            "the mean over the classes."
        )
    return _find_or_suggest(key, REGISTRY if task is None else get_metrics(task))


def _find_or_suggest(key: str, metrics: Sequence[type[Metric]]) -> type[Metric]:
    """Return the metric of a key; if there is none, raise UsageError with the nearest ones."""
    keys = {each.key for each in metrics}
    scorers = [name for name, metric_key in _METRICS_BY_SKLEARN_NAME.items() if metric_key in keys]
    return find_metric(key) or find_part(metrics, key, phrase("metric"), scorers)


def get_metric(key: str, task: Task) -> Metric:
    """Return the metric of a key; raise UsageError if it does not suit the task."""
    metric = _find_or_suggest(key, get_metrics(task))
    if task not in metric.tasks:
        names = ", ".join(each.key for each in get_metrics(task))
        raise UsageError(
            "The metric {key!r} does not apply to a {task} task; available: {names}.",
            key=key,
            task=task,
            names=names,
        )
    return metric()


def get_smooth_metric(metric: Metric, *, is_voting: bool) -> Metric:
    """Return a loss that is sensitive to each row's deterioration.

    Metrics that count labels or pairs change for few rows only; these are replaced by a related
    smooth loss.

    Args:
        is_voting: Whether members vote: then probabilities may be 0, which must not cost more than
            a wrong label.
    """
    if metric.prediction_type == "values":
        if metric.log_unit is not None or metric.level not in {None, 0.5}:
            return metric
        return Rmse() if metric.level is None else Mae()
    return BrierScore() if is_voting else LogLoss()


METRICS_BY_SCORER: Mapping[str, str] = {
    "accuracy": "error",
    "average_precision": "average-precision",
    "balanced_accuracy": "balanced-error",
    "d2_absolute_error_score": "mae",
    "d2_brier_score": "brier",
    "d2_log_loss_score": "log-loss",
    "f1_macro": "f1-macro",
    "f1_micro": "error",
    "matthews_corrcoef": "mcc",
    "neg_brier_score": "brier",
    "neg_log_loss": "log-loss",
    "neg_mean_absolute_error": "mae",
    "neg_mean_absolute_percentage_error": "mape",
    "neg_median_absolute_error": "median-absolute-error",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_squared_error": "rmse",
    "neg_root_mean_squared_log_error": "rmsle",
    "neg_mean_squared_log_error": "rmsle",
    "precision_micro": "error",
    "r2": "r2",
    "recall_micro": "error",
    "recall_weighted": "error",
    "roc_auc": "auc",
    "roc_auc_ovr": "auc",
}
"""Metric with the same ranking of models as each scorer; accepted wherever a key is."""

METRICS_BY_FUNCTION: Mapping[str, str] = {
    "accuracy_score": "error",
    "average_precision_score": "average-precision",
    "balanced_accuracy_score": "balanced-error",
    "brier_score_loss": "brier",
    "log_loss": "log-loss",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_squared_error": "rmse",
    "mean_squared_log_error": "rmsle",
    "median_absolute_error": "median-absolute-error",
    "r2_score": "r2",
    "roc_auc_score": "auc",
    "root_mean_squared_error": "rmse",
    "root_mean_squared_log_error": "rmsle",
    "zero_one_loss": "error",
}
"""The same for functions of ``sklearn.metrics``, whose defaults suit all classes."""

_METRICS_BY_SKLEARN_NAME = {**METRICS_BY_SCORER, **METRICS_BY_FUNCTION}
