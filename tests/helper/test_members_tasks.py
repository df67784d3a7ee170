"""The helper's tasks by_hand, ensemble_objective and margins: plain JSON and arrays."""

import json
from pathlib import Path

import numpy as np
import pytest

from studio.document.store import Document
from studio.errors import EnsembleError
from studio.helper.registry import task
from studio.runs.engine import Engine
from studio.runs.settings import RunSettings, Source


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    table = folder / "t.csv"
    rows = [f"{i % 9},{(i * 7) % 13},{'xy'[(i % 9) > 4]}" for i in range(80)]
    table.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    settings = RunSettings(method="EO-sig", budget=6, workers=1, source=Source(path=str(table)))
    path = folder / "w.studio"
    with Document.create(path) as document:
        run_id = document.add_run("run", settings.to_json())
        Engine(document, run_id, lambda progress: None).work()
    return path


def ask(name: str, path: Path, **more: object) -> tuple[dict, dict]:
    words, arrays = task(name)({"document": str(path), "run": 1, "iteration": 6, **more})
    assert json.loads(json.dumps(words)) == words
    assert all(isinstance(array, np.ndarray) for array in arrays.values())
    return words, arrays


def test_by_hand_has_both_errors_and_the_members_own(run: Path) -> None:
    with Document.open(run, writable=False) as document:
        members = document.iterations(1)[-1].members
    words, arrays = ask("by_hand", run, members=[list(each) for each in members])
    assert words["validation"] == words["real_validation"]
    assert set(arrays["numbers"].tolist()) == {number for number, _ in members}
    assert arrays["own_test"].shape == arrays["numbers"].shape
    with pytest.raises(EnsembleError):
        ask("by_hand", run, members=[])


def test_the_objective_has_an_element_for_every_trial(run: Path) -> None:
    words, arrays = ask("ensemble_objective", run, slot=None, parameter=None, every_slot=False)
    assert words["reason"] == ""
    assert words["slot"] == words["searched"]
    for name in ("own", "together", "members", "places"):
        assert arrays[name].shape == arrays["numbers"].shape
    words, arrays = ask("ensemble_objective", run, slot=0, parameter="algorithm", every_slot=True)
    assert words["slot"] == 0
    assert len(arrays["each_slot"]) == len(arrays["holders"])


def test_margins_have_a_curve_for_every_loss(run: Path) -> None:
    words, arrays = ask("margins", run)
    assert words["own"] == "sig"
    assert arrays["values"].shape == (len(words["curves"]), len(arrays["grid"]))
    assert len(arrays["edges"]) == len(arrays["counts"]) + 1
    own = [each for each in words["curves"] if each["key"] == "sig"]
    assert "a = " in own[0]["formula"]
