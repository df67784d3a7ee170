"""Replacement of incompatible parts after a change of a method."""

import itertools

import pytest

from studio.data.tasks import Task
from studio.errors import UsageError
from studio.proposers.composition import Preset, choose_part, get_base_value, get_chosen_parts
from studio.proposers.method import PART_REGISTRIES, compose, get_rules, list_methods

RULES = get_rules()
PRESETS = {each.key: each for each in list_methods()}


def test_composition_shows_applicable_parts_of_preset() -> None:
    assert get_chosen_parts(PRESETS["EO-sig"], {}, RULES) == {
        "proposer": "eo",
        "surrogate": "gp",
        "acquisition": "ei",
        "maximiser": "local-search",
        "evaluation": "fixed",
        "ensemble": "from-search",
    }
    assert list(get_chosen_parts(PRESETS["RS"], {}, RULES)) == [
        "proposer",
        "evaluation",
        "ensemble",
    ]


def test_proposer_change_removes_unused_parts() -> None:
    before = {"surrogate.kernel": "matern", "acquisition": "lcb", "evaluation.selection": 0.2}
    overrides = choose_part(PRESETS["EO-sig"], before, "proposer", "random", RULES)
    assert overrides == {"proposer": "random", "ensemble": "greedy", "evaluation.selection": 0.2}
    compose("EO-sig", overrides, "binary")


def test_proposer_change_adds_required_parts() -> None:
    overrides = choose_part(PRESETS["RS"], {}, "proposer", "bo", RULES)
    assert get_chosen_parts(PRESETS["RS"], overrides, RULES)["surrogate"] == "gp"
    compose("RS", overrides, "binary")
    divbo = choose_part(PRESETS["RS"], {}, "proposer", "divbo", RULES)
    assert divbo["maximiser"] == "global-local"
    compose("RS", divbo, "binary")


def test_preset_part_is_not_stored_as_override() -> None:
    preset = PRESETS["BO-post"]
    overrides = choose_part(preset, {"ensemble.size": 5}, "ensemble", "single-best", RULES)
    assert overrides == {"ensemble": "single-best"}
    assert choose_part(preset, overrides, "ensemble", preset.parts["ensemble"], RULES) == {}


def find_task(preset: Preset) -> Task:
    """Return a supported task of a method."""
    return "regression" if "binary" in preset.rejections else "binary"


@pytest.mark.slow
def test_proposer_is_insertable_or_error_names_alternative() -> None:
    offenders = []
    for (name, preset), proposer in itertools.product(PRESETS.items(), PART_REGISTRIES["proposer"]):
        overrides = choose_part(preset, {}, "proposer", proposer.key, RULES)
        try:
            outcome = compose(name, overrides, find_task(preset)).proposer.key
        except UsageError as error:
            outcome = str(error)
        helped = (
            "needs its library: " in outcome and "-m pip install " in outcome
        ) or "; use 'global-local'" in outcome
        if outcome != proposer.key and not helped:
            offenders.append(f"{proposer.key} in {name}: {outcome}")
    assert offenders == []


def test_displayed_option_values_are_effective() -> None:
    greedy = next(each for each in PART_REGISTRIES["ensemble"] if each.key == "greedy")
    offenders = []
    for name, preset in PRESETS.items():
        overrides = choose_part(preset, {}, "ensemble", "greedy", RULES)
        holds = compose(name, overrides, find_task(preset)).ensemble.to_json()
        for option in greedy.list_options():
            shown_value = get_base_value(preset, overrides, "ensemble", option, RULES)
            if holds[option.name] != shown_value:
                offenders.append(f"{name}, {option.name}: shown {shown_value}, holds {holds}")
    assert offenders == []
