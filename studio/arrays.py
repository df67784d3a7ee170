"""Type aliases of the arrays in public signatures, and how arrays are written to files.

Of numpy 2.5, on Python 3.12 and later, ``numpy.typing.NDArray`` hides its array from what reads
annotations (:mod:`studio.annotations`), so it is used nowhere.
"""

from typing import Any, BinaryIO, TypeVar, cast

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


class _PlainFile:
    """A file that numpy writes from Python, for complete error messages.

    Given a file of the system it writes from C, and says of a full disk only how much was written.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.write = file.write


def write_npy(file: BinaryIO, array: AnyArray) -> None:
    """Write an array of any shape in numpy's format, without pickle.

    Raises:
        OSError: If it cannot be written; it says why.
    """
    np.save(cast(Any, _PlainFile(file)), array, allow_pickle=False)
