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
from tests.gui.cards.conftest import PREDICT, RESULT, ResultsCards, open_document
from tests.gui.visible_content import get_visible_text

EXPORT = """
assert sys.argv[1] == "export" and "--progress" in sys.argv
out = sys.argv[sys.argv.index("-o") + 1]
print(json.dumps({"progress": "Training the members", "done": 2, "of": 3}))
print(json.dumps({"note": "It takes a while"}))
print(json.dumps({"path": out, "beside": [], "rows": 1360, "notes": ["Mind."],
                  "example": "import pickle"}))
"""


@pytest.mark.slow
def test_export_shows_progress_and_verification(
    cards: ResultsCards, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(EXPORT)
    messages: list[str] = []
    line = cards.export.line
    cards.export.start("pickle", tmp_path / "m.pkl")
    assert line.is_busy
    assert cards.job_tracker.job is not None
    for signal in (cards.job_tracker.job.progress, cards.job_tracker.job.noted):
        signal.connect(lambda *_: messages.append(line.message_label.text()))
    assert not cards.predict.choose_button.isEnabled(), "one job at a time"
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    step, note = messages
    assert "2 of 3" in step
    assert note == "It takes a while", "no step, so without an ellipsis"
    assert contains_facts(line.message_label.text(), "verified", "0 of 1,360")
    assert "Mind." in line.message_label.text()
    assert cards.export.line.show_folder_button.isVisibleTo(cards)
    assert not cards.export.line.open_button.isVisibleTo(cards), "no program opens it"
    cards.export.copy_example_button.click()
    assert QGuiApplication.clipboard().text() == "import pickle"
    assert cards.predict.choose_button.isEnabled()


def get_button_positions(cards: ResultsCards) -> list[QPoint]:
    """Return the positions of the cards' buttons once the layout has settled."""
    for _ in range(5):
        QApplication.processEvents()
    buttons = [cards.predict.choose_button, *cards.export.buttons.values(), cards.below]
    return [each.mapTo(cards, QPoint()) for each in buttons]


@pytest.mark.slow
def test_finished_export_line_has_no_empty_space(
    cards: ResultsCards, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    cards.resize(330, 1400)
    cards.show()
    answer = {"path": str(tmp_path / "r.html"), "checked": "One file without scripts."}
    replace_program(f"print({json.dumps(answer)!r})")
    cards.export.start("report", tmp_path / "r.html")
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    get_button_positions(cards)
    location_label, link = cards.export.job_location, cards.export.line.show_folder_button
    end = link.mapTo(location_label, QPoint(0, link.height())).y()
    assert location_label.height() - end < 3 * location_label.fontMetrics().lineSpacing()


@pytest.mark.slow
def test_job_finished_while_hidden_leaves_no_empty_space(
    cards: ResultsCards, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program("print(json.dumps({}))")
    cards.refit.start()  # in a narrow window, the cards are behind the views
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    cards.resize(800, 1400)
    cards.show()
    get_button_positions(cards)
    line = cards.refit.line
    assert 0 < line.height() < 3 * line.fontMetrics().lineSpacing()


@pytest.mark.slow
def test_finished_job_does_not_move_buttons(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    cards.resize(330, 1400)
    cards.show()
    replace_program(EXPORT)
    before = get_button_positions(cards)
    cards.export.start("pickle", tmp_path / "m.pkl")
    running = get_button_positions(cards)
    assert running[:-1] == before[:-1], "widgets below make space for its line"
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert cards.export.copy_example_button.isVisible()
    assert get_button_positions(cards) == running
    replace_program(PREDICT)
    helper.replaced["check_table"] = lambda _: FileFit(1234, ("Mind.",), shows_differences=True)
    cards.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(cards.predict.predict_button.isVisible)
    cards.predict.predict_button.click()
    running = get_button_positions(cards)
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert get_button_positions(cards) == running
    replace_program("print(json.dumps({}))")
    cards.refit.start()
    running = get_button_positions(cards)
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert get_button_positions(cards) == running


def test_failed_export_shows_reason(
    cards: ResultsCards, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    reason = "skops cannot write a member of this ensemble."
    replace_program(f"sys.exit({reason!r})")
    cards.export.start("skops", tmp_path / "m.skops")
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert cards.export.line.message_label.text() == reason
    assert not cards.export.line.show_folder_button.isVisibleTo(cards)


def test_job_can_be_stopped(
    cards: ResultsCards, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program("import time; time.sleep(600)")
    cards.export.start("pickle", tmp_path / "m.pkl")
    assert cards.job_tracker.job is not None
    qtbot.waitUntil(lambda: cards.job_tracker.job is not None and cards.job_tracker.job.is_running)
    cards.export.line.stop()
    cards.export.line.stop()
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert cards.export.line.message_label.text().startswith("Stopped")


def test_new_view_does_not_affect_running_job(
    cards: ResultsCards, replace_program: Any, qtbot: QtBot
) -> None:
    replace_program("import time; time.sleep(600)")
    cards.refit.start()
    job = cards.job_tracker.job
    assert job is not None
    qtbot.waitUntil(lambda: job.is_running)
    other = RefitCard(cards.session, cards.job_tracker)  # built at the first visit of “One row”
    qtbot.addWidget(other)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert cards.job_tracker.job is job
    assert not cards.predict.choose_button.isEnabled()
    other.line.stop()
    assert job.is_running and not other.line.is_busy
    cards.refit.line.stop()
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert cards.refit.line.message_label.text().startswith("Stopped")


@pytest.mark.slow
def test_job_outcome_is_not_shown_for_other_document(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(PREDICT)
    prediction_files: list[Any] = []
    cards.predict.predicted.connect(prediction_files.append)
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    cards.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: cards.predict.predict_button.isVisibleTo(cards))
    cards.predict.predict_button.click()
    open_document(cards.session, tmp_path / "other.studio")
    cards.take()
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert all(each is None for each in prediction_files), "rows of another document's run"
    replace_program("print(json.dumps({}))")
    cards.refit.start()
    open_document(cards.session, tmp_path / "third.studio")
    cards.take()
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert cards.refit.line.message_label.text() == ""


def test_saved_report_can_be_opened(cards: ResultsCards, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "studio.gui.pages.results.cards.job_line.QDesktopServices.openUrl",
        lambda url: opened.append(url.fileName()),
    )
    line = cards.export.line
    line.show_written_file("Wrote it.", Path("report.html"))
    line.open_button.click()
    assert opened == ["report.html"]


@pytest.mark.parametrize("answer", ["Wait for it", "Close anyway"])
def test_closing_during_export_requires_confirmation(
    cards: ResultsCards,
    replace_program: Any,
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
    replace_program("import time; time.sleep(600)")
    cards.export.start("report", tmp_path / "m.html")
    assert confirm_closing(cards.session, cards) is (answer == "Close anyway")
    qtbot.waitUntil(lambda: cards.job_tracker.job is not None and cards.job_tracker.job.is_running)
    cards.export.line.stop()
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("nothing is in progress"))
    assert confirm_closing(cards.session, cards)


def test_export_formats_have_descriptions(cards: ResultsCards) -> None:
    rows = REGISTRY
    assert [row.key for row in rows][:2] == ["report", "pickle"]
    for row in rows:
        line = cards.export.findChild(QWidget, f"format-{row.key}")
        assert line is not None
        assert row.summary.endswith(".")
        if not row.missing_dependency:
            assert cards.export.buttons[row.key].accessibleName() == f"Export as {row.title}"


def test_model_formats_are_in_collapsed_section_below_others(
    cards: ResultsCards, qtbot: QtBot
) -> None:
    cards.resize(330, 1400)
    cards.show()
    assert not cards.export.buttons["pickle"].isVisible()
    tables = [cards.export.buttons[key] for key in ("report", "trials")]
    assert all(each.isVisible() for each in tables)
    qtbot.mouseClick(cards.export.models_fold.header_button, Qt.MouseButton.LeftButton)
    pickle = cards.export.buttons["pickle"]
    assert pickle.isVisible()
    top = pickle.mapTo(cards, QPoint()).y()
    assert all(each.mapTo(cards, QPoint()).y() < top for each in tables)


def test_missing_library_message_can_be_copied(
    cards: ResultsCards, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    from studio.export.formats.registry import SkopsFormat

    monkeypatch.setattr(SkopsFormat, "modules", ("surely_not_installed",))
    (row,) = [each for each in REGISTRY if each.key == "skops"]
    card = ExportCard(cards.session, cards.job_tracker)
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


@pytest.mark.slow
def test_refit_is_offered_if_useful(
    cards: ResultsCards, replace_program: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = cards.session.document
    run = cards.session.run_selection.run
    assert run is not None
    assert is_refit_due(run)
    assert cards.refit.button.isVisibleTo(cards)
    assert contains_facts(get_visible_text(cards.refit), "no training", "rise or fall")
    document.runs.set_result(run.row.id, replace(RESULT, kept_bytes=1))
    cards.session.following.poll()
    cards.take()
    assert "part of" in get_visible_text(cards.refit)
    assert "training" not in get_visible_text(cards.refit)
    replace_program(
        "assert sys.argv[1] == 'refit' and sys.argv[3:5] == ['--run', '1']\n"
        + f"print(json.dumps({json.dumps({'run': 1})}))"
    )
    cards.refit.button.click()
    document.runs.set_result(run.row.id, replace(RESULT, refitted=True, kept_bytes=1))
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    cards.take()
    assert not cards.refit.button.isVisibleTo(cards)
    assert "Refitted and tested" in cards.refit.line.message_label.text()
    document.runs.set_state(run.row.id, "running")
    cards.session.following.poll()
    view = cards.session.run_selection.run
    assert view is not None
    assert not is_refit_due(view)


def test_file_selection_starts_export(
    cards: ResultsCards, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[tuple[str, Path]] = []
    monkeypatch.setattr(cards.export, "start", lambda key, path: started.append((key, path)))
    file_name = str(tmp_path / "x.csv")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (file_name, ""))
    cards.export.buttons["trials"].click()
    assert started == [("trials", Path(file_name))]


def test_export_does_not_overwrite_existing_files(
    cards: ResultsCards, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
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
    monkeypatch.setattr(cards.export, "start", lambda *given: exports.append(given))
    cards.export.buttons["pickle"].click()
    assert questions == [{"out.pkl", "out.pkl.json", "out.pkl.example.py"}]
    assert exports == []


def test_disabled_buttons_show_reason(
    cards: ResultsCards, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    card, export = cards.predict, cards.export
    own = card.choose_button.toolTip()
    assert not card.reason_label.isVisibleTo(cards) and not export.reason_label.isVisibleTo(cards)
    view = cards.session.run_selection.run
    for each in (card, export):
        each.show_run(view, ready=False)
        assert "run has ended" in each.reason_label.text()
        assert each.reason_label.isVisibleTo(cards)
        assert each.reason_label.focusPolicy() == Qt.FocusPolicy.TabFocus
    assert card.reason_label.text() in card.choose_button.toolTip()
    assert card.choose_button.accessibleDescription() == card.reason_label.text()
    assert export.buttons["space"].isEnabled()
    assert export.reason_label.text() not in export.buttons["space"].toolTip()
    cards.take()
    assert card.choose_button.toolTip() == own
    assert not card.choose_button.accessibleDescription()
    replace_program(EXPORT)
    export.start("pickle", tmp_path / "m.pkl")
    assert "export" in card.reason_label.text()
    assert not export.reason_label.isVisibleTo(cards), "its own line says more"
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert not card.reason_label.isVisibleTo(cards)
