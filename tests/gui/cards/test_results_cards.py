"""The cards of the results page: predict, export, refit; one job at a time."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from studio.export.formats.registry import REGISTRY
from studio.gui.base import saving
from studio.gui.pages.results.cards import export_card
from studio.gui.pages.results.cards.export_card import ExportCard
from studio.gui.pages.results.cards.refit_card import RefitCard, is_refit_due
from studio.gui.shell.documents.documents import confirm_closing
from studio.helper.tables import FileFit
from tests.facts import contains_facts
from tests.gui.cards.conftest import PREDICT, RESULT, Stage, open_document
from tests.gui.visible_content import get_visible_text

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
    other = RefitCard(stage.session, stage.lane)  # built at the first visit of “One row”
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
    qtbot.mouseClick(stage.export.models_fold.header_button, Qt.MouseButton.LeftButton)
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


"""It copies what is predicted below: to import what predicts takes longer than all else here."""


def test_refit_is_offered_if_useful(
    stage: Stage, program: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = stage.session.document
    run = stage.session.run_selection.run
    assert run is not None
    assert is_refit_due(run)
    assert stage.refit.button.isVisibleTo(stage)
    assert contains_facts(get_visible_text(stage.refit), "no training", "rise or fall")
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
