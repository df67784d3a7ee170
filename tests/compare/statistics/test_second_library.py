"""The statistics against a second library, statsmodels, on random errors full of ties.

Statistics missing there are compared with complete enumeration (Wilcoxon's test) and with scipy's
Poisson-binomial distribution.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.descriptivestats import sign_test as their_sign_test
from statsmodels.stats.libqsturng import psturng, qsturng
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.nonparametric import rank_compare_2indep, rankdata_2samp

from studio.arrays import Floats
from studio.compare.analysis import compare
from studio.compare.outcomes import CellOutcome, compute_block_means
from studio.compare.statistics.ranks import (
    compute_average_ranks,
    compute_critical_difference,
    compute_winning_frequency,
    count_wins_and_losses,
    run_friedman_test,
)
from studio.compare.statistics.two_methods import (
    adjust_by_holm,
    compute_cliffs_delta,
    compute_rank_biserial,
    run_sign_test,
    run_wilcoxon_test,
)

SEEDS = range(8)

QUANTILE_TOLERANCE = 1e-4
"""Relative: statsmodels interpolates in tables (Gleason 1999), this package integrates."""


def make_errors(seed: int) -> Floats:
    """Return errors of 3 to 12 blocks and 2 to 7 methods; few values, so that many are equal."""
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(3, 13)), int(rng.integers(2, 8)))
    errors: Floats = rng.integers(0, 5, size=shape) / 8 + 0.1 * np.arange(shape[1]) * (seed % 2)
    return errors


@pytest.mark.parametrize("seed", SEEDS)
def test_friedman_f_equals_anova_of_ranks(seed: int) -> None:
    ranks = compute_average_ranks(make_errors(seed))
    n, k = ranks.shape
    blocks, methods = np.indices((n, k))
    frame = pd.DataFrame(
        {"rank": ranks.ravel(), "block": blocks.ravel(), "method": methods.ravel()}
    )
    table = AnovaRM(frame, "rank", "block", within=["method"]).fit().anova_table
    f, p = (float(table[name].iloc[0]) for name in ("F Value", "Pr > F"))
    friedman_test = run_friedman_test(make_errors(seed))
    assert friedman_test.f == pytest.approx(f)
    assert friedman_test.f_p == pytest.approx(p)
    # Friedman's statistic, from Iman and Davenport's F.
    chi_square = n * (k - 1) * f / (n - 1 + f)
    assert friedman_test.chi_square == pytest.approx(chi_square)


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_errors_share_their_average_rank(seed: int) -> None:
    errors = make_errors(seed)
    # statsmodels ranks the values of both groups jointly.
    theirs = [np.concatenate(rankdata_2samp(row[:1], row[1:])[:2]) for row in errors]
    ranks = compute_average_ranks(errors)
    assert np.array_equal(ranks, theirs)
    # A rank is 1 plus the sum of the frequencies of losing to each other method.
    behind = (1 - compute_winning_frequency(errors)).sum(axis=1) - 0.5
    assert np.mean(theirs, axis=0) == pytest.approx(1 + behind)


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.01])
@pytest.mark.parametrize("k", [2, 3, 4, 6, 10, 14, 20])
def test_nemenyi_critical_difference_agrees_with_second_library(k: int, alpha: float) -> None:
    n = 9
    spread = np.sqrt(k * (k + 1) / (6 * n))
    theirs = float(qsturng(1 - alpha, k, np.inf)) / np.sqrt(2) * spread
    mine = compute_critical_difference(k, n, alpha)
    assert mine == pytest.approx(theirs, rel=QUANTILE_TOLERANCE)
    # Two methods at this distance differ exactly at this level.
    p = float(np.squeeze(psturng(mine / spread * np.sqrt(2), k, np.inf)))
    assert p == pytest.approx(alpha, rel=20 * QUANTILE_TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_holm_correction_agrees_with_second_library(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Rounded, so that some are equal, among them 0 and 1.
    p = np.round(rng.random(int(rng.integers(1, 30))) ** 3, 2)
    rejected, adjusted, *_ = multipletests(p, alpha=0.05, method="holm")
    assert adjust_by_holm(list(p)) == pytest.approx(adjusted)
    assert np.array_equal(adjust_by_holm(list(p)) <= 0.05, rejected)


@pytest.mark.parametrize("seed", SEEDS)
def test_sign_test_agrees_with_second_library(seed: int) -> None:
    errors = make_errors(seed)
    wins, losses = count_wins_and_losses(errors)
    for i, j in itertools.combinations(range(errors.shape[1]), 2):
        net, p = their_sign_test(errors[:, i] - errors[:, j])
        sign_test = run_sign_test(int(wins[i, j]), int(losses[i, j]))
        # Positive differences are blocks in which the first has the larger error.
        assert (sign_test.losses - sign_test.wins) / 2 == net
        assert sign_test.p_two_sided == pytest.approx(p)


@pytest.mark.parametrize("seed", SEEDS)
def test_cliffs_delta_agrees_with_second_library(seed: int) -> None:
    errors = make_errors(seed)
    first, second = errors[:, 0], errors[:, 1]
    # statsmodels: the probability that a value of the first is larger; ties count as half.
    larger = rank_compare_2indep(first, second).prob1
    assert compute_cliffs_delta(first, second) == pytest.approx(1 - 2 * larger)


@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_without_ties_agrees_with_second_library(seed: int) -> None:
    errors = make_errors(seed)
    for i, j in itertools.combinations(range(errors.shape[1]), 2):
        d = np.round(errors[:, i] - errors[:, j], 9)
        d = d[d != 0]
        wilcoxon_test = run_wilcoxon_test(errors[:, i] - errors[:, j])
        assert wilcoxon_test.n == len(d)
        if not len(d):
            assert wilcoxon_test.p == 1.0
            continue
        ranks = stats.rankdata(np.abs(d))
        positive, negative = ranks[d > 0].sum(), ranks[d < 0].sum()
        assert (wilcoxon_test.positive, wilcoxon_test.negative) == pytest.approx(
            (positive, negative)
        )
        signs = np.array(list(itertools.product((0, 1), repeat=len(d))))
        sums = signs @ ranks
        p = min(1.0, 2 * float((sums <= min(positive, negative)).mean()))
        assert wilcoxon_test.p == pytest.approx(p)
        balance = (negative - positive) / (negative + positive)
        assert compute_rank_biserial(wilcoxon_test) == pytest.approx(balance)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_comparison_agrees_with_second_library(seed: int) -> None:
    errors = make_errors(seed)
    names = [f"M{index}" for index in range(errors.shape[1])]
    outcomes = [
        CellOutcome(
            1, name, f"block {b}", r, "error", "%", float(errors[b, m]), (0.5,), 1, 0, 1.0,
            1.0, 1.0,
        )
        for b in range(len(errors))
        for m, name in enumerate(names)
        for r in (1, 2)
    ]  # fmt: skip
    comparison = compare(outcomes, names, shared=0.2)
    means = compute_block_means(comparison.complete)
    assert means == pytest.approx(errors)
    ranks = pd.DataFrame(means).rank(axis=1).mean()
    assert list(comparison.mean_ranks) == pytest.approx(list(ranks))
    corrected = multipletests([pair.wilcoxon.p for pair in comparison.pairs], method="holm")[1]
    assert [pair.wilcoxon_holm for pair in comparison.pairs] == pytest.approx(list(corrected))
    nets = {
        (names[i], names[j]): their_sign_test(means[:, i] - means[:, j])[0]
        for i, j in itertools.combinations(range(len(names)), 2)
    }
    for pair in comparison.pairs:
        assert (pair.sign.losses - pair.sign.wins) / 2 == nets[pair.first, pair.second]
