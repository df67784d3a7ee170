"""The task that checks a composed method and lists compatible parts."""

from typing import Any

from studio.helper.methods import Compatibility, check_method
from studio.runs.settings import RunSettings, TableSource
from tests.facts import facts


def run_check(method: str, **overrides: Any) -> Compatibility:
    settings = RunSettings(method=method, overrides=overrides, source=TableSource(task="binary"))
    return check_method(settings.to_json())


def test_valid_method_lists_incompatible_parts() -> None:
    compatibility = run_check("EO-sig")
    assert (compatibility.problem, compatibility.part) == ("", "")
    assert "reshuffled hold-out" in compatibility.rejections["evaluation"]["reshuffle"]
    assert "held-out" in compatibility.rejections["ensemble"]["selection-best"]
    assert "greedy" not in compatibility.rejections["ensemble"]


def test_incompatible_part_is_reported() -> None:
    compatibility = run_check("RS", ensemble="posterior-mean")
    assert "from the surrogate" in compatibility.problem
    assert compatibility.part == "ensemble"
    assert compatibility.rejections == {}


def test_settings_problem_is_assigned_to_proposer() -> None:
    compatibility = check_method({"method": "RS", "budget": 0, "source": {"task": "binary"}})
    assert "one trial" in compatibility.problem and facts(compatibility.problem) == {"given": "0"}
    assert compatibility.part == "proposer"
