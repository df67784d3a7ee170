"""Choice of the targets of a comparison's data sets."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from studio.compare.study_notes import StudyJson, StudyMethod
from studio.gui.pages.compare.extend_dialog import DATA, ExtendDialog
from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.compare.targets import make_data_entry_from_file

pytestmark = pytest.mark.slow

METHODS = tuple(StudyMethod(key, key) for key in ("RS", "RS-post"))


def open_editor(page: ComparePage) -> QWidget:
    data_sets = page.form.data_sets
    delegate, index = data_sets.table.itemDelegateForColumn(1), data_sets.sets.index(0, 1)
    editor = delegate.createEditor(data_sets.table.viewport(), QStyleOptionViewItem(), index)
    delegate.setEditorData(editor, index)
    QApplication.processEvents()
    if isinstance(editor, QComboBox):
        assert editor.view().isVisible(), "it opens at once"
        editor.hidePopup()
    return editor


def test_target_is_chosen_among_the_columns(page: ComparePage, table: Path, qtbot: QtBot) -> None:
    entry = make_data_entry_from_file(table)
    page.show()
    page.setup.add([entry])
    assert isinstance(open_editor(page), QLineEdit), "its columns are not known yet"
    qtbot.waitUntil(lambda: bool(page.setup.target_reader.list_columns(entry)))
    editor = open_editor(page)
    assert isinstance(editor, QComboBox)
    assert [editor.itemData(row) for row in range(editor.count())] == ["", "a", "b", "target"]
    assert editor.currentData() == "", "guessed"
    data_sets = page.form.data_sets
    delegate = data_sets.table.itemDelegateForColumn(1)
    editor.setCurrentIndex(2)
    delegate.setModelData(editor, data_sets.sets, data_sets.sets.index(0, 1))
    assert page.setup.draft.data[0].target == "b"


def test_misspelt_target_blocks_start(page: ComparePage, table: Path, qtbot: QtBot) -> None:
    entry = make_data_entry_from_file(table, "Target")
    page.show()
    page.setup.add([entry])
    page.setup.change(methods=METHODS)
    assert page.setup.blocking_reason == "", "its columns are not known yet"
    qtbot.waitUntil(lambda: bool(page.setup.target_reader.list_columns(entry)))
    assert all(each in page.setup.blocking_reason for each in (entry.name, "Target", "target"))
    cell = page.form.data_sets.sets.index(0, 1)
    assert "Target" in cell.data(Qt.ItemDataRole.ToolTipRole)
    editor = open_editor(page)
    assert isinstance(editor, QComboBox) and editor.currentIndex() == -1
    cell.model().setData(cell, "target")
    renamed = page.setup.draft.data[0]
    qtbot.waitUntil(lambda: bool(page.setup.target_reader.list_columns(renamed)))
    assert page.setup.blocking_reason == ""


def test_guess_appears_in_open_dialog(page: ComparePage, table: Path, qtbot: QtBot) -> None:
    study = StudyJson(data=(str(table),), methods=METHODS)
    target_reader = page.setup.target_reader
    entry = make_data_entry_from_file(table)
    target_reader.mark_as_opened([entry])
    dialog = ExtendDialog(DATA, study, [], {entry.name}, target_reader=target_reader, parent=page)
    cell = dialog.data_sets.sets.index(0, 1)
    with qtbot.waitSignal(dialog.data_sets.sets.dataChanged):
        assert "target" not in cell.data()
    assert "target" in cell.data()
