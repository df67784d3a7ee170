"""Opening and saving documents, and closing with active runs."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from studio.compare import study_notes
from studio.compare.study import Study
from studio.compare.study_notes import StudyMethod
from studio.data.samples import list_recordings
from studio.document.store import Document
from studio.figures.shapes import elide_middle
from studio.gui.base import user_paths
from studio.gui.session.run_speed import SpeedMeter
from studio.gui.session.session import Session
from studio.gui.shell import pages
from studio.gui.shell.documents import documents
from studio.gui.shell.documents.documents import confirm_closing
from studio.gui.shell.window import MainWindow
from studio.trial import Trial
from tests.document.hostile_files import write_and_kill
from tests.facts import contains_facts

pytestmark = pytest.mark.slow


@pytest.fixture
def window(qtbot: QtBot, helper: Any, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    # Every new document shows this page, which is slow to build and irrelevant here.
    monkeypatch.setitem(pages.PAGE_FACTORIES, "data", lambda _: QWidget())
    main_window = MainWindow(Session(), helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.show()
    main_window.documents.create()
    return main_window


def add_active_run(window: MainWindow) -> int:
    document = window.session.document
    run = document.runs.add("EO-sqm", {"method": "EO-sqm", "budget": 9})
    document.owners.claim(run)
    document.runs.set_state(run, "running")
    window.session.following.poll()
    return run


def test_saving_untitled_document_moves_file(window: MainWindow, tmp_path: Path) -> None:
    previous_path = window.session.path
    assert previous_path is not None
    window.session.set_note("x", 1)
    window.documents.save_to(tmp_path / "mine.studio")
    assert not previous_path.exists()
    assert window.session.path == tmp_path / "mine.studio"
    assert window.session.read_note("x") == 1
    assert previous_path not in user_paths.get_recent()


def test_saving_titled_document_copies_file(window: MainWindow, tmp_path: Path) -> None:
    window.documents.save_to(tmp_path / "one.studio")
    window.documents.save_to(tmp_path / "two.studio")
    assert (tmp_path / "one.studio").exists()
    assert window.session.path == tmp_path / "two.studio"


def test_copied_document_restores_page_and_run(window: MainWindow, tmp_path: Path) -> None:
    for name in ("one", "two"):
        window.session.document.runs.add(name, {"method": "EO-sqm", "budget": 9})
    window.session.following.poll()
    window.session.run_selection.choose_run(1)
    window.show_page("space")
    window.documents.save_to(tmp_path / "mine.studio")
    assert window.session.path == tmp_path / "mine.studio"
    assert (window.page, window.session.run_selection.run_id) == ("space", 1)


@pytest.mark.parametrize(
    ("state", "page"), [("running", "live"), ("stopped", "live"), ("finished", "results")]
)
def test_document_opens_on_page_for_run_state(
    window: MainWindow, tmp_path: Path, state: str, page: str
) -> None:
    path = tmp_path / "made.studio"
    with Document.create(path) as document:
        run = document.runs.add("RS", {"method": "RS", "budget": 9})
        document.runs.set_state(run, state)
    window.opening.open_path(path)
    assert (window.page, window.session.run_selection.run_id) == (page, run)


def test_study_document_opens_on_comparison_page(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "study.studio"
    with Document.create(path) as document:
        study = Study(data=("wine.csv",), methods=(StudyMethod("RS", "RS"),))
        document.notes.set(study_notes.STUDY, study.to_json())
        run = document.runs.add("wine · RS · svm-rbf · 1", {"method": "RS", "budget": 9})
        document.runs.set_state(run, "finished")
    window.opening.open_path(path)
    assert window.page == "compare"


def test_recording_is_copied_once_with_table(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", lambda _: QWidget())
    ensemble, surrogate = list_recordings()
    paths = []
    for recording in (ensemble, surrogate, ensemble, surrogate):
        window.player.play_recording(recording)
        paths.append(window.session.path)
    assert paths[:2] == paths[2:] != paths[::2]
    qtbot.waitUntil(lambda: window.data.draft.preview is not None)
    assert window.data.draft.path.endswith(f"{surrogate.sample}.csv")
    window.session.document.runs.add("mine", {"method": "EO-sqm", "budget": 9})
    for _ in range(2):
        window.player.play_recording(surrogate)
        paths.append(window.session.path)
    assert paths[-1] == paths[-2] not in paths[:-2], "runs of this window are unaffected"


def test_document_remains_open_after_failed_save(window: MainWindow, tmp_path: Path) -> None:
    previous_path = window.session.path
    window.documents.save_to(tmp_path / "none" / "x.studio")
    assert window.session.path == previous_path
    assert "be saved" in window.banner.text_label.text()


def test_deleted_document_can_be_saved_elsewhere(window: MainWindow, tmp_path: Path) -> None:
    window.documents.save_to(tmp_path / "one.studio")
    window.session.set_note("x", 1)
    (tmp_path / "one.studio").unlink()
    window.documents.save_to(tmp_path / "two.studio")
    assert window.session.path == tmp_path / "two.studio"
    assert window.session.read_note("x") == 1


def test_saving_over_another_document_replaces_file(window: MainWindow, tmp_path: Path) -> None:
    window.session.set_note("x", 1)
    target = tmp_path / "old.studio"
    target.write_bytes(b"an old file")
    (tmp_path / "old.studio-wal").write_bytes(b"\x37\x7f\x06\x82 its log")
    window.documents.save_to(target)
    assert window.session.read_note("x") == 1
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize("way", ["a linked folder", "a link to it", "a second name", "its own"])
def test_untitled_document_is_not_saved_onto_itself(
    window: MainWindow, tmp_path: Path, way: str
) -> None:
    path = window.session.path
    assert path is not None
    window.session.set_note("x", 1)
    target = tmp_path / "same.studio"
    if way == "a linked folder":
        (tmp_path / "folder").symlink_to(path.parent)
        target = tmp_path / "folder" / path.name
    elif way == "a link to it":
        target.symlink_to(path)
    elif way == "a second name":
        target.hardlink_to(path)
    else:
        target = path
    window.documents.save_to(target)
    assert target.samefile(path)
    assert window.session.path == path
    assert window.session.read_note("x") == 1


def test_document_with_active_run_is_not_moved(window: MainWindow) -> None:
    run = add_active_run(window)
    window.documents.save_as()
    assert "saving the document" in window.banner.text_label.text()
    window.session.document.owners.release(run)


@pytest.mark.parametrize(
    ("press", "leaves", "asked"),
    [
        ("Continue in the background", True, []),
        ("Pause", True, ["pause"]),
        ("Stop and keep", True, ["stop"]),
        ("Cancel", False, []),
    ],
)
def test_closing_with_active_runs_requires_one_confirmation(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, press: str, leaves: bool, asked: list[str]
) -> None:
    run = add_active_run(window)

    def answer(box: QMessageBox) -> int:
        next(each for each in box.buttons() if each.text().replace("&", "") == press).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    assert confirm_closing(window.session, window) is leaves
    requests = window.session.document.requests.pop_all(run)
    assert [request.kind for request in requests] == asked
    window.session.document.owners.release(run)


@pytest.mark.parametrize("press", ["Continue in the background", "Cancel"])
def test_closing_document_with_active_run_requires_confirmation(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, press: str
) -> None:
    add_active_run(window)
    path = window.session.path
    assert path is not None

    def answer(box: QMessageBox) -> int:
        next(each for each in box.buttons() if each.text().replace("&", "") == press).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    window.documents.close()
    assert window.session.is_open == (press == "Cancel")
    if not window.session.is_open:
        assert contains_facts(window.toast.text_label.text(), path.stem, "in the background")


def test_closing_without_runs_requires_no_confirmation(window: MainWindow) -> None:
    assert confirm_closing(window.session, window)


def test_closing_with_paused_run_requires_no_confirmation(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_active_run(window)
    window.session.document.runs.set_state(run, "paused")
    window.session.following.poll()
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("nothing goes"))
    assert confirm_closing(window.session, window)
    assert window.session.document.requests.pop_all(run) == []
    window.session.document.owners.release(run)


def test_remaining_time_is_updated_between_trials(window: MainWindow) -> None:
    run, now = add_active_run(window), [0.0]
    bar = window.top_bar
    bar.speed_meter = SpeedMeter(lambda: now[0])
    view = window.session.runs.get_view(run)
    window.session.run_selection.choose_run(run)
    window.bars.show()
    view.trials += [Trial(number, {}, 0, 0.1) for number in range(1, 5)]
    now[0] = 2.0
    window.bars.show()
    assert "2.0 a second" in bar.state.text()
    now[0] = 40.0
    window.bars.update_timer.timeout.emit()
    assert "6 a minute" in bar.state.text()
    window.session.document.owners.release(run)


def table(folder: Path) -> Path:
    path = folder / "table.csv"
    path.write_text("x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(40)), "utf-8")
    return path


def opened(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    window.opening.open_path(path)
    qtbot.waitUntil(lambda: not window.data.busy and not window.helper.is_busy)


def test_document_can_be_opened_without_foreign_log(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path, other = tmp_path / "work.studio", tmp_path / "other.studio"
    write_and_kill(path, lambda document: document.notes.set("a", 1))
    log = (tmp_path / "work.studio-wal").read_bytes()
    with Document.create(other) as document:
        document.notes.set("a", 2)
    other.replace(path)
    previous_path = window.session.path
    window.opening.open_path(path)
    assert window.session.path == previous_path
    assert "work.studio-wal" in window.banner.text_label.text()
    qtbot.mouseClick(window.banner.action_button, Qt.MouseButton.LeftButton)
    assert window.session.path == path
    assert window.session.read_note("a") == 2
    assert not window.banner.isVisible()
    aside = tmp_path / "work.studio-wal-1"
    assert str(aside) in window.toast.text_label.text()
    assert aside.read_bytes() == log
    window.banner.show_message("Something else.")
    assert window.banner.action_button.isHidden()


@pytest.mark.parametrize("named", [False, True])
def test_untitled_document_is_named_after_table(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, *, named: bool
) -> None:
    window.session.set_note("x", 1)
    if named:
        window.documents.save_to(tmp_path / "mine.studio")
    previous_path = window.session.path
    assert previous_path is not None
    window.opening.open_path(table(tmp_path))
    qtbot.waitUntil(lambda: window.data.is_ready)
    path = window.session.path
    assert path is not None
    assert window.data.draft.path == str(table(tmp_path))
    assert window.session.read_note("x") == 1
    assert (path == previous_path) == named == previous_path.exists()
    assert path.stem == ("mine" if named else table(tmp_path).stem)
    assert window.windowTitle().startswith(path.stem)
    assert user_paths.get_recent()[0] == path
    assert (previous_path in user_paths.get_recent()) == named


def test_document_remains_open_after_invalid_table(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    opened(window, table(tmp_path), qtbot)
    previous_path, draft = window.session.path, window.data.draft
    for name in ("photo.png", "broken.studio"):
        image_path = tmp_path / name
        image_path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
        opened(window, image_path, qtbot)
        qtbot.waitUntil(window.banner.isVisible)
        assert name in window.banner.text_label.text()
        assert (window.session.path, window.data.draft) == (previous_path, draft)
        assert not window.toast.isVisible()
        window.banner.hide()
    assert not list(user_paths.ensure_untitled_folder().glob("photo*"))
    other = tmp_path / "other.csv"
    other.write_bytes(table(tmp_path).read_bytes())
    opened(window, other, qtbot)
    qtbot.waitUntil(lambda: window.session.path != previous_path)
    assert window.data.draft.path == str(other)


def test_document_path_is_shown_on_creation_and_saving(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_calls: list[None] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: open_calls.append(None))
    path = str(window.session.path)
    cut = elide_middle(path, 44)
    assert window.toast.isVisible()
    assert contains_facts(window.toast.text_label.text(), "new document", cut)
    qtbot.mouseClick(window.toast.action_button, Qt.MouseButton.LeftButton)
    assert open_calls and not window.toast.isVisible()
    opened(window, table(tmp_path), qtbot)  # into the same document, under the table's name
    assert not window.toast.isVisible()
    assert window.command_registry.run("document.save")
    cut = elide_middle(str(window.session.path), 44)
    assert contains_facts(window.toast.text_label.text(), "Saved", cut)
    window.resize(700, 500)
    assert window.toast.parentWidget().rect().contains(window.toast.geometry())
    closed = table(tmp_path).stem
    window.documents.create()
    new = elide_middle(str(window.session.path), 44)
    assert contains_facts(
        window.toast.text_label.text(), f"“{closed}” was closed", "new document", new
    )


def test_continuing_runs_of_previous_document_are_reported(
    window: MainWindow, tmp_path: Path
) -> None:
    other = tmp_path / "other.studio"
    Document.create(other).close()
    add_active_run(window)
    previous_path = window.session.path
    assert previous_path is not None
    closed = f"“{previous_path.stem}” was closed"
    window.opening.open_path(other)
    assert contains_facts(window.toast.text_label.text(), closed, "Its run continues")
    window.opening.open_path(previous_path)
    add_active_run(window)
    window.documents.create()
    assert contains_facts(window.toast.text_label.text(), closed, "2 runs continue", "new document")
    window.opening.open_path(other)
    assert not window.toast.isVisible(), "there is no run in the empty one"


@pytest.mark.parametrize("answer", ["keep", "pause", "stop", ""])
def test_closing_mentions_continuing_runs_only_if_any(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    add_active_run(window)
    window.toast.hide()
    monkeypatch.setattr(documents, "confirm_leaving_runs", lambda *_: answer)
    window.documents.close()
    assert window.toast.isVisible() == (answer == "keep")
    assert window.session.is_open == (not answer)


def test_file_dialog_starts_in_folder_of_open_document(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []

    def choose(_parent: object, _title: str, start: str, _kinds: str) -> tuple[str, str]:
        began.append(start)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    for folder in ("mine", "tables"):
        (tmp_path / folder).mkdir()
    Document.create(tmp_path / "mine" / "work.studio").close()
    window.opening.open_path(tmp_path / "mine" / "work.studio")
    user_paths.set_dialog_folder(str(tmp_path / "tables" / "t.csv"))
    window.documents.choose_document()
    window.documents.choose_table()
    assert began == [str(tmp_path / "mine"), str(tmp_path / "tables")]
    window.documents.create()  # stored where the user does not look
    window.documents.choose_document()
    assert began[-1] == str(tmp_path / "mine")


def test_menu_names_recent_documents_with_runs_in_progress(
    window: MainWindow, tmp_path: Path
) -> None:
    running, idle = tmp_path / "running.studio", tmp_path / "idle.studio"
    for path in (running, idle):
        with Document.create(path):
            user_paths.add_recent(path)
    with Document.open(running) as engine:
        run = engine.runs.add("EO-sqm", {"method": "EO-sqm", "budget": 9})
        engine.owners.claim(run)
        menu = QMenu()
        window.documents._fill_recent(menu)
        texts = {each.toolTip(): each.text() for each in menu.actions()}
        assert contains_facts(texts[str(running)], "running", "1 run", "progress")
        assert texts[str(idle)] == "idle"
        engine.owners.release(run)
        window.documents._fill_recent(menu)
        assert {"running", "idle"} <= {each.text() for each in menu.actions()}, "it has ended"
