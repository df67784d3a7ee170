"""Guided selection, compared with its definition candidate by candidate."""

import numpy as np
import pytest

from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import BrierScore
from studio.data.metrics.squared_errors import Rmse
from studio.ensembles import greedy
from studio.ensembles.base import Ensemble
from studio.ensembles.greedy import GreedySelection, GuidedSearch, count_candidates
from studio.trial import History, Trial


def get_pool(n=60, classes=3, count=5, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    return [rng.dirichlet(np.ones(classes), n).astype(np.float16) for _ in range(count)], truth


@pytest.mark.parametrize("weighted", [False, True])
def test_guided_loss_is_error_plus_brier(weighted):
    pool, truth = get_pool()
    weights = np.linspace(0.1, 2.0, len(truth)) if weighted else None
    search, selection = GuidedSearch(pool, truth, weights), []
    for _ in range(6):
        losses = search.compute_losses(np.ones(len(pool), dtype=bool))
        exact = [p.astype(float) / p.astype(float).sum(axis=1, keepdims=True) for p in pool]
        expected = []
        for index in range(len(pool)):
            mean = np.mean([exact[k] for k in [*selection, index]], axis=0)
            loss = ErrorRate().compute_loss(truth, mean, weights) + BrierScore().compute_loss(
                truth, mean, weights
            )
            expected.append(loss)
        assert losses == pytest.approx(np.array(expected), abs=2e-6)
        (best,) = search.find_best(np.ones(len(pool), dtype=bool)).tolist()
        assert best == np.argmin(expected)
        others = np.arange(len(pool)) != best
        assert search.find_best(others)[0] == np.flatnonzero(others)[np.argmin(losses[others])]
        search.add(best)
        selection.append(best)


def test_guided_loss_with_weight_two_equals_repeated_rows():
    pool, truth = get_pool()
    twice = [np.concatenate([each, each[:20]]) for each in pool]
    weights = np.where(np.arange(len(truth)) < 20, 2.0, 1.0)
    every = np.ones(len(pool), dtype=bool)
    np.testing.assert_allclose(
        GuidedSearch(pool, truth, weights).compute_losses(every),
        GuidedSearch(twice, np.concatenate([truth, truth[:20]])).compute_losses(every),
        atol=1e-6,
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_guided_search_subsamples_many_rows(monkeypatch, weighted):
    pool, truth = get_pool()
    weights = np.linspace(0.1, 2.0, len(truth)) if weighted else None
    every = np.ones(len(pool), dtype=bool)
    sampled_rows = np.sort(np.random.default_rng(0).permutation(len(truth))[:20])
    part = GuidedSearch(
        [each[sampled_rows] for each in pool],
        truth[sampled_rows],
        None if weights is None else weights[sampled_rows],
    )
    monkeypatch.setattr(greedy, "MAX_NUMBERS", 5 * 3 * 20)
    search = GuidedSearch(pool, truth, weights)
    assert search.compute_losses(every).tolist() == part.compute_losses(every).tolist()
    # At least one.
    monkeypatch.setattr(greedy, "MAX_NUMBERS", 1)
    assert np.isfinite(GuidedSearch(pool, truth, weights).compute_losses(every)).all()


def test_guided_search_is_not_limited_to_best_models():
    pool, truth = get_pool(count=9)
    history = History(truth, 3)
    for number, predictions in enumerate(pool, start=1):
        history.append(
            Trial(number, {}, 0, ErrorRate().compute_loss(truth, predictions)), predictions
        )
    search, every, selection = GuidedSearch(pool, truth), np.ones(9, dtype=bool), []
    for _ in range(8):
        (best,) = search.find_best(every).tolist()
        search.add(best)
        selection.append(best + 1)
    assert GreedySelection(size=8, loss="guided").build(history, ErrorRate(), 0).members == tuple(
        dict.fromkeys(selection)
    )
    few = np.argsort(history.get_losses(), kind="stable")[: count_candidates(len(truth))] + 1
    assert not set(selection) <= set(few.tolist())
    # "guided" has no effect for other metrics, and "metric" never uses the guide.
    for loss, metric in (("guided", BrierScore()), ("metric", ErrorRate())):
        ensemble = GreedySelection(size=8, loss=loss).build(history, metric, 0)
        assert ensemble == GreedySelection(size=8, loss="metric").build(history, metric, 0)
        assert ensemble.members != tuple(dict.fromkeys(selection))


@pytest.mark.parametrize("replacement", [True, False])
def test_guided_search_starts_from_best_by_guided_loss(replacement):
    pool, truth = get_pool(count=9)
    history = History(truth, 3)
    for number, predictions in enumerate(pool, start=1):
        history.append(Trial(number, {}, 0, number / 10), predictions)
    own = GuidedSearch(pool, truth).compute_losses(np.ones(9, dtype=bool))
    part = GreedySelection(size=4, start=4, loss="guided", replacement=replacement)
    assert part.build(history, ErrorRate(), 0).members == tuple((np.argsort(own)[:4] + 1).tolist())


def test_regression_limits_candidates_by_rows():
    assert [count_candidates(n) for n in (10, 100, 500, 2_500, 10_000, 10**7)] == [
        4,
        4,
        8,
        15,
        40,
        100,
    ]
    rng = np.random.default_rng(0)
    truth = rng.normal(size=50)
    history = History(truth, 0)
    for number in range(1, 9):
        predictions = (truth + rng.normal(size=50) * number / 4).astype(np.float32)
        loss = Rmse().compute_loss(truth, predictions)
        history.append(Trial(number, {}, 0, loss), predictions)
    best = sorted(history.trials, key=lambda trial: trial.loss)[:4]
    ensemble = GreedySelection(loss="guided").build(history, Rmse(), 0)
    assert set(ensemble.members) <= {trial.number for trial in best}


def test_tie_breaking_follows_trial_order():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=50)
    duplicate = (truth + rng.normal(size=50) / 9).astype(np.float32)
    history = History(truth, 0)
    for number in range(1, 9):
        predictions = duplicate if number in (3, 5, 8) else np.zeros(50, dtype=np.float32)
        # The last of them has the lowest loss, as on another fold.
        history.append(Trial(number, {}, 0, 1.0 - number / 10), predictions)
    for seed in range(6):
        tie_rng = np.random.default_rng(seed)
        tie_rng.permutation(4)  # of the four candidates 5 to 8
        expected = [[5, 8][tie_rng.integers(2)] for _ in range(7)]
        ensemble = GreedySelection(size=7, loss="guided").build(history, Rmse(), seed)
        assert ensemble == Ensemble.from_choices(expected, "mean")


def test_guided_loss_counts_tied_mean_as_first_class():
    truth = np.tile([0, 1, 2], 20)
    sure = np.full((60, 3), 0.05)
    sure[np.arange(60), truth] = 0.9
    sure[:12] = [0.2, 0.3, 0.5]  # right for a third of them
    # One neighbour is always of the row's class, the other of the class before it.
    torn = 0.5 * (np.eye(3)[truth] + np.eye(3)[(truth - 1) % 3])
    losses = GuidedSearch([sure, torn], truth).compute_losses(np.ones(2, dtype=bool))
    error_rate = np.mean(torn.argmax(axis=1) != truth)
    assert error_rate == pytest.approx(2 / 3)
    assert losses[1] == pytest.approx(error_rate + 0.25, abs=1e-6)
    assert losses.argmin() == 0
