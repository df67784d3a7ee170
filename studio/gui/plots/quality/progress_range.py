"""Range of the progress plot's axis of losses."""

import math
from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats

_EARLY_SHARE = 0.35
"""Share of the iterations for which a loss is held at the start of a run until the axis begins to
exclude it."""

_MIN_SPAN = 0.05
"""Minimum range as a share of the loss: smaller differences do not fill the plot."""

_MAX_EXTENSION = 1.5
"""Range with most of the trials, as a multiple of that of the curves."""

_PADDING, _STEPS = 0.04, 8
"""Space at the ends as a share of the range, and about the number of steps to which both ends are
rounded, so that small changes of the losses do not move the axis of a run in progress."""


def compute_range(curves: Sequence[Floats], dots: Floats) -> tuple[float, float]:
    """Return the ends of the axis for curves, (t,) each, and dots, (k,).

    The first trials may be far worse than all that follows. Their losses would press the course of
    the search into the lowest part of the plot, so they count less with each iteration, and the
    axis shrinks gradually. The end of a run changes nothing: the axis must not jump then.
    """
    finite_curves = [each[np.isfinite(each)] for each in curves]
    values = np.concatenate([*finite_curves, np.empty(0)])
    if len(values) == 0:
        values = dots if len(dots) else np.array([0.0, 1.0])
        finite_curves = [values]
    finite_curves = [each for each in finite_curves if len(each)]
    low, highest = float(values.min()), float(values.max())
    reach = min(highest, max(map(_compute_reach, finite_curves)))
    high = max(reach, low + _MIN_SPAN * abs(low))
    if len(dots):  # most of the trials, as far as the curves keep two thirds of the height
        usual = float(np.quantile(dots, 0.9))
        high = max(high, min(usual, low + _MAX_EXTENSION * (high - low)))
    return _round_ends(low, high)


def _round_ends(low: float, high: float) -> tuple[float, float]:
    """Return the rounded ends of an axis for losses from ``low`` to ``high``."""
    span = (high - low) or abs(high) or 1.0
    step = _round_to_125(span / _STEPS)
    bottom = step * math.floor((low - _PADDING * span) / step)
    top = step * math.ceil((high + _PADDING * span) / step)
    return (max(0.0, bottom) if low >= 0 else bottom), top


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
