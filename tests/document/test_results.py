"""A result that somebody changed is refused where it is read, with the run that it is of."""

from pathlib import Path
from typing import Any

import pytest

from studio.document.store import Document
from studio.errors import DocumentError
from studio.runs.settings import RunSettings

RESULT: dict[str, Any] = {
    "members": [{"trial": 1, "weight": 1.0}],
    "combination": "mean",
    "test_error_ensemble": 0.1,
    "test_interval": [0.05, 0.2],
    "notes": [],
    "of_an_older_version": True,
}


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.add_run("a", RunSettings().to_json())
        document.set_result(run, RESULT)
        assert document.run(run).result == RESULT


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("members", [1]),
        ("members", [{"trial": "one", "weight": 1.0}]),
        ("members", [{"trial": 1, "weight": 1.0, "more": 2}]),
        ("test_interval", [0.1]),
        ("test_error_ensemble", "low"),
        ("notes", "a note"),
        ("refitted", 1),
    ],
)
def test_a_result_of_another_shape_is_damage(tmp_path: Path, name: str, value: object) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.add_run("a", RunSettings().to_json())
        document.set_result(run, {**RESULT, name: value})
        with pytest.raises(DocumentError, match=f"damaged.*status {run}"):
            document.run(run)


def test_a_result_without_members_is_damage(tmp_path: Path) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.add_run("a", RunSettings().to_json())
        document.set_result(run, {})
        with pytest.raises(DocumentError, match="damaged"):
            document.run(run)


@pytest.mark.parametrize(
    "changed",
    [
        {"budget": "many"},
        {"source": {"path": 5}},
        {"source": []},
        {"plan": {"train": "half"}},
        {"overrides": {"proposer.starts": [1]}},
        {"workers": None},
    ],
    ids=str,
)
def test_settings_of_another_shape_are_damage(changed: dict[str, Any]) -> None:
    plain = RunSettings(budget=4).to_json()
    assert RunSettings.from_json(plain) == RunSettings(budget=4)
    with pytest.raises(DocumentError, match="settings of a run"):
        RunSettings.from_json({**plain, **changed})
