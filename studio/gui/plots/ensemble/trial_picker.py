"""Choosing finished trials from a list that can be searched."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QWidget,
)

from studio.gui.base.theme import GRID
from studio.gui.plots.ensemble.by_hand_model import Offer
from studio.gui.widgets import kit
from studio.gui.widgets.record_table import RecordTable
from studio.gui.widgets.records import ColumnSpec
from studio.language import ntr, tr
from studio.measure import Measure


class TrialPicker(QDialog):
    """A small window over the plot: a field to search in, the trials, and Add.

    Args:
        offers: What can be added, the best first.
        measure: How losses are written.
    """

    picked = Signal(list)
    """Trial numbers, in the order of the list."""

    def __init__(self, offers: Sequence[Offer], measure: Measure, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Add trials to the what-if ensemble"))
        self._offers = tuple(offers)
        self.search = kit.search(
            tr("Search: number, algorithm, hyperparameter"),
            lambda _: self._sift(),
            name=tr("Search the finished trials"),
            tip=tr("Shows the trials that have all of these words"),
        )
        self.list = self._table(measure)
        self._count = kit.label("", "small")
        self._add = kit.button(
            tr("&Add"), self._accept, kind="primary", tip=tr("Add the selected trials (Enter)")
        )
        cancel = kit.button(tr("&Cancel"), self.reject, tip=tr("Close without adding (Esc)"))
        self._add.setDefault(True)
        kit.column(
            self.search,
            (self.list, 1),
            kit.row(self._count, None, cancel, self._add),
            on=self,
            margin=2 * GRID,
        )
        self.resize(70 * GRID, 50 * GRID)
        self._sift()
        self.search.setFocus()

    def _table(self, measure: Measure) -> RecordTable[Offer]:
        text = measure.column(np.array([each.loss for each in self._offers]))

        def about(offer: Offer) -> str:
            return offer.settings

        made: RecordTable[Offer] = RecordTable(
            (
                ColumnSpec(tr("trial"), lambda offer: offer.name, tip=about),
                ColumnSpec(tr("own error"), lambda offer: text(offer.loss), tip=about),
                ColumnSpec(tr("settings"), about),
            ),
            tr("Finished trials, the best first"),
        )
        made.setToolTip(tr("Choose one or more (Ctrl or Shift); double-click to add at once"))
        made.setSelectionMode(RecordTable.SelectionMode.ExtendedSelection)
        made.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        made.horizontalHeader().setStretchLastSection(True)
        made.selectionModel().selectionChanged.connect(lambda *_: self._chosen_changed())
        made.doubleClicked.connect(lambda _: self._accept())
        return made

    @property
    def shown(self) -> list[int]:
        """The trials that the search leaves, in their order."""
        return [offer.number for offer in self.list.records.records]

    @property
    def chosen(self) -> list[int]:
        """The trials chosen among those shown."""
        return [offer.number for offer in self.list.picked]

    def _sift(self) -> None:
        text = self.search.text()
        self.list.records.show([offer for offer in self._offers if offer.matches(text)])
        self.list.selectRow(0)
        self._chosen_changed()

    def _chosen_changed(self) -> None:
        shown, chosen = len(self.shown), len(self.chosen)
        self._count.setText(
            ntr("{count} trial", "{count} trials", shown)
            if shown
            else tr("No finished trial has all of these words.")
        )
        self._add.setEnabled(chosen > 0)
        self._add.setText(tr("&Add") if chosen < 2 else tr("&Add {count}", count=chosen))

    def _accept(self) -> None:
        if self.chosen:
            self.picked.emit(self.chosen)
            self.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from the field down into the list."""
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.list.setFocus()
        else:
            super().keyPressEvent(event)
