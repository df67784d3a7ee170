"""Level, power and coverage of the statistics of one data set over repetitions.

Real resampling, no formula: a table is drawn, its rows are divided again for each repetition as a
study does by default (a fifth for the test), and every method is fitted by least squares to rows
that are not tested. Each method sees separate columns. If all columns are equally useful, no method
is better than another over such tables, so every reported difference is wrong.
"""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.compare.analysis import compute_differences
from studio.compare.statistics.intervals import (
    SIGNIFICANCE_LEVEL,
    Interval,
    compute_mean_interval,
    compute_zero_mean_p_value,
)

SHARED = 0.2
"""The test rows' share by default."""

REPETITIONS = 10
COLUMNS = 6
"""Of each method."""

CHUNK = 200
"""Tables at once, so that memory stays small."""

BOOTSTRAPS = 800


@dataclass(frozen=True)
class Scenario:
    """A simulated population of tables.

    Attributes:
        name: For the tables of the page.
        rows: Of each table.
        labels: Whether errors are shares of wrong labels; else root mean squared ones.
        worth: Usefulness of each method's columns, 1 or less; equal if no method is better.
        by_time: Whether all repetitions test on the same rows, as in time order. They differ by the
            search alone: each fit has a random half of the other rows.
    """

    name: str
    rows: int
    labels: bool
    worth: tuple[float, ...]
    by_time: bool = False


def draw_table_errors(world: Scenario, tables: int, rng: np.random.Generator) -> Floats:
    """Return errors of all methods on the test rows, shape (tables, REPETITIONS, methods)."""
    chunks = [
        _simulate_chunk(world, min(CHUNK, tables - done), rng) for done in range(0, tables, CHUNK)
    ]
    return np.concatenate(chunks)


def _simulate_chunk(world: Scenario, tables: int, rng: np.random.Generator) -> Floats:
    n, k = world.rows, len(world.worth)
    X = rng.normal(size=(tables, n, k, COLUMNS))
    signal = np.einsum("tnkc,k->tn", X, np.array(world.worth)) / np.sqrt(COLUMNS)
    y = signal + rng.normal(size=(tables, n))
    y = np.where(y > 0, 1.0, -1.0) if world.labels else y
    tested = round(SHARED * n)
    errors = np.empty((tables, REPETITIONS, k))
    for repetition in range(REPETITIONS):
        order = rng.permuted(np.tile(np.arange(n), (tables, 1)), axis=1)
        if world.by_time:
            rest = rng.permuted(np.tile(np.arange(tested, n), (tables, 1)), axis=1)
            order[:, :tested], order[:, tested:] = np.arange(tested), rest
        X_now = np.take_along_axis(X, order[:, :, None, None], axis=1)
        y_now = np.take_along_axis(y, order, axis=1)
        last = (n + tested) // 2 if world.by_time else n
        for method in range(k):
            errors[:, repetition, method] = _compute_error(
                X_now[:, :last, method], y_now[:, :last], tested, labels=world.labels
            )
    return errors


def _compute_error(X: Floats, y: Floats, tested: int, *, labels: bool) -> Floats:
    """Fit to all rows but the first ones, and return the error on these, shape (tables,)."""
    learnt, truth = X[:, tested:], y[:, :tested]
    gram = np.einsum("tnc,tnd->tcd", learnt, learnt)
    moment = np.einsum("tnc,tn->tc", learnt, y[:, tested:])
    weights = np.linalg.solve(gram, moment[:, :, None])[:, :, 0]
    found = np.einsum("tnc,tc->tn", X[:, :tested], weights)
    if labels:
        return np.asarray(np.mean((found > 0) != (truth > 0), axis=1))
    return np.asarray(np.sqrt(np.mean((found - truth) ** 2, axis=1)))


def count_decided(errors: Floats, n: int) -> float:
    """Return the rate at which n repetitions distinguish the first two methods.

    Errors have shape (studies, repetitions, methods).
    """
    gaps = errors[:, :n, 0] - errors[:, :n, 1]
    return float(
        np.mean([compute_zero_mean_p_value(gap, SHARED) < SIGNIFICANCE_LEVEL for gap in gaps])
    )


def count_decided_by_bootstrap(errors: Floats, n: int, rng: np.random.Generator) -> float:
    """Return the same for the bootstrap's percentile interval of versions up to 0.1.

    Errors have shape (studies, repetitions, methods).
    """
    gaps = errors[:, :n, 0] - errors[:, :n, 1]
    apart = 0
    for gap in gaps:
        means = gap[rng.integers(n, size=(BOOTSTRAPS, n))].mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        apart += not low <= 0 <= high
    return apart / len(gaps)


def count_any_decided(errors: Floats, n: int) -> float:
    """Return the rate at which any two methods are distinguished, corrected for all pairs.

    Errors have shape (studies, repetitions, methods).
    """
    return float(
        np.mean(
            [
                any(
                    not each.is_undecided
                    for each in compute_differences(table[:n], SHARED).values()
                )
                for table in errors
            ]
        )
    )


def coverage(values: Floats, n: int, truth: float) -> float:
    """Return the coverage of the interval of n repetitions for the mean over all tables.

    Args:
        values: Shape (tables, REPETITIONS). Errors, or differences of them.
        n: Repetitions of which the interval is taken.
        truth: The mean over all tables.
    """
    intervals = [compute_mean_interval(each[:n], SHARED) for each in values]
    return float(np.mean([_is_inside(each, truth) for each in intervals]))


def _is_inside(interval: Interval, value: float) -> bool:
    return interval.low <= value <= interval.high
