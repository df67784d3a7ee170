import numpy as np
import pytest

from studio.ensembles.greedy import MetricSearch, RunningSearch, select_forward, sort_by_single_loss
from studio.ensembles.losses.errors import ZeroOneLoss
from studio.ensembles.running import make_running_ensemble
from studio.errors import EnsembleError
from tests.facts import about


class ScriptedSearch:
    """A search that prefers the highest index and records calls."""

    def __init__(self) -> None:
        self.added: list[int] = []

    def find_best(self, allowed: np.ndarray) -> np.ndarray:
        return np.flatnonzero(allowed)[-1:]

    def add(self, index: int) -> None:
        self.added.append(index)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_selection_with_replacement_repeats_candidates() -> None:
    search = ScriptedSearch()
    assert select_forward(search, 3, 4, rng=rng()) == [2, 2, 2, 2]
    assert search.added == [2, 2, 2, 2]


def test_selection_without_replacement_stops_at_exhausted_pool() -> None:
    assert select_forward(ScriptedSearch(), 3, 9, rng=rng(), replacement=False) == [2, 1, 0]


def test_initial_members_count_towards_size() -> None:
    assert select_forward(ScriptedSearch(), 5, 4, rng=rng(), first=[0, 1, 3]) == [0, 1, 3, 4]
    assert select_forward(ScriptedSearch(), 5, 2, rng=rng(), first=[0, 1, 3]) == [0, 1]


def test_initial_members_are_not_repeated_without_replacement() -> None:
    assert select_forward(ScriptedSearch(), 3, 3, rng=rng(), first=[2], replacement=False) == [
        2,
        1,
        0,
    ]


def test_candidates_are_sorted_by_loss_with_random_ties() -> None:
    own = np.array([0.3, 0.1, 0.2, 0.1])
    orders = {tuple(sort_by_single_loss(own, 3, np.random.default_rng(seed))) for seed in range(20)}
    assert orders == {(1, 3, 2), (3, 1, 2)}
    assert len(sort_by_single_loss(own, 9, rng())) == 4


def test_metric_is_computed_from_mean_prediction() -> None:
    predictions = [np.array([0.0, 0.0]), np.array([2.0, 4.0]), np.array([8.0, 8.0])]
    truth = np.array([4.0, 6.0])
    search = MetricSearch(
        predictions.__getitem__, 3, truth, lambda truth, given: float(np.abs(truth - given).mean())
    )
    all_models = np.ones(3, dtype=bool)
    assert search.compute_losses(all_models).tolist() == [5.0, 2.0, 3.0]
    search.add(1)
    assert search.compute_losses(all_models).tolist() == [3.5, 2.0, 0.5]
    assert search.find_best(all_models).tolist() == [2]
    assert search.find_best(np.array([True, True, False])).tolist() == [1]


def test_non_numeric_metric_is_rejected() -> None:
    search = MetricSearch(lambda index: np.zeros(2), 1, np.zeros(2), lambda truth, given: np.nan)
    with pytest.raises(EnsembleError, match="another metric", check=about(loss="nan", size="1")):
        search.find_best(np.ones(1, dtype=bool))


def test_ensembles_with_infinite_loss_are_not_selected() -> None:
    predictions = [np.array([2.0]), np.array([8.0])]

    def own_only(truth: np.ndarray, given: np.ndarray) -> float:
        return float(abs(given - truth)[0]) if given[0] in {2.0, 8.0} else np.inf

    search = MetricSearch(predictions.__getitem__, 2, np.array([5.0]), own_only)
    assert select_forward(search, 2, 9, rng=rng(), first=[1], replacement=False) == [1]


def test_running_search_returns_positions_of_best_candidates(make_history) -> None:
    history = make_history(6, 3, failed=(1, 4))
    numbers = history.list_numbers()
    search = RunningSearch(make_running_ensemble(history), numbers, ZeroOneLoss())
    errors = np.array([np.mean(history.get_votes(int(n)) != history.truth) for n in numbers])
    all_models = np.ones(4, dtype=bool)
    assert search.find_best(all_models).tolist() == np.flatnonzero(errors == errors.min()).tolist()
    errors[errors.argmin()] = 1.0
    allowed = errors < 1.0
    assert search.find_best(allowed).tolist() == np.flatnonzero(errors == errors.min()).tolist()
