"""The drafts of the next run in a document made on the command line."""

from pathlib import Path
from typing import Any

import pytest

from studio.compare.cell_names import make_cell_name
from studio.compare.study_notes import STUDY
from studio.document.store import Document
from studio.gui.drafts.data_draft import DATA_NOTE
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.drafts.run_model import RunModel
from studio.gui.session.session import Session
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load
from tests.gui.compare.conftest import study_json

SPACE = load("svm-rbf").to_json()

SETTINGS = RunSettings(
    method="EO-sig", budget=17, space=SPACE, source=TableSource(path="t.csv")
).to_json()

Models = tuple[DataModel, RunModel]


@pytest.fixture
def models(session: Session, helper: Any) -> Models:
    return DataModel(session, helper), RunModel(session, helper)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a document with one run, as the command line makes it."""
    document_path = tmp_path / "made.studio"
    with Document.create(document_path) as document:
        document.runs.add("first", SETTINGS)
    return document_path


def test_all_pages_show_newest_run(session: Session, models: Models, path: Path) -> None:
    data, run = models
    with Document.open(path) as document:
        document.runs.add("fork", {**SETTINGS, "method": "BO-best", "forked": {"iteration": 1}})
    session.open(path)
    assert (run.draft.method, run.draft.budget) == ("EO-sig", 17)
    assert session.space.value is not None
    assert session.space.value.to_json() == SPACE
    assert data.draft.plan.to_json() == SETTINGS["plan"]
    assert not run.history.undo_text

    run.change(method="BO-post")
    session.close()
    session.open(path)
    assert run.draft.method == "BO-post"


def test_window_documents_keep_their_drafts(session: Session, models: Models, path: Path) -> None:
    with Document.open(path) as document:
        document.notes.set(DATA_NOTE, {"path": "t.csv"})
    session.open(path)
    assert models[1].draft == RunDraft()


def test_cells_of_a_comparison_are_no_template(
    session: Session, models: Models, path: Path
) -> None:
    study = study_json(("t",))
    name = make_cell_name("t", study["methods"][0]["name"], "svm-rbf", 0)
    with Document.open(path) as document:
        document.notes.set(STUDY, study)
        document.runs.add(name, {**SETTINGS, "method": "BO-best"})
    session.open(path)
    assert len(session.runs.study_runs) == 1
    assert models[1].draft.method == "EO-sig"
