"""Plain tables of records."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.widgets.records import CellChange, ColumnSpec, RecordModel, RecordTable

Pair = tuple[str, str]


@pytest.fixture
def table(qtbot: QtBot) -> RecordTable[Pair]:
    record_table = RecordTable(
        (
            ColumnSpec[Pair]("Trial", lambda pair: pair[0]),
            ColumnSpec[Pair]("Settings", lambda pair: pair[1], is_last=True),
        ),
        "Members",
    )
    qtbot.addWidget(record_table)
    record_table.resize(400, 200)
    record_table.show()
    return record_table


def test_last_column_fills_available_width(table: RecordTable[Pair]) -> None:
    table.records.show([("1", "C 2")])
    assert table.horizontalHeader().length() == table.viewport().width()
    table.resize(700, 200)
    assert table.horizontalHeader().length() == table.viewport().width()
    assert table.horizontalScrollBar().maximum() == 0


def test_long_cell_is_elided(table: RecordTable[Pair]) -> None:
    long = ", ".join(f"n_neighbors_{i} 0.1234" for i in range(9))
    table.records.show([("1", long)])
    assert table.horizontalHeader().length() == table.viewport().width()
    assert long in table.records.data(table.records.index(0, 1), Qt.ItemDataRole.ToolTipRole)


def test_column_widths_scale_with_font(table: RecordTable[Pair]) -> None:
    table.records.show([("1", "C 2")])
    table.setColumnWidth(0, 130)  # as by the user
    row = table.verticalHeader().defaultSectionSize()
    try:
        get_appearance().set_presenting(True)
        assert table.columnWidth(0) == round(130 * theme.scale()) > 130
        assert table.verticalHeader().defaultSectionSize() == round(row * theme.scale())
        assert table.horizontalHeader().length() == table.viewport().width()
    finally:
        get_appearance().set_presenting(False)
    assert table.columnWidth(0) == 130
    assert table.verticalHeader().defaultSectionSize() == row


def record_signals(model: RecordModel[Any]) -> list[Any]:
    """Return a list of the model's future signals."""
    signals: list[Any] = []
    model.dataChanged.connect(lambda a, b: signals.append(("changed", a.row(), a.column())))
    model.rowsInserted.connect(lambda _, first, last: signals.append(("in", first, last)))
    model.rowsRemoved.connect(lambda _, first, last: signals.append(("out", first, last)))
    model.modelReset.connect(lambda: signals.append("reset"))
    return signals


def columns() -> list[ColumnSpec[Pair]]:
    return [ColumnSpec("Trial", lambda pair: pair[0]), ColumnSpec("Settings", lambda pair: pair[1])]


def test_record_model_signals_changed_rows_only() -> None:
    model = RecordModel(columns(), identify=lambda pair: pair[0])
    model.show([("1", "a"), ("2", "b"), ("3", "c")])
    signals = record_signals(model)
    model.show([("1", "a"), ("3", "d"), ("4", "e")])
    assert signals == [("out", 1, 1), ("in", 2, 2), ("changed", 1, 1)]
    signals.clear()
    model.show([("4", "e"), ("1", "a")])
    assert signals == ["reset"]
    assert model.records == [("4", "e"), ("1", "a")]


def test_changed_columns_reset_table() -> None:
    model = RecordModel(columns())
    model.show([("1", "a")])
    signals = record_signals(model)
    model.show([("1", "b")], columns())
    assert signals == [("changed", 0, 1)]
    model.show([("1", "b")], columns()[:1])
    assert signals[1:] == ["reset"]


def test_cells_are_editable_by_column(qtmodeltester: Any) -> None:
    changes: list[tuple[Pair, str]] = []
    edit: CellChange[Pair] = CellChange(
        lambda pair: pair[1], lambda pair, text: changes.append((pair, text)), lambda p: p[0] == "1"
    )
    edit_role, box = Qt.ItemDataRole.EditRole, Qt.ItemDataRole.CheckStateRole
    model = RecordModel([columns()[0], ColumnSpec("Settings", lambda pair: pair[1], edit=edit)])
    model.show([("1", "a"), ("2", "b")])
    qtmodeltester.check(model)
    editable = Qt.ItemFlag.ItemIsEditable
    assert [bool(model.index(row, 1).flags() & editable) for row in (0, 1)] == [True, False]
    assert model.index(0, 1).data(edit_role) == "a"
    assert model.setData(model.index(0, 1), "c")
    assert changes == [(("1", "a"), "c")]
    assert not model.setData(model.index(0, 0), "c")
    assert not model.setData(model.index(0, 1), Qt.CheckState.Checked, box)


def test_value_beyond_scale_is_drawn_differently(qtbot: QtBot) -> None:
    pictures = []
    for position in (0.99, 1.0, 1.2, 3.0):
        column = ColumnSpec[float]("Loss", lambda _: "", value=float, has_dot=True)
        table = RecordTable((column,), "Losses")
        qtbot.addWidget(table)
        table.resize(200, 90)
        table.show()
        table.records.show([position])
        pictures.append(table.grab().toImage())
    assert pictures[1] != pictures[2] == pictures[3]
