"""Differences of errors that have no unit, so that data sets can be combined."""

import numpy as np

from studio.arrays import Floats


def relative_differences(mine: Floats, theirs: Floats) -> Floats:
    """Return ``(mine − theirs) / ((mine + theirs) / 2)`` of each block; below zero mine is better.

    The reference is the mean error of the two that are compared. So no unit is left: dollars or
    thousands of them give the same. It prefers neither of the two, needs no third method (another
    one in the study changes nothing), and is there where one error is zero. If both are equally
    good, the difference is symmetric about zero, which is what Wilcoxon's test supposes; its ranks
    are those of the logarithm of ``mine / theirs``.

    Args:
        mine, theirs: Shape (n_blocks,). Mean errors, not negative; of a block in the same unit.

    Returns:
        Shape (n_blocks,). In [−2, 2]; 0 where both are 0.
    """
    reference = (mine + theirs) / 2
    found: Floats = (mine - theirs) / np.where(reference == 0, 1.0, reference)
    return found
