"""The list of metrics."""

from studio.data.metrics.auc import Auc
from studio.data.metrics.balanced_error import BalancedError
from studio.data.metrics.base import Metric
from studio.data.metrics.brier import Brier
from studio.data.metrics.error import Error
from studio.data.metrics.f1 import MacroF1
from studio.data.metrics.log_loss import LogLoss
from studio.data.metrics.mae import Mae
from studio.data.metrics.median_absolute_error import MedianAbsoluteError
from studio.data.metrics.r2 import R2
from studio.data.metrics.rmse import Rmse
from studio.data.tasks import Task
from studio.errors import UsageError
from studio.parts import find

REGISTRY: tuple[type[Metric], ...] = (
    Error,
    BalancedError,
    LogLoss,
    Auc,
    MacroF1,
    Brier,
    Rmse,
    Mae,
    R2,
    MedianAbsoluteError,
)


def metrics_for(task: Task) -> tuple[type[Metric], ...]:
    """Return the metrics that judge a task, the default first."""
    return tuple(metric for metric in REGISTRY if task in metric.tasks)


def default_for(task: Task) -> Metric:
    """Return the metric that is used where none is chosen: error, or RMSE for regression."""
    return metrics_for(task)[0]()


def metric_for(key: str, task: Task) -> Metric:
    """Return the metric of this key.

    Raises
    ------
    UsageError
        If there is none, or it does not judge the task.
    """
    metric = find(REGISTRY, key, "metric")
    if task not in metric.tasks:
        names = ", ".join(each.key for each in metrics_for(task))
        raise UsageError(
            "The metric {key!r} does not judge a {task} task; available: {names}.",
            key=key,
            task=task,
            names=names,
        )
    return metric()
