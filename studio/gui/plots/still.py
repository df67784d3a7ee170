"""A figure by itself, with its legend, for pages that show one beside their words."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtWidgets import QWidget

from studio.figures.figure import Figure, Pointer
from studio.gui.base import theme
from studio.gui.plots.painting.canvas import dress_canvas, make_canvas, settle
from studio.gui.plots.painting.legend import Legend
from studio.gui.plots.painting.painter import Painter, entries
from studio.gui.widgets import kit

Words = Callable[[Pointer], str]


class StillFigure(QWidget):
    """Paints one figure, and says below it what is pointed at, else what the figure says.

    Parameters
    ----------
    height : int
        Of the drawing, in pixels at a scale of 1.
    """

    def __init__(self, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height
        self._figure: Figure | None = None
        self._words: Words = lambda _: ""
        self.legend = Legend()
        self.canvas = make_canvas()
        self.canvas.viewport().installEventFilter(self)
        self.canvas.scene().sigMouseMoved.connect(self._point)
        self._painter = Painter(self.canvas)
        self._told = kit.label("", "small", wrap=True)
        kit.column(self.legend, self.canvas, self._told, on=self, spacing=theme.GRID // 2)
        theme.notifier().changed.connect(self._paint)

    @property
    def told(self) -> str:
        """What is said beneath the drawing."""
        return self._told.text()

    def show_figure(self, figure: Figure, title: str, words: Words | None = None) -> None:
        """Show another figure; screen readers say its title, and ``words`` what is pointed at."""
        self._figure, self._words = figure, words or (lambda _: "")
        self.canvas.setAccessibleName(title)
        self._paint()

    def show_nothing(self, why: str) -> None:
        """Say why there is no figure."""
        self._figure = None
        self.canvas.hide()
        self.legend.hide()
        kit.tell(self._told, why)

    def _paint(self, _: object = None) -> None:
        figure = self._figure
        if figure is None:
            return
        self.canvas.setFixedHeight(theme.pixels(self._height))
        self.canvas.show()
        dress_canvas(self.canvas)
        self._painter.paint(figure)
        settle(self.canvas)
        self.legend.dress()
        self.legend.show_entries(entries(figure.marks))
        kit.tell(self._told, figure.rest)

    def _point(self, where: QPointF) -> None:
        at = self._painter.pointer(where)
        if at is not None and self._figure is not None:
            kit.tell(self._told, self._words(at) or self._figure.rest)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Say what the whole shows when the pointer leaves; draw for another size."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Resize):
            self._paint()
        return super().eventFilter(watched, event)
