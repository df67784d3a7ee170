"""Between unit coordinates and numbers, a whole matrix at a time."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.space.base import UnitAxis

_LARGEST_POWER = 130
_POWERS = np.array([float(f"1e{k}") for k in range(-_LARGEST_POWER, _LARGEST_POWER + 1)])
"""Exact powers of ten: ``np.power`` may be an ulp off, and an ulp makes two of one value."""


class Scales:
    """The axes of some columns as arrays.

    Args:
        axes: One for each column, in order; an axis may repeat.
    """

    def __init__(self, axes: Sequence[UnitAxis]) -> None:
        self.axes = tuple(axes)
        self.low = np.array([axis.low for axis in axes], dtype=float)
        self.high = np.array([axis.high for axis in axes], dtype=float)
        self.start = np.array([axis.start for axis in axes], dtype=float)
        self.width = np.array([axis.width for axis in axes], dtype=float)
        self.discrete: Flags = np.array([axis.discrete for axis in axes], dtype=bool)
        log = np.array([axis.log for axis in axes], dtype=bool)
        decimals = np.array([axis.decimals for axis in axes], dtype=np.int64)
        self._log = np.flatnonzero(log)
        self._whole = np.flatnonzero(self.discrete)
        self._linear = np.flatnonzero(~log & ~self.discrete)
        self._logarithmic = np.flatnonzero(log & ~self.discrete)
        self._up, self._down = _powers(decimals[self._linear])
        self._digits = decimals[self._logarithmic]

    def take(self, columns: Integers) -> "Scales":
        """Return the scales of some columns, shape (k,), which may repeat."""
        return Scales([self.axes[column] for column in columns.tolist()])

    def numbers(self, U: Floats) -> Floats:
        """Return unit coordinates (…, columns) as the nearest numbers there are (no NaN in U).

        Continuous numbers are rounded to decimal places (linear) or significant digits (log): so
        equal values have equal bits, and decoding and encoding never drift by an ulp.
        """
        X = np.clip(U, 0.0, 1.0)
        X *= self.width
        X += self.start
        if len(self._log):
            X[..., self._log] = np.exp(X[..., self._log])
        if len(self._whole):
            X[..., self._whole] = np.rint(X[..., self._whole])
        if len(self._linear):
            # Dividing by an exact power gives the double nearest to the decimal number.
            scaled = np.rint(X[..., self._linear] * self._up / self._down)
            X[..., self._linear] = scaled * self._down / self._up
        if len(self._logarithmic):
            part = X[..., self._logarithmic]
            up, down = _powers(self._digits - 1 - np.floor(np.log10(part)).astype(np.int64))
            X[..., self._logarithmic] = np.rint(part * up / down) * down / up
        np.clip(X, self.low, self.high, out=X)
        # Turns -0.0 into 0.0.
        X += 0.0
        return X

    def units(self, X: Floats) -> Floats:
        """Return numbers (…, columns) as unit coordinates (no NaN in X)."""
        U = np.array(X, dtype=float)
        if len(self._log):
            U[..., self._log] = np.log(U[..., self._log])
        U -= self.start
        U /= self.width
        np.clip(U, 0.0, 1.0, out=U)
        U += 0.0
        return U


def _powers(exponents: Integers) -> tuple[Floats, Floats]:
    """Return 10**k for k ≥ 0 (else 1) and 10**-k for k < 0 (else 1), any shape, both exact."""
    k = np.clip(exponents, -_LARGEST_POWER, _LARGEST_POWER)
    return _POWERS[np.maximum(k, 0) + _LARGEST_POWER], _POWERS[np.maximum(-k, 0) + _LARGEST_POWER]
