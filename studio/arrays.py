"""Names for the array types that cross the borders of rooms.

They are written out: of numpy 2.5, on Python 3.12 and later, ``numpy.typing.NDArray`` is an alias
that hides its array from what reads annotations (:mod:`studio.annotations`).
"""

from typing import Any

import numpy as np

Floats = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
"""Double precision, any shape; the shape is in the docstring of whoever takes or gives it."""

Integers = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
"""Signed integers: row numbers, class codes, trial numbers."""

Flags = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
"""True or false an element."""

AnyArray = np.ndarray[tuple[Any, ...], np.dtype[Any]]
"""An array whose dtype is part of the docstring."""
