"""Table of a study's cells: mean errors, and a symbol for every repetition, with a legend."""

from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.gui.base import theme
from studio.gui.base.menus import make_temporary_menu
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics
from studio.gui.pages.compare.grid_view import (
    CellView,
    GridView,
    RepetitionView,
    RowView,
    State,
    describe_cell,
    describe_segment,
)
from studio.gui.widgets import kit
from studio.gui.widgets.plain_table import PlainTable, paint_background
from studio.gui.widgets.records import VALUE_ROLE, ColumnSpec, RecordModel, get_record
from studio.language import tr, translate
from studio.proposers.presets import find_title

CELL_HEIGHT, CELL_WIDTH = 64, 120
"""Height and minimum width of a cell at a scale of 1."""

_NOTE_TOP = 22
"""Distance of a row's note from the top of its name."""

_NAME_WIDTH = 208

_MAX_CELL_WIDTH = 220

_MAX_NAME_WIDTH = 360

_SYMBOL_HEIGHT, _SYMBOL_WIDTH, _FIGURES_HEIGHT = 12, 16, 22
"""Height and maximum width of a symbol, which many repetitions share, and height of errors."""


def paint_symbol(painter: QPainter, box: QRectF, state: State, share: float) -> None:
    """Draw a repetition's symbol: filled, partly filled, empty, dashed, crossed, or a line."""
    tokens = theme.current()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = box.adjusted(0.5, 0.5, -0.5, -0.5)
    edge = {
        "finished": tokens.good,
        "running": tokens.accent,
        "failed": tokens.bad,
        "stopped": tokens.warn,
    }.get(state, tokens.muted)
    pen = QPen(theme.colour(edge), 1.2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if state == "out":
        painter.setPen(pen)
        middle = box.center().y()
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        return
    if state == "finished":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(edge))
        painter.drawRoundedRect(box, theme.MARK, theme.MARK)
        if box.width() >= 10:
            _draw_tick(painter, box)
        return
    if share > 0 and state in {"running", "stopped"}:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(edge, 0.45))
        painter.drawRect(QRectF(box.left(), box.top(), box.width() * share, box.height()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if state == "stopped":
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.drawRoundedRect(box, theme.MARK, theme.MARK)
    if state == "failed":
        inner = box.adjusted(4, 4, -4, -4)
        painter.drawLine(inner.topLeft(), inner.bottomRight())
        painter.drawLine(inner.bottomLeft(), inner.topRight())


def _draw_tick(painter: QPainter, box: QRectF) -> None:
    painter.setPen(QPen(theme.colour(theme.current().surface), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left, top, size = box.center().x() - 4, box.center().y() - 3, 6.0
    points = (0.0, 0.5), (0.4, 0.9), (1.25, 0.1)
    painter.drawPolyline(QPolygonF([QPointF(left + x * size, top + y * size) for x, y in points]))


def place_symbols(area: QRectF, count: int, step: float = 0.0) -> list[QRectF]:
    """Return the positions of ``count`` symbols in a cell, ``step`` pixels apart (0: to fit)."""
    width = float(theme.pixels(_SYMBOL_WIDTH))
    if not step:
        gap = 3.0 if count <= 12 else 1.0
        width = max(1.0, min(width, (area.width() - gap * (count - 1)) / max(1, count)))
        step = width + gap
    return [
        QRectF(area.left() + index * step, area.top(), width, area.height())
        for index in range(count)
    ]


def get_symbols_area(area: QRectF) -> QRectF:
    """Return a cell's area for symbols."""
    height, figures_height = theme.pixels(_SYMBOL_HEIGHT), theme.pixels(_FIGURES_HEIGHT)
    top = area.bottom() - figures_height - height
    return QRectF(area.left() + GRID, top, area.width() - 2 * GRID, height)


class GridDelegate(QStyledItemDelegate):
    """Draws names of data sets, mean errors, and a symbol for every repetition."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        return QSize(theme.pixels(CELL_WIDTH), theme.pixels(CELL_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        paint_background(painter, option)
        painter.save()
        row, cell = get_record(index), index.data(VALUE_ROLE)
        if cell is None:
            self._paint_name(painter, QRectF(option.rect), row)
        else:
            self._paint_cell(painter, QRectF(option.rect), cell)
        painter.restore()

    def _paint_name(self, painter: QPainter, area: QRectF, row: RowView) -> None:
        tokens, box = theme.current(), area.adjusted(GRID, GRID // 2, -GRID, -GRID // 2)
        painter.setFont(theme.font(bold=True))
        painter.setPen(theme.colour(tokens.muted if row.excluded_reason else tokens.text))
        _draw_text(painter, box, row.name, Qt.AlignmentFlag.AlignTop)
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(theme.colour(tokens.bad if row.excluded_reason else tokens.muted))
        note = tr("left out: {why}", why=row.excluded_reason) if row.excluded_reason else row.note
        below_name = box.adjusted(0, theme.pixels(_NOTE_TOP), 0, 0)
        _draw_text(painter, below_name, note, Qt.AlignmentFlag.AlignTop)

    def _paint_cell(self, painter: QPainter, area: QRectF, cell: CellView) -> None:
        tokens, box = theme.current(), area.adjusted(GRID, GRID // 2, -GRID, -GRID // 2)
        painter.setFont(theme.font(bold=cell.is_best))
        painter.setPen(theme.colour(tokens.muted if cell.mean is None else tokens.text))
        _draw_text(painter, box, cell.text, Qt.AlignmentFlag.AlignTop)
        symbols, figures = place_segments(area, cell)
        painter.setFont(theme.font(theme.SMALL))
        for symbol, segment, figure in zip(symbols, cell.segments, figures, strict=True):
            paint_symbol(painter, symbol, segment.state, segment.progress)
            line = QRectF(symbol.left(), symbol.bottom(), box.width(), area.height())
            painter.setPen(theme.colour(tokens.muted))
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, figure)


def place_segments(area: QRectF, cell: CellView) -> tuple[list[QRectF], list[str]]:
    """Return the positions of a cell's symbols, and the errors below them if they fit."""
    figures = [cell.format_figure(each.error) for each in cell.segments]
    symbols_area, metrics = get_symbols_area(area), QFontMetricsF(theme.font(theme.SMALL))
    step = max(map(metrics.horizontalAdvance, figures), default=0.0) + GRID
    if len(figures) * step - GRID <= symbols_area.width() and any(figures):
        return place_symbols(symbols_area, len(figures), step), figures
    return place_symbols(symbols_area, len(figures)), [""] * len(figures)


def _draw_text(painter: QPainter, box: QRectF, text: str, alignment: Qt.AlignmentFlag) -> None:
    elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(box, alignment | Qt.AlignmentFlag.AlignLeft, elided)


def make_columns(grid: GridView) -> list[ColumnSpec[RowView]]:
    """Return the columns of a grid: names of data sets, and one per method."""
    names: ColumnSpec[RowView] = ColumnSpec(
        tr("Data set"),
        lambda row: row.name,
        cell_tooltip=_make_row_tooltip,
        accessible_text=_make_row_tooltip,
    )
    return [names, *(_make_column(column, method) for column, method in enumerate(grid.methods))]


def _make_column(column: int, method: str) -> ColumnSpec[RowView]:
    def get_cell_tooltip(row: RowView) -> str:
        return describe_cell(row, method, row.cells[column])

    return ColumnSpec(
        method,
        lambda row: row.cells[column].text,
        translate(find_title(method)),
        cell_tooltip=get_cell_tooltip,
        accessible_text=get_cell_tooltip,
        value=lambda row: row.cells[column],
    )


def _make_row_tooltip(row: RowView) -> str:
    return "\n".join(each for each in (row.name, row.note, row.excluded_reason) if each)


class GridTable(PlainTable):
    """The view; Return, a double click and the context menu open runs."""

    run_requested = Signal(int)
    """Show the run of this id."""

    def __init__(self) -> None:
        super().__init__(CELL_HEIGHT)
        self.cells: RecordModel[RowView] = RecordModel()
        self.setModel(self.cells)
        self.setItemDelegate(GridDelegate(self))
        self.setAccessibleName(tr("Runs of the comparison: data sets by methods"))
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.horizontalHeader().setMinimumHeight(36)
        self.fit()

    def show_grid(self, grid: GridView) -> None:
        """Update to a new state of the study."""
        columns = self.cells.columnCount()
        self.cells.show(grid.rows, make_columns(grid))
        if columns != self.cells.columnCount():
            self.fit()

    def find_segment(self, position: QPoint) -> RepetitionView | None:
        """Return the repetition whose symbol is at a position of the view."""
        index = self.indexAt(position)
        cell: CellView | None = index.data(VALUE_ROLE)
        if cell is None:
            return None
        boxes, _ = place_segments(QRectF(self.visualRect(index)), cell)
        for box, segment in zip(boxes, cell.segments, strict=True):
            if box.adjusted(-1, -4, 1, 4).contains(QPointF(position)):
                return segment
        return None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the repetition under the pointer, else the newest one of the cell."""
        position = event.position().toPoint()
        segment = self.find_segment(position)
        if segment is not None and segment.run is not None:
            self.run_requested.emit(segment.run)
        else:
            self._open_newest_run(self.indexAt(position))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the cell's newest run, or a menu of all of them."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._open_newest_run(self.currentIndex())
        elif event.key() == Qt.Key.Key_Menu and self.currentIndex().isValid():
            position = self.visualRect(self.currentIndex()).bottomLeft()
            self._open_menu(self.currentIndex(), self.viewport().mapToGlobal(position))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show a menu of the cell's runs."""
        self._open_menu(self.indexAt(event.pos()), event.globalPos())

    def make_menu(self, index: Any) -> QMenu | None:
        """Return a menu of a cell's runs; ``None`` if there are none."""
        cell: CellView | None = index.data(VALUE_ROLE)
        if cell is None:
            return None
        menu = make_temporary_menu(self)
        for each in cell.segments:
            text = tr("Open repetition {words}", words=describe_segment(each, cell))
            action = menu.addAction(escape_mnemonics(text))
            action.setEnabled(each.run is not None)
            if each.run is not None:
                action.triggered.connect(lambda _=False, run=each.run: self.run_requested.emit(run))
        return menu

    def _open_menu(self, index: Any, position: QPoint) -> None:
        menu = self.make_menu(index)
        if menu is not None:
            menu.popup(position)

    def _open_newest_run(self, index: Any) -> None:
        cell: CellView | None = index.data(VALUE_ROLE)
        if cell is not None and cell.newest_run is not None:
            self.run_requested.emit(cell.newest_run)

    def fit(self, _: Any = None) -> None:
        """Distribute the width among the methods."""
        super().fit()
        methods = self.cells.columnCount() - 1
        self.setColumnWidth(0, theme.pixels(_NAME_WIDTH))
        if methods > 0:
            share = (self.viewport().width() - theme.pixels(_NAME_WIDTH)) // methods
            cell_width = max(theme.pixels(CELL_WIDTH), min(theme.pixels(_MAX_CELL_WIDTH), share))
            remaining_width = self.viewport().width() - methods * cell_width
            name_width = min(theme.pixels(_MAX_NAME_WIDTH), remaining_width)
            self.setColumnWidth(0, max(theme.pixels(_NAME_WIDTH), name_width))
            for column in range(1, methods + 1):
                self.setColumnWidth(column, cell_width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Distribute the available width among the methods."""
        super().resizeEvent(event)
        self.fit()


class SymbolLegend(QWidget):
    """A one-line legend of the symbols that the grid contains."""

    def __init__(self) -> None:
        super().__init__()
        legend: tuple[tuple[State, str], ...] = (
            ("finished", tr("finished")),
            ("running", tr("running")),
            ("open", tr("not started")),
            ("stopped", tr("interrupted")),
            ("failed", tr("failed")),
            ("out", tr("left out")),
        )
        self.entries: dict[State, QWidget] = {}
        line = kit.row(parent=self, margin=(2 * GRID, GRID // 2, 2 * GRID, 0))
        for state, text in legend:
            entry = self.entries[state] = QWidget()
            kit.row(_Symbol(state), kit.label(text, "small"), parent=entry, spacing=GRID // 2)
            line.addWidget(entry)
        hint = kit.label(
            tr("Double-click or press Enter to open a run; numbers are test errors"),
            "small",
            wrap=True,
        )
        hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(hint, 1)

    def show_states(self, grid: GridView) -> None:
        """Explain the states that occur."""
        for state, entry in self.entries.items():
            entry.setVisible(grid.count(state) > 0)


class _Symbol(QWidget):
    def __init__(self, state: State) -> None:
        super().__init__()
        self._state = state
        self.setFixedSize(_SYMBOL_WIDTH, _SYMBOL_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_symbol(painter, QRectF(self.rect()), self._state, 0.5)
        painter.end()
