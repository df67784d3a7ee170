import numpy as np
import pytest

from studio.ensembles.single_model import WeightedBagging, select_best_trials
from studio.trial import History, Trial


def error(truth, predictions) -> float:
    return float(np.mean(predictions.argmax(axis=1) != truth))


def rmse(truth, predictions) -> float:
    return float(np.sqrt(np.mean((predictions - truth) ** 2)))


def test_bagging_weights_classifiers_by_accuracy(make_history) -> None:
    history = make_history(9, 3, failed=(2,))
    ensemble = WeightedBagging(size=4).build(history, error, 0)
    accuracy = np.array(
        [1 - error(history.truth, history.get_predictions(n)) for n in ensemble.members]
    )
    np.testing.assert_allclose(ensemble.weights, accuracy / accuracy.sum(), rtol=1e-12)
    assert ensemble.combination == "mean"
    assert sorted(ensemble.weights, reverse=True) == list(ensemble.weights)


def test_bagging_weights_regressors_by_inverse_error() -> None:
    """With independent errors these are the weights of least variance."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=20_000)
    history = History(truth, 0)
    for number, spread in enumerate((1.0, 2.0), start=1):
        predictions = (truth + rng.normal(0, spread, truth.size)).astype(np.float32)
        history.append(Trial(number, {}, 0, rmse(truth, predictions)), predictions)
    ensemble = WeightedBagging().build(history, rmse, 0)
    assert ensemble.members == (1, 2)
    assert ensemble.weights == pytest.approx((0.8, 0.2), abs=0.01)


def test_perfect_model_receives_almost_all_weight() -> None:
    truth = np.array([1.0, 2.0, 4.0])
    history = History(truth, 0)
    for number, shift in enumerate((0.0, 1.0, 2.0), start=1):
        history.append(Trial(number, {}, 0, shift), (truth + shift).astype(np.float32))
    ensemble = WeightedBagging().build(history, rmse, 0)
    assert ensemble.members == (1, 2, 3)
    # Errors of 0, 1 and 4: the first counts as 4e-12.
    assert ensemble.weights == pytest.approx((1.0, 4e-12, 1e-12), rel=1e-6)
    assert WeightedBagging(size=1).build(history, rmse, 0).weights == (1.0,)


def test_weighted_bagging_selects_earlier_of_tied_trials() -> None:
    history = History(np.zeros(3), 0)
    for number in range(1, 61):
        trial = Trial(number, {}, 0, 0.5 if number % 2 else 0.25)
        history.append(trial, np.ones(3, dtype=np.float32))
    assert select_best_trials(history, 40).tolist() == [*range(2, 61, 2), *range(1, 21, 2)]


def test_weighted_bagging_selects_members_by_metric() -> None:
    """The losses are the run's; here they contradict the error on purpose."""
    truth = np.array([0, 1, 0, 1])
    history = History(truth, 2)
    votes_and_losses = [(truth, 0.9), (1 - truth, 0.1), (np.array([0, 1, 0, 0]), 0.2)]
    for number, (votes, loss) in enumerate(votes_and_losses, start=1):
        history.append(Trial(number, {}, 0, loss), np.eye(2, dtype=np.float16)[votes])
    ensemble = WeightedBagging(size=2).build(history, error, 0)
    assert ensemble.members == (3,), "a model that is always wrong has no weight"
    assert WeightedBagging(size=1).build(history, error, 0).members == (2,)
