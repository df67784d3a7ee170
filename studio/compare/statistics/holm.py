"""Holm's correction of several p values."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats


def holm(p_values: Sequence[float]) -> Floats:
    """Return p values adjusted so that comparing them with α keeps the family's level at α.

    The i-th smallest of m is multiplied by m − i + 1, made at least as large as those before it,
    and cut at 1 (Holm 1979).

    Args:
        p_values: In [0, 1].

    Returns:
        Shape (m,).
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return adjusted
