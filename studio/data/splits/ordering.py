"""Dividing rows by time: what comes later is held out."""

import numpy as np

from studio.arrays import Floats, Integers
from studio.errors import DataError
from studio.phrases import counted


def time_parts(times: Floats, shares: tuple[float, ...]) -> Integers:
    """Cut the rows, in order of time, into consecutive parts: the first share is the earliest.

    Rows of the same time stay together: each cut is the change of time that is nearest to the
    wanted number of rows and leaves every part at least one time.

    Args:
        times: Shape (n,). When each row happened; no NaN.
        shares: One for each part, summing to one; a part of share 0 stays empty.

    Returns:
        Shape (n,). Each row's part.

    Raises:
        DataError: If there are fewer different times than parts.
    """
    used = [k for k, share in enumerate(shares) if share > 0]
    _, moment, counts = np.unique(times, return_inverse=True, return_counts=True)
    n_times = len(counts)
    if n_times < len(used):
        raise DataError(
            counted(
                "One time cannot be divided into {n_used} parts that follow each other. Choose "
                "another time column.",
                "{count} different times cannot be divided into {n_used} parts that follow each "
                "other. Choose fewer parts or folds, or another time column.",
                n_times,
                n_used=len(used),
            )
        )
    until = np.cumsum(counts)
    ideal = np.cumsum([shares[k] for k in used]) * len(times)
    place = np.zeros(n_times, dtype=np.int64)
    cut = 0
    for nth in range(len(used) - 1):
        latest = n_times - (len(used) - 1 - nth)
        cut += 1 + int(np.argmin(np.abs(until[cut:latest] - ideal[nth])))
        place[cut:] = nth + 1
    part: Integers = np.array(used, dtype=np.int64)[place][moment]
    return part


def time_folds(times: Floats, n_folds: int) -> Integers:
    """Return each row's fold 0..k-1, shape (n,): blocks of consecutive rows of about one size.

    Every row must be predicted once, the earliest ones included, so a fold also trains on rows
    that are later than those it predicts. Blocks keep neighbours in time together, which is what
    makes shuffled folds look too good; and the test rows, later than all folds, give the final
    figure (blocked cross-validation: Bergmeir & Benítez 2012).
    """
    return time_parts(times, (1 / n_folds,) * n_folds)
