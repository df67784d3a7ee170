"""Rows with a box to tick each: a model of them, and a view that is used from the keyboard, too."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView

from studio.gui.base import theme
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import CellChange, ColumnSpec, RecordModel

_ROW = 30

ALL = 10_000
"""As many rows as there are, which no table of these scrolls through."""


@dataclass(frozen=True)
class TickRow:
    """What can be ticked.

    Attributes:
        key: Names it.
        texts: A text a column, in the user's language.
        tip: More about it, likewise.
        words: What a search looks through, in small letters.
        entry: What is said when it is ticked.
    """

    key: Hashable
    texts: tuple[str, ...]
    tip: str = ""
    words: str = ""
    entry: Any = None


class TickModel(RecordModel[TickRow]):
    """Rows with a tick each; those that the words find.

    Args:
        heads: Titles of the columns, in the user's language; the first one has the boxes.
    """

    ticked = Signal(object, bool)
    """The entry of a row is wanted, or not any more; the draft decides."""

    def __init__(self, heads: Sequence[str]) -> None:
        super().__init__([self._column(place, head) for place, head in enumerate(heads)])
        self._offered: list[TickRow] = []
        self._words: list[str] = []
        self._chosen: frozenset[Hashable] = frozenset()

    def _column(self, place: int, head: str) -> ColumnSpec[TickRow]:
        tick: CellChange[TickRow] = CellChange(
            lambda row: row.key in self._chosen,
            lambda row, wanted: self.ticked.emit(row.entry, wanted),
        )
        return ColumnSpec(
            head,
            lambda row: row.texts[place],
            tip=lambda row: row.tip,
            colour=lambda _: theme.colour(theme.current().muted) if place else None,
            tick=None if place else tick,
        )

    def offer(self, rows: Sequence[TickRow]) -> None:
        """Offer these rows."""
        self._offered = list(rows)
        self._sift()

    def choose(self, keys: Sequence[Hashable]) -> None:
        """Tick the rows of these keys and no others."""
        self._chosen = frozenset(keys)
        self.renew()

    def find(self, text: str) -> None:
        """Show only what holds all of these words."""
        self._words = text.lower().split()
        self._sift()

    def _sift(self) -> None:
        self.show([row for row in self._offered if all(word in row.words for word in self._words)])


class TickTable(PlainTable):
    """A view of such rows.

    Args:
        ticks: The rows; the last column takes the room that is left.
        widths: Of the columns before it, in pixels.
        most: Rows up to which it is as tall as it has rows.
    """

    def __init__(self, ticks: TickModel, widths: Sequence[int], most: int = ALL) -> None:
        super().__init__(_ROW)
        self.setModel(ticks)
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(len(widths), QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        self.fit()
        self.show_rows(most)
        ticks.modelReset.connect(lambda: self.show_rows(most))
