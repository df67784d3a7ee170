"""Helper tasks about methods: the list, the check of a composed one, advice."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.errors import DataError
from studio.helper.answers import decode, encode
from studio.helper.methods import (
    Catalogue,
    Compatibility,
    check_method,
    compute_advice,
    make_catalogue,
)
from studio.helper.table_spec import TableSpec
from studio.runs.settings import Advice, RunSettings, TableSource
from tests.facts import about, facts


def table(folder: Path) -> Path:
    path = folder / "t.csv"
    rows = "".join(f"{i},{i % 7},{'ab'[i % 2]}\n" for i in range(300))
    path.write_text("t,x,y\n" + rows, "utf-8")
    return path


@pytest.mark.slow
def test_advice_uses_described_table(tmp_path: Path) -> None:
    path = table(tmp_path)
    reply = compute_advice(TableSpec(path, target="y"), {})
    assert decode(Advice, *encode(reply)) == reply
    assert (reply.method, reply.space) == ("best", "best")
    assert reply.plan.folds == 8
    assert reply.division.startswith("8 folds: ")
    ordered = compute_advice(TableSpec(path, target="y", roles={"t": "time"}), {})
    assert ordered.plan.folds is None
    values = compute_advice(TableSpec(path, target="x", task="regression"), {})
    assert values.space == "best-regression"
    plan = {"train": 0.5, "validation": 0.2, "test": 0.3, "seed": 4}
    hurried = compute_advice(TableSpec(path, target="y"), plan, 0.01)
    assert hurried.plan.folds is None
    assert (hurried.plan.test, hurried.plan.seed) == (0.3, 4)


def test_unusable_target_is_reported(tmp_path: Path) -> None:
    roles = {"t": "ignore", "x": "ignore"}
    with pytest.raises(DataError, match="No column", check=about(target="'y'")):
        compute_advice(TableSpec(table(tmp_path), target="y", roles=roles), {})


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


def test_catalogue_is_complete_and_round_trips() -> None:
    catalogue = make_catalogue()
    encoded_catalogue, arrays = encode(catalogue)
    assert decode(Catalogue, json.loads(json.dumps(encoded_catalogue)), arrays) == catalogue
    methods = {method.key for method in catalogue.methods}
    assert {"RS", "RS-post", "BO-best", "BO-post", "EO-sqm", "EO-post", "EO-mse"} <= methods
    for method in catalogue.methods:
        assert set(method.get_all_parts()) <= set(catalogue.parts)
