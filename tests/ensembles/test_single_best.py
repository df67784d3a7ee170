import numpy as np

from studio.ensembles.single_model import SingleBest
from studio.trial import History, Trial


def make_history_of(losses: list[float | None]) -> History:
    history = History(np.zeros(2), 0)
    for number, loss in enumerate(losses, start=1):
        predictions = None if loss is None else np.zeros(2, np.float32)
        history.append(Trial(number, {}, 0, loss), predictions)
    return history


def metric(truth, predictions) -> float:
    raise AssertionError("the trials' losses are known already")


def test_single_best_has_lowest_loss() -> None:
    ensemble = SingleBest().build(make_history_of([None, 0.4, 0.2, None, 0.3]), metric, seed=0)
    assert ensemble.members == (3,)


def test_single_best_takes_earliest_tied_trial() -> None:
    history = make_history_of([0.3, 0.2, None, 0.2])
    member_tuples = {SingleBest().build(history, metric, seed).members for seed in range(20)}
    assert member_tuples == {(2,)}
