"""The first predictions: each row's own columns at the left, what was predicted always beside."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from studio.gui.base.language import percent, tr
from studio.gui.widgets import kit
from studio.gui.widgets.record_table import RecordTable
from studio.gui.widgets.records import ColumnSpec

Texts = RecordTable[tuple[str, ...]]

_LONGEST_NUMBER = 8
"""Letters of a prediction that is shown as it is."""

_PROBABILITY = "probability "
"""How the heading of a class begins, in the file."""

_WIDEST = 240
"""Widest column; a longer name is cut and complete in its tooltip."""

_SHARE = 0.6
"""Most of the width that the predictions take beside the rows' own columns."""


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a table with their predictions, as ``studio predict --json`` gives them.

    Attributes
    ----------
    heads : tuple of str
        "prediction", and "probability …" for each class, or the ends of an interval.
    predictions : tuple of tuples of str
        As many cells in each row.
    names : tuple of str
        The table's own columns; of very wide tables the first ones.
    cells : tuple of tuples of str
        What is in them.
    """

    heads: tuple[str, ...] = ()
    predictions: tuple[tuple[str, ...], ...] = ()
    names: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Self:
        """Read the answer of the command."""
        head, *lines = (tuple(map(str, line)) for line in answer["preview"])
        name, *own = (tuple(map(str, line)) for line in answer.get("rows_preview") or [()])
        return cls(head, tuple(lines), name, tuple(own))


class PredictionsTable(QWidget):
    """Two tables that scroll up and down together: :attr:`own` columns, and the predictions."""

    def __init__(self) -> None:
        super().__init__()
        self._line = kit.row(on=self, spacing=0)
        self.own: Texts | None = None
        self.table: Texts | None = None

    def show_rows(self, rows: FirstRows) -> None:
        """Show other rows; none empties the tables."""
        kit.clear(self._line)
        self.own = self.table = None
        if not rows.predictions:
            return
        self.table = _predictions(rows)
        self.own = _own(rows)
        for each in (self.own, self.table):
            each.setHorizontalScrollMode(RecordTable.ScrollMode.ScrollPerPixel)
            # The bar of one alone would shift the rows of the other.
            each.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
            header = each.horizontalHeader()
            header.setMaximumSectionSize(_WIDEST)
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.own.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        _together(self.own, self.table)
        self._line.addWidget(self.own, 1)
        self._line.addWidget(kit.hairline(vertical=True))
        self._line.addWidget(self.table)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width again."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the predictions what they need, but the rows' own columns their share."""
        if self.table is None or self.own is None:
            return
        bar = self.table.verticalScrollBar().sizeHint().width() + 2
        wanted = self.table.horizontalHeader().length() + bar
        if self.own.records.columnCount() == 1:  # the numbers alone need no more than they have
            wanted = self.width() - self.own.horizontalHeader().length() - bar
        self.table.setFixedWidth(max(1, min(wanted, self._most())))

    def _most(self) -> int:
        assert self.own is not None
        rest = self.width() - self.own.horizontalHeader().length()
        return max(rest, int(_SHARE * self.width()))


def _predictions(rows: FirstRows) -> Texts:
    table = RecordTable(
        [
            _texts(place, title, _tip(rows.heads[place]), right=place > 0)
            for place, title in enumerate(preview_heads(rows.heads))
        ],
        tr("First predictions"),
    )
    shown = [tuple(preview_cells(rows.heads, line)) for line in rows.predictions]
    table.records.show(shown)
    return table


def _tip(head: str) -> str:
    if head.startswith(_PROBABILITY):
        return tr(
            "The probability of this class, averaged over the members. Where members vote, the "
            "class with the most votes need not be the most probable one."
        )
    if head.startswith(("lower ", "upper ")):
        return tr("The end of the interval that holds the true value with this probability")
    return tr("What the ensemble predicts")


def _own(rows: FirstRows) -> Texts:
    """Return the table of the rows' numbers and own columns."""
    number = _texts(0, tr("Row"), tr("The row of the table, from 1"), right=True)
    columns = [
        _texts(place, name, name, right=all(map(_is_number, cells)))
        for place, (name, cells) in enumerate(
            zip(rows.names, zip(*rows.cells, strict=True), strict=True), start=1
        )
    ]
    name = tr("The rows' own columns") if rows.names else tr("Numbers of the rows")
    table = RecordTable([number, *columns], name)
    own = rows.cells if rows.names else ((),) * len(rows.predictions)
    table.records.show([(str(row), *cells) for row, cells in enumerate(own, start=1)])
    return table


def _texts(place: int, title: str, tip: str, *, right: bool) -> ColumnSpec[tuple[str, ...]]:
    """Return the column of the texts at a place of their records."""
    return ColumnSpec(
        title, lambda row: row[place] if row[place].strip() else "–", tip, right=right
    )


def _is_number(text: str) -> bool:
    return not text.strip() or text.strip().lstrip("+-").replace(".", "").replace(",", "").isdigit()


def _together(left: Texts, right: Texts) -> None:
    """Let two tables of the same rows scroll up and down and choose a row together."""
    for one, other in ((left, right), (right, left)):
        one.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)
        one.selectionModel().currentRowChanged.connect(partial(_follow, other))


def _follow(other: Texts, current: QModelIndex, _before: QModelIndex) -> None:
    if other.currentIndex().row() != current.row():
        column = max(0, other.currentIndex().column())
        flags = QItemSelectionModel.SelectionFlag
        other.selectionModel().setCurrentIndex(
            other.records.index(current.row(), column), flags.ClearAndSelect | flags.Rows
        )


def preview_heads(heads: tuple[str, ...]) -> list[str]:
    """Return the heading of the preview: "prediction", and what is beside it."""
    return [tr("Prediction"), *(_title(name) for name in heads[1:])]


def _title(head: str) -> str:
    if head.startswith(_PROBABILITY):
        return head.removeprefix(_PROBABILITY)
    side, share = head.split(" ", 1)
    return tr("Lower {share}", share=share) if side == "lower" else tr("Upper {share}", share=share)


def preview_cells(heads: tuple[str, ...], line: tuple[str, ...]) -> list[str]:
    """Return a line of the preview: predictions and ends of intervals, and shares as percent."""
    return [
        percent(float(text)) if head.startswith(_PROBABILITY) else _short(text)
        for head, text in zip(heads, line, strict=True)
    ]


def _short(prediction: str) -> str:
    """Return a predicted number with six digits; classes and short numbers stay as they are."""
    if len(prediction) <= _LONGEST_NUMBER or "." not in prediction:
        return prediction
    try:
        return f"{float(prediction):.6g}"
    except ValueError:
        return prediction
