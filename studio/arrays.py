"""Type aliases of the arrays in public signatures, and writing of arrays to files.

``numpy.typing.NDArray`` is not used: with numpy 2.5 on Python 3.12 and later, annotations do not
reveal its array type (:mod:`studio.annotations`).
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
    """A file that numpy has to write from Python, for complete error messages.

    Numpy writes files of the operating system from C; on a full disk, the error then states only
    the number of bytes written.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.write = file.write


def write_npy(file: BinaryIO, array: AnyArray) -> None:
    """Write an array of any shape in numpy's format, without pickle, or raise OSError."""
    np.save(cast(Any, _PlainFile(file)), array, allow_pickle=False)
