"""Uncertainty of a run's losses, resampled by the units of its split."""

from studio.arrays import AnyArray, Integers
from studio.data.intervals.loss import (
    Interval,
    compute_difference_interval,
    compute_gap_interval,
    compute_loss_interval,
)
from studio.data.metrics.base import Metric
from studio.runs.prepare import PreparedRun


def compute_interval(
    prepared_run: PreparedRun, rows: Integers, predictions: AnyArray
) -> Interval | None:
    """Return the 95 % interval of the run's metric on the given rows, if it is defined.

    Rows have shape (k,), predictions (k, C) or (k,). Rows are resampled by group if the run has
    groups, in blocks of time if it has times, and copies jointly.
    """
    truth, weights = prepared_run.problem.y[rows], prepared_run.get_weights(rows)
    units = prepared_run.get_units(rows)
    return compute_loss_interval(prepared_run.metric, truth, predictions, weights, units=units)


def compute_test_difference_interval(
    prepared_run: PreparedRun, one: AnyArray, reference: AnyArray
) -> Interval | None:
    """Return the 95 % interval of the test loss difference of predictions, (n, C) or (n,)."""
    return compare_predictions(prepared_run, prepared_run.split.test, one, reference)


def compare_predictions(
    prepared_run: PreparedRun,
    rows: Integers,
    one: AnyArray,
    reference: AnyArray,
    metric: Metric | None = None,
) -> Interval | None:
    """Return the 95 % interval of the difference of two predictions' losses on rows (n,)."""
    truth, weights = prepared_run.problem.y[rows], prepared_run.get_weights(rows)
    units = prepared_run.get_units(rows)
    return compute_difference_interval(
        metric or prepared_run.metric, truth, one, reference, weights, units=units
    )


def estimate_optimism(
    prepared_run: PreparedRun, validation: AnyArray, test: AnyArray
) -> Interval | None:
    """Return the 95 % interval of an ensemble's test loss minus its validation loss.

    Args:
        validation, test: Shape (n, C) or (n,). Its predictions of the split's validation and test
            rows.

    Returns:
        The interval; above zero, the validation loss is significantly lower. ``None`` if either
        loss has no interval.
    """
    split = prepared_run.split
    validation_interval = compute_interval(prepared_run, split.validation, validation)
    test_interval = compute_interval(prepared_run, split.test, test)
    if validation_interval is None or test_interval is None:
        return None
    losses = (
        prepared_run.compute_loss(split.validation, validation),
        prepared_run.compute_loss(split.test, test),
    )
    return compute_gap_interval(losses[0], validation_interval, losses[1], test_interval)
