"""The loss by which the worth of columns is told."""

from studio.data.metrics.base import Metric
from studio.data.metrics.brier import Brier
from studio.data.metrics.log_loss import LogLoss
from studio.data.metrics.mae import Mae
from studio.data.metrics.rmse import Rmse


def smooth_metric(metric: Metric, *, votes: bool) -> Metric:
    """Return a loss in which every row shows how much worse its prediction gets.

    How many labels change, or pairs of rows, is known of few rows only; so it is not the run's
    metric where that counts them, but one that goes with it.

    Args:
        metric: The run's.
        votes: Whether members vote: then a probability may be 0, which costs no more than a wrong
            label.
    """
    if metric.needs == "values":
        if metric.log_unit is not None or metric.level not in {None, 0.5}:
            return metric
        return Rmse() if metric.level is None else Mae()
    return Brier() if votes else LogLoss()
