"""New rows in the order of their predictions, and the table that shows them."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import PredictedRows, RowColumn, RowForm, RowReasons, TableColumn
from studio.gui.pages.results.one_row.model import RowModel
from studio.gui.pages.results.who_first.reasons import describe_reasons, select_strongest
from studio.gui.pages.results.who_first.rows import RowOrder
from studio.gui.pages.results.who_first.table import RowsTable
from studio.gui.widgets.records import VALUE_ROLE
from tests.facts import contains_facts


def own_column(name: str, cells: list[str], *, right: bool = False) -> TableColumn:
    """Return a text column sorted by key."""
    texts = sorted(set(cells), key=float if right else str)
    octets = [each.encode() for each in texts]
    return TableColumn(
        name,
        np.array([texts.index(each) for each in cells], dtype=np.int32),
        np.frombuffer(b"".join(octets), dtype=np.uint8),
        np.cumsum([len(each) for each in octets]),
        right,
    )


def some_rows(n_rows: int = 4) -> PredictedRows:
    share = np.linspace(0.2, 0.8, n_rows)[np.argsort(np.arange(n_rows) % 3, kind="stable")]
    names = [f"Ä{row}" for row in range(n_rows)]
    return PredictedRows(
        table_columns=(
            own_column("name", names),
            own_column("size", [str(10 * (n_rows - row)) for row in range(n_rows)], right=True),
        ),
        predictions=(share >= 0.5).astype(np.int64),
        classes=("no", "yes"),
        probabilities=np.column_stack([1 - share, share]),
        positive_code=1,
    )


def list_row_names(order: RowOrder) -> list[str]:
    """Return the names of the shown rows."""
    return [order.get_text(row, 3) for row in range(len(order.order))]


def test_rows_are_ranked_by_probability_of_positive_class() -> None:
    order = RowOrder(some_rows())
    assert [each.title for each in order.columns] == [
        "Row", "Probability of “yes”", "Prediction", "name", "size",
    ]  # fmt: skip
    assert [order.get_text(row, 1) for row in range(4)] == ["80.0 %", "60.0 %", "40.0 %", "20.0 %"]
    assert [order.get_text(row, 2) for row in range(4)] == ["yes", "yes", "no", "no"]
    assert order.get_bar_length(0) == pytest.approx(0.8)
    assert order.is_first_by_prediction
    order.rank_by(0)
    assert [order.get_text(row, 1) for row in range(4)] == ["80.0 %", "60.0 %", "40.0 %", "20.0 %"]
    assert [order.get_text(row, 2) for row in range(4)] == ["no", "no", "yes", "yes"]


def test_ranked_rows_can_be_sorted_and_filtered() -> None:
    order = RowOrder(some_rows())
    order.sort_by(4, descending=False)
    assert list_row_names(order) == ["Ä3", "Ä2", "Ä1", "Ä0"]
    assert not order.is_first_by_prediction
    order.filter_by(" ä1 ", None)
    assert list_row_names(order) == ["Ä1"]
    order.filter_by("40", None)
    assert list_row_names(order) == ["Ä0"]
    order.filter_by("", 1)
    assert {order.get_text(row, 2) for row in range(len(order.order))} == {"yes"}
    order.filter_by("nothing", 1)
    assert order.n_selected == 0
    order.sort_by_prediction()
    order.filter_by("", None)
    assert order.is_first_by_prediction


def test_selected_rows_are_above_cutoff() -> None:
    order = RowOrder(some_rows())
    order.count = 2
    assert order.row_groups.means.tolist() == pytest.approx([0.6, 0.8])
    assert order.row_groups.units is None
    order.count = 50
    assert order.n_selected == 4
    assert order.get_written_row(2) == {"name": "Ä2", "size": "20"}


def test_regression_rows_are_ranked_with_intervals() -> None:
    values = np.array([-1.5, 1234.5, 20.25])
    ends = np.column_stack([values - 1, values + 1])
    order = RowOrder(PredictedRows(predictions=values, intervals=ends, coverage=0.9))
    assert [each.title for each in order.columns] == [
        "Row", "Prediction", "Lower 90 %", "Upper 90 %",
    ]  # fmt: skip
    assert [order.get_text(row, 1) for row in range(3)] == ["1,234.5", "20.3", "−1.5"]
    assert order.get_text(0, 2) == "1,233.5"
    assert [order.get_bar_length(row) for row in range(3)] == pytest.approx(
        [1.0, 21.75 / 1236, 0.0]
    )


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1000.1, 1000.2, 1000.9, 1001.3], ["1,001.30", "1,000.90", "1,000.20", "1,000.10"]),
        ([300_100.0, 290_400.0, 310_700.0], ["310,700", "300,100", "290,400"]),
        ([7.0, 7.0, 7.0], ["7.00", "7.00", "7.00"]),
    ],
)
def test_predictions_have_enough_digits_to_differ(values: list[float], texts: list[str]) -> None:
    order = RowOrder(PredictedRows(predictions=np.array(values)))
    assert [order.get_text(row, 1) for row in range(len(values))] == texts


def test_strongest_reasons_are_shown_localised() -> None:
    model = RowModel()
    a, b, c, d = (RowColumn(name, "number", 0.0, 9.0, default_value=1.0) for name in "abcd")
    b = RowColumn("b", "category", labels=("7",), default_value="7")
    columns = (a, b, c, d)
    model.set_form(RowForm(columns, 9, "t", ("no", "yes")))
    adds = np.array([[0.01, -0.01], [-0.2, 0.2], [0.3, -0.3], [-0.1, 0.1]])
    reasons = RowReasons(np.array([0.5, 0.5]), adds, np.zeros((4, 2)), 64)
    steps = select_strongest(model, reasons, 1)
    first, second, third = describe_reasons(model, steps, {"b": "007.", "c": "1,0 km"}, 1)
    assert contains_facts(first, "• c: 1 ", "“yes” less probable", "−30.0")
    assert contains_facts(second, "• b: “007” makes", "“yes” more probable", "+20.0")
    assert contains_facts(third, "• d: 1 ", "“yes” more probable", "+10.0")
    # A warning already says that "c", which is empty, makes a forecast impossible.
    steps = select_strongest(model, reasons, 1, ("c",))
    assert describe_reasons(model, steps, {"b": "007."}, 1)[:2] == [second, third]
    model.set_form(RowForm(columns, 9, "t", notable_change=1.0))
    reasons = RowReasons(np.array([5.0]), np.array([[2.0], [0], [0], [-3]]), np.zeros((4, 1)), 64)
    first, second = describe_reasons(model, select_strongest(model, reasons, 0), {}, 0)[:2]
    assert contains_facts(first, "• d: 1 lowers", " 3.0") and contains_facts(
        second, "• a: 1 raises", " 2.0"
    )


# ---- the table


@pytest.fixture
def table(qtbot: QtBot) -> RowsTable:
    rows_table = RowsTable()
    qtbot.addWidget(rows_table)
    rows_table.resize(600, 400)
    rows_table.show_order(RowOrder(some_rows(1000)))
    rows_table.show()
    return rows_table


def mouse(table: RowsTable, kind: QEvent.Type, at: QPoint) -> None:
    """Press, move or release the left button in the viewport."""
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    pressed_buttons = (
        Qt.MouseButton.NoButton
        if kind == QEvent.Type.MouseButtonRelease
        else Qt.MouseButton.LeftButton
    )
    where = table.viewport().mapToGlobal(at)
    event = QMouseEvent(
        kind, QPointF(at), QPointF(where), button, pressed_buttons, Qt.KeyboardModifier.NoModifier
    )
    {
        QEvent.Type.MouseButtonPress: table.mousePressEvent,
        QEvent.Type.MouseMove: table.mouseMoveEvent,
        QEvent.Type.MouseButtonRelease: table.mouseReleaseEvent,
    }[kind](event)


def test_cutoff_can_be_dragged(table: RowsTable) -> None:
    order = table.rows.order
    assert order is not None
    requested_counts: list[int] = []
    table.row_count_requested.connect(requested_counts.append)
    order.count = 5
    line, height = table.get_line_rect(), table.rowHeight(0)
    assert line.center().y() == pytest.approx(5 * height, abs=1)
    mouse(table, QEvent.Type.MouseButtonPress, line.center())
    mouse(table, QEvent.Type.MouseMove, line.center() + QPoint(0, 2 * height))
    assert requested_counts == [7]
    mouse(table, QEvent.Type.MouseMove, QPoint(20, -3 * height))
    assert requested_counts[-1] == 1
    for _ in range(3):  # below the edge the table scrolls
        mouse(table, QEvent.Type.MouseMove, QPoint(20, 2000))
    assert table.verticalScrollBar().value() == 3 * height
    mouse(table, QEvent.Type.MouseButtonRelease, QPoint(20, 20))
    count = len(requested_counts)
    mouse(table, QEvent.Type.MouseButtonPress, QPoint(20, 20))
    mouse(table, QEvent.Type.MouseMove, QPoint(20, 200))
    assert len(requested_counts) == count
    order.count = 900
    assert table.get_line_rect().isEmpty()


def test_selection_is_kept_after_sorting(table: RowsTable) -> None:
    order = table.rows.order
    assert order is not None
    table.selectRow(3)
    selected_row = table.selected_row
    assert order.order[3] == selected_row
    order.sort_by(0, descending=False)
    table.show_order(order)
    assert table.selected_row == selected_row == table.currentIndex().row()
    assert table.rows.index(0, 1).data(VALUE_ROLE) == pytest.approx(order.get_bar_length(0))
    sort_requests: list[tuple[int, bool]] = []
    table.sort_requested.connect(
        lambda place, descending: sort_requests.append((place, descending))
    )
    for section in (0, 1, 4):
        table.horizontalHeader().sectionClicked.emit(section)
    assert sort_requests == [(0, True), (1, True), (4, False)]


def test_new_table_is_shown_from_first_row(table: RowsTable) -> None:
    table.selectRow(700)
    table.show_order(RowOrder(some_rows(900)))
    assert table.currentIndex().row() == 0
    assert table.verticalScrollBar().value() == 0


def test_prediction_columns_do_not_scroll(qtbot: QtBot) -> None:
    rows = some_rows(200)
    own = tuple(replace(rows.table_columns[0], name=f"a column {index}") for index in range(40))
    table = RowsTable()
    qtbot.addWidget(table)
    table.resize(700, 400)
    table.show()
    table.show_order(RowOrder(replace(rows, table_columns=own)))
    frozen = table.frozen
    visible_columns = [index for index in range(43) if not frozen.isColumnHidden(index)]
    assert visible_columns == [0, 1, 2]
    assert frozen.width() == sum(map(table.columnWidth, visible_columns))
    assert [frozen.columnWidth(index) for index in visible_columns] == [
        *map(table.columnWidth, visible_columns)
    ]
    table.horizontalScrollBar().setValue(500)
    table.verticalScrollBar().setValue(330)
    assert frozen.verticalScrollBar().value() == 330
    assert frozen.columnViewportPosition(0) == 0
    table.scrollTo(table.rows.index(20, 6))
    assert table.visualRect(table.rows.index(20, 6)).left() == frozen.width()
    frozen.selectRow(13)
    assert table.selected_row == table.rows.order.order[13]  # type: ignore[union-attr]
    frozen.setColumnWidth(2, 50)
    assert table.columnWidth(2) == 50
    assert frozen.width() == sum(map(table.columnWidth, visible_columns))
    table.resize(60, 400)
    assert frozen.isHidden()
