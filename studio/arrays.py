"""Names for the array types that cross the borders of rooms."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
"""Double precision, any shape; the shape is in the docstring of whoever takes or gives it."""

Integers = npt.NDArray[np.int64]
"""Signed integers: row numbers, class codes, trial numbers."""

Flags = npt.NDArray[np.bool_]
"""True or false an element."""

AnyArray = npt.NDArray[Any]
"""An array whose dtype is part of the docstring."""
