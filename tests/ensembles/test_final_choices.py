"""The choices of a single model that read more than validation losses."""

import numpy as np
import pytest

from studio.ensembles.single_model import PosteriorMean, SelectionBest
from studio.errors import EnsembleError
from studio.trial import History, Trial

STORED = np.zeros(1, dtype=np.float32)


def history(*trials: Trial, comparable: bool = True) -> History:
    new_history = History(np.zeros(1), 0, comparable)
    for trial in trials:
        new_history.append(trial, None if trial.loss is None else STORED)
    return new_history


def metric(truth, predictions) -> float:
    raise AssertionError("these choices compare losses that are there already")


@pytest.mark.parametrize("comparable", [True, False])
def test_selection_best_is_earliest_lowest_loss(comparable: bool) -> None:
    trial_history = history(
        Trial(1, {}, 0, 0.1, selection=0.4),
        Trial(2, {}, 0, 0.3, selection=0.2),
        Trial(3, {}, 0, 0.2, selection=0.2),
        Trial(4, {}, 0, None, "it failed"),
        comparable=comparable,
    )
    assert SelectionBest().build(trial_history, metric, 0).members == (2,)
    with pytest.raises(EnsembleError, match=r"evaluation\.selection"):
        SelectionBest().build(history(Trial(1, {}, 0, 0.1)), metric, 0)


def test_posterior_mean_is_newest_successful_conclusion() -> None:
    trials = (
        Trial(1, {}, 0, 0.2),
        Trial(2, {}, 0, 0.1),
        Trial(3, {}, 0, 0.4, concluding=True),
        Trial(4, {}, 0, 0.05),
        Trial(5, {}, 0, 0.3, concluding=True),
        Trial(6, {}, 0, None, "it failed", concluding=True),
    )
    members = [
        PosteriorMean().build(history(*trials[:count]), metric, 0).members[0]
        for count in range(1, 7)
    ]
    assert members == [1, 2, 3, 3, 5, 5]
