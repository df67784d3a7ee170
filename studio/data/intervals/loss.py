"""Intervals of a loss, of a paired difference of two, and of the gap between two sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.intervals.resampling import (
    compute_limits,
    compute_tail,
    compute_unit_sums,
    divide_safely,
    draw_unseen_unit_weights,
    resample_both_sums,
    resample_sums,
)
from studio.data.metrics.base import Metric
from studio.data.metrics.ratios import Ratios
from studio.seeds import derive

Interval = tuple[float, float]
"""The lower and the upper limit."""

MIN_SAMPLED_UNITS = 12
"""Minimum effective number of groups or blocks that count as samples of rows.

With 4 blocks of dependent rows, or one group that outweighs the others, false positives rise to a
quarter.
"""

_MIN_SAMPLE_ROWS = 5  # minimum median number of rows of such a group

_NO_ERROR = 1e-9  # ratios up to here are rounding errors of a loss without errors


def compute_loss_interval(
    metric: Metric,
    truth: AnyArray,
    predictions: AnyArray,
    weights: Floats | None = None,
    *,
    units: Integers | None = None,
) -> Interval | None:
    """Return the 95 % interval of a loss over new samples; ``None`` if the loss is undefined.

    An unseen unit may be without error, or as wrong as the worst one. If units are samples of rows
    (:func:`_are_samples`), it is at best as good as the best one; by losses that are no
    sums over rows (``is_first_order``), it is at most twice as bad as the worst one.

    Args:
        truth, predictions, weights: See :meth:`studio.data.metrics.base.Metric.compute_loss`.
        units: Shape (n,). Codes of the units, the rows drawn together
            (:func:`studio.data.intervals.resampling.get_units`).
    """
    result = compute_loss_ratios(metric, truth, predictions, weights)
    if result is None:
        return None
    ratios, has_weight = result
    codes = encode_units(units, has_weight)
    unit_sums = compute_unit_sums(ratios, codes)
    highest = unit_sums.unit_errors.max(axis=1)
    best = np.zeros(len(highest))
    worst = np.where(ratios.has_errors, ratios.max_excess * highest, ratios.worst_ratios)
    if _are_samples(codes):
        best = unit_sums.unit_errors.min(axis=1)
        is_limited = ratios.is_first_order & (highest > _NO_ERROR)
        worst = np.where(is_limited, np.minimum(worst, 2 * highest), worst)
    numerators, denominators = resample_both_sums(unit_sums)
    unseen_weight = draw_unseen_unit_weights(1 if units is not None else len(worst))
    unseen_below = unseen_weight * unit_sums.denominators.max(axis=1)
    unseen_above = unseen_weight * unit_sums.typical_denominators
    return compute_limits(
        ratios.loss(divide_safely(numerators + unseen_below * best, denominators + unseen_below)),
        ratios.loss(divide_safely(numerators + unseen_above * worst, denominators + unseen_above)),
        unit_sums.numerators.shape[1] if ratios.is_estimated else None,
    )


def compute_loss_ratios(
    metric: Metric, truth: AnyArray, predictions: AnyArray, weights: Floats | None
) -> tuple[Ratios, AnyArray] | None:
    """Return the ratios of a loss, and the contributing rows; ``None`` if it is undefined.

    Truth and weights have shape (n,), predictions (n, C) or (n,), the flags of the rows (n,).
    """
    has_weight = np.ones(len(truth), dtype=np.bool_) if weights is None else weights > 0
    weight = np.ones(len(truth)) if weights is None else weights
    if not has_weight.any() or not np.isfinite(predictions).all():
        return None
    ratios = metric.compute_ratios(truth[has_weight], predictions[has_weight], weight[has_weight])
    if ratios is None or not np.isfinite(ratios.numerators.sum()):
        return None
    return ratios, has_weight


def encode_units(units: Integers | None, contributes: AnyArray) -> Integers | None:
    """Return consecutive unit codes, (m,), of the rows flagged as contributing, (n,)."""
    if units is None:
        return None
    return np.unique(units[contributes], return_inverse=True)[1].astype(np.int64)


def compute_difference_interval(
    metric: Metric,
    truth: AnyArray,
    one: AnyArray,
    other: AnyArray,
    weights: Floats | None = None,
    *,
    units: Integers | None = None,
) -> Interval | None:
    """Return the 95 % interval of loss(one) − loss(other) over the same rows.

    Units are drawn once for both: two models that err on the same rows differ little, even if each
    interval is wide. An unseen row may differ as much as the most different one: in favour of
    ``other`` at the upper end, of ``one`` at the lower. If units are samples of rows
    (:func:`_are_samples`), the unseen one may deviate as much from the mean difference, and the
    quantiles are expanded. Below zero, ``one`` is better.

    Args:
        metric, truth, weights, units: See :func:`compute_loss_interval`.
        one, other: Two predictions of the same rows: shape (n, C) or (n,).

    Returns:
        ``None`` where either loss is undefined (broken predictions); both 0 where both are equally
        wrong in every unit.
    """
    first, second = (compute_loss_ratios(metric, truth, each, weights) for each in (one, other))
    if first is None or second is None:
        return None
    codes = encode_units(units, first[1])
    has_samples = _are_samples(codes)
    first_losses, second_losses = (
        _ResampledLoss.resample_units(ratios, codes, are_samples=has_samples)
        for ratios, _ in (first, second)
    )
    n_units = len(first_losses.contributions)
    changes = n_units * (first_losses.contributions - second_losses.contributions)
    center = first_losses.loss - second_losses.loss if has_samples else 0.0
    unseen_weight = draw_unseen_unit_weights()[:, 0]
    unseen_share = unseen_weight / (unseen_weight + resample_sums(np.ones((1, n_units)))[:, 0])
    draws = (1 - unseen_share) * (first_losses.losses - second_losses.losses)
    unseen_change = np.abs(changes).max()
    return compute_limits(
        draws + unseen_share * (center - unseen_change),
        draws + unseen_share * (center + unseen_change),
        n_units if has_samples else None,
    )


def _are_samples(units: Integers | None) -> bool:
    """Whether units, codes of shape (n,), are many samples of several rows of similar size."""
    if units is None:
        return False
    sizes = np.bincount(units)
    effective_number = float(sizes.sum() ** 2 / np.square(sizes).sum())
    return effective_number >= MIN_SAMPLED_UNITS and bool(np.median(sizes) >= _MIN_SAMPLE_ROWS)


@dataclass(frozen=True, eq=False)
class _ResampledLoss:
    """One of two predictions.

    Attributes:
        losses: Shape (DRAWS,). The losses of its resamples.
        loss: The loss of all units.
        contributions: Shape (u,). Each unit's contribution to the loss, or, of units that are
            samples of rows, its influence on the loss.
    """

    losses: Floats
    loss: float
    contributions: Floats

    @classmethod
    def resample_units(
        cls, ratios: Ratios, units: Integers | None, *, are_samples: bool = False
    ) -> "_ResampledLoss":
        unit_sums = compute_unit_sums(ratios, units)
        total = unit_sums.denominators.sum(axis=1)
        level = divide_safely(unit_sums.numerators.sum(axis=1), total)
        changes = unit_sums.numerators
        if are_samples:
            changes = changes - level[:, None] * unit_sums.denominators
        higher = level + divide_safely(changes, total[:, None]).T
        return cls(
            losses=ratios.loss(
                divide_safely(
                    resample_sums(unit_sums.numerators), resample_sums(unit_sums.denominators)
                )
            ),
            loss=float(ratios.loss(level)),
            contributions=ratios.loss(higher) - ratios.loss(level),
        )


def resample_losses(
    metric: Metric,
    truth: AnyArray,
    predictions: Sequence[AnyArray],
    weights: Floats | None = None,
    *,
    units: Integers | None = None,
) -> Floats | None:
    """Return the losses over resampled rows, shape (DRAWS, p); ``None`` if undefined.

    Each draw uses the same rows for all predictions, so that common errors cancel in comparisons.
    Arguments as for :func:`compute_loss_interval`.
    """
    losses = []
    for each in predictions:
        result = compute_loss_ratios(metric, truth, each, weights)
        if result is None:
            return None
        losses.append(_ResampledLoss.resample_units(result[0], encode_units(units, result[1])))
    return np.column_stack([each.losses for each in losses])


def compute_gap_interval(
    loss: float, interval: Interval, other: float, other_interval: Interval
) -> Interval:
    """Return the 95 % interval of ``other − loss``, losses on disjoint rows, from those of each.

    Combines the distances of each loss from its limits (MOVER: Zou and Donner, Statistics in
    Medicine 2008), so it reflects the width and asymmetry of both intervals.
    """
    (low, high), (other_low, other_high) = interval, other_interval
    gap = other - loss
    return (
        gap - math.hypot(other - other_low, high - loss),
        gap + math.hypot(other_high - other, loss - low),
    )


SIGNIFICANCE_LEVEL = 0.025
"""Maximum probability that an irrelevant column is called significant."""

_N_RESAMPLES = 999  # minimum number of random permutations of a row's value
_MIN_EXPECTED_LOWER = 2  # minimum number of them below the level: sets the number for a low level
_N_RESAMPLES_BETWEEN_CHECKS = 100  # columns that cannot be significant any more are dropped
_BLOCK_COLUMNS = 256  # columns resampled at once, limited by memory


def compute_row_contributions(
    metric: Metric, truth: AnyArray, predictions: AnyArray, weights: Floats | None
) -> Floats | None:
    """Return each row's contribution to a loss (the mean of all), (n,); ``None`` if undefined.

    For a mean over rows these are the row losses. For other losses it is the influence of each row
    (Hampel 1974), centred at the loss. Arguments as for :func:`compute_loss_interval`.
    """
    result = compute_loss_ratios(metric, truth, predictions, weights)
    if result is None:
        return None
    ratios, has_weight = result
    total = ratios.denominators.sum(axis=1)
    level = divide_safely(ratios.numerators.sum(axis=1), total)
    # Numerical derivative of each ratio by a row's weight, with a small step for linearity.
    slopes = divide_safely(
        ratios.numerators - level[:, None] * ratios.denominators, total[:, None]
    ).T
    step = 1e-4
    parts = np.zeros(len(truth))
    parts[has_weight] = (ratios.loss(level + step * slopes) - ratios.loss(level)) / step
    scaled: Floats = len(truth) * (parts - parts.mean())
    return metric.compute_loss(truth, predictions, weights) + scaled


def find_significant_columns(losses: Floats, n_comparisons: int = 1) -> Flags:
    """Return the significant columns, (d,), with a false positive rate of at most 1 in 40.

    Args:
        losses: Shape (k + 1, n, d). Each row's (weighted) loss with its own value of a column, then
            with k values from other rows. Rows are independent.
        n_comparisons: Number of columns that share this rate.
    """
    n_values, n_rows, n_columns = losses.shape
    level = SIGNIFICANCE_LEVEL / n_comparisons
    observed = losses[0].sum(axis=0)
    # A sum less than a standard deviation below its mean is not unusual.
    spread = np.sqrt(losses.var(axis=0).sum(axis=0))
    candidates = np.flatnonzero(observed < losses.mean(axis=0).sum(axis=0) - spread)
    rng = np.random.default_rng(derive(0, "shuffling", n_values, n_rows))
    rows = np.arange(n_rows)
    n_lower = np.zeros(n_columns)
    n_resamples = max(_N_RESAMPLES, math.ceil(_MIN_EXPECTED_LOWER / level) - 1)
    max_lower = level * (1 + n_resamples) - 1
    for index in range(n_resamples):
        if index % _N_RESAMPLES_BETWEEN_CHECKS == 0:
            candidates = candidates[n_lower[candidates] <= max_lower]
            if not len(candidates):
                break
            tested_losses = losses[:, :, candidates]
        n_lower[candidates] += (
            tested_losses[rng.integers(0, n_values, n_rows), rows].sum(axis=0)
            <= observed[candidates]
        )
    is_significant = np.zeros(n_columns, dtype=np.bool_)
    is_significant[candidates] = n_lower[candidates] <= max_lower
    return is_significant


def extend_lower_limits(means: Floats, low: Floats, n_comparisons: Integers) -> Floats:
    """Return lower 95 % limits, (d,), extended for several comparisons each, as for normal means.

    Args:
        means, low: Shape (d,). Estimates and lower limits.
        n_comparisons: Shape (d,). Number of comparisons that share the limit's error rate.
    """
    factors = ndtri(SIGNIFICANCE_LEVEL / n_comparisons) / ndtri(SIGNIFICANCE_LEVEL)
    return means - factors * (means - low)


def compute_importance_intervals(
    parts: Floats, units: Integers | None = None
) -> tuple[Floats, Floats]:
    """Return the 95 % interval of each column's importance, shapes (d,).

    As for the difference of two losses, the unseen unit may deviate as much as the most extreme
    one, so one or two rows are not sufficient evidence.

    Args:
        parts: Shape (n, d). Each row's contribution to the rise of the loss, which is their mean.
        units: Shape (n,). The resampling unit of each row
            (:func:`studio.data.intervals.resampling.get_units`).
    """
    low, high = np.empty(parts.shape[1]), np.empty(parts.shape[1])
    for first in range(0, parts.shape[1], _BLOCK_COLUMNS):
        block = slice(first, first + _BLOCK_COLUMNS)
        low[block], high[block] = _draw_block(parts[:, block], units)
    return low, high


def _draw_block(parts: Floats, units: Integers | None) -> tuple[Floats, Floats]:
    codes = np.arange(len(parts)) if units is None else units
    n_units = int(codes.max()) + 1
    sums = np.zeros((n_units, parts.shape[1]))
    np.add.at(sums, codes, parts)
    sizes = np.bincount(codes, minlength=n_units).astype(np.float64)
    has_samples = _are_samples(units)
    mean = has_samples * sums.sum(axis=0) / sizes.sum()
    deviations = sums - sizes[:, None] * mean
    max_deviation = np.abs(deviations).max(axis=0) / sizes.mean()
    weight = resample_sums(sizes[None])
    unseen_weight = draw_unseen_unit_weights() * sizes.mean()
    unseen_share = unseen_weight / (unseen_weight + weight)
    draws = mean + (1 - unseen_share) * resample_sums(deviations.T) / weight
    tail = compute_tail(n_units if has_samples else None)
    return (
        np.quantile(draws - unseen_share * max_deviation, tail, axis=0),
        np.quantile(draws + unseen_share * max_deviation, 1 - tail, axis=0),
    )
