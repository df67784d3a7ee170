"""The tests of two methods against the vectors of docs/methods/statistics.md and scipy."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import stats

from studio.compare.statistics.two_methods import (
    ZERO_METHOD,
    WilcoxonTest,
    adjust_by_holm,
    compare_on_labels,
    compare_on_values,
    compare_overall,
    compute_rank_biserial,
    run_sign_test,
    run_wilcoxon_test,
)


@pytest.mark.parametrize(
    ("wrong", "right", "expected"),
    [(3, 10, 0.971313), (0, 1, 0.75), (12, 20, 0.918622), (40, 60, 0.976978), (5, 5, 0.5)],
)
def test_one_data_set_agrees_with_reference_values(wrong: int, right: int, expected: float) -> None:
    assert compare_on_labels(wrong, right) == pytest.approx(expected, abs=5e-7)
    assert compare_on_labels(wrong, right) + compare_on_labels(right, wrong) == pytest.approx(1)
    posterior_samples = np.random.default_rng(0).beta(1 + right, 1 + wrong, size=200_000)
    assert compare_on_labels(wrong, right) == pytest.approx(
        (posterior_samples > 0.5).mean(), abs=4e-3
    )


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ((0.9, 0.6, 0.5), 0.65625),
        ((1.0,) * 15 + (0.0,) * 7, 0.95343),
        ((1.0,) * 28 + (0.0,) * 11, 0.996787),
        ((1.0,) * 5, 0.984375),
        ((0.8,) * 22, 0.983745),
        ((0.5,) * 9, 0.5),
        ((), 0.5),
    ],
)
def test_several_data_sets_agree_with_reference_values(
    probabilities: tuple[float, ...], expected: float
) -> None:
    assert compare_overall(probabilities) == pytest.approx(expected, abs=5e-6)


def test_win_rate_probability_equals_enumeration() -> None:
    p = np.random.default_rng(2).random(8)
    summed = 0.0
    for outcome in itertools.product((0, 1), repeat=8):
        wins = sum(outcome)
        above = stats.beta.sf(0.5, wins + 1, 8 - wins + 1)
        summed += float(np.prod(np.where(outcome, p, 1 - p))) * above
    assert compare_overall(p.tolist()) == pytest.approx(summed)


def test_values_are_compared_by_normal_distribution() -> None:
    assert compare_on_values(-1.0, 0.5) == pytest.approx(stats.norm.cdf(2))
    assert compare_on_values(0.0, 0.0) == 0.5
    assert (compare_on_values(-1.0, 0.0), compare_on_values(0.5, 0.0)) == (1.0, 0.0)


@pytest.mark.parametrize(("wins", "losses"), [(15, 7), (28, 11), (7, 15), (6, 6), (0, 3), (0, 0)])
def test_sign_test_agrees_with_binomial_test(wins: int, losses: int) -> None:
    sign_test = run_sign_test(wins, losses)
    if wins + losses:
        n = wins + losses
        assert sign_test.p_two_sided == pytest.approx(stats.binomtest(wins, n).pvalue)
    else:
        assert sign_test.p_two_sided == 1.0


def test_sign_test_matches_reference_values() -> None:
    assert run_sign_test(15, 7).p_two_sided == pytest.approx(0.1338, abs=5e-5)
    assert run_sign_test(28, 11).p_two_sided == pytest.approx(0.009475, abs=5e-7)


def test_reversed_sign_test_swaps_sides() -> None:
    assert run_sign_test(15, 7).swapped == run_sign_test(7, 15)


def test_wilcoxon_matches_reference_values() -> None:
    d = np.array([0, 0, 0, 1, 2, 3, 4, -5, 6, 7.0])
    assert run_wilcoxon_test(d).p == pytest.approx(0.15625)
    assert run_wilcoxon_test(np.arange(1.0, 11.0)).p == pytest.approx(0.001953125)
    assert run_wilcoxon_test(np.zeros(4)).p == 1.0
    assert compute_rank_biserial(run_wilcoxon_test(np.zeros(4))) == 0.0
    assert run_wilcoxon_test(np.zeros(0)).p == 1.0


def test_wilcoxon_without_ties_agrees_with_scipy() -> None:
    rng = np.random.default_rng(4)
    for n in (5, 12, 30):
        d = rng.normal(0.3, 1, size=n)
        theirs = stats.wilcoxon(d, method="exact")
        mine = run_wilcoxon_test(d)
        assert mine.p == pytest.approx(theirs.pvalue)
        assert min(mine.positive, mine.negative) == theirs.statistic


def test_wilcoxon_enumerates_signs_with_ties() -> None:
    d = np.array([1, 1, -1, 2, 2, -3, 4.0])
    ranks = stats.rankdata(np.abs(d))
    observed = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    sums = [ranks[np.array(s, bool)].sum() for s in itertools.product((0, 1), repeat=len(d))]
    assert run_wilcoxon_test(d).p == pytest.approx(2 * np.mean(np.array(sums) <= observed))


def test_wilcoxon_treats_zeros_like_scipy() -> None:
    d = np.array([0, 0, 1, -2, 3, 4, 5, -1.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        statistic = stats.wilcoxon(d, zero_method=ZERO_METHOD).statistic
    wilcoxon_test = run_wilcoxon_test(d)
    assert min(wilcoxon_test.positive, wilcoxon_test.negative) == pytest.approx(statistic)


def test_wilcoxon_rank_sums_exclude_zeros() -> None:
    assert run_wilcoxon_test(np.array([0, 0, 1, -2, 3.0])) == WilcoxonTest(4.0, 2.0, 3, 0.75)


@pytest.mark.parametrize("unit", [1e-15, 1e15])
def test_wilcoxon_is_scale_invariant(unit: float) -> None:
    d = np.array([0.1, -0.2, 0.35, 0.5, -0.7])
    assert run_wilcoxon_test(d * unit) == run_wilcoxon_test(d)


def test_rounding_errors_do_not_break_ties() -> None:
    noisy = np.array([0.3 - 0.2, 0.2 - 0.1, 0.1, -0.4])
    assert run_wilcoxon_test(noisy) == run_wilcoxon_test(np.array([1.0, 1.0, 1.0, -4.0]))


def test_holm_correction_is_step_down() -> None:
    # By hand: .01·4, max(.04, .02·3), max(.06, .03·2), max(.06, .5·1).
    assert adjust_by_holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert adjust_by_holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert len(adjust_by_holm([])) == 0
