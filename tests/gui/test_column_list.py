"""The list of columns: facts, search, and roles for several columns at once."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio import language
from studio.gui.base import theme
from studio.gui.base.localisation import set_languages
from studio.gui.pages.data.column_list import ColumnList
from studio.helper.preview import Preview
from studio.helper.preview import preview as preview_task
from studio.helper.table_spec import TableSpec


@pytest.fixture
def preview(tmp_path: Path) -> Preview:
    path = tmp_path / "t.csv"
    rows = "".join(f"{i},{i % 3}.5,{'ab'[i % 2]},{'xy'[i % 2]},7\n" for i in range(1, 30))
    path.write_text("id,size,kind,target,same\n" + rows + "30,,a,x,7\n", "utf-8")
    return preview_task(TableSpec(path))


@pytest.fixture
def columns(preview: Preview, qtbot: QtBot) -> ColumnList:
    column_list = ColumnList()
    qtbot.addWidget(column_list)
    column_list.resize(900, 400)
    column_list.show_preview(preview)
    return column_list


def get_row(columns: ColumnList, name: str) -> int:
    proxy = columns.table.proxy
    names = [proxy.index(row, 0).data() for row in range(proxy.rowCount())]
    return names.index(name)


def test_column_list_passes_model_tester(columns: ColumnList, qtmodeltester: Any) -> None:
    qtmodeltester.check(columns.columns)
    cells = [columns.columns.index(1, fact).data() for fact in range(columns.columns.columnCount())]
    assert cells == ["size", "used", "numbers", "", "3", "1 (3 %)", ""]
    accessible_text = columns.columns.index(2, 3).data(Qt.ItemDataRole.AccessibleTextRole)
    assert accessible_text == "“a”: 15 rows, “b”: 15 rows"
    assert columns.columns.index(4, 1).data() == "left out"
    assert not columns.grab().isNull()


def test_constraint_of_column_is_named(columns: ColumnList) -> None:
    model = columns.columns
    cell, other = (model.index(row, model.columnCount() - 1) for row in (1, 4))
    before, warning = cell.data(), other.data()
    model.show_constraints({"size": "up", "same": "down"})
    never_lowers = cell.data()
    assert never_lowers and not before
    assert warning and other.data().endswith(warning) and never_lowers not in other.data()
    model.show_constraints({"same": "up"})
    assert (cell.data(), other.data()) == ("", f"{never_lowers} {warning}")


def test_columns_are_found_by_name_and_sorted_by_value(columns: ColumnList, qtbot: QtBot) -> None:
    qtbot.keyClicks(columns.search, "I")
    assert columns.table.proxy.rowCount() == 3
    columns.search.clear()
    columns.table.sortByColumn(4, Qt.SortOrder.DescendingOrder)
    assert columns.table.proxy.index(0, 0).data() == "id"


def choose(columns: ColumnList, text: str) -> None:
    """Choose an entry of the menu of the selected columns."""
    columns.change_button.click()
    menu = columns.findChild(QMenu)
    assert menu is not None
    next(each for each in menu.actions() if each.text() == text).trigger()
    menu.close()


def test_role_can_be_set_for_several_columns(columns: ColumnList, qtbot: QtBot) -> None:
    role_requests: list[tuple[list[str], str]] = []
    columns.role_requested.connect(lambda names, role: role_requests.append((names, role)))
    assert not columns.change_button.isEnabled()
    assert "Select columns" in columns.change_button.toolTip()
    columns.table.selectRow(get_row(columns, "id"))
    columns.table.selectionModel().select(
        columns.table.proxy.index(get_row(columns, "size"), 0),
        columns.table.selectionModel().SelectionFlag.Select
        | columns.table.selectionModel().SelectionFlag.Rows,
    )
    choose(columns, "Leave it out")
    assert role_requests == [(["id", "size"], "ignore")]


def test_target_column_cannot_get_another_role(columns: ColumnList, qtbot: QtBot) -> None:
    role_requests: list[object] = []
    columns.role_requested.connect(lambda *request: role_requests.append(request))
    columns.table.selectRow(get_row(columns, "target"))
    choose(columns, "Leave it out")
    assert role_requests == []


def test_search_is_cleared_for_another_table(
    columns: ColumnList, preview: Preview, qtbot: QtBot
) -> None:
    qtbot.keyClicks(columns.search, "siz")
    for each in (None, preview):
        columns.show_preview(each)
    assert columns.search.text() == "siz" and columns.table.proxy.rowCount() == 1
    columns.show_preview(replace(preview, names=("a", "b", "c", "d", "e")))
    assert columns.search.text() == "" and columns.table.proxy.rowCount() == 5


def test_new_preview_does_not_change_selection(columns: ColumnList, preview: Preview) -> None:
    columns.table.selectRow(get_row(columns, "size"))
    columns.show_preview(preview)
    assert [each.name for each in columns.selected_columns] == ["size"]
    columns.show_preview(None)
    assert columns.selected_columns == []


def test_column_headers_are_not_truncated_in_longer_language(qtbot: QtBot) -> None:
    set_languages(language.PSEUDO)
    try:
        column_list = ColumnList()
        qtbot.addWidget(column_list)
        column_list.show()
        header = column_list.table.horizontalHeader()
        bold = QFontMetrics(theme.font(theme.BODY, bold=True))
        for section, column in enumerate(column_list.columns.columns[:-1]):
            min_width = bold.horizontalAdvance(column.title) + 2 * theme.GRID
            assert header.sectionSize(section) >= min_width
    finally:
        set_languages(language.ENGLISH)
