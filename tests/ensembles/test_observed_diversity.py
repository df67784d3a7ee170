"""Diversity of a run's trials: incremental and reproducible."""

import gc

import numpy as np
import pytest

from studio.ensembles import diversity as module
from studio.ensembles.diversity import compute_pairwise_diversity, get_history_diversity
from studio.trial import History


def extend_in_steps(whole: History, step: int) -> History:
    """Return a copy extended by ``step`` trials at a time."""
    history = History(whole.truth, whole.n_classes)
    for trial in whole.trials:
        predictions = None if trial.loss is None else whole.get_predictions(trial.number)
        history.append(trial, predictions)
        if len(history) % step == 0:
            get_history_diversity(history)
    return history


@pytest.mark.parametrize("n_classes", [0, 2, 5])
def test_history_diversity_covers_successful_trials(make_history, n_classes) -> None:
    history = make_history(9, n_classes, failed=(1, 4, 9))
    numbers, diversities = get_history_diversity(history)
    assert numbers.tolist() == [2, 3, 5, 6, 7, 8]
    predictions = [history.get_predictions(number) for number in numbers.tolist()]
    np.testing.assert_allclose(
        diversities, compute_pairwise_diversity(predictions, history.truth), rtol=1e-13
    )
    assert not diversities.diagonal().any()
    assert get_history_diversity(history)[1] is diversities


@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("step", [1, 4])
def test_extended_history_has_identical_diversity(make_history, n_classes, step) -> None:
    full_history = make_history(23, n_classes, rows=701, failed=(2, 8))
    numbers, diversities = get_history_diversity(extend_in_steps(full_history, step))
    repeated, at_once = get_history_diversity(full_history)
    np.testing.assert_array_equal(numbers, repeated)
    np.testing.assert_array_equal(diversities, at_once)


def test_history_diversity_is_incremental(make_history, monkeypatch) -> None:
    full_history = make_history(12, 3)
    history = extend_in_steps(full_history.take_first(10), 5)
    other_counts = []
    plain = module.compute_diversity_to

    def counting(given, others, truth, weights):
        other_counts.append(len(others))
        return plain(given, others, truth, weights)

    monkeypatch.setattr(module, "compute_diversity_to", counting)
    for number in (11, 12):
        history.append(full_history.trials[number - 1], full_history.get_predictions(number))
    get_history_diversity(history)
    get_history_diversity(history)
    assert other_counts == [10, 11]


def test_history_diversity_without_successful_trials_is_empty(make_history) -> None:
    numbers, diversities = get_history_diversity(make_history(3, 2, failed=(1, 2, 3)))
    assert numbers.shape == (0,)
    assert diversities.shape == (0, 0)
    assert get_history_diversity(make_history(1, 2))[1].tolist() == [[0.0]]


def test_diversity_cache_is_freed_with_history(make_history) -> None:
    n_before = len(module._CACHE)
    history = make_history(3, 2)
    get_history_diversity(history)
    assert len(module._CACHE) == n_before + 1
    del history
    gc.collect()
    assert len(module._CACHE) == n_before
