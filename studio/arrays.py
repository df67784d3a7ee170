"""Array types of public signatures, sorting of numbers, and writing of arrays to files.

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

_MIN_RADIX_SIZE = 2**14  # size from which sorting in two passes is faster
_MAX_DESCENTS = 2**-6  # share of neighbours in wrong order up to which merging runs is fast


def sort_indices(numbers: Floats) -> Integers:
    """Return the indices, (n,), that sort finite numbers, in about half the time of argsort.

    The numbers are rounded to 32 bits between their limits and sorted by halves of 16 bits, for
    which numpy has a radix sort; what rounding has left in the wrong order is sorted thereafter.
    """
    smallest, largest = (numbers.min(), numbers.max()) if numbers.size else (0.0, 0.0)
    with np.errstate(over="ignore"):
        span = largest - smallest
    if len(numbers) < _MIN_RADIX_SIZE or not 0.0 < span < np.inf:
        return np.argsort(numbers)
    rounded = ((numbers - smallest) / span * (2**32 - 1)).astype(np.uint32)
    order = np.argsort(rounded.astype(np.uint16), kind="stable")
    upper_half = (rounded >> np.uint32(16)).astype(np.uint16)
    order = order.take(np.argsort(upper_half.take(order), kind="stable"))
    nearly_sorted = numbers.take(order)
    n_descents = np.count_nonzero(nearly_sorted[1:] < nearly_sorted[:-1])
    if n_descents > _MAX_DESCENTS * len(numbers):
        return np.argsort(numbers)
    return order.take(np.argsort(nearly_sorted, kind="stable")) if n_descents else order


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
