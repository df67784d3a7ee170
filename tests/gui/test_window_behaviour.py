"""Commands, undo, presentation mode, help, quitting and reopening of the window."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from studio import language
from studio.data.samples import list_samples
from studio.document.store import Document
from studio.gui.app import Shell
from studio.gui.base import localisation, preferences, theme
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.preferences import Preferences, get_appearance
from studio.gui.pages.run.page import RunPage
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.page import SpacePage
from studio.gui.session.session import Session
from studio.gui.shell import pages
from studio.gui.shell.documents import window_state
from studio.gui.shell.documents.documents import confirm_closing
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.shell.help.panel import group_commands
from studio.gui.shell.settings_dialog import SettingsDialog
from studio.gui.shell.window import MainWindow
from studio.space.library import load
from tests.facts import contains_facts
from tests.gui.space.space_page_parts import line
from tests.gui.visible_content import chips

pytestmark = pytest.mark.slow

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def restore_appearance() -> Iterator[None]:
    get_appearance().apply()
    yield
    get_appearance().set_presenting(False)
    localisation.apply_language("en")


@pytest.fixture
def make(qtbot: QtBot, helper: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], MainWindow]:
    # Both are slow to build, and irrelevant here.
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", lambda _: QWidget())
    monkeypatch.setitem(pages.PAGE_FACTORIES, "data", lambda _: QWidget())

    def make_window() -> MainWindow:
        session = Session()
        monkeypatch.setattr(session.control, "start", lambda run: None)
        window = MainWindow(session, helper)
        session.setParent(window)
        qtbot.addWidget(window, before_close_func=lambda w: w.session.close())
        window.show()
        qtbot.waitActive(window)
        return window

    return make_window


@pytest.fixture
def window(make: Callable[[], MainWindow]) -> MainWindow:
    return make()


def with_table(window: MainWindow, qtbot: QtBot) -> None:
    window.opening.open_sample(list_samples()[1])
    qtbot.waitUntil(lambda: window.data.is_ready and not window.data.busy)


def add_runs(path: Path, count: int = 2) -> None:
    with Document.open(path) as document:
        for _ in range(count):
            run = document.runs.add("EO-sqm", {"method": "EO-sqm", "budget": 9})
            document.runs.set_state(run, "finished")


# ---- commands


def test_shortcuts_are_unique(window: MainWindow, qtbot: QtBot) -> None:
    with_table(window, qtbot)
    for key, *_ in PAGES:
        window.show_page(key)
    commands = window.list_all_commands()
    homes = {each.focus_widget for each in commands} - {None}
    assert len(homes) == 2
    for home in homes:  # in a list, its own keys and those of the window work
        claimed: dict[str, set[str]] = {}
        for command in commands:
            if command.focus_widget in {None, home}:
                for sequence in command.sequences:
                    claimed.setdefault(sequence.toString(), set()).add(command.key)
        assert len(claimed) > 20
        assert [(keys, by) for keys, by in claimed.items() if len(by) > 1] == []


def test_commands_have_unique_keys_and_titles(window: MainWindow, qtbot: QtBot) -> None:
    with_table(window, qtbot)
    add_runs(window.session.path)  # type: ignore[arg-type]
    window.session.following.poll()
    commands = window.list_all_commands()
    assert len({each.key for each in commands}) == len(commands) > 30
    assert all(each.title and each.group for each in commands)
    groups = {each.group for each in commands}
    assert {"Document", "Go to", "Run", "View", "Help", "Runs", "Recent documents"} <= groups


def test_palette_does_not_list_palette_command(window: MainWindow, qtbot: QtBot) -> None:
    window.command_registry.run("view.palette")
    assert window.palette_box.isVisible()
    command_keys = {each.key for each in window.palette_box.listed_commands}
    assert "view.palette" not in command_keys and "view.settings" in command_keys


def test_page_shortcuts_need_document(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL)
    assert window.page == WELCOME
    with_table(window, qtbot)
    for number, (key, *_) in enumerate(PAGES[:3], start=1):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), CONTROL)
        assert window.page == key
        assert window.rail.get_button(key).isChecked()


def test_palette_opens_every_page(window: MainWindow, qtbot: QtBot) -> None:
    with_table(window, qtbot)
    add_runs(window.session.path)  # type: ignore[arg-type]
    window.session.following.poll()
    qtbot.keyClick(window, Qt.Key.Key_K, CONTROL)
    qtbot.keyClicks(window.palette_box.field, "eo-sqm 2")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert (window.page, window.session.run_selection.run_id) == ("live", 2)
    window.run.request_catalogue()
    qtbot.waitUntil(lambda: window.run.catalogue is not None)
    qtbot.keyClick(window, Qt.Key.Key_P, CONTROL | SHIFT)
    qtbot.keyClicks(window.palette_box.field, "rs-post")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert (window.page, window.run.draft.method) == ("run", "RS-post")
    qtbot.mouseClick(window.top_bar.find_button, Qt.MouseButton.LeftButton)
    assert window.palette_box.isVisible()


def can_undo(window: MainWindow) -> bool:
    return next(each for each in window.list_all_commands() if each.key == "edit.undo").is_enabled()


def test_undo_applies_to_current_page(window: MainWindow, qtbot: QtBot) -> None:
    with_table(window, qtbot)
    window.data.set_role("mean radius", "ignore")
    window.run.change(budget=33)
    assert can_undo(window)
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert window.data.draft.roles == {} and window.run.draft.budget == 33
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert window.data.draft.roles == {"mean radius": "ignore"}
    window.show_page("run")
    titles = {each.key: each.title for each in window.list_all_commands()}
    assert contains_facts(titles["edit.undo"], "Undo", "trials")
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert window.run.draft.budget is None
    window.show_page("results")
    assert not can_undo(window)
    qtbot.keyClick(window, Qt.Key.Key_K, CONTROL)
    qtbot.keyClicks(window.palette_box.field, "undo")
    assert window.palette_box.listed_commands[0].key == "edit.undo", "it is found, although grey"
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert window.palette_box.isVisible(), "nothing was done"


def test_undo_restores_removed_runs(window: MainWindow, qtbot: QtBot) -> None:
    with_table(window, qtbot)
    add_runs(window.session.path)  # type: ignore[arg-type]
    window.session.following.poll()
    window.run.change(budget=33)
    window.show_page("run")
    page = window.get_page_widget("run")
    assert isinstance(page, RunPage)
    before = [view.row.id for view in window.session.runs.views]
    page.removal.remove(before[:1])
    assert len(window.session.runs.views) == len(before) - 1
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert [view.row.id for view in window.session.runs.views] == before
    assert window.run.draft.budget == 33
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert window.run.draft.budget is None


def space_page(window: MainWindow, qtbot: QtBot) -> SpacePage:
    """Show the Space page with the width of an SVM selected in the tree."""
    with_table(window, qtbot)
    window.session.space.replace(load("sklearn-cash"), "another space")
    window.show_page("space")
    page = window.get_page_widget("space")
    assert isinstance(page, SpacePage)
    page.editor.select_row(RowKey("rbf-svm.width"))
    page.tree.setFocus()
    return page


def test_undo_works_from_tree_and_committed_field(window: MainWindow, qtbot: QtBot) -> None:
    page = space_page(window, qtbot)
    space_before = page.editor.space
    qtbot.keyClick(page.tree, Qt.Key.Key_Delete)
    assert page.editor.space is not space_before
    qtbot.keyClick(page.tree, Qt.Key.Key_Z, CONTROL)
    assert page.editor.space is space_before
    page.editor.select_row(RowKey("rbf-svm.width"))
    field = line(page, "default")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "2")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert page.editor.space is not space_before
    qtbot.keyClick(field, Qt.Key.Key_Z, CONTROL)
    assert page.editor.space is space_before


def run_from_palette(window: MainWindow, qtbot: QtBot, query: str) -> list[str]:
    """Search the palette and run the first command; return all found titles."""
    qtbot.keyClick(window, Qt.Key.Key_K, CONTROL)
    qtbot.keyClicks(window.palette_box.field, query)
    titles = [each.title for each in window.palette_box.listed_commands]
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    return titles


def test_palette_runs_actions_of_selected_row(window: MainWindow, qtbot: QtBot) -> None:
    page = space_page(window, qtbot)
    assert run_from_palette(window, qtbot, "duplicate")[0] == "Duplicate"
    assert contains_facts(page.editor.session.space.history.undo_text, "duplicate", "rbf-svm.width")
    assert page.tree.hasFocus()
    run_from_palette(window, qtbot, "move out")
    assert page.editor.session.space.history.undo_text.endswith("one level up")
    window.show_page("data")
    assert "Duplicate" not in run_from_palette(window, qtbot, "duplicate")


def test_shortcut_list_includes_list_actions(window: MainWindow, qtbot: QtBot) -> None:
    space_page(window, qtbot)
    window.show_page("run")
    lists = group_commands(window.list_all_commands())
    assert {"space.rename", "space.nest", "space.copy"} <= {c.key for c in lists["Search space"]}
    assert {"runs.more", "runs.rename"} <= {each.key for each in lists["List of runs"]}


def test_first_run_uses_preferred_workers(make: Callable[[], MainWindow]) -> None:
    preferences.save(Preferences(workers=7))
    window = make()
    window.documents.create()
    assert window.run.draft.workers == 7


# ---- presentation and help


def test_presentation_mode_ends_on_escape(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1200, 800)
    QApplication.processEvents()
    width = window.rail.width()
    step = window.rail.get_button("space").y() - window.rail.get_button("data").y()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert theme.scale() == 1.4
    assert window.isFullScreen()
    assert window.rail.width() < width
    assert window.rail.get_button("data").text() == ""
    assert window.rail.get_button("data").accessibleName() == "Data"
    assert not window.top_bar.document_button.isVisible()
    assert window.toast.isVisible() and "Esc to leave" in window.toast.text_label.text()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.toast.isVisible()
    assert theme.scale() == 1.0
    assert not window.isFullScreen()
    assert window.rail.width() == width
    assert window.rail.get_button("space").y() - window.rail.get_button("data").y() == step
    assert window.top_bar.document_button.isVisible()


def test_page_help_closes_on_escape(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    assert window.help.isVisible() and "Start" in window.help.reader.toPlainText()
    with_table(window, qtbot)
    assert "Data" in window.help.reader.toPlainText()
    window.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.help.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F1, SHIFT)
    assert "Ctrl+K" in window.help.reader.toPlainText()
    for show in (window.help.show_shortcuts, window.help.show_glossary, window.help.show_guide):
        show()
        qtbot.keyClick(window, Qt.Key.Key_F1)
        assert not window.help.isVisible()
        window.help.show()


# ---- leaving and coming back


@pytest.mark.parametrize(("leaving", "asked"), [("keep", []), ("pause", ["pause"])])
def test_preference_suppresses_confirmation(
    window: MainWindow, leaving: str, asked: list[str]
) -> None:
    window.documents.create()
    document = window.session.document
    run = document.runs.add("EO-sqm", {"method": "EO-sqm", "budget": 9})
    document.owners.claim(run)
    document.runs.set_state(run, "running")
    window.session.following.poll()
    preferences.save(Preferences(leaving=leaving))
    assert confirm_closing(window.session, window)
    assert [request.kind for request in document.requests.pop_all(run)] == asked
    document.owners.release(run)


def test_last_document_is_reopened_at_start(
    make: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    first = make()
    with_table(first, qtbot)
    path = first.session.path
    assert path is not None
    add_runs(path)
    first.session.following.poll()
    first.session.run_selection.choose_run(1)
    first.show_page("results")
    assert first.close()
    assert window_state.get_last_document() == path
    second = make()
    second.opening.open_last()
    assert (second.session.path, second.page, second.session.run_selection.run_id) == (
        path,
        "results",
        1,
    )
    second.documents.close()
    assert second.close()
    third = make()
    third.opening.open_last()
    assert third.page == WELCOME


def test_start_page_can_be_set_in_preferences(make: Callable[[], MainWindow], qtbot: QtBot) -> None:
    first = make()
    first.documents.create()
    first.close()
    preferences.save(Preferences(reopen=False))
    second = make()
    second.opening.open_last()
    assert second.page == WELCOME


def test_changing_language_rebuilds_window_in_place(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", lambda _: QWidget())
    monkeypatch.setattr(HelperClient, "request", lambda *_, **__: None)
    shell = Shell()
    first = shell.open_window()
    path = tmp_path / "a.studio"
    first.session.create(path)
    add_runs(path)
    first.session.following.poll()
    first.session.run_selection.choose_run(1)
    first.show_page("results")
    first.resize(1100, 700)
    monkeypatch.setattr(localisation, "get_preferred_language", lambda: language.PSEUDO)
    preferences.save(Preferences(look="dark"))
    qtbot.waitUntil(lambda: shell.window is not first)
    second = shell.window
    assert second is not None
    assert (second.session.path, second.page, second.session.run_selection.run_id) == (
        path,
        "results",
        1,
    )
    assert second.size() == first.size()
    assert second.rail.get_button("data").text().strip().startswith("Dàtà")
    assert not first.isVisible() and not first.session.is_open
    # Signals to all windows must not reach a closed one.
    with qtbot.waitSignal(first.destroyed):
        pass
    preferences.save(Preferences(look="light"))
    get_appearance().set_presenting(True)
    get_appearance().set_presenting(False)
    second.close()


def test_run_chip_menu_renames_and_removes(window: MainWindow, qtbot: QtBot) -> None:
    with_table(window, qtbot)
    add_runs(window.session.path)  # type: ignore[arg-type]
    window.session.following.poll()
    run_id = window.session.runs.views[0].row.id
    window.session.run_selection.choose_run(run_id)
    menu = chips(window.strip)[run_id].make_menu()
    actions = {each.text(): each for each in menu.actions() if each.text()}
    assert set(actions) == {"Rename", "Remove…"}, "the selected one is already shown"
    assert all(each.isEnabled() for each in actions.values())
    actions["Rename"].trigger()
    page = window.get_page_widget("run")
    assert isinstance(page, RunPage)
    assert page.runs.isVisible() and page.runs.selected == [run_id]
    assert page.runs.table.state() == page.runs.table.State.EditingState
    actions["Remove…"].trigger()
    view = window.session.runs.views
    assert page.findChild(QMessageBox) is not None or len(view) == 1


def test_language_change_keeps_settings_dialog(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HelperClient, "request", lambda *_, **__: None)
    other = Shell()  # another subscriber to the preferences, which sets the language first
    shell = Shell()
    first = shell.open_window()
    first.window_actions.show_settings()
    (dialog,) = first.findChildren(SettingsDialog)
    assert dialog.isVisible()
    monkeypatch.setattr(localisation, "get_preferred_language", lambda: language.PSEUDO)
    stored_preferences = preferences.load()  # saving the same again would change nothing
    preferences.save(
        stored_preferences.with_changes(
            look="light" if stored_preferences.look == "dark" else "dark"
        )
    )
    qtbot.waitUntil(lambda: shell.window is not first)
    second = shell.window
    assert second is not None
    (translated,) = second.findChildren(SettingsDialog)
    assert translated.isVisible() and translated.windowTitle() != "Settings"
    qtbot.waitUntil(lambda: translated.focusWidget() is translated.fields["language"])
    translated.accept()
    qtbot.waitUntil(lambda: not isValid(first))
    second.close()
    assert other.window is None
