"""Digits of predicted numbers: few, but enough to distinguish them."""

import math

import numpy as np

from studio.arrays import Floats
from studio.measure import count_decimals
from studio.numerals import NumeralFormat, break_tie

_N_DIGITS = 3
"""Significant digits of a typical prediction."""

_MAX_DIGITS = 7
"""Significant digits of a typical prediction in a file, at most, unless others differ by less."""

_MAX_DECIMALS = 12

_POSSIBLE_TIE = 1e-3
"""Distance from a tie, in units of the last digit, within which it is looked at more closely."""

_MIN_SPREAD = 1e-6
"""Spread of predictions, as a share of a typical one, below which they count as equal."""


def choose_display_format(predictions: Floats) -> NumeralFormat:
    """Return the format of predicted numbers (n,) in the window.

    They have three digits of a typical prediction, or more if they differ by less: two digits of
    their interquartile range.
    """
    typical = float(np.median(np.abs(predictions)))
    spread = float(np.subtract(*np.percentile(predictions, (75, 25))))
    if not _MIN_SPREAD * typical < 10.0 * spread < typical:
        return NumeralFormat.for_steps(typical, digits=_N_DIGITS)
    exponent = math.floor(math.log10(10.0 * spread)) - _N_DIGITS + 1
    return NumeralFormat.for_steps(typical, 10.0**exponent)


def count_observed_decimals(observed: Floats) -> int:
    """Return the decimals of the target's values in training, (m,)."""
    candidates = range(_MAX_DECIMALS)
    return next((n for n in candidates if (observed == np.round(observed, n)).all()), _MAX_DECIMALS)


def choose_saved_decimals(predictions: Floats, observed_decimals: int, unit: str) -> int:
    """Return the decimals of predicted numbers (n,) in a file.

    These are the decimals of the observed values, as far as they can matter, and at least those in
    the window.

    Args:
        unit: The target's; empty for none.
    """
    display_format = choose_display_format(predictions)
    displayed = max(0, display_format.decimals - display_format.power)
    typical = NumeralFormat.for_steps(float(np.median(np.abs(predictions))), digits=_MAX_DIGITS)
    limit = max(0, typical.decimals - typical.power)
    return count_decimals(max(displayed, min(observed_decimals, limit)), unit)


def round_for_file(predictions: Floats, decimals: int) -> Floats:
    """Round predictions, any shape, to ``decimals`` as the window does: ties away from zero."""
    rounded: Floats = np.array(predictions, dtype=np.float64)
    fractions = np.abs(rounded) * 10.0**decimals % 1
    ties = np.abs(fractions - 0.5) < _POSSIBLE_TIE
    rounded[ties] = [break_tie(each, decimals) for each in rounded[ties].tolist()]
    return np.round(rounded, decimals) + 0.0  # without negative zeros
