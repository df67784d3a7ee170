import numpy as np
import pytest

from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import LogLoss
from studio.data.metrics.squared_errors import Rmse
from studio.ensembles.agnostic_bayes import (
    MAX_BOOTSTRAPS,
    PAPER_BOOTSTRAPS,
    AgnosticBayes,
    choose_bootstrap_count,
    draw_multiplicities,
)
from studio.ensembles.base import combine
from studio.trial import History, Trial


def brute_force(history: History, metric, count: int, seed: int) -> dict[int, float]:
    """Run SMBEO algorithm 1, recomputing every loss from the resampled rows."""
    weights: dict[int, float] = {}
    for times in draw_multiplicities(count, len(history.truth), 1.0, seed):
        rows = np.repeat(np.arange(len(times)), times)
        losses = {
            int(n): round(metric(history.truth[rows], history.get_predictions(int(n))[rows]), 12)
            for n in history.list_numbers()
        }
        best = [n for n, loss in losses.items() if loss == min(losses.values())]
        for n in best:
            weights[n] = weights.get(n, 0.0) + 1 / len(best) / count
    return weights


def test_agnostic_bayes_uses_voting_if_requested() -> None:
    assert AgnosticBayes(combination="vote").always_votes
    assert not AgnosticBayes().always_votes


@pytest.mark.parametrize(("metric", "n_classes"), [(ErrorRate(), 2), (LogLoss(), 4), (Rmse(), 0)])
@pytest.mark.parametrize("seed", range(4))
def test_agnostic_bayes_equals_brute_force(make_history, metric, n_classes, seed) -> None:
    history = make_history(12, n_classes, failed=(1, 7), seed=seed)
    ensemble = AgnosticBayes(bootstraps=40).build(history, metric, seed)
    expected = brute_force(history, metric, 40, seed)
    assert dict(zip(ensemble.members, ensemble.weights, strict=True)) == pytest.approx(expected)
    assert list(ensemble.weights) == sorted(ensemble.weights, reverse=True)


def test_agnostic_bayes_splits_weight_between_duplicates(make_history) -> None:
    single = make_history(5, 3)
    duplicates = History(single.truth, 3)
    for number in (1, 2, 3, 4, 5, 5):
        trial = Trial(len(duplicates) + 1, {}, 0, single.trials[number - 1].loss)
        duplicates.append(trial, single.get_predictions(number))
    one = AgnosticBayes(bootstraps=50).build(single, ErrorRate(), 1)
    two = AgnosticBayes(bootstraps=50).build(duplicates, ErrorRate(), 1)
    alone = dict(zip(one.members, one.weights, strict=True))
    shared = dict(zip(two.members, two.weights, strict=True))
    assert shared[5] == shared[6] > 0.1
    # Where the duplicates tie with another model, they are two of three instead of one of two.
    assert alone[5] <= shared[5] + shared[6] < alone[5] + 0.2


def test_agnostic_bayes_without_bootstrap_is_single_best(make_history) -> None:
    history = make_history(8, 2, seed=3)
    ensemble = AgnosticBayes(bootstraps=1).build(history, ErrorRate(), 0)
    losses = history.get_losses()
    assert set(ensemble.members) == set((np.flatnonzero(losses == losses.min()) + 1).tolist())


@pytest.mark.parametrize(
    ("metric", "n_classes", "expected"),
    [(ErrorRate(), 3, "vote"), (LogLoss(), 3, "mean"), (Rmse(), 0, "mean")],
)
def test_agnostic_bayes_uses_voting_for_label_metrics(
    make_history, metric, n_classes, expected
) -> None:
    history = make_history(6, n_classes)
    assert AgnosticBayes().build(history, metric, 0).combination == expected
    if n_classes:
        for combination in ("vote", "mean"):
            assert (
                AgnosticBayes(combination=combination).build(history, metric, 0).combination
                == combination
            )


def test_tied_weighted_vote_predicts_smallest_class() -> None:
    truth = np.array([0, 0, 1, 1])
    history = History(truth, 3)
    for number, votes in enumerate(([0, 2, 1, 2], [2, 0, 2, 1]), start=1):
        history.append(Trial(number, {}, 0, 0.5), np.eye(3, dtype=np.float16)[votes])
    ensemble = AgnosticBayes(bootstraps=400).build(history, ErrorRate(), 0)
    assert set(ensemble.members) == {1, 2}
    winner = history.get_votes(ensemble.members[0])
    assert combine(history.get_predictions, ensemble).argmax(axis=1).tolist() == winner.tolist()


@pytest.mark.parametrize(
    ("budget", "count"),
    [(150, 75), (151, 75), (1, 1), (3, 1), (10_000, MAX_BOOTSTRAPS), (None, PAPER_BOOTSTRAPS)],
)
def test_default_number_of_bootstraps_is_half_of_trials(budget, count) -> None:
    assert choose_bootstrap_count(budget) == count
    assert AgnosticBayes().with_budget(budget).bootstraps == count
    assert AgnosticBayes(bootstraps=6).with_budget(budget).bootstraps == 6
