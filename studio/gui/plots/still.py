"""A figure by itself, with its legend, for pages that show one beside their words."""

from PySide6.QtWidgets import QWidget

from studio.figures.figure import Figure
from studio.gui.base import theme
from studio.gui.plots.painting.canvas import dress_canvas, make_canvas
from studio.gui.plots.painting.legend import Legend
from studio.gui.plots.painting.painter import Painter, entries
from studio.gui.widgets import kit


class StillFigure(QWidget):
    """Paints one figure; it is looked at only.

    Parameters
    ----------
    height : int
        Of the drawing, in pixels at a scale of 1.
    """

    def __init__(self, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height
        self.legend = Legend()
        self._canvas = make_canvas()
        self._painter = Painter(self._canvas)
        kit.column(self.legend, self._canvas, on=self, spacing=None)

    def show_figure(self, figure: Figure, title: str) -> None:
        """Show another figure; screen readers say its title."""
        self._canvas.setAccessibleName(title)
        self._canvas.setFixedHeight(theme.pixels(self._height))
        self._painter.paint(figure)
        dress_canvas(self._canvas)
        self.legend.dress()
        self.legend.show_entries(entries(figure.marks))
