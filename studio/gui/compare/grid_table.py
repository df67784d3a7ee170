"""The grid of a study: data sets × methods, each cell with a sign for every repetition."""

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.gui import kit, theme
from studio.gui.compare.grid_view import (
    CellView,
    GridView,
    RowView,
    Segment,
    State,
    cell_words,
    segment_words,
)
from studio.gui.language import tr
from studio.gui.theme import GRID

CELL_ROLE = int(Qt.ItemDataRole.UserRole)
ROW_ROLE = CELL_ROLE + 1

_NOWHERE = QModelIndex()
_ROW, _COLUMN, _FIRST = 48, 120, 208
_WIDEST = 220
_HIGH = 12
"""Height of the repetitions' signs."""

_SQUARE = 16
"""Widest sign; many repetitions share the room and become narrower."""


class GridModel(QAbstractTableModel):
    """The cells; the first column names the data sets."""

    def __init__(self) -> None:
        super().__init__()
        self.grid = GridView()

    def show_grid(self, grid: GridView) -> None:
        """Show another state; only cells that changed are drawn anew."""
        before = self.grid
        same = before.methods == grid.methods and len(before.rows) == len(grid.rows)
        if not same:
            self.beginResetModel()
            self.grid = grid
            self.endResetModel()
            return
        self.grid = grid
        for r, (old, new) in enumerate(zip(before.rows, grid.rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(r, 0), self.index(r, len(grid.methods)))

    def rowCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of data sets."""
        return 0 if parent.isValid() else len(self.grid.rows)

    def columnCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of methods, and one for the names."""
        return 0 if parent.isValid() else len(self.grid.methods) + 1

    def row_at(self, index: Any) -> RowView:
        """Return the data set of a cell."""
        found: RowView = self.grid.rows[index.row()]
        return found

    def cell_at(self, index: Any) -> CellView | None:
        """Return a cell, ``None`` in the column of names."""
        return None if index.column() == 0 else self.row_at(index).cells[index.column() - 1]

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says."""
        row, cell = self.row_at(index), self.cell_at(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name if cell is None else cell.text
        if role == CELL_ROLE:
            return cell
        if role == ROW_ROLE:
            return row
        if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            if cell is None:
                return "\n".join(each for each in (row.name, row.note, row.left_out) if each)
            return cell_words(row, self.grid.methods[index.column() - 1], cell)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a method's name."""
        if orientation is Qt.Orientation.Vertical:
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return tr("Data set") if section == 0 else self.grid.methods[section - 1]
        return None


def paint_sign(painter: QPainter, box: QRectF, state: State, share: float) -> None:
    """Draw the sign of one repetition: filled, filling, empty, dashed, crossed, or a line."""
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
        painter.drawRoundedRect(box, 2, 2)
        if box.width() >= 10:
            _tick(painter, box)
        return
    if share > 0 and state in {"running", "stopped"}:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(edge, 0.45))
        painter.drawRect(QRectF(box.left(), box.top(), box.width() * share, box.height()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if state == "stopped":
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.drawRoundedRect(box, 2, 2)
    if state == "failed":
        inner = box.adjusted(3, 3, -3, -3)
        painter.drawLine(inner.topLeft(), inner.bottomRight())
        painter.drawLine(inner.bottomLeft(), inner.topRight())


def _tick(painter: QPainter, box: QRectF) -> None:
    painter.setPen(QPen(theme.colour(theme.current().surface), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left, top, size = box.center().x() - 4, box.center().y() - 3, 6.0
    painter.drawPolyline(
        QPolygonF(
            [
                QPointF(left, top + 0.5 * size),
                QPointF(left + 0.4 * size, top + 0.9 * size),
                QPointF(left + 1.25 * size, top + 0.1 * size),
            ]
        )
    )


def sign_boxes(area: QRectF, count: int) -> list[QRectF]:
    """Return where the signs of so many repetitions stand in a cell."""
    if not count:
        return []
    gap = 3.0 if count <= 12 else 1.0
    width = min(float(theme.pixels(_SQUARE)), (area.width() - gap * (count - 1)) / count)
    width = max(1.0, width)
    return [
        QRectF(area.left() + place * (width + gap), area.top(), width, area.height())
        for place in range(count)
    ]


class GridDelegate(QStyledItemDelegate):
    """Draws names, mean errors, and the signs."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        """All cells are alike."""
        return QSize(theme.pixels(_COLUMN), theme.pixels(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw one cell."""
        tokens = theme.current()
        # Drawn here and not by the style, which takes ten times as long under a style sheet.
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme.colour(tokens.accent_soft))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(theme.colour(tokens.accent))
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
        painter.save()
        row, cell = index.data(ROW_ROLE), index.data(CELL_ROLE)
        if cell is None:
            self._paint_name(painter, QRectF(option.rect), row)
        else:
            self._paint_cell(painter, QRectF(option.rect), cell)
        painter.restore()

    def _paint_name(self, painter: QPainter, area: QRectF, row: RowView) -> None:
        tokens, box = theme.current(), area.adjusted(GRID, 6, -GRID, -6)
        painter.setFont(theme.font(bold=True))
        painter.setPen(theme.colour(tokens.muted if row.left_out else tokens.text))
        _draw(painter, box, row.name, Qt.AlignmentFlag.AlignTop)
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(theme.colour(tokens.bad if row.left_out else tokens.muted))
        note = tr("left out: {why}", why=row.left_out) if row.left_out else row.note
        _draw(painter, box, note, Qt.AlignmentFlag.AlignBottom)

    def _paint_cell(self, painter: QPainter, area: QRectF, cell: CellView) -> None:
        tokens, box = theme.current(), area.adjusted(GRID, 6, -GRID, -6)
        painter.setFont(theme.font(bold=cell.best))
        painter.setPen(theme.colour(tokens.muted if cell.mean is None else tokens.text))
        _draw(painter, box, cell.text, Qt.AlignmentFlag.AlignTop)
        for sign, segment in zip(
            sign_boxes(signs_area(area), len(cell.segments)), cell.segments, strict=True
        ):
            paint_sign(painter, sign, segment.state, segment.share)


class SignLegend(QWidget):
    """What the signs mean, on one line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words: tuple[tuple[State, str], ...] = (
            ("finished", tr("finished")),
            ("running", tr("running")),
            ("open", tr("not begun")),
            ("stopped", tr("interrupted")),
            ("failed", tr("failed")),
            ("out", tr("left out")),
        )
        line = QHBoxLayout(self)
        line.setContentsMargins(2 * GRID, GRID // 2, 2 * GRID, 0)
        line.setSpacing(GRID // 2)
        for state, text in words:
            line.addWidget(_Sign(state))
            line.addWidget(kit.label(text, "small"))
            line.addSpacing(GRID)
        hint = kit.ElidedLabel(
            tr("Double click or Return shows a run; numbers are test errors"), "small"
        )
        hint.setAlignment(Qt.AlignmentFlag.AlignRight)
        line.addWidget(hint, 1)


class _Sign(QWidget):
    """One sign of the legend."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self._state = state
        self.setFixedSize(_SQUARE, _HIGH)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it."""
        painter = QPainter(self)
        paint_sign(painter, QRectF(self.rect()), self._state, 0.5)
        painter.end()


def signs_area(area: QRectF) -> QRectF:
    """Return the part of a cell in which its signs stand."""
    high = theme.pixels(_HIGH)
    return QRectF(area.left() + GRID, area.bottom() - 7 - high, area.width() - 2 * GRID, high)


def _draw(painter: QPainter, box: QRectF, text: str, side: Qt.AlignmentFlag) -> None:
    cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(box, side | Qt.AlignmentFlag.AlignLeft, cut)


class GridTable(QTableView):
    """The view; Return, a double click and the context menu open runs."""

    run_wanted = Signal(int)
    """Look at the run of this id."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = GridModel()
        self.setModel(self.cells)
        self.setItemDelegate(GridDelegate(self))
        self.setAccessibleName(tr("Runs of the comparison: data sets by methods"))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumHeight(36)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        theme.notifier().changed.connect(self._fit)
        self._fit()

    def show_grid(self, grid: GridView) -> None:
        """Show another state of the study."""
        columns = self.cells.columnCount()
        self.cells.show_grid(grid)
        if columns != self.cells.columnCount():
            self._fit()

    def segment_at(self, where: QPoint) -> Segment | None:
        """Return the repetition whose sign is at a place of the view."""
        index = self.indexAt(where)
        cell = self.cells.cell_at(index) if index.isValid() else None
        if cell is None:
            return None
        boxes = sign_boxes(signs_area(QRectF(self.visualRect(index))), len(cell.segments))
        for box, segment in zip(boxes, cell.segments, strict=True):
            if box.adjusted(-1, -4, 1, 4).contains(QPointF(where)):
                return segment
        return None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the repetition under the pointer, else the cell's newest."""
        where = event.position().toPoint()
        segment = self.segment_at(where)
        if segment is not None and segment.run is not None:
            self.run_wanted.emit(segment.run)
        else:
            self._open(self.indexAt(where))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the cell's newest run, or offer all of them."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._open(self.currentIndex())
        elif event.key() == Qt.Key.Key_Menu and self.currentIndex().isValid():
            place = self.visualRect(self.currentIndex()).bottomLeft()
            self._offer(self.currentIndex(), self.viewport().mapToGlobal(place))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the cell's runs."""
        self._offer(self.indexAt(event.pos()), event.globalPos())

    def menu(self, index: Any) -> QMenu | None:
        """Return a menu with the runs of a cell; ``None`` where there is nothing to open."""
        cell = self.cells.cell_at(index) if index.isValid() else None
        if cell is None:
            return None
        made = QMenu(self)
        made.aboutToHide.connect(made.deleteLater)
        for each in cell.segments:
            words = tr("Open repetition {words}", words=segment_words(each, cell.unit))
            action = made.addAction(words)
            action.setEnabled(each.run is not None)
            if each.run is not None:
                action.triggered.connect(lambda _=False, run=each.run: self.run_wanted.emit(run))
        return made

    def _offer(self, index: Any, where: QPoint) -> None:
        made = self.menu(index)
        if made is not None:
            made.popup(where)

    def _open(self, index: Any) -> None:
        cell = self.cells.cell_at(index) if index.isValid() else None
        run = None if cell is None else newest_run(cell)
        if run is not None:
            self.run_wanted.emit(run)

    def _fit(self, _: Any = None) -> None:
        self.verticalHeader().setDefaultSectionSize(theme.pixels(_ROW))
        methods = self.cells.columnCount() - 1
        self.setColumnWidth(0, theme.pixels(_FIRST))
        if methods > 0:
            share = (self.viewport().width() - theme.pixels(_FIRST)) // methods
            wide = max(theme.pixels(_COLUMN), min(theme.pixels(_WIDEST), share))
            for column in range(1, methods + 1):
                self.setColumnWidth(column, wide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the methods the room that there is."""
        super().resizeEvent(event)
        self._fit()


def newest_run(cell: CellView) -> int | None:
    """Return the run that runs, else the last one that there is."""
    there = [each for each in cell.segments if each.run is not None]
    running = [each for each in there if each.state == "running"]
    chosen = (running or there)[-1:]
    return chosen[0].run if chosen else None
