"""What the first folds of a trial must not exceed, by the trials before it."""

import math

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.data.metrics.weighting import mean
from studio.ensembles.weights import rows_counted
from studio.runs.finish import best_single
from studio.runs.hopeless import EarlyStopThresholds
from studio.runs.prepare import Prepared
from studio.trial import History

MIN_TRIALS = 3
"""Trials that must have succeeded before one is compared with them."""


def bars_for(prepared: Prepared, history: History) -> EarlyStopThresholds | None:
    """Return where the next trial is given up; ``None`` where none is, or nothing is known yet."""
    evaluation, folds = prepared.method.evaluation, prepared.split.folds
    if (
        not evaluation.ends_early
        or prepared.metric.local
        or len(folds) < 3
        or len(history.succeeded) < MIN_TRIALS
    ):
        return None
    best = history.predictions(best_single(history).number)
    losses, bests = [], []
    for done in range(1, len(folds)):
        rows = np.sort(np.concatenate([held_out for _, held_out in folds[:done]]))
        own = best[np.searchsorted(prepared.split.validation, rows)]
        lowest = prepared.loss(rows, own)
        guess = prepared.loss(rows, _guess(prepared, rows))
        losses.append(evaluation.bar(lowest, guess, _slack(prepared, rows, own, lowest)))
        bests.append(lowest)
    return EarlyStopThresholds(prepared.metric, tuple(losses), tuple(bests))


def _guess(prepared: Prepared, rows: Integers) -> AnyArray:
    """Return the metric's best constant for rows (n,), repeated: shape (n, C), or (n,)."""
    best = prepared.best_constant(rows)
    return np.broadcast_to(best, (len(rows), *best.shape))


def _slack(prepared: Prepared, rows: Integers, predictions: AnyArray, loss: float) -> float:
    """Return twice the standard error of a loss, as far as it is a mean over rows, (n,)."""
    each = prepared.metric.row_losses(prepared.problem.y[rows], predictions)
    if each is None:
        return 0.0
    weights = prepared.weights_of(rows)
    middle = mean(each, weights)
    spread = math.sqrt(mean(np.square(each - middle), weights))
    above = middle + 2.0 * spread / math.sqrt(rows_counted(weights, len(rows)))
    return float(prepared.metric.of_mean(np.array([above]))[0]) - loss
