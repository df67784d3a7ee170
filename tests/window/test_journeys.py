"""User journeys in a real window, by mouse and keyboard."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.assets import RESOURCES
from studio.document.store import Document
from studio.space.space import Space

pytestmark = [pytest.mark.window, pytest.mark.slow]

Perform = Callable[..., Path]


def read_runs(home: Path) -> list[tuple[str, str, int]]:
    """Return method, state and number of trials of the final document's runs."""
    (path,) = (home / "data").rglob("untitled/*.studio")
    with Document.open(path, writable=False) as document:
        return [
            (row.settings["method"], row.state, document.trials.count(row.id))
            for row in document.runs.list_all()
        ]


def test_journey_from_sample_to_results_succeeds(perform: Perform, tmp_path: Path) -> None:
    perform("journey_first_minute")
    ((method, state, trials),) = read_runs(tmp_path)
    assert (method, state) == ("best", "stopped")
    assert trials >= 5


def test_journey_from_table_to_exports_succeeds(perform: Perform, tmp_path: Path) -> None:
    perform("journey_own_table", STAGE_TABLE=str(RESOURCES / "samples" / "diabetes.csv"))
    assert read_runs(tmp_path) == [("EO-mse", "finished", 4)]
    assert len((tmp_path / "predicted.csv").read_text().splitlines()) == 1 + 442
    assert (tmp_path / "model.pkl").read_bytes().startswith(b"\x80")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "<html" in report
    assert "EO-mse" in report


def test_space_can_be_designed_by_mouse_and_keyboard(perform: Perform, tmp_path: Path) -> None:
    perform("journey_space")
    assert read_runs(tmp_path) == [("RS-post", "finished", 4)]
    designed = Space.from_json(json.loads((tmp_path / "designed.json").read_text("utf-8")))
    assert designed.name == "forest-smbeo"
    assert len(designed.find_root_choice().choices) >= 4, (
        "two kinds of forest and two more learners"
    )
