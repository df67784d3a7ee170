"""Sentence above a plot of the surrogate that says what it shows, for newcomers."""

from PySide6.QtWidgets import QLabel, QVBoxLayout

from studio.gui.base import theme
from studio.gui.plots.base.frame import PlotFrame
from studio.gui.widgets import kit

_MIN_HEIGHT = 560
"""Height of a plot from which the sentence has a place, at a scale of 1.

Shorter plots stand in rows, where it would move the tops of their drawings apart.
"""


def add_lead_label(plot: PlotFrame) -> QLabel:
    """Add the label below the header, before anything else is read."""
    label = kit.label("", "muted", wrap=True)
    label.hide()
    layout = plot.layout()
    assert isinstance(layout, QVBoxLayout), "a plot is a column of its parts"
    layout.insertWidget(1, label)
    return label


def show_lead(plot: PlotFrame, label: QLabel, text: str) -> None:
    """Show the sentence if the plot is tall enough."""
    kit.show_text(label, text if plot.height() >= theme.pixels(_MIN_HEIGHT) else "")
