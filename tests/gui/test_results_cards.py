"""The cards of the results page: predict, export, refit; one job at a time."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.document.decision import Decision
from studio.document.trials import Iteration
from studio.errors import DataError
from studio.export.formats.registry import REGISTRY
from studio.export.predictions import TablePredictions
from studio.gui.base import command_job, saving
from studio.gui.base.command_job import JobLane
from studio.gui.pages.results.cards import export_card
from studio.gui.pages.results.cards.export_card import ExportCard
from studio.gui.pages.results.cards.predict_card import PredictCard
from studio.gui.pages.results.cards.refit_card import RefitCard, is_refit_due
from studio.gui.pages.results.who_first.stored_predictions import StoredPredictions
from studio.gui.session.session import Session
from studio.gui.shell.documents.documents import confirm_closing
from studio.helper.predicted_rows import store_predictions
from studio.helper.tables import FileFit
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.visible_content import get_visible_text
from tests.results import make_result

RESULT = make_result(refitted=False)


class Stage(QWidget):
    """The three cards of a finished run, with a shared job queue."""

    def __init__(self, session: Session, helper: Any) -> None:
        super().__init__()
        self.session, self.lane = session, JobLane(self)
        self.predict = PredictCard(session, helper, self.lane)
        self.export = ExportCard(session, self.lane)
        self.refit = RefitCard(session, self.lane)
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
def stage(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[Stage]:
    session = Session()
    open_document(session, tmp_path / "d.studio")
    results_stage = Stage(session, helper)
    qtbot.addWidget(results_stage)
    yield results_stage
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
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
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


EXPORT = """
assert sys.argv[1] == "export" and "--progress" in sys.argv
out = sys.argv[sys.argv.index("-o") + 1]
print(json.dumps({"progress": "Training the members", "done": 2, "of": 3}))
print(json.dumps({"note": "It takes a while"}))
print(json.dumps({"path": out, "beside": [], "rows": 1360, "differing": 0, "notes": ["Mind."],
                  "example": "import pickle"}))
"""


def test_export_shows_progress_and_verification(
    stage: Stage, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(EXPORT)
    messages: list[str] = []
    line = stage.export.line
    stage.export.start("pickle", tmp_path / "m.pkl")
    assert line.is_busy
    assert stage.lane.job is not None
    for signal in (stage.lane.job.progress, stage.lane.job.noted):
        signal.connect(lambda *_: messages.append(line.message_label.text()))
    assert not stage.predict.choose_button.isEnabled(), "one job at a time"
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    step, note = messages
    assert "2 of 3" in step
    assert note == "It takes a while", "no step, so without an ellipsis"
    assert contains_facts(line.message_label.text(), "verified", "0 of 1,360")
    assert "Mind." in line.message_label.text()
    assert stage.export.line.show_folder_button.isVisibleTo(stage)
    assert not stage.export.line.open_button.isVisibleTo(stage), "no program opens it"
    stage.export.copy_example_button.click()
    assert QGuiApplication.clipboard().text() == "import pickle"
    assert stage.predict.choose_button.isEnabled()


def places(stage: Stage) -> list[QPoint]:
    """Return the positions of the cards' buttons once the layout has settled."""
    for _ in range(5):
        QApplication.processEvents()
    buttons = [stage.predict.choose_button, *stage.export.buttons.values(), stage.below]
    return [each.mapTo(stage, QPoint()) for each in buttons]


def test_finished_export_line_has_no_empty_space(
    stage: Stage, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    stage.resize(330, 1400)
    stage.show()
    answer = {"path": str(tmp_path / "r.html"), "checked": "One file without scripts."}
    program(f"print({json.dumps(answer)!r})")
    stage.export.start("report", tmp_path / "r.html")
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    places(stage)
    place, link = stage.export.job_location, stage.export.line.show_folder_button
    end = link.mapTo(place, QPoint(0, link.height())).y()
    assert place.height() - end < 3 * place.fontMetrics().lineSpacing()


def test_job_finished_while_hidden_leaves_no_empty_space(
    stage: Stage, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program("print(json.dumps({}))")
    stage.refit.start()  # in a narrow window, the cards are behind the views
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    stage.resize(800, 1400)
    stage.show()
    places(stage)
    line = stage.refit.line
    assert 0 < line.height() < 3 * line.fontMetrics().lineSpacing()


def test_finished_job_does_not_move_buttons(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    stage.resize(330, 1400)
    stage.show()
    program(EXPORT)
    before = places(stage)
    stage.export.start("pickle", tmp_path / "m.pkl")
    running = places(stage)
    assert running[:-1] == before[:-1], "what is beneath gives way to its line at the start"
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert stage.export.copy_example_button.isVisible()
    assert places(stage) == running
    program(PREDICT)
    helper.replaced["check_table"] = lambda _: FileFit(1234, ("Mind.",), shows_differences=True)
    stage.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(stage.predict.predict_button.isVisible)
    stage.predict.predict_button.click()
    running = places(stage)
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert places(stage) == running
    program("print(json.dumps({}))")
    stage.refit.start()
    running = places(stage)
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert places(stage) == running


@pytest.mark.parametrize(("wrong", "words"), [(1, "1 of 9 predictions differs"), (2, "differ.")])
def test_differing_predictions_are_counted(wrong: int, words: str) -> None:
    assert words in export_card.describe_outcome({"path": "m.pkl", "rows": 9, "differing": wrong})


def test_failed_export_shows_reason(
    stage: Stage, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    why = "skops cannot write a member of this ensemble."
    program(f"sys.exit({why!r})")
    stage.export.start("skops", tmp_path / "m.skops")
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert stage.export.line.message_label.text() == why
    assert not stage.export.line.show_folder_button.isVisibleTo(stage)


def test_job_can_be_stopped(stage: Stage, program: Any, tmp_path: Path, qtbot: QtBot) -> None:
    program("import time; time.sleep(600)")
    stage.export.start("pickle", tmp_path / "m.pkl")
    assert stage.lane.job is not None
    qtbot.waitUntil(lambda: stage.lane.job is not None and stage.lane.job.is_running)
    stage.export.line.stop()
    stage.export.line.stop()
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert stage.export.line.message_label.text().startswith("Stopped")


def test_line_of_a_view_built_during_a_job_leaves_that_job_alone(
    stage: Stage, program: Any, qtbot: QtBot
) -> None:
    program("import time; time.sleep(600)")
    stage.refit.start()
    job = stage.lane.job
    assert job is not None
    qtbot.waitUntil(lambda: job.is_running)
    other = RefitCard(stage.session, stage.lane)  # as the first visit to “One row” builds it
    qtbot.addWidget(other)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert stage.lane.job is job
    assert not stage.predict.choose_button.isEnabled()
    other.line.stop()
    assert job.is_running and not other.line.is_busy
    stage.refit.line.stop()
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert stage.refit.line.message_label.text().startswith("Stopped")


def test_outcome_of_a_job_is_not_told_of_a_run_in_another_document(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(PREDICT)
    made: list[Any] = []
    stage.predict.predicted.connect(made.append)
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    stage.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: stage.predict.predict_button.isVisibleTo(stage))
    stage.predict.predict_button.click()
    open_document(stage.session, tmp_path / "other.studio")
    stage.take()
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert all(each is None for each in made), "rows of another document's run"
    program("print(json.dumps({}))")
    stage.refit.start()
    open_document(stage.session, tmp_path / "third.studio")
    stage.take()
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert stage.refit.line.message_label.text() == ""


def test_saved_report_can_be_opened(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "studio.gui.pages.results.cards.job_line.QDesktopServices.openUrl",
        lambda url: opened.append(url.fileName()),
    )
    line = stage.export.line
    line.show_written_file("Wrote it.", Path("report.html"))
    line.open_button.click()
    assert opened == ["report.html"]


@pytest.mark.parametrize("answer", ["Wait for it", "Close anyway"])
def test_closing_during_export_requires_confirmation(
    stage: Stage,
    program: Any,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
) -> None:
    def press(box: QMessageBox) -> int:
        assert "export" in box.text()
        next(each for each in box.buttons() if each.text() == answer).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", press)
    program("import time; time.sleep(600)")
    stage.export.start("report", tmp_path / "m.html")
    assert confirm_closing(stage.session, stage) is (answer == "Close anyway")
    qtbot.waitUntil(lambda: stage.lane.job is not None and stage.lane.job.is_running)
    stage.export.line.stop()
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("nothing is in progress"))
    assert confirm_closing(stage.session, stage)


def test_export_formats_have_descriptions(stage: Stage) -> None:
    rows = REGISTRY
    assert [row.key for row in rows][:2] == ["report", "pickle"]
    for row in rows:
        line = stage.export.findChild(QWidget, f"format-{row.key}")
        assert line is not None
        assert row.summary.endswith(".")
        if not row.missing_dependency:
            assert stage.export.buttons[row.key].accessibleName() == f"Export as {row.title}"


def test_model_formats_are_in_collapsed_section_below_others(stage: Stage, qtbot: QtBot) -> None:
    stage.resize(330, 1400)
    stage.show()
    assert not stage.export.buttons["pickle"].isVisible()
    tables = [stage.export.buttons[key] for key in ("report", "trials")]
    assert all(each.isVisible() for each in tables)
    qtbot.mouseClick(stage.export.models_fold.header, Qt.MouseButton.LeftButton)
    pickle = stage.export.buttons["pickle"]
    assert pickle.isVisible()
    top = pickle.mapTo(stage, QPoint()).y()
    assert all(each.mapTo(stage, QPoint()).y() < top for each in tables)


def test_missing_library_message_can_be_copied(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    from studio.export.formats.registry import SkopsFormat

    monkeypatch.setattr(SkopsFormat, "modules", ("surely_not_installed",))
    (row,) = [each for each in REGISTRY if each.key == "skops"]
    card = ExportCard(stage.session, stage.lane)
    qtbot.addWidget(card)
    assert "skops" not in card.buttons
    (copy,) = (
        each
        for each in card.findChildren(QAbstractButton)
        if each.accessibleName() == f"Copy the command that installs {row.title}"
    )
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().endswith(' -m pip install "skops>=0.13"')


def test_export_file_names_are_valid() -> None:
    rows = {row.key: row for row in REGISTRY}
    name = export_card.suggest_name(Path("a b.studio"), "EO/sqm: <x>", rows["pickle"])
    assert name == "a b-EO-sqm-x.pkl"
    assert export_card.suggest_name(None, "", rows["trials"]) == "ensemble-trials.csv"


PREDICT = """
import pathlib, shutil
folder = sys.argv[sys.argv.index("--rows-folder") + 1]
shutil.copytree(pathlib.Path(__file__).with_name("predicted"), folder, dirs_exist_ok=True)
print(json.dumps({"rows": 1, "notes": []}))
"""
"""It copies what is predicted below: to import what predicts takes longer than all else here."""


def test_table_is_checked_before_prediction(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(PREDICT)
    card = stage.predict
    missing = FileFit(1234, ("2 of 9 columns are missing.",), shows_differences=True)
    helper.replaced["check_table"] = lambda arguments: missing
    assert not card.predict_button.isVisibleTo(stage)
    card.check(tmp_path / "new.csv")
    assert card.notes.text() == "Checking new.csv…"
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(stage))
    assert helper.asked[-1][1]["path"] == str(tmp_path / "new.csv")
    assert contains_facts(card.notes.text(), "new.csv", f"• {missing.notes[0]}")
    assert card.predict_button.text() == "Predict 1,234 rows"
    with qtbot.waitSignal(card.predicted) as blocker:
        card.predict_button.click()
    (predictions,) = blocker.args
    assert predictions.rows.classes == ("no", "yes")
    assert predictions.rows.probabilities.tolist() == [[0.2, 0.8]]
    assert predictions.table == tmp_path / "new.csv"
    assert contains_facts(card.line.message_label.text(), "1 prediction", "“Who first?”")
    with qtbot.waitSignal(card.predicted) as blocker:
        card.check(tmp_path / "other.csv")
    assert blocker.args == [None], "those were of another table"
    assert not predictions.folder.exists()


def test_matching_table_is_predicted_immediately(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(PREDICT)
    helper.replaced["check_table"] = lambda arguments: FileFit(3, ("1 column is not needed.",))
    assert stage.session.run_selection.run_id is not None
    stage.session.document.runs.set_result(
        stage.session.run_selection.run_id, replace(RESULT, kept_bytes=9)
    )
    stage.session.following.poll()
    stage.take()
    with qtbot.waitSignal(stage.predict.predicted):
        stage.predict.check(tmp_path / "new.csv")


def test_predictions_of_previous_run_are_dropped(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(PREDICT)
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    card, session, emitted_predictions = stage.predict, stage.session, []
    card.predicted.connect(emitted_predictions.append)
    card.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(stage))
    card.predict_button.click()
    document = session.document
    other = document.runs.add("other", {"method": "EO-sqm", "budget": 1})
    document.runs.set_result(other, RESULT)
    document.runs.set_state(other, "finished")
    session.following.poll()
    session.run_selection.choose_run(other)
    stage.take()
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert all(each is None for each in emitted_predictions)
    assert StoredPredictions.load(session, other) is None
    assert card.line.message_label.text() == ""


def test_stored_predictions_are_found_for_same_table(stage: Stage) -> None:
    session, document = stage.session, stage.session.document
    first = session.run_selection.run_id
    assert first is not None
    settings = document.runs.get(first).settings
    second = document.runs.add("second", settings)
    third = document.runs.add("third", {**settings, "source": {"path": "other.csv"}})
    session.following.poll()
    record = StoredPredictions("new.csv", "a", count=7)
    record.store(session, first)
    assert StoredPredictions.load(session, second) is None
    assert StoredPredictions.find(session, second) == record
    assert StoredPredictions.find(session, third) is None


def test_unreadable_predictions_are_reported(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program('print(json.dumps({"rows": 1, "notes": []}))')
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    stage.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: stage.predict.predict_button.isVisibleTo(stage))
    stage.predict.predict_button.click()
    qtbot.waitUntil(lambda: "Predict again" in stage.predict.line.message_label.text())


def test_outdated_decision_removes_predictions(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(PREDICT)
    card = stage.predict
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    card.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(stage))
    with qtbot.waitSignal(card.predicted):
        card.predict_button.click()
    stage.take()
    assert "under “Who first?”" in card.line.message_label.text(), "nothing was decided"
    assert stage.session.run_selection.run_id is not None
    with qtbot.waitSignal(card.predicted) as blocker:
        stage.session.decisions.store(stage.session.run_selection.run_id, Decision("yes", 0.2))
        stage.take()
    assert blocker.args == [None]
    assert "Predict again" in card.line.message_label.text()
    with qtbot.waitSignal(card.predicted):
        card.predict_button.click()


def test_predictions_are_updated_for_new_decision(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(PREDICT)
    card, run_id = stage.predict, stage.session.run_selection.run_id
    assert run_id is not None
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    stage.session.document.runs.set_result(run_id, replace(RESULT, kept_bytes=9))
    stage.session.following.poll()
    stage.take()
    with qtbot.waitSignal(card.predicted) as first:
        card.check(tmp_path / "new.csv")
    with qtbot.waitSignal(card.predicted) as second:
        stage.session.decisions.store(run_id, Decision("yes", 0.2))
        stage.take()
        assert first.args[0].folder.exists(), "the rows stay until the new ones are there"
    assert second.args[0].is_repeated
    assert second.args[0].folder.exists() and not first.args[0].folder.exists()
    program("sys.exit(3)")
    with qtbot.waitSignal(card.predicted) as third:
        stage.session.decisions.store(run_id, Decision("yes", 0.3))
        stage.take()
    assert third.args == [None], "labels of an earlier decision"


def test_predictions_are_updated_after_a_refit(
    stage: Stage, helper: Any, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    program(PREDICT)
    card, run_id = stage.predict, stage.session.run_selection.run_id
    assert run_id is not None
    helper.replaced["check_table"] = lambda arguments: FileFit(3)

    def set_result(**values: Any) -> None:
        stage.session.document.runs.set_result(run_id, replace(RESULT, **values))
        stage.session.following.poll()
        stage.take()

    card.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(stage))
    with qtbot.waitSignal(card.predicted) as first:
        card.predict_button.click()
    with qtbot.waitSignal(card.predicted) as second:
        set_result(refitted=True, kept_bytes=9)
        assert first.args[0].folder.exists(), "the rows stay until the new ones are there"
    assert second.args[0].is_repeated and not first.args[0].folder.exists()
    set_result(refitted=True, kept_bytes=9, seconds=3.0)
    assert not stage.lane.is_busy, "the same ensemble"
    with qtbot.waitSignal(card.predicted) as third:
        set_result(trials=99, kept_bytes=0)
    assert third.args == [None]
    assert "models have changed" in card.line.message_label.text()
    assert card.predict_button.isVisibleTo(stage)


def test_unsuitable_table_is_rejected_early(
    stage: Stage, helper: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    def refuse(arguments: dict[str, Any]) -> FileFit:
        raise DataError("It has none of the columns.")

    helper.replaced["check_table"] = refuse
    stage.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: "none of" in stage.predict.notes.text())
    assert not stage.predict.predict_button.isVisibleTo(stage)


def test_reply_for_previous_table_is_ignored(stage: Stage, helper: Any, tmp_path: Path) -> None:
    helper.held = True
    helper.replaced["check_table"] = lambda arguments: FileFit(1)
    stage.predict.check(tmp_path / "a.csv")
    stage.predict.check(tmp_path / "b.csv")
    helper.release()
    assert contains_facts(stage.predict.notes.text(), "All columns", "b.csv")


def test_refit_is_offered_if_useful(
    stage: Stage, program: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = stage.session.document
    run = stage.session.run_selection.run
    assert run is not None
    assert is_refit_due(run)
    assert stage.refit.button.isVisibleTo(stage)
    assert contains_facts(get_visible_text(stage.refit), "no training", "fall or rise")
    document.runs.set_result(run.row.id, replace(RESULT, kept_bytes=1))
    stage.session.following.poll()
    stage.take()
    assert "part of" in get_visible_text(stage.refit)
    assert "training" not in get_visible_text(stage.refit)
    program(
        "assert sys.argv[1] == 'refit' and sys.argv[3:5] == ['--run', '1']\n"
        + f"print(json.dumps({json.dumps({'run': 1})}))"
    )
    stage.refit.button.click()
    document.runs.set_result(run.row.id, replace(RESULT, refitted=True, kept_bytes=1))
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    stage.take()
    assert not stage.refit.button.isVisibleTo(stage)
    assert "Refitted and tested" in stage.refit.line.message_label.text()
    document.runs.set_state(run.row.id, "running")
    stage.session.following.poll()
    view = stage.session.run_selection.run
    assert view is not None
    assert not is_refit_due(view)


def test_file_selection_starts_export(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[tuple[str, Path]] = []
    monkeypatch.setattr(stage.export, "start", lambda key, path: started.append((key, path)))
    file_name = str(tmp_path / "x.csv")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (file_name, ""))
    stage.export.buttons["trials"].click()
    assert started == [("trials", Path(file_name))]


def test_export_does_not_overwrite_existing_files(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    questions: list[set[str]] = []
    exports: list[object] = []

    def keep(_: object, files: Iterable[Path]) -> bool:
        questions.append({each.name for each in files})
        return False

    typed_paths = [str(tmp_path / "out")]

    def choose_path(*_: object) -> tuple[str, str]:
        return (typed_paths[len(questions)] if len(questions) < len(typed_paths) else "", "")

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose_path)
    monkeypatch.setattr(saving, "confirm_overwrite", keep)
    monkeypatch.setattr(stage.export, "start", lambda *given: exports.append(given))
    stage.export.buttons["pickle"].click()
    assert questions == [{"out.pkl", "out.pkl.json", "out.pkl.example.py"}]
    assert exports == []


def test_disabled_buttons_show_reason(
    stage: Stage, program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    card, export = stage.predict, stage.export
    own = card.choose_button.toolTip()
    assert not card.reason_label.isVisibleTo(stage) and not export.reason_label.isVisibleTo(stage)
    view = stage.session.run_selection.run
    for each in (card, export):
        each.show_run(view, ready=False)
        assert "run has ended" in each.reason_label.text()
        assert each.reason_label.isVisibleTo(stage)
        assert each.reason_label.focusPolicy() == Qt.FocusPolicy.TabFocus
    assert card.reason_label.text() in card.choose_button.toolTip()
    assert card.choose_button.accessibleDescription() == card.reason_label.text()
    assert export.buttons["space"].isEnabled()
    assert export.reason_label.text() not in export.buttons["space"].toolTip()
    stage.take()
    assert card.choose_button.toolTip() == own
    assert not card.choose_button.accessibleDescription()
    program(EXPORT)
    export.start("pickle", tmp_path / "m.pkl")
    assert "export" in card.reason_label.text()
    assert not export.reason_label.isVisibleTo(stage), "its own line says more"
    qtbot.waitUntil(lambda: not stage.lane.is_busy)
    assert not card.reason_label.isVisibleTo(stage)
