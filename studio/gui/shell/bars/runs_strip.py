"""The strip at the bottom: a chip for each run of the document."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from studio.figures.colours import overlay_ink
from studio.gui.base import theme
from studio.gui.base.inks import colour
from studio.gui.base.theme import GRID
from studio.gui.session.run_view import RunView
from studio.gui.shell.bars.run_chip import RunChip, chip_size
from studio.gui.widgets import kit


class RunsStrip(QFrame):
    """Chips of all runs, newest at the left."""

    run_chosen = Signal(int)
    overlay_wanted = Signal(int, bool)
    """Lay the run of this id over the chosen one in the plots, or take it away."""

    rename_wanted = Signal(int)
    remove_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._chips: dict[int, RunChip] = {}
        self._chosen: int | None = None
        inside = QWidget()
        self._row = kit.row(None, on=inside)
        self._area = area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        kit.row(area, on=self, spacing=None)
        theme.notifier().changed.connect(self._fit)
        self._fit(None)

    def show_runs(
        self,
        views: Sequence[RunView],
        chosen: int | None,
        units: Mapping[int, str],
        overlaid: Sequence[int] = (),
        metrics: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Show these runs.

        Args:
            views: The runs, oldest first.
            chosen: The one that is looked at.
            units: Of losses, by run id.
            overlaid: Runs overlaid on the chosen one, in the order of their colours.
            metrics: What losses measure, by run id; empty where all measure the same.
        """
        wanted = {view.row.id for view in views}
        for gone in set(self._chips) - wanted:
            chip = self._chips.pop(gone)
            self._row.removeWidget(chip)
            chip.deleteLater()
        colours = {each: colour(overlay_ink(place)) for place, each in enumerate(overlaid)}
        for view in views:
            number = view.row.id
            if number not in self._chips:
                chip = RunChip(number)
                chip.clicked.connect(lambda _=False, n=number: self.run_chosen.emit(n))
                chip.overlay_wanted.connect(self.overlay_wanted)
                chip.rename_wanted.connect(self.rename_wanted)
                chip.remove_wanted.connect(self.remove_wanted)
                self._chips[number] = chip
                self._row.insertWidget(0, chip)
            self._chips[number].setChecked(number == chosen)
            self._chips[number].show_run(
                view, units.get(number, ""), colours.get(number), metrics.get(number, "")
            )
        self._share_room()
        if chosen != self._chosen:
            self._chosen = chosen
            # A new chip gets its place only when the row is laid out, which is not yet.
            QTimer.singleShot(0, self, self._bring_into_sight)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the chosen run in sight where there is less room."""
        super().resizeEvent(event)
        self._share_room()
        QTimer.singleShot(0, self, self._bring_into_sight)

    def _share_room(self) -> None:
        """Make all chips as wide as the longest name needs, as far as there is room for all."""
        chips = self._chips.values()
        if chips:
            room = self._area.viewport().width() - self._row.spacing() * len(chips)
            wanted = max(chip.wanted_width() for chip in chips)
            for chip in chips:
                chip.widen(min(wanted, room // len(chips)))

    def _bring_into_sight(self) -> None:
        chip = None if self._chosen is None else self._chips.get(self._chosen)
        if chip is not None:
            self._area.ensureWidgetVisible(chip, GRID, 0)

    def _fit(self, _: Any) -> None:
        self._area.setFixedHeight(chip_size().height() + 2)
        for chip in self._chips.values():
            chip.updateGeometry()
        self._share_room()
        QTimer.singleShot(0, self, self._bring_into_sight)
