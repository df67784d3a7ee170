"""Histories and partial histories."""

import numpy as np
import pytest

from studio.errors import EnsembleError
from studio.trial import History, Trial


def make_history_of(comparable: bool = True) -> History:
    history = History(np.array([0, 1]), 2, comparable)
    for number in range(1, 6):
        loss = None if number == 2 else number / 10
        stored = np.full((2, 2), number / 10, dtype=np.float16)
        history.append(
            Trial(number, {"x": number}, seed=7, loss=loss), None if loss is None else stored
        )
    return history


def test_history_subset_is_renumbered_without_copying_arrays() -> None:
    history = make_history_of()
    part = history.select_trials([5, 2, 3])
    assert [trial.configuration["x"] for trial in part.trials] == [5, 2, 3]
    assert [trial.number for trial in part.trials] == [1, 2, 3]
    assert part.list_numbers().tolist() == [1, 3]
    assert part.get_predictions(1) is history.get_predictions(5)
    assert part.get_votes(3) is history.get_votes(3)
    assert [trial.number for trial in history.trials] == [1, 2, 3, 4, 5]


def test_prefix_contains_identical_trial_objects() -> None:
    history = make_history_of()
    for length in (0, 3, 5, 9):
        part = history.take_first(length)
        assert list(part.trials) == list(history.trials[:length])
        assert all(a is b for a, b in zip(part.trials, history.trials, strict=False))


def test_subset_of_incomparable_trials_has_losses_only() -> None:
    part = make_history_of(comparable=False).select_trials([1, 3])
    assert part.get_losses().tolist() == [0.1, 0.3]
    with pytest.raises(EnsembleError, match="reshuffled"):
        part.get_predictions(1)
