"""What is drawn as one when rows are resampled: what their split kept together."""

import numpy as np

from studio.arrays import Floats, Integers

MAX_BLOCKS = 20
"""Blocks of time at most: few enough that one hardly depends on its neighbours, and enough to see
how they differ (batch means: Schmeiser 1982, who finds 10 to 30)."""


def units_of(
    rows: Integers, groups: Integers | None = None, times: Floats | None = None
) -> Integers | None:
    """Return the unit that each row belongs to.

    Rows of one group err together, and so do rows that follow each other in time. Resampled one by
    one they would look like as many witnesses as there are rows.

    Args:
        rows: Shape (m,). Row numbers.
        groups, times: Shape (n,). Group and time of all rows, where a split kept them
            (:class:`studio.data.problem.Problem`).

    Returns:
        Shape (m,), or None. Codes 0, 1, …: groups, or √m blocks of consecutive times, at most
        :data:`MAX_BLOCKS`. ``None``: each row is its own.
    """
    if not rows.size:
        return None
    if groups is not None:
        return np.unique(groups[rows], return_inverse=True)[1].astype(np.int64)
    if times is None or np.isnan(times[rows]).any():
        return None  # rows of a second file have no time
    _, moment, counts = np.unique(times[rows], return_inverse=True, return_counts=True)
    n_blocks = min(MAX_BLOCKS, max(2, round(rows.size**0.5)))
    # A time belongs to the block in which its middle row lies.
    middle = np.cumsum(counts) - counts / 2
    block = np.floor(middle * n_blocks / rows.size).astype(np.int64)
    return np.unique(block[moment], return_inverse=True)[1].astype(np.int64)
