"""The list of runs for a table view: it tells only the cells that changed."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal

from studio.gui.base.language import tr
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.run.runs.lines import COLUMNS, NAME, OVERLAY, Cell, line_of
from studio.gui.session.pace import Pace
from studio.gui.session.session import Session

RUN_ROLE = int(Qt.ItemDataRole.UserRole)
"""The run's id."""

KEY_ROLE = RUN_ROLE + 1
"""What rows are sorted by."""

SHARE_ROLE = RUN_ROLE + 2
"""How far the run is, in [0, 1]; negative where that is not known."""

STATE_ROLE = RUN_ROLE + 3
"""The state's word in the code, for its sign."""

_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole


class RunListModel(QAbstractTableModel):
    """All runs of the document but the cells of its study, oldest first; a proxy sorts.

    Parameters
    ----------
    session, model : Session, RunModel
        The runs; units and names of methods.
    pace : Pace, optional
        Measures rates (tests give one with their own clock).
    """

    rename_wanted = Signal(int, str)
    overlay_wanted = Signal(int, bool)

    def __init__(self, session: Session, model: RunModel, pace: Pace | None = None) -> None:
        super().__init__()
        self._session, self._model, self._pace = session, model, pace or Pace()
        self.ids: list[int] = []
        self._lines: list[tuple[Cell, ...]] = []

    def refresh(self) -> None:
        """Read the runs again and tell what changed."""
        views = self._session.shown.unfolded
        lines = [self._line(view.row.id) for view in views]
        ids = [view.row.id for view in views]
        if ids != self.ids:
            self._take_rows(ids, lines)
            return
        before, self._lines = self._lines, lines
        for row, (old, new) in enumerate(zip(before, lines, strict=True)):
            changed = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
            for column in changed:
                self.dataChanged.emit(self.index(row, column), self.index(row, column))

    def _take_rows(self, ids: list[int], lines: list[tuple[Cell, ...]]) -> None:
        known = len(self.ids)
        if ids[:known] == self.ids:
            self.beginInsertRows(QModelIndex(), known, len(ids) - 1)
            self.ids, self._lines = ids, lines
            self.endInsertRows()
            return
        for row in reversed([i for i, each in enumerate(self.ids) if each not in ids]):
            self.beginRemoveRows(QModelIndex(), row, row)
            del self.ids[row], self._lines[row]
            self.endRemoveRows()
        if self.ids == ids:
            self.refresh()
            return
        self.beginResetModel()
        self.ids, self._lines = ids, lines
        self.endResetModel()

    def _line(self, run_id: int) -> tuple[Cell, ...]:
        view = self._session.runs.view(run_id)
        overlaid = any(each.row.id == run_id for each in self._session.shown.overlaid)
        return line_of(
            view,
            self._model.unit(str(view.settings.get("metric"))),
            self._pace.of(view),
            self._model.name_of(view.settings),
            overlaid,
        )

    # ---- what Qt asks

    def rowCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of runs."""
        return 0 if parent.isValid() else len(self.ids)

    def columnCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Any, role: int = _Role.DisplayRole) -> Any:
        """Return what a role asks of a cell."""
        run_id, column = self.ids[index.row()], index.column()
        cell = self._lines[index.row()][column]
        answers: dict[int, Callable[[], Any]] = {
            _Role.DisplayRole: lambda: cell.text,
            _Role.EditRole: lambda: cell.text,
            _Role.ToolTipRole: lambda: cell.tip or cell.text,
            _Role.AccessibleTextRole: lambda: f"{tr(COLUMNS[column].title)}: {cell.text}",
            _Role.TextAlignmentRole: lambda: _side(column),
            _Role.CheckStateRole: lambda: _checked(cell) if column == OVERLAY else None,
            RUN_ROLE: lambda: run_id,
            KEY_ROLE: lambda: cell.key,
            SHARE_ROLE: lambda: cell.share,
            STATE_ROLE: lambda: self._session.runs.view(run_id).state,
        }
        answer = answers.get(role)
        return None if answer is None else answer()

    def setData(self, index: Any, value: Any, role: int = _Role.EditRole) -> bool:
        """Ask for another name, or for the run to be laid over the chosen one."""
        run_id = self.ids[index.row()]
        if index.column() == NAME and role == _Role.EditRole and str(value).strip():
            self.rename_wanted.emit(run_id, str(value))
            return True
        if index.column() == OVERLAY and role == _Role.CheckStateRole:
            self.overlay_wanted.emit(run_id, Qt.CheckState(value) == Qt.CheckState.Checked)
            return True
        return False

    def flags(self, index: Any) -> Qt.ItemFlag:
        """Names can be edited; the first column is ticked, but for the chosen run itself."""
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        if index.column() == NAME:
            flags |= Qt.ItemFlag.ItemIsEditable
        if index.column() == OVERLAY and self.ids[index.row()] != self._session.shown.run_id:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        """Return a column's title, meaning or side."""
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == _Role.DisplayRole:
            return tr(COLUMNS[section].title)
        if role == _Role.ToolTipRole:
            return tr(COLUMNS[section].tip)
        return _side(section) if role == _Role.TextAlignmentRole else None


def _checked(cell: Cell) -> Qt.CheckState:
    return Qt.CheckState.Checked if cell.share else Qt.CheckState.Unchecked


def _side(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if COLUMNS[column].right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
