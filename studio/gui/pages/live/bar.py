"""The line above the plots: what happens now, and the choice between few plots and all."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QWidget

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.pages.live.plots_panel import PlotsPanel
from studio.gui.plots.base.plot import Plot
from studio.gui.widgets import kit
from studio.language import tr


class LiveBar(QWidget):
    """The sentence of now, what leads on from it, and at the right "Simple" and "Expert".

    Args:
        plots: What there is.
    """

    plot_toggled = Signal(str, bool)
    all_wanted = Signal()
    """One plot has the page to itself; all are to have their places back."""

    result_wanted = Signal()
    expert_wanted = Signal(bool)
    beside_wanted = Signal(bool)

    def __init__(self, plots: Sequence[type[Plot]]) -> None:
        super().__init__()
        self._plots = tuple(plots)
        self._open: tuple[str, ...] = ()
        self.now = kit.ElidedLabel("", "title")
        self.result_button = kit.button(
            tr("See the result"), self.result_wanted.emit, tip=tr("Show the Results page")
        )
        self.plots_button = kit.button(
            tr("&Plots ▾"),
            self.open_panel,
            tip=tr("Open or close plots, grouped by the question they answer"),
            name=tr("All plots"),
        )
        self.back_button = kit.button(
            tr("Show all plots again"),
            self.all_wanted.emit,
            kind="quiet",
            tip=tr("Show the other plots again (Esc)"),
        )
        self.beside = kit.chip(
            tr("Side by side"),
            lambda: self.beside_wanted.emit(self.beside.isChecked()),
            tip=tr("The selected run and the overlaid run, in separate plots"),
        )
        views = QButtonGroup(self)
        self.simple = kit.chip(
            tr("Simple"),
            lambda: self.expert_wanted.emit(False),
            tip=tr("One large plot, and the members of the ensemble"),
            group=views,
        )
        self.expert = kit.chip(
            tr("Expert"),
            lambda: self.expert_wanted.emit(True),
            tip=tr("All plots, as many side by side as there is room for"),
            group=views,
        )
        kit.row(
            (self.now, 1),
            self.result_button,
            self.back_button,
            self.plots_button,
            self.beside,
            GRID,
            self.simple,
            self.expert,
            on=self,
            margin=(3 * GRID, GRID, 2 * GRID, GRID // 2),
        )
        policy = self.result_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing moves when the run ends
        self.result_button.setSizePolicy(policy)
        self.result_button.hide()
        self.beside.hide()
        self.show_view(expert=False)
        self.show_open((), "")

    def open_panel(self) -> PlotsPanel:
        """Open the panel with all plots below the button."""
        panel = PlotsPanel(self._plots, self._open, self)
        panel.toggled.connect(self.plot_toggled)
        panel.show_below(self.plots_button)
        return panel

    def show_now(self, words: str, *, ended: bool) -> None:
        """Say what happens now; a run that has ended leads on to its result."""
        if words != self.now.text():
            self.now.setText(words)
            self.now.setAccessibleName(words)
        self.result_button.setVisible(ended)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write the sentence as large as it has room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        large = QFontMetrics(theme.font(theme.TITLE, bold=True))
        fits = large.horizontalAdvance(self.now.text()) <= self.now.width()
        kit.set_role(self.now, "title" if fits else "section")

    def show_view(self, *, expert: bool) -> None:
        """Show which of the two views is there."""
        (self.expert if expert else self.simple).setChecked(True)
        self.plots_button.setVisible(expert)

    def show_beside(self, *, possible: bool) -> None:
        """Offer two runs side by side, where there are two."""
        self.beside.setVisible(possible)

    def show_open(self, open_keys: Collection[str], enlarged: str) -> None:
        """Show which plots are open, and whether one is enlarged."""
        self._open = tuple(open_keys)
        self.back_button.setVisible(bool(enlarged))
