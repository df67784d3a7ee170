"""The helper's tasks about the diversity of a search, on small real runs."""

from pathlib import Path

import pytest

from studio.document.store import Document
from studio.helper.registry import task
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, Source


@pytest.fixture(scope="module", params=["classes", "numbers"])
def document(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    table = folder / "t.csv"
    target = (
        (lambda i: "xy"[(i % 9) > 4]) if request.param == "classes" else (lambda i: i % 9 + 0.5)
    )
    rows = [f"{i % 9},{(i * 7) % 13},{target(i)}" for i in range(60)]
    table.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    settings = RunSettings(method="RS-ES", budget=5, workers=1, source=Source(path=str(table)))
    path = folder / "w.studio"
    with Document.create(path) as made:
        run_id = made.add_run("run", settings.to_json())
        Engine(made, run_id, lambda _: None, InlinePool).work()
    return path


def test_suggestions_after_the_first_have_a_least_diversity(document: Path) -> None:
    words, arrays = task("search_diversity")({"document": str(document), "run": 1})
    assert words == {"more": False}
    assert len(arrays["numbers"]) == len(arrays["least"]) == len(arrays["nearest"]) > 0
    assert (arrays["numbers"] > arrays["nearest"]).all()
    assert ((arrays["least"] >= 0) & (arrays["least"] <= 1)).all()


def test_a_method_without_the_surrogate_says_so(document: Path) -> None:
    asked = {"document": str(document), "run": 1, "iteration": 5}
    words, arrays = task("search_agreement")(asked)
    assert words == {"applies": False, "more": False}
    assert arrays["numbers"].size == arrays["taus"].size == 0


def test_only_classes_can_disagree(document: Path) -> None:
    with Document.open(document, writable=False) as opened:
        kind = opened.run(1).settings["source"]["task"]
    words, _ = task("diversity")({"document": str(document), "run": 1, "iteration": None})
    if not words["reason"]:
        assert words["classes"] == (kind != "regression")
