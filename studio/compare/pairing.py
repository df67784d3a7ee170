"""Every two methods of a study against each other."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from studio.arrays import Floats
from studio.compare.comparison import Pair
from studio.compare.shared import block_means
from studio.compare.statistics.effect import cliffs_delta, rank_biserial
from studio.compare.statistics.holm import holm
from studio.compare.statistics.intervals import Difference, mean_interval, p_of_zero
from studio.compare.statistics.poisson_binomial import better_overall
from studio.compare.statistics.ranks import win_loss_counts, winning_frequency
from studio.compare.statistics.relative import relative_differences
from studio.compare.statistics.shift import detectable, median_shift
from studio.compare.statistics.sign import sign_test
from studio.compare.statistics.wilcoxon import wilcoxon

Differences = Mapping[tuple[int, int], Difference]
"""Places of two methods, the smaller first → the first's errors less the second's."""


def differences(errors: Floats, shared: float) -> Differences:
    """Return every pair's difference on one data set, its p after Holm's correction for all pairs.

    Args:
        errors: Shape (repetitions, methods). Test errors, at least one repetition.
        shared: The share of rows that a repetition tests on, in [0, 1).
    """
    chosen = list(combinations(range(errors.shape[1]), 2))
    gaps = [errors[:, i] - errors[:, j] for i, j in chosen]
    corrected = holm([p_of_zero(gap, shared) for gap in gaps])
    return {
        pair: Difference(mean_interval(gap, shared), float(p))
        for pair, gap, p in zip(chosen, gaps, corrected, strict=True)
    }


def pairs(
    names: Sequence[str],
    matrices: Mapping[str, Floats],
    probabilities: Mapping[str, Floats] | None,
    shared: float,
) -> tuple[Pair, ...]:
    """Return all pairs in the order of the methods.

    Args:
        names: The methods.
        matrices: Data set → test errors, shape (repetitions, methods); at least one data set.
        probabilities: Data set → how probable it is that each method is better than each, shape
            (methods, methods), where that is known.
        shared: As :func:`differences` takes it.
    """
    means = block_means(matrices)
    frequency = np.mean([winning_frequency(matrix) for matrix in matrices.values()], axis=0)
    wins, losses = win_loss_counts(means)
    apart = {block: differences(matrix, shared) for block, matrix in matrices.items()}
    chosen = list(combinations(range(len(names)), 2))
    relative = [relative_differences(means[:, i], means[:, j]) for i, j in chosen]
    tests = [wilcoxon(each) for each in relative]
    corrected = holm([test.p for test in tests])
    return tuple(
        Pair(
            first=names[i],
            second=names[j],
            winning=float(frequency[i, j]),
            sign=sign_test(int(wins[i, j]), int(losses[i, j])),
            wilcoxon=test,
            wilcoxon_holm=float(p),
            better=(
                None
                if probabilities is None
                else better_overall([float(each[i, j]) for each in probabilities.values()])
            ),
            effect=rank_biserial(test),
            delta=float(
                np.mean([cliffs_delta(each[:, i], each[:, j]) for each in matrices.values()])
            ),
            shift=median_shift(gaps),
            detectable=detectable(gaps),
            difference={block: found[i, j] for block, found in apart.items()},
        )
        for (i, j), gaps, test, p in zip(chosen, relative, tests, corrected, strict=True)
    )
