import numpy as np

from studio.ensembles.single_model import SingleBest
from studio.trial import History, Trial


def history_of(losses: list[float | None]) -> History:
    history = History(np.zeros(2), 0)
    for number, loss in enumerate(losses, start=1):
        given = None if loss is None else np.zeros(2, np.float32)
        history.append(Trial(number, {}, 0, loss), given)
    return history


def metric(truth, given) -> float:
    raise AssertionError("the trials' losses are known already")


def test_the_lowest_loss_is_chosen() -> None:
    ensemble = SingleBest().build(history_of([None, 0.4, 0.2, None, 0.3]), metric, seed=0)
    assert ensemble.members == (3,)


def test_of_equal_losses_the_earliest_is_chosen_whatever_the_seed() -> None:
    history = history_of([0.3, 0.2, None, 0.2])
    chosen = {SingleBest().build(history, metric, seed).members for seed in range(20)}
    assert chosen == {(2,)}
