"""The cells of a study's grid as Qt's views ask for them."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from studio.gui.base.language import tr
from studio.gui.pages.compare.grid_view import CellView, GridView, RowView, cell_words

CELL_ROLE = int(Qt.ItemDataRole.UserRole)
"""The :class:`CellView` of an index; ``None`` in the column of names."""

ROW_ROLE = CELL_ROLE + 1
"""The :class:`RowView` of an index."""

_NOWHERE = QModelIndex()


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
