"""The cards of a finished run, and a short script in place of the program."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.export.predictions import TablePredictions
from studio.gui.base import command_job
from studio.gui.base.command_job import JobTracker
from studio.gui.pages.results.cards.export_card import ExportCard
from studio.gui.pages.results.cards.predict_card import PredictCard
from studio.gui.pages.results.cards.refit_card import RefitCard
from studio.gui.session.session import Session
from studio.helper.predicted_rows import store_predictions
from studio.trial import Trial
from tests.results import make_result

RESULT = make_result(refitted=False)

PREDICT = """
import pathlib, shutil
folder = sys.argv[sys.argv.index("--rows-folder") + 1]
shutil.copytree(pathlib.Path(__file__).with_name("predicted"), folder, dirs_exist_ok=True)
print(json.dumps({"rows": 1, "notes": []}))
"""


class ResultsCards(QWidget):
    """The three cards of a finished run, with a shared job queue."""

    def __init__(self, session: Session, helper: Any) -> None:
        super().__init__()
        self.session, self.job_tracker = session, JobTracker(self)
        self.predict = PredictCard(session, helper, self.job_tracker)
        self.export = ExportCard(session, self.job_tracker)
        self.refit = RefitCard(session, self.job_tracker)
        column = QVBoxLayout(self)
        self.below = QPushButton("below")
        for each in (self.predict, self.refit, self.export, self.below):
            column.addWidget(each)
        column.addStretch(1)
        self.take()

    def take(self) -> None:
        view = self.session.run_selection.run
        self.predict.show_run(view, ready=True)
        self.export.show_run(view, ready=True)
        self.refit.show_run(view)


@pytest.fixture
def cards(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[ResultsCards]:
    session = Session()
    open_document(session, tmp_path / "d.studio")
    results_cards = ResultsCards(session, helper)
    qtbot.addWidget(results_cards)
    yield results_cards
    session.close()


def open_document(session: Session, path: Path) -> None:
    """Open a new document with a finished run, number 1."""
    session.create(path)
    document = session.document
    run = document.runs.add("EO/sqm: a", {"method": "EO-sqm", "budget": 1})
    document.trials.add(
        run,
        Trial(1, {"algorithm": "knn"}, 0, 0.05),
        np.zeros((4, 2), np.float16),
        None,
        Iteration(1, 1, 0.05, None, 0.05, None, ((1, 1.0),)),
    )
    document.runs.set_result(run, RESULT)
    document.runs.set_state(run, "finished")
    session.following.poll()
    session.run_selection.choose_run(run)


@pytest.fixture
def replace_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that replaces the program by Python code."""

    def replace(code: str) -> None:
        if code == PREDICT and not (predicted := tmp_path / "predicted").exists():
            predicted.mkdir()
            shares = np.array([[0.2, 0.8]])
            labels = np.array(["yes"], dtype=object)
            store_predictions(TablePredictions(labels, shares, ("no", "yes"), ()), predicted)
        script = tmp_path / "program.py"
        script.write_text("import json, sys\n" + code, encoding="utf-8")
        monkeypatch.setattr(
            command_job, "make_studio_command", lambda: [sys.executable, str(script)]
        )

    return replace
