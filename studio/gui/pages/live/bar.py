"""The quiet bar above the docks: all plots, and named arrangements of them."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.pages.live.arrangements import Arrangement
from studio.gui.pages.live.plots_panel import PlotsPanel
from studio.gui.plots.base.plot import Plot
from studio.gui.widgets import kit


class LiveBar(QWidget):
    """The button "Plots ▾" and one chip for each arrangement.

    Parameters
    ----------
    plots : sequence of Plot classes
        What there is.
    arrangements : sequence of Arrangement
        What to offer, in order.
    """

    arrangement_chosen = Signal(str)
    plot_toggled = Signal(str, bool)
    all_wanted = Signal()
    """One plot has the page to itself; all are to have their places back."""

    def __init__(self, plots: Sequence[type[Plot]], arrangements: Sequence[Arrangement]) -> None:
        super().__init__()
        self._plots = tuple(plots)
        self._open: tuple[str, ...] = ()
        self.plots_button = kit.button(
            tr("&Plots ▾"),
            self.open_panel,
            tip=tr("All plots by the question they answer: open or close them"),
            name=tr("All plots"),
        )
        self.chips = {each.key: self._chip(each) for each in arrangements}
        self.back_button = kit.button(
            tr("Show all plots again"),
            self.all_wanted.emit,
            kind="quiet",
            tip=tr("Show the other plots again (Esc)"),
        )
        self.back_button.hide()
        kit.row(
            self.plots_button,
            GRID,
            *self.chips.values(),
            None,
            self.back_button,
            on=self,
            margin=(2 * GRID, GRID, 2 * GRID, 0),
        )

    def _chip(self, arrangement: Arrangement) -> QPushButton:
        return kit.chip(
            tr(arrangement.title),
            lambda: self.arrangement_chosen.emit(arrangement.key),
            tip=tr("Arrange the page: {what}", what=tr(arrangement.summary)),
        )

    def open_panel(self) -> PlotsPanel:
        """Open the panel with all plots below the button."""
        panel = PlotsPanel(self._plots, self._open, self)
        panel.toggled.connect(self.plot_toggled)
        panel.show_below(self.plots_button)
        return panel

    def show_state(self, open_keys: Collection[str], chosen: str, enlarged: str) -> None:
        """Show which plots are open, which arrangement that is, and whether one is enlarged."""
        self._open = tuple(open_keys)
        for key, chip in self.chips.items():
            chip.setChecked(key == chosen and not enlarged)
        self.back_button.setVisible(bool(enlarged))
