"""The helper's two tasks for the live plots, on a real run."""

from pathlib import Path

import numpy as np
import pytest

from studio.document.store import Document
from studio.helper.registry import task
from studio.runs.engine import Engine
from studio.runs.settings import RunSettings, Source


@pytest.fixture(scope="module", params=["classes", "numbers"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    table = folder / "t.csv"
    target = (
        (lambda i: "xy"[(i % 9) > 4]) if request.param == "classes" else (lambda i: i % 9 + 0.5)
    )
    rows = [f"{i % 9},{(i * 7) % 13},{target(i)}" for i in range(80)]
    table.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    settings = RunSettings(method="BO-post", budget=9, workers=1, source=Source(path=str(table)))
    path = folder / "w.studio"
    with Document.create(path) as document:
        run_id = document.add_run("run", settings.to_json())
        Engine(document, run_id, lambda progress: None).work()
    return path


def ask(name: str, path: Path, iteration: int | None, **more: object) -> tuple[dict, dict]:
    return task(name)({"document": str(path), "run": 1, "iteration": iteration, **more})


def test_diversity_compares_the_members_of_the_iteration_asked_for(run: Path) -> None:
    with Document.open(run, writable=False) as document:
        iterations = document.iterations(1)
    for at in (None, 9, 6):
        words, arrays = ask("diversity", run, at)
        members = {number for number, _ in iterations[(at or 9) - 1].members}
        if len(members) < 2:
            assert words["reason"]
            continue
        assert words["reason"] == ""
        assert set(arrays["members"].tolist()) == members
        for name in ("diversity", "disagreement"):
            matrix = arrays[name]
            np.testing.assert_allclose(matrix, matrix.T)
            assert np.allclose(np.diag(matrix), 0)
            assert matrix.min() >= 0
            assert matrix.max() <= 1


def test_one_member_makes_no_pair(run: Path) -> None:
    words, arrays = ask("diversity", run, 1)
    assert "fewer than two members" in words["reason"]
    assert arrays["members"].size == 0


def test_a_slice_is_plain_words_and_arrays(run: Path) -> None:
    words, arrays = ask("slice", run, None, parameter="algorithm")
    assert words["reason"] == ""
    assert len(words["choices"]) == len(arrays["grid"])
    assert arrays["mean"].shape == arrays["sd"].shape == arrays["acquisition"].shape
