"""Which iterations of a long run are drawn, so that what was counted once stays of use."""

import numpy as np

from studio.arrays import Integers


def columns(last: int, most: int) -> Integers:
    """Return iterations from 1 to ``last``: all, or every 2nd, 4th, 8th, and always the last.

    A power of two as the step means that a run that grows drops columns but never needs others
    between; whatever was worked out for a column can be kept.

    Args:
        last: The last iteration, from 0.
        most: How many there may be.

    Returns:
        Shape (k,), k <= most.
    """
    step = 1
    while last > step * most:
        step *= 2
    found = np.arange(step, last + 1, step, dtype=np.int64)
    if last and (not len(found) or found[-1] != last):
        found = np.append(found, last)
    return found
