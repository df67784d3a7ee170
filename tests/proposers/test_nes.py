"""Neural ensemble search: population, parents, children."""

from typing import Any

import numpy as np
import pytest

from studio.ensembles.greedy import GreedySelection
from studio.proposers.evolution import NeuralEnsembleSearch
from studio.space.library import load
from studio.space.parameters import Categorical, Float
from studio.space.space import Space
from studio.trial import History, Trial


def find_differences(one: Any, other: Any) -> list[str]:
    """Return the common hyperparameters with different values."""
    return [name for name in one if name in other and one[name] != other[name]]


@pytest.mark.slow
def test_child_differs_from_ensemble_member_in_one_hyperparameter(make_faker: Any) -> None:
    faker = make_faker(load("sklearn-cash"))
    history = faker.history(faker.draw(45))
    recent = History(history.truth, history.n_classes)
    for trial in history.trials[-30:]:
        own = Trial(len(recent) + 1, trial.configuration, trial.seed, trial.loss)
        recent.append(own, history.get_predictions(trial.number))
    origins = set()
    for pending in range(12):
        search = faker.search(history, faker.draw(pending, seed=9))
        suggestion = NeuralEnsembleSearch().suggest(search)
        parent = history.trials[int(suggestion.origin.rsplit(" ", 1)[1]) - 1]
        assert parent.number > 15
        assert len(find_differences(parent.configuration, suggestion.configuration)) == 1
        origins.add(parent.number)
    expected = GreedySelection(size=10, replacement=False).build(recent, None, 0)  # type: ignore[arg-type]
    assert len(expected.members) == 10
    # Apart from ties, parents are members of that ensemble.
    assert 2 <= len(origins) <= 10


def test_nes_population_contains_most_recent_trials(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    first, second = faker.draw(35), faker.draw(35, seed=2)
    one = faker.search(faker.history([*first[:5], *second[:30]]))
    two = faker.search(faker.history([*first[5:10], *second[:30]]))
    # The five oldest are removed, whatever their losses.
    part = NeuralEnsembleSearch()
    assert part.suggest(one).configuration == part.suggest(two).configuration


def test_children_are_suggested_once_population_is_full(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    part = NeuralEnsembleSearch()
    early = part.suggest(faker.search(faker.history(faker.draw(29))))
    assert early.origin == "random start"
    assert part.suggest(faker.search(faker.history(faker.draw(30)))).origin.startswith("child")


@pytest.mark.slow
def test_hyperparameters_of_parent_are_mutated_uniformly(make_faker: Any) -> None:
    space = Space(
        "uneven",
        (Categorical("many", choices=tuple(range(50))), Float("one", low=0, high=1)),
        tasks=(),
    )
    faker = make_faker(space)
    history = faker.history(faker.draw(30))
    change_counts = {"many": 0, "one": 0}
    for pending in range(200):
        # Only the seed of the suggestion changes.
        search = faker.search(history, [history.trials[0].configuration] * pending)
        suggestion = NeuralEnsembleSearch().suggest(search)
        parent = history.trials[int(suggestion.origin.rsplit(" ", 1)[1]) - 1]
        (name,) = find_differences(parent.configuration, suggestion.configuration)
        change_counts[name] += 1
    # Fair coins: 100 ± 4 standard deviations of 7.1.
    assert abs(change_counts["one"] - 100) < 29


def test_failed_trials_are_in_population_without_children(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    history = faker.history(faker.draw(30), lambda number: number != 30)
    suggestion = NeuralEnsembleSearch().suggest(faker.search(history))
    assert suggestion.origin == "child of trial 30"
    history = faker.history(faker.draw(31), lambda number: number > 1)
    assert NeuralEnsembleSearch().suggest(faker.search(history)).origin == "random start"


@pytest.mark.parametrize("n_classes", [0, 3])
def test_nes_supports_classification_and_regression(make_faker: Any, n_classes: int) -> None:
    faker = make_faker(load("svm-rbf"), n_classes)
    suggestion = NeuralEnsembleSearch().suggest(faker.search(faker.history(faker.draw(40))))
    assert np.isfinite(list(suggestion.configuration.values())[-1])
