"""The slides of a run's story: a title, something to look at, and a caption."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from studio.gui.base import theme
from studio.gui.base.inks import colour
from studio.gui.base.theme import GRID
from studio.gui.pages.live.member_strip import WeightBar
from studio.gui.pages.live.members import Share, named_shares
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.painting.legend import Legend, LegendEntry
from studio.gui.plots.quality.headline import HeadlinePlot
from studio.gui.shell.story.facts import Number
from studio.gui.widgets import kit

_FIGURE = 64
"""Size of the numbers of a slide, in device-independent pixels at a scale of 1."""

_BAR = 80
"""Height of the bar of members, in the same."""


class Slide(QWidget):
    """One slide.

    Args:
        title, caption: Above and below what is looked at.
        inside: That.
    """

    def __init__(self, title: str, inside: QWidget, caption: str) -> None:
        super().__init__()
        self.title = kit.label(title, "display", wrap=True)
        self.caption = kit.label(caption, wrap=True)
        theme.give_font(self.caption, theme.TITLE)
        kit.column(self.title, (inside, 1), self.caption, on=self, spacing=3 * GRID)


def numbers(shown: Sequence[Number]) -> QWidget:
    """Return large numbers side by side, each with what it counts."""
    inside = QWidget()
    columns = []
    for each in shown:
        value = kit.label(each.value)
        theme.give_font(value, _FIGURE, bold=True)
        words = kit.label(each.words, "muted", wrap=True)
        theme.give_font(words, theme.TITLE)
        columns.append((kit.column(None, value, words, None, spacing=GRID), 1))
    kit.row(*columns, on=inside, spacing=6 * GRID)
    return inside


def headline(helper: Helper, subject: Subject) -> QWidget:
    """Return the large plot of the run, without its head."""
    plot = HeadlinePlot(helper)
    plot.header.hide()
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.redraw_wanted.connect(plot.again, Qt.ConnectionType.QueuedConnection)
    plot.follow(subject)
    return plot


def members(shares: tuple[Share, ...]) -> QWidget:
    """Return the bar of the members' weights, with their names."""
    inside, bar, legend = QWidget(), WeightBar(), Legend(theme.TITLE)
    bar.setFixedHeight(theme.pixels(_BAR))
    bar.show_shares(shares)
    entries = named_shares(shares)
    legend.show_entries([LegendEntry(words, "square", colour(ink)) for words, ink in entries])
    kit.column(None, bar, legend, None, on=inside, spacing=3 * GRID)
    return inside


def sentences(shown: Sequence[str]) -> QWidget:
    """Return sentences under one another, in large type."""
    inside = QWidget()
    lines: list[QLabel] = []
    for each in shown:
        line = kit.label(each, wrap=True)
        theme.give_font(line, theme.TITLE)
        lines.append(line)
    kit.column(None, *lines, None, on=inside, spacing=3 * GRID)
    return inside
