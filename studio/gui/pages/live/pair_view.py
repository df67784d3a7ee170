"""The same plot of two runs, side by side."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy

from studio.gui.base.theme import GRID
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.helper_requests import Helper, Ticket
from studio.gui.plots.base.plot import Alignment, Plot
from studio.gui.plots.base.subjects import Subject
from studio.gui.widgets import kit
from studio.helper.answers import Encoded
from studio.language import tr

PAIR = "pair"
"""Key under which the pair is redrawn, as a plot is under its own."""


@dataclass(frozen=True)
class PairChannelHelper:
    """A helper client with separate channels for one of two plots that run the same tasks."""

    helper: Helper
    name: str

    def request(
        self,
        task: str,
        arguments: dict[str, Any],
        done: Callable[[Encoded], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> Ticket:
        """Request a task."""
        own_channel = None if channel is None else f"{self.name}:{channel}"
        return self.helper.request(task, arguments, done, failed, own_channel)


class PairView(QFrame):
    """A plot of the selected run beside the same plot of the run overlaid on it.

    Args:
        titles: The plots' names by key.
        make: Returns a new plot of a key for one of the two places.

    Attributes:
        plots: The plots made so far by key, the selected run's first.
    """

    key_chosen = Signal()
    """Another plot was chosen."""

    def __init__(self, titles: Mapping[str, str], make: Callable[[str, int], Plot]) -> None:
        super().__init__()
        self._make = make
        self.plots: dict[str, tuple[Plot, Plot]] = {}
        self._cards: dict[str, list[QFrame]] = {}
        self.chooser = Chooser(tr("Plot of both runs"), tr("The plot that is shown of both runs"))
        self.chooser.set_choices(list(titles.items()))
        self.chooser.chosen.connect(lambda _: self.key_chosen.emit())
        self._alignment = Alignment()
        self._row = QHBoxLayout()
        self._row.setSpacing(2 * GRID)
        margin = (3 * GRID, GRID // 2, 2 * GRID, GRID)
        kit.column(kit.row(self.chooser, None), (self._row, 1), on=self, margin=margin)

    @property
    def key(self) -> str:
        """The chosen plot."""
        return str(self.chooser.key)

    def follow(self, pair: tuple[Subject, Subject]) -> None:
        """Show both runs in the chosen plot, each with its run's name."""
        if self.key not in self.plots:
            new_plots = self._make(self.key, 0), self._make(self.key, 1)
            self.plots[self.key] = new_plots
            self._cards[self.key] = [kit.make_card(plot, margin=0) for plot in new_plots]
            for card in self._cards[self.key]:
                card.setSizePolicy(QSizePolicy.Policy.Ignored, card.sizePolicy().verticalPolicy())
                self._row.addWidget(card, 1)
        for key, plots in self.plots.items():
            for card, plot, subject in zip(self._cards[key], plots, pair, strict=True):
                card.setVisible(key == self.key)
                if key == self.key:
                    plot.header.name.setText(subject.name)
                    plot.delay_painting()
                    plot.follow(subject)
            if key == self.key:
                self._alignment.align(*plots)
