"""A small study in a document, and its page."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.compare import study_notes
from studio.compare.cell_names import make_cell_name
from studio.compare.study import parse_study
from studio.document.store import Document
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.compare.page import ComparePage
from studio.gui.session.session import Session
from tests.results import make_result

METHODS = ("RS", "RS-post")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a small table of two classes."""
    rng = np.random.default_rng(0)
    lines = ["a,b,target"]
    for a, b, noise in rng.normal(size=(90, 3)):
        lines.append(f"{a:.4f},{b:.4f},{'yes' if a * b + 0.3 * noise > 0 else 'no'}")
    path = tmp_path / "tiny.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def models(session: Session, helper: Any) -> RunModel:
    """Return the run model, with methods requested on demand only."""
    return RunModel(session, helper)


@pytest.fixture
def data(session: Session, helper: Any) -> DataModel:
    """Return the data model without a table."""
    return DataModel(session, helper)


@pytest.fixture
def page(
    session: Session, data: DataModel, models: RunModel, helper: Any, qtbot: QtBot
) -> Iterator[ComparePage]:
    """Return the page of an empty document."""
    new_page = ComparePage(session, data, models, helper)
    qtbot.addWidget(new_page)
    yield new_page
    if new_page.model.is_alive:
        new_page.model.stop()
        qtbot.waitUntil(lambda: _is_over(new_page))


def _is_over(page: ComparePage) -> bool:
    page.model.poll()
    return not page.model.is_alive


def study_json(data: tuple[str, ...] = ("one", "two"), repetitions: int = 2) -> dict[str, Any]:
    """Return a study in stored form."""
    settings = {"data": list(data), "methods": list(METHODS), "spaces": ["svm-rbf"], "budget": 4}
    study = parse_study({**settings, "repetitions": repetitions})
    stored_study: dict[str, Any] = json.loads(json.dumps(study.to_json()))
    return stored_study


@pytest.fixture
def put_study() -> Callable[..., dict[tuple[str, str, int], int]]:
    """Return a function that stores a finished study without computation."""

    def put(
        document: Document, data: tuple[str, ...] = ("one", "two"), repetitions: int = 2
    ) -> dict[tuple[str, str, int], int]:
        document.notes.set(study_notes.STUDY, study_json(data, repetitions))
        runs = {}
        for name in data:
            about = {"name": name, "table_id": 1, "target": "y", "task": "binary", "rows": 90}
            document.notes.set(
                study_notes.get_dataset_note_name(name),
                {"file": "", "target": None, "dataset": about},
            )
            for method in METHODS:
                for repetition in range(1, repetitions + 1):
                    title = make_cell_name(name, method, "svm-rbf", repetition)
                    settings = {"method": method, "budget": 4, "metric": "error"}
                    run = document.runs.add(title, settings)
                    document.notes.set(
                        study_notes.get_cell_note_name(title), {"run": run, "asked": {}}
                    )
                    error = 0.1 * repetition + (0.05 if method == "RS" else 0.0)
                    document.runs.set_result(
                        run, make_result(test_error_ensemble=error, seconds=10.0)
                    )
                    document.runs.set_state(run, "finished")
                    runs[name, method, repetition] = run
        return runs

    return put
