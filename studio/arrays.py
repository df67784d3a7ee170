"""Type aliases of the arrays in public signatures.

Of numpy 2.5, on Python 3.12 and later, ``numpy.typing.NDArray`` hides its array from what reads
annotations (:mod:`studio.annotations`), so it is used nowhere.
"""

from typing import Any, TypeVar

import numpy as np

Element = TypeVar("Element", bound=np.generic)

Array = np.ndarray[tuple[Any, ...], np.dtype[Element]]
"""An array of any shape, with elements of one type."""

Floats = Array[np.float64]
"""Double precision, any shape; the shape is in the docstring of each function."""

Integers = Array[np.int64]
"""Signed integers: row numbers, class codes, trial numbers."""

Flags = Array[np.bool_]
"""Booleans."""

AnyArray = Array[Any]
"""An array with its dtype in the docstring."""
