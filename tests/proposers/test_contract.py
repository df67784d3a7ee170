"""What every method by name must keep to, on classification and on regression."""

from typing import Any

import pytest

from studio.errors import ExhaustedError
from studio.proposers.method import Method, compose
from studio.proposers.presets import PRESETS
from studio.space.library import load
from studio.space.parameters import Categorical, Condition, Integer
from studio.space.space import Space

CASES = [
    (preset.key, task)
    for preset in PRESETS
    for task in ("multiclass", "regression")
    if task not in preset.refused
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request: pytest.FixtureRequest, make_faker: Any) -> tuple[Method, Any]:
    key, task = request.param
    space = load("sklearn-cash" if task == "multiclass" else "sklearn-cash-regression")
    return compose(key, {}, task), make_faker(space, 3 if task == "multiclass" else 0)


def finite_space() -> Space:
    return Space(
        "small",
        (
            Categorical("a", choices=("x", "y")),
            Integer("b", low=1, high=3, conditions=(Condition("a", values=("x",)),)),
        ),
    )


@pytest.mark.parametrize("count", [0, 1, 3, 40])
def test_contract_a_suggestion_is_a_valid_configuration_of_the_space(
    case: tuple[Method, Any], count: int
) -> None:
    method, faker = case
    suggestion = method.proposer.suggest(faker.search(faker.history(faker.draw(count))))
    assert faker.space.validate(suggestion.configuration) == suggestion.configuration
    assert suggestion.origin


def test_contract_the_same_history_and_seed_give_the_same_suggestion(
    case: tuple[Method, Any],
) -> None:
    method, faker = case
    drawn = faker.draw(25)
    first, second = (
        method.proposer.suggest(faker.search(faker.history(drawn))).configuration for _ in range(2)
    )
    assert first == second


def test_contract_a_history_that_grew_suggests_as_one_read_at_once(
    case: tuple[Method, Any],
) -> None:
    method, faker = case
    grown = faker.history([])
    for configuration in faker.draw(18):
        method.proposer.suggest(faker.search(grown))
        faker.extend(grown, configuration)
    at_once = faker.history(faker.draw(18))
    assert (
        method.proposer.suggest(faker.search(grown)).configuration
        == method.proposer.suggest(faker.search(at_once)).configuration
    )


def test_contract_a_search_of_its_own_never_repeats_a_configuration(
    case: tuple[Method, Any],
) -> None:
    method, faker = case
    history = faker.history([])
    for _ in range(20):
        faker.extend(history, method.proposer.suggest(faker.search(history)).configuration)
    seen = [repr(sorted(trial.configuration.items())) for trial in history.trials]
    assert len(set(seen)) == len(seen)


def test_contract_running_trials_are_never_suggested_again(case: tuple[Method, Any]) -> None:
    method, faker = case
    history = faker.history(faker.draw(15))
    pending: list[Any] = []
    for _ in range(4):
        pending.append(method.proposer.suggest(faker.search(history, pending)).configuration)
    assert len({repr(sorted(each.items())) for each in pending}) == 4


@pytest.mark.parametrize("which", ["some", "all"])
def test_contract_failed_trials_do_not_end_a_search(case: tuple[Method, Any], which: str) -> None:
    method, faker = case
    history = faker.history(faker.draw(20), lambda number: which == "all" or number % 3 == 0)
    suggestion = method.proposer.suggest(faker.search(history))
    faker.space.validate(suggestion.configuration)


def test_contract_constant_losses_do_not_end_a_search(case: tuple[Method, Any]) -> None:
    method, faker = case
    first = faker.draw(1)[0]
    history = faker.history([first])
    stored = history.predictions(1)
    for configuration in faker.draw(20, seed=2):
        number = len(history) + 1
        trial = type(history.trials[0])(number, configuration, number, history.trials[0].loss)
        history.append(trial, stored)
    faker.space.validate(method.proposer.suggest(faker.search(history)).configuration)


def test_contract_a_finite_space_is_used_up_and_then_said_to_be(
    case: tuple[Method, Any], make_faker: Any
) -> None:
    method, faker = case
    small = make_faker(finite_space(), faker.n_classes)
    history = small.history([])
    for _ in range(4):
        small.extend(history, method.proposer.suggest(small.search(history)).configuration)
    assert len({repr(trial.configuration) for trial in history.trials}) == 4
    with pytest.raises(ExhaustedError, match="widen a range"):
        method.proposer.suggest(small.search(history))


def test_contract_the_final_ensemble_is_built_of_successful_trials(
    case: tuple[Method, Any],
) -> None:
    method, faker = case
    history = faker.history(faker.draw(20), lambda number: number % 5 == 0)

    def metric(truth: Any, predictions: Any) -> float:
        if predictions.ndim == 2:
            return float((predictions.argmax(axis=1) != truth).mean())
        return float(((predictions - truth) ** 2).mean())

    ensemble = method.ensemble.build(history, metric, 0)
    assert set(ensemble.members) <= {trial.number for trial in history.succeeded}
    assert sum(ensemble.weights) == pytest.approx(1.0)
