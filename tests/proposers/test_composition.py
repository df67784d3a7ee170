"""Which parts belong together after a choice."""

from typing import Any

import pytest

from studio.errors import UsageError
from studio.proposers.catalogue import composition, methods
from studio.proposers.composition import base_value, choose, chosen_parts
from studio.proposers.method import ROOMS, compose

RULES = composition()
PRESETS = {each["name"]: each for each in methods()}


def test_a_presets_own_parts_are_shown_and_only_those_that_apply() -> None:
    assert chosen_parts(PRESETS["EO-sig"], {}, RULES) == {
        "proposer": "eo",
        "surrogate": "gp",
        "acquisition": "ei",
        "maximiser": "local-search",
        "evaluation": "fixed",
        "ensemble": "from-search",
    }
    assert list(chosen_parts(PRESETS["RS"], {}, RULES)) == ["proposer", "evaluation", "ensemble"]


def test_another_proposer_drops_what_it_does_not_use() -> None:
    before = {"surrogate.kernel": "matern", "acquisition": "lcb", "evaluation.selection": 0.2}
    made = choose(PRESETS["EO-sig"], before, "proposer", "random", RULES)
    assert made == {"proposer": "random", "ensemble": "greedy", "evaluation.selection": 0.2}
    compose("EO-sig", made, "binary")


def test_another_proposer_brings_what_it_needs() -> None:
    made = choose(PRESETS["RS"], {}, "proposer", "bo", RULES)
    assert chosen_parts(PRESETS["RS"], made, RULES)["surrogate"] == "gp"
    compose("RS", made, "binary")
    divbo = choose(PRESETS["RS"], {}, "proposer", "divbo", RULES)
    assert divbo["maximiser"] == "global-local"
    compose("RS", divbo, "binary")


def test_the_presets_own_part_is_no_change() -> None:
    preset = PRESETS["BO-post"]
    made = choose(preset, {"ensemble.size": 5}, "ensemble", "single-best", RULES)
    assert made == {"ensemble": "single-best"}
    assert choose(preset, made, "ensemble", preset["parts"]["ensemble"], RULES) == {}


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("proposer", [each.key for each in ROOMS["proposer"]])
def test_every_proposer_can_be_put_into_every_method_or_says_why_not(
    name: str, proposer: str
) -> None:
    preset: dict[str, Any] = PRESETS[name]
    task = next(t for t in ("binary", "regression") if t not in preset["refused"])
    made = choose(preset, {}, "proposer", proposer, RULES)
    try:
        compose(name, made, task)  # type: ignore[arg-type]
    except UsageError as error:
        assert "needs a" not in str(error)


@pytest.mark.parametrize("name", PRESETS)
def test_the_value_shown_is_the_value_that_holds(name: str) -> None:
    preset = PRESETS[name]
    task = next(t for t in ("binary", "regression") if t not in preset["refused"])
    made = choose(preset, {}, "ensemble", "greedy", RULES)
    method = compose(name, made, task)  # type: ignore[arg-type]
    declared = next(each for each in ROOMS["ensemble"] if each.key == "greedy").declaration()
    for option in declared["options"]:
        shown = base_value(preset, made, "ensemble", option, RULES)
        assert method.ensemble.to_json()[option["name"]] == shown
