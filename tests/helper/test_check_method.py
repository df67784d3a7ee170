"""The task that checks a composed method and lists compatible parts."""

from typing import Any

from studio.helper.methods import Compatibility, check_method
from studio.runs.settings import RunSettings, TableSource
from tests.facts import facts


def run_check(method: str, **overrides: Any) -> Compatibility:
    settings = RunSettings(method=method, overrides=overrides, source=TableSource(task="binary"))
    return check_method(settings.to_json())


def test_valid_method_lists_incompatible_parts() -> None:
    found = run_check("EO-sig")
    assert (found.problem, found.part) == ("", "")
    assert "reshuffled hold-out" in found.refusals["evaluation"]["reshuffle"]
    assert "held-out" in found.refusals["ensemble"]["selection-best"]
    assert "greedy" not in found.refusals["ensemble"]


def test_incompatible_part_is_named() -> None:
    found = run_check("RS", ensemble="posterior-mean")
    assert "from the surrogate" in found.problem
    assert found.part == "ensemble"
    assert found.refusals == {}


def test_settings_problem_names_no_part() -> None:
    found = check_method({"method": "RS", "budget": 0, "source": {"task": "binary"}})
    assert "one trial" in found.problem and facts(found.problem) == {"given": "0"}
    assert found.part == "proposer"
