"""A result that somebody changed is refused where it is read, with the run that it is of."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document import sealing
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.errors import DocumentError
from studio.runs.settings import RunSettings
from studio.trial import Trial

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
        ("headline", [[]]),
        ("headline", {"rows": 5}),
    ],
)
def test_a_result_of_another_shape_is_damage(tmp_path: Path, name: str, value: object) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.add_run("a", RunSettings().to_json())
        document.set_result(run, {**RESULT, name: value})
        assert document.run(run).result is None
        assert [each.record for each in document.damages] == [f"status {run}"]


def test_a_result_without_members_is_damage(tmp_path: Path) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.add_run("a", RunSettings().to_json())
        document.set_result(run, {})
        assert document.run(run).result is None
        assert [each.record for each in document.damages] == [f"status {run}"]


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


@pytest.mark.parametrize(
    "details", [{"elapsed": "\x1b[2J"}, {"timing": [1.0]}, {"spent": []}, {"seen": {"after": "x"}}]
)
def test_details_of_another_shape_are_damage(tmp_path: Path, details: dict[str, Any]) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.add_run("a", RunSettings().to_json())
        document.claim(run)
        given = np.zeros((2, 2), dtype=np.float16)
        document.add_trial(
            run, Trial(1, {}, 0, 0.5), given, None, Iteration(1, details={"start": 1.0, **details})
        )
        assert [row.trial.lost for row in document.trial_rows(run)] == [f"trial {run} 1"]
        assert "trial 1 1" in document.damages[0].sentence


def test_what_a_trial_cannot_have_is_damage(tmp_path: Path) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.add_run("a", RunSettings().to_json())
        document.add_trial(run, Trial(1, {}, 1 << 40, None, "x"), None, None, Iteration(1))
        later = Iteration(2, best=3, members=((3, 1.0),))
        document.add_trial(run, Trial(2, {}, 0, None, "x"), None, None, later)
        assert all(row.trial.lost for row in document.trial_rows(run))


def test_an_array_that_hides_its_rows_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "d.studio"
    with Document.create(path) as document:
        run = document.add_run("a", RunSettings().to_json())
        document.claim(run)
        given = np.zeros(16, dtype=np.float32)
        document.add_trial(run, Trial(1, {}, 0, 0.5), given, None, Iteration(1))
        document.release(run)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        ((array, header),) = connection.execute("SELECT id, header FROM arrays").fetchall()
        changed = {**sealing.unseal(header, f"array {array}"), "shape": [0]}
        connection.execute(
            "UPDATE arrays SET header = ?", (sealing.seal(changed, f"array {array}"),)
        )
    with (
        Document.open(path, writable=False) as document,
        pytest.raises(DocumentError, match="damaged"),
    ):
        document.predictions(run, 1, "validation")
