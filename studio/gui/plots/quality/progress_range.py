"""Range of the progress plot's axis of losses."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from studio.arrays import Floats

_EARLY_SHARE = 0.35
"""Share of the iterations for which a loss is held at the start of a run until the axis begins to
exclude it."""

_MIN_SPAN = 0.05
"""Minimum range as a share of the loss: smaller differences do not fill the plot."""

_MAX_EXTENSION = 1.5
"""Range with most of the trials, as a multiple of that of the curves."""

_FLAT_SHARE, _MAX_CUT_SHARE = 0.2, 0.1
"""Height of the later course, as a share of the range, below which it seems flat; and the maximum
share of the iterations of a finished run, at its start, that the axis may exclude then."""

_MIN_GAP, _MAX_GAP_SEARCH = 0.1, 1.35
"""Minimum distance of a trial beyond the axis of a finished run from its end, as a share of the
axis; and the maximum range up to a larger gap, as a multiple of that without it."""

_PADDING, _STEPS = 0.04, 8
"""Space at the ends as a share of the range, and about the number of steps to which both ends are
rounded, so that small changes of the losses do not move the axis of a run in progress."""


def compute_range(
    curves: Sequence[Floats], dots: Floats, *, is_finished: bool = False
) -> tuple[float, float]:
    """Return the ends of the axis for curves, (t,) each, and dots, (k,).

    The first trials may be far worse than all that follows. Their losses would press the course of
    the search into the lowest part of the plot, so in a run in progress they count less with each
    iteration, and the axis shrinks gradually. The axis of a finished run contains its curves from
    the first loss, unless the later course would be flat.
    """
    finite_curves = [each[np.isfinite(each)] for each in curves]
    values = np.concatenate([*finite_curves, np.empty(0)])
    if len(values) == 0:
        values = dots if len(dots) else np.array([0.0, 1.0])
        finite_curves = [values]
    finite_curves = [each for each in finite_curves if len(each)]
    low, highest = float(values.min()), float(values.max())
    if is_finished:
        reached, settled = _find_first_level(finite_curves, low)
    else:
        reached = settled = max(map(_compute_reach, finite_curves))
    min_high = low + _MIN_SPAN * abs(low)
    high, settled = (max(min(highest, each), min_high) for each in (reached, settled))
    if len(dots):  # most of the trials, as far as the curves keep two thirds of the height
        usual = float(np.quantile(dots, 0.9))
        high = max(high, min(usual, low + _MAX_EXTENSION * (settled - low)))
    if is_finished:
        return _extend_to_gap(low, high, dots)
    return _round_ends(low, high)


def _round_ends(low: float, high: float) -> tuple[float, float]:
    """Return the rounded ends of an axis for losses from ``low`` to ``high``."""
    span = (high - low) or abs(high) or 1.0
    step = _round_to_125(span / _STEPS)
    bottom = step * math.floor((low - _PADDING * span) / step)
    top = step * math.ceil((high + _PADDING * span) / step)
    return (max(0.0, bottom) if low >= 0 else bottom), top


def _extend_to_gap(low: float, high: float, dots: Floats) -> tuple[float, float]:
    """Return the rounded ends of an axis without dots, (k,), just beyond its upper end.

    If they follow each other closely, the axis ends in the widest gap within its maximum range.
    """
    limit = low + _MAX_GAP_SEARCH * (high - low)
    ends, widest = _round_ends(low, high), -math.inf
    for last in (high, *np.sort(dots[(dots > high) & (dots <= limit)]).tolist()):
        bottom, top = _round_ends(low, last)
        beyond = dots[dots > top]
        gap = (float(beyond.min()) - top) / (top - bottom) if len(beyond) else math.inf
        if gap > widest:
            ends, widest = (bottom, top), gap
        if gap > _MIN_GAP:
            break
    return ends


def _find_first_level(curves: Sequence[Floats], low: float) -> tuple[float, float]:
    """Return the highest losses of a finished run's curves, (t,) each: of all, and of later ones.

    The first one is that on the axis. It is left out if a lower loss follows soon, so that the
    later course would be flat below it.
    """
    n_iterations = max(map(len, curves))
    # The highest loss of each iteration and all later ones.
    envelope = np.full(n_iterations, -np.inf)
    for each in curves:
        padded = np.append(each, np.full(n_iterations - len(each), each[-1]))
        envelope = np.maximum(envelope, np.maximum.accumulate(padded[::-1])[::-1])
    level, n_early = float(envelope[0]), math.ceil(_MAX_CUT_SHARE * n_iterations)
    for before, after in pairwise(envelope[: n_early + 1].tolist()):
        if _MIN_SPAN * abs(low) < after - low < _FLAT_SHARE * (before - low):
            level = after
    return level, min(level, float(envelope[min(n_early, n_iterations - 1)]))


def _compute_reach(curve: Floats) -> float:
    """Return up to where the axis shows a curve, (t,), at least its last loss.

    A loss above the lowest one is reached by the share of the iterations with such a loss, or a
    larger one. An iteration has the weight of the square of its number, so that the first ones soon
    hardly count.
    """
    weights = np.diff(np.linspace(0.0, 1.0, len(curve) + 1) ** 3)
    order = np.argsort(-curve, kind="stable")
    shares = np.minimum(1.0, np.cumsum(weights[order]) / _EARLY_SHARE**3)
    low = float(curve.min())
    return max(float(curve[-1]), low + float((shares * (curve[order] - low)).max()))


def _round_to_125(size: float) -> float:
    """Return the power of ten, or 2 or 5 times it, that is just below a positive size."""
    power = 10.0 ** math.floor(math.log10(size))
    return power * max(each for each in (1.0, 2.0, 5.0) if each * power <= size * (1 + 1e-9))
