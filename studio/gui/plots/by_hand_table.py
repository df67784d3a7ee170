"""The list of the ensemble by hand as Qt's table model."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from studio.gui.base.language import mark, number, percent, tr
from studio.gui.plots.by_hand_model import ByHandModel, Seat
from studio.gui.plots.series import RunSeries

WHO, WEIGHT, OWN, OWN_TEST, ADDS = range(5)

HEADINGS = (mark("member"), mark("weight"), mark("own error"), mark("on test"), mark("adds"))
TIPS = (
    mark("Tick who is a member (space bar)"),
    mark("Share of the vote or of the average; double click or F2 to change it"),
    mark("The trial's own loss on the validation rows"),
    mark("The trial's own loss on the test rows"),
    mark("How much worse the search's ensemble would be without it, on the validation rows"),
)

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Facts:
    """What is known of the trials of the list, beside who is in.

    Attributes
    ----------
    series : RunSeries
        The run.
    iteration : int
        The iteration looked at.
    own_test, adds : Mapping
        Loss by trial number, where known.
    colours : Mapping
        Colour of each branch.
    weighable : bool
        Whether weights may be changed.
    """

    series: RunSeries = field(default_factory=RunSeries, compare=False)
    iteration: int = 0
    own_test: Mapping[int, float] = field(default_factory=dict)
    adds: Mapping[int, float] = field(default_factory=dict)
    colours: Mapping[str, QColor] = field(default_factory=dict)
    weighable: bool = True


class ByHandTable(QAbstractTableModel):
    """Shows a :class:`ByHandModel`; ticks and weights are changed through it.

    Parameters
    ----------
    model : ByHandModel
        The list.
    changed : callable
        Called after a tick or a weight was changed.
    """

    def __init__(self, model: ByHandModel, changed: Callable[[], None]) -> None:
        super().__init__()
        self._model = model
        self._changed = changed
        self._facts = Facts()
        self._shown: tuple[tuple[Seat, ...], Facts] = ((), self._facts)
        self._numbers: tuple[int, ...] = ()

    def show_facts(self, facts: Facts) -> None:
        """Bring the list up to date; rows stay in place while the same trials are in it."""
        shown = (self._model.seats, facts)
        if shown == self._shown:
            return  # a run under way is drawn many times a second
        self._shown, self._facts = shown, facts
        numbers = tuple(seat.number for seat in self._model.seats)
        if numbers != self._numbers:
            self.beginResetModel()
            self._numbers = numbers
            self.endResetModel()
        elif numbers:
            self.dataChanged.emit(self.index(0, 0), self.index(len(numbers) - 1, ADDS))

    def number_at(self, row: int) -> int:
        """Return the trial of a row."""
        return self._numbers[row]

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return how many trials are in the list."""
        return 0 if parent.isValid() else len(self._numbers)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Name the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADINGS[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(TIPS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and section != WHO:
            return int(_NUMBER)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let members be ticked, and their weights be changed where that has a meaning."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() == WHO:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        if index.column() == WEIGHT and self._facts.weighable and self._is_ticked(index.row()):
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def _is_ticked(self, row: int) -> bool:
        return self._model.seats[row].ticked

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, tick, colour or alignment."""
        if not index.isValid() or index.row() >= len(self._model.seats):
            return None
        seat, column = self._model.seats[index.row()], index.column()
        found: Any = None
        if role == Qt.ItemDataRole.DisplayRole:
            found = self._text(seat.number, column)
        elif role == Qt.ItemDataRole.CheckStateRole and column == WHO:
            found = Qt.CheckState.Checked if seat.ticked else Qt.CheckState.Unchecked
        elif role == Qt.ItemDataRole.EditRole and column == WEIGHT:
            found = round(100 * self._model.share(seat.number, self._facts.iteration), 1)
        elif role == Qt.ItemDataRole.DecorationRole and column == WHO:
            found = self._facts.colours.get(self._facts.series.branch(seat.number))
        elif role == Qt.ItemDataRole.TextAlignmentRole and column != WHO:
            found = int(_NUMBER)
        elif role == Qt.ItemDataRole.ToolTipRole:
            found = self._text(seat.number, WHO)
        return found

    def _is_late(self, number: int) -> bool:
        return number > self._facts.iteration

    def _text(self, number: int, column: int) -> str:
        facts = self._facts
        measure = facts.series.measure
        if column == WHO:
            name = facts.series.name(number)
            return tr("{trial}, not finished yet", trial=name) if self._is_late(number) else name
        if column == WEIGHT:
            share = self._model.share(number, facts.iteration)
            return percent(share) if share else "—"
        if column == OWN:
            trial = facts.series.trial(number)
            return measure.text(None if trial is None else trial.loss)
        known = facts.own_test if column == OWN_TEST else facts.adds
        value = known.get(number)
        if column == OWN_TEST or value is None or math.isnan(value):
            return measure.text(value)
        return signed(value, measure.unit)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Tick a trial, or give it a share (in per cent)."""
        number = self._model.seats[index.row()].number
        if role == Qt.ItemDataRole.CheckStateRole:
            self._model.tick(number, Qt.CheckState(value) == Qt.CheckState.Checked)
        elif role == Qt.ItemDataRole.EditRole and index.column() == WEIGHT:
            self._model.weigh(number, float(value) / 100.0)
        else:
            return False
        self._changed()
        return True


def signed(change: float, unit: str) -> str:
    """Write a difference of losses with its sign: "+0.28" (points, of shares), "−0.0123"."""
    size = number(abs(change) * 100, ".2f") if unit == "%" else number(abs(change), ".3g")
    return f"{'+' if change > 0 else '−' if change < 0 else '±'}{size}"
