"""Default factories for dataclass fields that hold arrays."""

from dataclasses import field
from typing import Any

import numpy as np


def float_field(*shape: int) -> Any:
    """Return a field of doubles; its default is an empty array of ``shape``, or else (0,)."""
    return field(default_factory=lambda: np.empty(shape or (0,)))


def integer_field(*shape: int) -> Any:
    """Return a field of integers, like :func:`float_field`."""
    return field(default_factory=lambda: np.empty(shape or (0,), dtype=np.int64))


def boolean_field() -> Any:
    """Return a field of booleans, shape (0,)."""
    return field(default_factory=lambda: np.empty(0, dtype=np.bool_))
