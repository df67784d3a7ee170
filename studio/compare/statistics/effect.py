"""Effect sizes of paired and unpaired samples of errors; above zero the first is better."""

import numpy as np

from studio.arrays import Floats
from studio.compare.statistics.wilcoxon import WilcoxonTest


def rank_biserial(test: WilcoxonTest) -> float:
    """Return the matched-pairs rank-biserial correlation of a signed-rank test (Kerby 2014).

    ``(W₋ − W₊) / (W₋ + W₊)`` for differences first − second of errors: 1 where the first is always
    better, −1 where always worse, 0 where there is no difference at all.
    """
    total = test.positive + test.negative
    return (test.negative - test.positive) / total if total else 0.0


def cliffs_delta(first: Floats, second: Floats) -> float:
    """Return Cliff's δ (1993): how much more often the first's errors are below the second's.

    ``(#{x < y} − #{x > y}) / (n m)`` over all pairs of an error x of the first, shape (n,), and
    y of the second, shape (m,); in [−1, 1]. Vargha and Delaney's A is (δ + 1) / 2.
    """
    return float(np.mean(np.sign(second[None, :] - first[:, None])))
