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


def test_changing_proposer_drops_unused_parts() -> None:
    before = {"surrogate.kernel": "matern", "acquisition": "lcb", "evaluation.selection": 0.2}
    made = choose_part(PRESETS["EO-sig"], before, "proposer", "random", RULES)
    assert made == {"proposer": "random", "ensemble": "greedy", "evaluation.selection": 0.2}
    compose("EO-sig", made, "binary")


def test_changing_proposer_adds_required_parts() -> None:
    made = choose_part(PRESETS["RS"], {}, "proposer", "bo", RULES)
    assert get_chosen_parts(PRESETS["RS"], made, RULES)["surrogate"] == "gp"
    compose("RS", made, "binary")
    divbo = choose_part(PRESETS["RS"], {}, "proposer", "divbo", RULES)
    assert divbo["maximiser"] == "global-local"
    compose("RS", divbo, "binary")


def test_part_of_preset_is_not_override() -> None:
    preset = PRESETS["BO-post"]
    made = choose_part(preset, {"ensemble.size": 5}, "ensemble", "single-best", RULES)
    assert made == {"ensemble": "single-best"}
    assert choose_part(preset, made, "ensemble", preset.parts["ensemble"], RULES) == {}


def find_task(preset: Preset) -> Task:
    """Return a supported task of a method."""
    return "regression" if "binary" in preset.refusals else "binary"


@pytest.mark.slow
def test_every_proposer_can_be_inserted_into_every_method_or_says_what_to_use() -> None:
    offenders = []
    for (name, preset), proposer in itertools.product(PRESETS.items(), PART_REGISTRIES["proposer"]):
        made = choose_part(preset, {}, "proposer", proposer.key, RULES)
        try:
            found = compose(name, made, find_task(preset)).proposer.key
        except UsageError as error:
            found = str(error)
        helped = (
            "needs its library: " in found and "-m pip install " in found
        ) or "; use 'global-local'" in found
        if found != proposer.key and not helped:
            offenders.append(f"{proposer.key} in {name}: {found}")
    assert offenders == []


def test_displayed_option_values_are_effective() -> None:
    greedy = next(each for each in PART_REGISTRIES["ensemble"] if each.key == "greedy")
    offenders = []
    for name, preset in PRESETS.items():
        made = choose_part(preset, {}, "ensemble", "greedy", RULES)
        holds = compose(name, made, find_task(preset)).ensemble.to_json()
        for option in greedy.list_options():
            shown = get_base_value(preset, made, "ensemble", option, RULES)
            if holds[option.name] != shown:
                offenders.append(f"{name}, {option.name}: shown {shown}, holds {holds}")
    assert offenders == []
