import numpy as np
import pytest

from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import LogLoss
from studio.ensembles.base import Ensemble, break_tie, combine
from studio.ensembles.greedy import GreedySelection
from studio.ensembles.losses.errors import ZeroOneLoss
from studio.trial import History


def error(truth, predictions) -> float:
    return float(np.mean(predictions.argmax(axis=1) != truth))


def log_loss(truth, predictions) -> float:
    chance = predictions[np.arange(len(truth)), truth] / predictions.sum(axis=1)
    return float(-np.mean(np.log(np.clip(chance, 1e-9, 1))))


def rmse(truth, predictions) -> float:
    return float(np.sqrt(np.mean((predictions - truth) ** 2)))


def expected_tie_error(truth, votes: list[np.ndarray], n_classes: int) -> float:
    """Return the vote's expected error when tied winners are drawn."""
    counts = np.sum([np.eye(n_classes)[vote] for vote in votes], axis=0)
    winners = counts == counts.max(axis=1, keepdims=True)
    right = winners[np.arange(len(truth)), truth] / winners.sum(axis=1)
    return round(float(np.mean(1 - right)), 9)


def brute_force(history: History, part: GreedySelection, metric, seed: int) -> Ensemble:
    """Select forward by definition, recomputing every loss."""
    rng = np.random.default_rng(seed)
    numbers = [int(number) for number in history.list_numbers()]
    regression = history.is_regression
    vote = part.combination == "vote" and not regression

    def loss(choices: list[int]) -> float:
        if vote and part.loss == "zero-one":
            return expected_tie_error(
                history.truth, [history.get_votes(n) for n in choices], history.n_classes
            )
        predictions = np.array([history.get_predictions(n).astype(np.float64) for n in choices])
        if vote:
            predictions = np.eye(history.n_classes)[predictions.argmax(axis=2)]
        by = error if part.loss == "zero-one" and not regression else metric
        return by(history.truth, predictions.sum(axis=0) / len(choices))

    def select(numbers: list[int]) -> list[int]:
        own = np.array([loss([n]) for n in numbers])
        order = np.lexsort((rng.permutation(len(numbers)), own))[: min(part.start, part.size)]
        selection = [numbers[index] for index in order]
        while len(selection) < part.size:
            pool = [n for n in numbers if part.replacement or n not in selection]
            if not pool:
                break
            losses = np.array([loss([*selection, n]) for n in pool])
            tied = np.array(pool)[losses == losses.min()]
            if part.ties == "own":
                alone = own[[numbers.index(n) for n in tied]]
                tied = tied[alone == alone.min()]
            selection.append(break_tie(tied, rng))
        if part.prefix == "all":
            return selection
        lengths = range(max(1, len(order)), len(selection) + 1)
        return selection[: min(lengths, key=lambda length: (loss(selection[:length]), length))]

    if not part.bags:
        return Ensemble.from_choices(select(numbers), "vote" if vote else "mean")
    count = max(1, round(part.bag_share * len(numbers)))
    bags = [sorted(rng.choice(len(numbers), count, replace=False)) for _ in range(part.bags)]
    selection = [n for bag in bags for n in select([numbers[place] for place in bag])]
    return Ensemble.from_choices(selection, "vote" if vote else "mean")


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("combination", ["vote", "mean"])
@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("loss", ["zero-one", "metric"])
@pytest.mark.parametrize("ties", ["own", "seed"])
def test_greedy_classification_equals_brute_force(
    make_history, n_classes, combination, start, replacement, loss, ties
) -> None:
    history = make_history(11, n_classes, failed=(2, 6), one_hot=n_classes == 3)
    part = GreedySelection(10, start, replacement, combination, loss, ties)
    for seed in range(3):
        ensemble = part.build(history, log_loss, seed)
        assert ensemble == brute_force(history, part, log_loss, seed)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 5, 0])
@pytest.mark.parametrize("combination", ["vote", "mean"])
@pytest.mark.parametrize("loss", ["zero-one", "metric"])
@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize(("prefix", "bags"), [("best", 0), ("all", 3), ("best", 4)])
def test_bagged_selection_equals_brute_force(
    make_history, n_classes, combination, loss, start, prefix, bags
) -> None:
    """Thesis figure 4.1 starts each bag from its 5 best."""
    history = make_history(13, n_classes, failed=(2, 6))
    metric = log_loss if n_classes else rmse
    part = GreedySelection(8, start, True, combination, loss, "own", prefix, bags, 0.6)
    for seed in range(2):
        assert part.build(history, metric, seed) == brute_force(history, part, metric, seed)


@pytest.mark.slow
def test_best_prefix_is_not_worse_than_all_steps(make_history) -> None:
    shorter = 0
    for seed in range(12):
        history = make_history(10, 3, seed=seed)
        every = GreedySelection(size=15).build(history, error, 0)
        best = GreedySelection(size=15, prefix="best").build(history, error, 0)
        of_all, of_best = (
            error(history.truth, combine(history.get_predictions, each)) for each in (every, best)
        )
        assert of_best <= of_all
        shorter += best != every
    assert shorter > 3


@pytest.mark.parametrize("combination", ["vote", "mean"])
def test_prefix_of_length_one_is_single_model(make_history, combination) -> None:
    history = make_history(5, 3)
    one = GreedySelection(size=1, combination=combination)
    best = GreedySelection(size=1, combination=combination, prefix="best")
    assert best.build(history, error, 0) == one.build(history, error, 0)


def test_greedy_selection_uses_voting_for_label_metrics(make_history) -> None:
    auto = GreedySelection(8, 3, combination="auto")
    for seed in range(4):
        history = make_history(9, 3, seed=seed)
        for metric, part in (
            (ErrorRate(), GreedySelection(8, 3, combination="vote")),
            (LogLoss(), GreedySelection(8, 3, combination="mean", loss="metric")),
        ):
            assert auto.build(history, metric, seed) == part.build(history, metric, seed)
            assert auto.with_metric(metric) == part
            assert part.with_metric(LogLoss()) is part


def test_greedy_selection_declares_loss_and_voting() -> None:
    auto = GreedySelection(combination="auto")
    assert auto.get_search_loss(ErrorRate()) == ZeroOneLoss()
    assert auto.get_search_loss(LogLoss()) is None
    assert GreedySelection(loss="guided").get_search_loss(ErrorRate()) is None
    assert GreedySelection(combination="vote").always_votes
    assert not auto.always_votes


@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize("replacement", [True, False])
def test_greedy_regression_averages_and_follows_metric(make_history, start, replacement) -> None:
    history = make_history(9, 0, failed=(5,))
    part = GreedySelection(6, start, replacement, "vote", "zero-one")
    ensemble = part.build(history, rmse, 0)
    assert ensemble == brute_force(history, part, rmse, 0)
    assert ensemble.combination == "mean"


def test_small_pool_is_used_completely(make_history) -> None:
    ensemble = GreedySelection(size=12, start=3, combination="vote").build(
        make_history(2, 2), error, 0
    )
    assert set(ensemble.members) == {1, 2}
    assert sum(ensemble.weights) == pytest.approx(1.0)


def test_greedy_ties_are_determined_by_seed(make_history) -> None:
    history = make_history(3, 2, failed=(1, 2))
    same = history.get_predictions(3)
    for trial in make_history(5, 2).trials[3:]:
        history.append(trial, same)
    first = {GreedySelection(size=1).build(history, error, seed).members for seed in range(30)}
    assert first == {(3,), (4,), (5,)}


def test_greedy_loss_equals_loss_of_combination(make_history) -> None:
    """The error at the last step equals that of the combined probabilities."""
    for seed in range(10):
        history = make_history(8, 4, seed=seed, one_hot=seed % 2 == 1)
        ensemble = GreedySelection(size=7).build(history, error, seed)
        exact = sum(
            round(weight * 7) * history.get_predictions(member).astype(np.float64)
            for member, weight in zip(ensemble.members, ensemble.weights, strict=True)
        )
        combined = combine(history.get_predictions, ensemble)
        assert combined.argmax(axis=1).tolist() == exact.argmax(axis=1).tolist()
