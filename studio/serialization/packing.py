"""Many small arrays as a few long ones, one of each type, and the way back."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np

from studio.arrays import AnyArray
from studio.errors import KeepingError

TYPES = ("|b1", "|u1", "<i2", "<i4", "<i8", "<f4", "<f8")
"""Of the arrays of fitted models."""

_MAX_DIMENSIONS = 4
_LONGEST = 1 << 40


class Packer:
    """Collects arrays; :meth:`add` returns where each will be found."""

    def __init__(self) -> None:
        self._parts: dict[str, list[AnyArray]] = {}
        self._lengths: dict[str, int] = {}

    def add(self, array: AnyArray) -> list[Any]:
        """Take an array; return its type, its place and its shape as plain JSON.

        Raises:
            KeepingError: If it is not an array of numbers or flags.
        """
        kind = array.dtype.newbyteorder("<").str
        if kind not in TYPES:
            raise KeepingError(
                "Arrays of {array} are not part of models that can be kept.", array=array.dtype
            )
        start = self._lengths.get(kind, 0)
        flat = np.ascontiguousarray(array).reshape(-1)
        self._parts.setdefault(kind, []).append(flat)
        self._lengths[kind] = start + flat.size
        return [kind, start, list(array.shape), bool(array.ndim > 1 and array.flags.f_contiguous)]

    def arrays(self) -> dict[str, AnyArray]:
        """Return the long arrays by type, each shape (total,)."""
        return {kind: np.concatenate(parts) for kind, parts in self._parts.items()}


class ArrayUnpacker:
    """Finds arrays again.

    Args:
        arrays: The long arrays by type.
    """

    def __init__(self, arrays: Mapping[str, AnyArray]) -> None:
        for kind, array in arrays.items():
            if kind not in TYPES or array.ndim != 1 or array.dtype != np.dtype(kind):
                raise KeepingError("The arrays of a kept model are damaged.")
        self._arrays = arrays

    def array(self, place: Sequence[Any]) -> AnyArray:
        """Return a copy of the array at a place, in the shape in which it was laid out.

        Raises:
            KeepingError: If there is no such array.
        """
        kind, start, shape, by_columns = place
        whole = [start, *shape]
        if (
            not all(type(each) is int and 0 <= each <= _LONGEST for each in whole)
            or len(shape) > _MAX_DIMENSIONS
            or type(by_columns) is not bool
        ):
            raise KeepingError("An array of a kept model has an impossible shape.")
        size = prod(shape)
        long = self._arrays.get(kind)
        if long is None:
            long = np.empty(0, dtype=_known(kind))
        if start + size > long.size:
            raise KeepingError("An array of a kept model is longer than what is there.")
        found = long[start : start + size].reshape(shape)
        return np.asfortranarray(found) if by_columns else found.copy()


class Writing(Protocol):
    """What writes values, for those who write the inside of one kind of them."""

    packer: Packer

    def value(self, value: Any) -> Any:
        """Return the plain form of a value."""


class InnerReading(Protocol):
    """What reads values, for those who read the inside of one kind of them."""

    unpacker: ArrayUnpacker

    def value(self, given: Any) -> Any:
        """Return the value of a plain form."""


def _known(kind: Any) -> str:
    if kind not in TYPES:
        raise KeepingError("An array of a kept model has an unknown type.")
    return str(kind)
