"""Uncertainty of a run's losses, resampled by the units of its split."""

from studio.arrays import AnyArray, Integers
from studio.data.intervals.loss import Interval, difference_interval, gap_interval, loss_interval
from studio.data.metrics.base import Metric
from studio.runs.prepare import Prepared


def interval_of(prepared: Prepared, rows: Integers, predictions: AnyArray) -> Interval | None:
    """Return the 95 % interval of the run's metric on some rows, if it is defined.

    Rows have shape (k,), predictions (k, C) or (k,). Rows are drawn in groups where the run has
    groups, in blocks of time where it has times, and copies together.
    """
    truth, weights = prepared.problem.y[rows], prepared.weights_of(rows)
    units = prepared.units_of(rows)
    return loss_interval(prepared.metric, truth, predictions, weights, units=units)


def test_difference(
    prepared: Prepared, one: AnyArray, other: AnyArray, metric: Metric | None = None
) -> Interval | None:
    """Return the 95 % interval of the difference of two predictions' test losses.

    Both have shape (n, C) or (n,); the loss is the run's, or another metric of its task.
    """
    return difference_on(prepared, prepared.split.test, one, other, metric)


def difference_on(
    prepared: Prepared,
    rows: Integers,
    one: AnyArray,
    other: AnyArray,
    metric: Metric | None = None,
) -> Interval | None:
    """Return the same of predictions of other rows, shape (n,)."""
    truth, weights = prepared.problem.y[rows], prepared.weights_of(rows)
    units = prepared.units_of(rows)
    return difference_interval(metric or prepared.metric, truth, one, other, weights, units=units)


def optimism(prepared: Prepared, validation: AnyArray, test: AnyArray) -> Interval | None:
    """Return the 95 % interval of the test loss less the validation loss of the same ensemble.

    Args:
        validation, test: Shape (n, C) or (n,). Its predictions of the split's validation and test
            rows.

    Returns:
        Above zero: the validation loss is better by more than chance explains. ``None`` if either
        loss has no interval.
    """
    split = prepared.split
    known = interval_of(prepared, split.validation, validation)
    fresh = interval_of(prepared, split.test, test)
    if known is None or fresh is None:
        return None
    losses = prepared.loss(split.validation, validation), prepared.loss(split.test, test)
    return gap_interval(losses[0], known, losses[1], fresh)
