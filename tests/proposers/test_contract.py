"""Contract of all proposers, with each surrogate and maximiser of their presets.

A combination shared by several presets is tested once, for classification and regression. The
parts use cheap settings (conftest.py), which affects only the quality of their models.
"""

from typing import Any

import pytest

from studio.errors import ExhaustedError
from studio.parts import find_part
from studio.proposers.method import Method, compose
from studio.proposers.preset_table import PRESETS
from studio.proposers.registry import REGISTRY
from studio.space.library import load
from studio.space.parameters import Categorical, Condition, Integer
from studio.space.space import Space

pytestmark = pytest.mark.slow

TASKS = ("multiclass", "regression")


def cases() -> dict[str, tuple[str, str]]:
    """Return the first preset and its task for each combination of search parts."""
    cases_by_parts: dict[str, tuple[str, str]] = {}
    for preset in PRESETS:
        parts = [preset.parts.get(part, "") for part in ("proposer", "surrogate", "maximiser")]
        for task in TASKS:
            if task not in preset.rejections:
                cases_by_parts.setdefault(
                    " ".join([*filter(None, parts), task]), (preset.key, task)
                )
    return cases_by_parts


@pytest.fixture(params=cases().values(), ids=cases().keys())
def case(request: pytest.FixtureRequest, make_faker: Any) -> tuple[Method, Any]:
    key, task = request.param
    preset = next(each for each in PRESETS if each.key == key)
    if missing_dependency := find_part(
        REGISTRY, preset.parts["proposer"], "proposer"
    ).get_missing_dependency():
        pytest.skip(missing_dependency)
    space = load("sklearn-cash" if task == "multiclass" else "sklearn-cash-regression")
    method = compose(key, make_faker.quick(preset.parts), task, budget=100)
    return method, make_faker(space, 3 if task == "multiclass" else 0)


def finite_space() -> Space:
    return Space(
        "small",
        (
            Categorical("a", choices=("x", "y"), sets="algorithm"),
            Integer("b", low=1, high=3, conditions=(Condition("a", values=("x",)),)),
        ),
        tasks=(),
    )


def test_contract_every_proposer_is_in_some_preset() -> None:
    assert {preset.parts["proposer"] for preset in PRESETS} == {part.key for part in REGISTRY}


@pytest.mark.parametrize("count", [0, 1, 40, 500])
def test_contract_suggestion_is_valid_configuration_of_space(
    case: tuple[Method, Any], count: int
) -> None:
    method, faker = case
    suggestion = method.proposer.suggest(faker.search(faker.history(faker.draw(count))))
    assert faker.space.validate(suggestion.configuration) == suggestion.configuration
    assert suggestion.origin


def test_contract_suggestion_is_determined_by_history_and_seed(case: tuple[Method, Any]) -> None:
    # The history may be read at once, grow between calls, or have losses on selection rows.
    method, faker = case
    configurations = faker.draw(18)
    growing_history = faker.history([])
    for configuration in configurations:
        if len(growing_history) % 5 == 0:
            method.proposer.suggest(faker.search(growing_history))
        faker.extend(growing_history, configuration)
    at_once = faker.history(configurations)
    expected = method.proposer.suggest(faker.search(growing_history)).configuration
    for history in (at_once, faker.with_selection(at_once, 1), growing_history):
        assert method.proposer.suggest(faker.search(history)).configuration == expected


def test_contract_search_does_not_repeat_configurations(case: tuple[Method, Any]) -> None:
    method, faker = case
    history = faker.history([])
    for _ in range(12):
        faker.extend(history, method.proposer.suggest(faker.search(history)).configuration)
    configuration_keys = [repr(sorted(trial.configuration.items())) for trial in history.trials]
    assert len(set(configuration_keys)) == len(configuration_keys)
    # A killed run continues as it would have without the kill.
    resumed = faker.history([trial.configuration for trial in history.trials[:9]])
    following = method.proposer.suggest(faker.search(resumed)).configuration
    assert following == history.trials[9].configuration


def test_contract_running_trials_are_never_suggested_again(case: tuple[Method, Any]) -> None:
    method, faker = case
    history = faker.history(faker.draw(15))
    pending: list[Any] = []
    for _ in range(3):
        pending.append(method.proposer.suggest(faker.search(history, pending)).configuration)
    assert len({repr(sorted(each.items())) for each in pending}) == 3


@pytest.mark.parametrize("which", ["some", "all"])
def test_contract_failed_trials_do_not_end_search(case: tuple[Method, Any], which: str) -> None:
    method, faker = case
    history = faker.history(faker.draw(35), lambda number: which == "all" or number % 3 == 0)
    suggested = method.proposer.suggest(faker.search(history)).configuration
    assert faker.space.validate(suggested) == suggested


def test_contract_constant_losses_do_not_end_search(case: tuple[Method, Any]) -> None:
    method, faker = case
    first = faker.draw(1)[0]
    history = faker.history([first])
    stored = history.get_predictions(1)
    for configuration in faker.draw(35, seed=2):
        number = len(history) + 1
        trial = type(history.trials[0])(number, configuration, number, history.trials[0].loss)
        history.append(trial, stored)
    suggested = method.proposer.suggest(faker.search(history)).configuration
    assert faker.space.validate(suggested) == suggested


def test_contract_finite_space_is_exhausted_with_error(
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


def test_contract_conclusion_is_valid_and_deterministic(case: tuple[Method, Any]) -> None:
    method, faker = case
    configurations = faker.draw(25)
    one, two = (
        method.proposer.conclude(
            faker.search(faker.with_selection(faker.history(configurations), seed))
        )
        for seed in range(2)
    )
    assert one == two
    assert (one is None) == (method.proposer.required_parts == ())
    if one is not None:
        assert faker.space.validate(one.configuration) == one.configuration
