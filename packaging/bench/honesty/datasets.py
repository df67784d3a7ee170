"""Level, power and coverage of the statistics over data sets: ranks and tests.

Errors of a data set are its own difficulty, which differs by powers of ten, times a factor of each
method's, drawn again each time; a better method has smaller ones throughout. Or they are counts of
wrong labels among few test rows, so that there are ties.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from studio.arrays import Floats
from studio.compare.statistics.intervals import SIGNIFICANCE_LEVEL, compute_bounded_interval
from studio.compare.statistics.ranks import (
    compute_average_ranks,
    compute_critical_difference,
    run_friedman_test,
)
from studio.compare.statistics.two_methods import (
    adjust_by_holm,
    compare_on_labels,
    compare_overall,
    compute_relative_differences,
    run_sign_test,
    run_wilcoxon_test,
)
from studio.compare.tables.pairs import PB_MARKS, SIGN_MARKS

METHODS = 4
REPETITIONS = 5
TEST_ROWS = 60
DISAGREEMENT = 0.2
"""Share of the test rows on which exactly one of two models is right."""

Draw = Callable[[int, float, np.random.Generator], Floats]
"""Data sets, lead of the first method, generator → errors, (data sets, repetitions, methods)."""


def values(n: int, lead: float, rng: np.random.Generator) -> Floats:
    """Draw errors of regression in units of all sizes, shape (n, REPETITIONS, METHODS)."""
    difficulty = 10 ** rng.uniform(-3, 3, size=(n, 1, 1))
    fit = rng.normal(size=(n, 1, METHODS))
    luck = rng.normal(size=(n, REPETITIONS, METHODS))
    better = lead * (np.arange(METHODS) == 0)
    drawn: Floats = difficulty * np.exp(0.1 * (fit + luck / 2 - better))
    return drawn


def counts(n: int, lead: float, rng: np.random.Generator) -> Floats:
    """Draw shares of wrong labels, with ties, shape (n, REPETITIONS, METHODS)."""
    difficulty = rng.uniform(0.02, 0.3, size=(n, 1, 1))
    fit = rng.normal(size=(n, 1, METHODS))
    better = lead * (np.arange(METHODS) == 0)
    share = difficulty * np.exp(0.2 * (fit - better)) * np.ones((n, REPETITIONS, METHODS))
    found: Floats = rng.binomial(TEST_ROWS, np.minimum(share, 1.0)) / TEST_ROWS
    return found


def tests(
    draw: Draw, n: int, lead: float, times: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return the rejection rate of each test over n data sets.

    Tests of pairs are counted for the first two methods, and for any two, corrected or marked as
    in the tables, where all pairs are meant.
    """
    found = dict.fromkeys(("Friedman", "Iman–Davenport", "Nemenyi, any pair"), 0)
    found |= {"Wilcoxon, a pair": 0, "Wilcoxon with Holm, any pair": 0}
    found |= {f"sign test {mark}, a pair": 0 for _, mark in SIGN_MARKS}
    difference = compute_critical_difference(METHODS, n)
    for _ in range(times):
        means = draw(n, lead, rng).mean(axis=1)
        test = run_friedman_test(means)
        found["Friedman"] += test.p < SIGNIFICANCE_LEVEL
        found["Iman–Davenport"] += test.f_p < SIGNIFICANCE_LEVEL
        ranks = compute_average_ranks(means).mean(axis=0)
        found["Nemenyi, any pair"] += bool(np.ptp(ranks) > difference)
        p = [
            run_wilcoxon_test(compute_relative_differences(means[:, i], means[:, j])).p
            for i, j in combinations(range(METHODS), 2)
        ]
        found["Wilcoxon, a pair"] += p[0] < SIGNIFICANCE_LEVEL
        found["Wilcoxon with Holm, any pair"] += bool(adjust_by_holm(p).min() < SIGNIFICANCE_LEVEL)
        gap = np.sign(means[:, 0] - means[:, 1])
        sign = run_sign_test(int((gap < 0).sum()), int((gap > 0).sum()))
        for limit, mark in SIGN_MARKS:
            found[f"sign test {mark}, a pair"] += sign.p_two_sided < limit
    return {name: count / times for name, count in found.items()}


def rank_coverage(draw: Draw, n: int, lead: float, times: int, rng: np.random.Generator) -> float:
    """Return the coverage of the first method's rank interval over n data sets."""
    truth = float(_rank_first(draw(20_000, lead, rng)).mean())
    drawn = _rank_first(draw(n * times, lead, rng)).reshape(times, n)
    intervals = [compute_bounded_interval(each, 1, METHODS) for each in drawn]
    return float(np.mean([each.low <= truth <= each.high for each in intervals]))


def _rank_first(errors: Floats) -> Floats:
    """Return the first method's mean rank on each data set: (n,) of (n, REPETITIONS, METHODS)."""
    n = len(errors)
    ranks = compute_average_ranks(errors.reshape(n * REPETITIONS, METHODS))[:, 0]
    means: Floats = ranks.reshape(n, REPETITIONS).mean(axis=1)
    return means


def poisson_binomial(
    n: int, spread: float, repetitions: int, times: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return the frequency of each Poisson-binomial mark at either method.

    Neither is better over such data sets: on each, one of the two, drawn by a coin, is right in a
    share of ``0.5 + spread`` of the rows on which they disagree.
    """
    marks = dict.fromkeys((mark for _, mark in PB_MARKS), 0)
    rows = round(DISAGREEMENT * 200)
    for _ in range(times):
        share = 0.5 + spread * rng.choice([-1.0, 1.0], size=n)
        alone = rng.binomial(rows, share, size=(repetitions, n)).mean(axis=0)
        better = compare_overall([compare_on_labels(each, rows - each) for each in alone])
        for limit, mark in PB_MARKS:
            marks[mark] += max(better, 1 - better) > limit
    return {mark: count / times for mark, count in marks.items()}
