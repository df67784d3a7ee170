"""Plain tables of records."""

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.widgets.record_table import Cell, Head, RecordTable


@pytest.fixture
def table(qtbot: QtBot) -> RecordTable:
    made = RecordTable((Head("Trial"), Head("Settings", whole=True)), "Members")
    qtbot.addWidget(made)
    made.resize(400, 200)
    made.show()
    return made


def test_a_whole_column_takes_the_room_that_is_left(table: RecordTable) -> None:
    table.records.show_rows([(Cell("1"), Cell("C 2"))])
    assert table.horizontalHeader().length() == table.viewport().width()
    table.resize(700, 200)
    assert table.horizontalHeader().length() == table.viewport().width()
    assert table.horizontalScrollBar().maximum() == 0


def test_a_whole_column_is_as_wide_as_its_cells_need(table: RecordTable) -> None:
    long = ", ".join(f"n_neighbors_{i} 0.1234" for i in range(9))
    table.records.show_rows([(Cell("1"), Cell(long))])
    needed = table.fontMetrics().horizontalAdvance(long)
    assert table.columnWidth(1) >= needed
    assert table.horizontalHeader().length() > table.viewport().width()
    table.records.show_rows([(Cell("1"), Cell("C 2"))])
    assert table.horizontalHeader().length() == table.viewport().width()
