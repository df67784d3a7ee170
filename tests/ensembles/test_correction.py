"""The second layer: its predictions by brute force, unseen rows, and no gain from noise."""

from dataclasses import replace

import numpy as np
import pytest

from studio.analysis.contributions import iterate_leave_one_out
from studio.arrays import Floats, Integers
from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import LogLoss
from studio.ensembles.base import Ensemble, combine
from studio.ensembles.calibration import EPSILON
from studio.ensembles.correction import (
    Correction,
    choose_share,
    describe_correction,
    fit_correction,
)
from studio.ensembles.greedy import GreedySelection
from studio.proposers.presets import get_preset

MEMBERS = (4, 2, 7)
Pool = dict[int, Floats]


def make_pool(rows: int, classes: int, *, gain: bool, seed: int = 0) -> tuple[Pool, Integers]:
    """Return members' half precision probabilities, and classes drawn from a function of them.

    Without ``gain`` it is their mean; with it, rows in which the first member is sure of a class
    are of the next one.
    """
    rng = np.random.default_rng(seed)
    sharp = rng.dirichlet(np.full(classes, 0.4), rows)
    pool = {
        number: (0.7 * sharp + 0.3 * rng.dirichlet(np.ones(classes), rows)).astype(np.float16)
        for number in MEMBERS
    }
    truth_shares = combine_mean(pool)
    if gain:
        is_sure = pool[MEMBERS[0]].max(axis=1) > 0.6
        truth_shares[is_sure] = np.roll(truth_shares[is_sure], 1, axis=1)
    sums = truth_shares.cumsum(axis=1)
    draws = rng.random(rows)[:, None] * sums[:, -1:]
    return pool, (draws > sums).sum(axis=1)


def combine_mean(pool: Pool) -> Floats:
    ensemble = Ensemble(tuple(pool), (1 / len(pool),) * len(pool), "mean")
    return combine(pool.__getitem__, ensemble)


def fit(pool: Pool, truth: Integers, *, share: float = 0.0, seed: int = 3) -> Correction | None:
    folds = np.arange(len(truth)) % 3
    return fit_correction(combine_mean(pool), pool, truth, folds, seed, share=share)


def log_loss(shares: Floats, truth: Integers) -> float:
    return float(-np.log(shares[np.arange(len(truth)), truth] + EPSILON).mean())


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 4])
def test_corrected_probabilities_equal_manual_tree_traversal(classes: int) -> None:
    pool, truth = make_pool(300, classes, gain=True)
    correction = fit(pool, truth, share=0.7)
    assert correction is not None
    predictions = {number: each[:20].astype(np.float64) for number, each in pool.items()}
    mean = combine_mean(predictions)
    probabilities = correction.apply(mean, predictions)
    for row in range(20):
        features = np.concatenate([mean[row], *(each[row] for each in predictions.values())])
        features = np.log1p(features / EPSILON)
        scores = np.log(mean[row] + EPSILON)
        for model in correction.forest.estimators_:
            tree, node = model.tree_, 0
            while tree.children_left[node] >= 0:
                is_left = np.float32(features[tree.feature[node]]) <= tree.threshold[node]
                node = (tree.children_left if is_left else tree.children_right)[node]
            scores = scores + tree.value[node, :, 0] / len(correction.forest.estimators_)
        corrected = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(probabilities[row], 0.3 * mean[row] + 0.7 * corrected, atol=1e-9)


def test_first_tree_takes_newton_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.ensembles.correction._TREES", 1)
    pool, truth = make_pool(240, 3, gain=True)
    correction = fit(pool, truth, share=1.0)
    assert correction is not None
    mean, folds = combine_mean(pool), np.arange(240) % 3
    features = np.log1p(np.hstack([mean, *pool.values()]) / EPSILON).astype(np.float32)
    start = (mean + EPSILON) / (mean + EPSILON).sum(axis=1, keepdims=True)
    for fold, model in enumerate(correction.forest.estimators_):
        leaves, is_training_row = model.apply(features), folds != fold
        for leaf in np.unique(leaves[is_training_row]):
            rows = is_training_row & (leaves == leaf)
            assert rows.sum() >= 20
            slope = (np.eye(3)[truth[rows]] - start[rows]).sum(axis=0)
            curvature = (start[rows] * (1 - start[rows])).sum(axis=0)
            expected = 0.05 * slope / (curvature + 5.0)
            np.testing.assert_allclose(model.tree_.value[leaf, :, 0], expected, rtol=1e-6)


@pytest.mark.slow
def test_correction_of_fitted_rows_is_out_of_fold() -> None:
    pool, truth = make_pool(300, 3, gain=False)
    correction = fit(pool, truth, share=1.0)
    assert correction is not None
    mean = combine_mean(pool)
    unseen, rolled = correction.apply(mean, pool), {n: each[::-1] for n, each in pool.items()}
    in_sample_probabilities = correction.apply(mean[::-1], rolled)[::-1]
    assert (
        log_loss(in_sample_probabilities, truth) < log_loss(mean, truth) < log_loss(unseen, truth)
    )
    # Labels of a fold's rows do not influence the corrections for that fold.
    others = truth.copy()
    others[::3] = (others[::3] + 1) % 3
    repeated = fit(pool, others, share=1.0)
    assert repeated is not None
    np.testing.assert_array_equal(repeated.apply(mean, pool)[::3], unseen[::3])


@pytest.mark.slow
def test_correction_reduces_log_loss_of_unseen_rows() -> None:
    pool, truth = make_pool(900, 3, gain=True)
    correction = fit(pool, truth)
    assert correction is not None
    assert correction.share > 0.5
    fresh, fresh_truth = make_pool(900, 3, gain=True, seed=1)
    mean = combine_mean(fresh)
    assert log_loss(correction.apply(mean, fresh), fresh_truth) < 0.9 * log_loss(mean, fresh_truth)


@pytest.mark.slow
def test_no_correction_is_fitted_to_noise() -> None:
    corrections = [fit(*make_pool(300, 2 + seed % 2, gain=False, seed=seed)) for seed in range(12)]
    assert corrections == [None] * 12


def test_correction_share_requires_gain_of_two_standard_errors() -> None:
    rng = np.random.default_rng(0)
    truth, mean = np.zeros(400, dtype=np.int64), np.full((400, 2), 0.5)
    gains = rng.normal(size=400)
    gains = 0.1 * (gains - gains.mean()) / gains.std(ddof=1)
    for standard_errors, is_chosen in ((1.9, False), (2.1, True)):
        first = (0.5 + EPSILON) * np.exp(gains + 0.1 * standard_errors / 20) - EPSILON
        share = choose_share(mean, np.column_stack([first, 1 - first]), truth)
        # Smaller shares have nearly as many standard errors, but gain less.
        assert (share == 1.0) == is_chosen


@pytest.mark.slow
def test_correction_is_determined_by_seed() -> None:
    pool, truth = make_pool(240, 3, gain=True)
    mean = combine_mean(pool)
    first, same, other = (fit(pool, truth, share=1.0, seed=seed) for seed in (3, 3, 4))
    assert first is not None and same is not None and other is not None
    np.testing.assert_array_equal(first.apply(mean, pool), same.apply(mean, pool))
    assert (first.apply(mean, pool) != other.apply(mean, pool)).any()


def test_correction_is_omitted_for_few_rows_or_stop() -> None:
    pool, truth = make_pool(120, 2, gain=True)
    assert fit(pool, truth, share=1.0) is None
    pool, truth = make_pool(240, 2, gain=True)
    mean, folds = combine_mean(pool), np.arange(240) % 3
    assert fit_correction(mean, pool, truth, folds, 0, share=1.0, stopped=lambda: True) is None


@pytest.mark.slow
def test_removed_member_is_replaced_by_mean_in_correction() -> None:
    pool, truth = make_pool(240, 3, gain=True)
    correction = fit(pool, truth, share=1.0)
    assert correction is not None
    full_ensemble = Ensemble(MEMBERS, (0.5, 0.25, 0.25), "mean", temperature=0.8)
    ensemble = replace(full_ensemble, correction=correction)
    for number, combined in iterate_leave_one_out(pool.__getitem__, ensemble):
        others = [each for each in MEMBERS if each != number]
        remaining = ensemble.select_members(others)
        assert remaining.correction is correction
        np.testing.assert_allclose(combined, combine(pool.__getitem__, remaining), atol=2e-11)
        mean = combine(pool.__getitem__, full_ensemble.select_members(others))
        np.testing.assert_array_equal(
            combine(pool.__getitem__, remaining),
            correction.apply(mean, {each: pool[each] for each in others}),
        )
    assert ensemble.select_members((2,)) == Ensemble.from_single_trial(2)


def test_correction_is_enabled_only_in_default_method() -> None:
    assert get_preset("best").options["ensemble.correct"] is True
    assert GreedySelection(correct=True).supports_correction(LogLoss())
    assert not GreedySelection(correct=True).supports_correction(ErrorRate())
    assert not GreedySelection(correct=True, combination="vote").supports_correction(LogLoss())
    assert not GreedySelection().supports_correction(LogLoss())


def test_correction_is_described_if_applied() -> None:
    assert describe_correction(0.0) == ""
    assert "second layer" in describe_correction(0.7)
