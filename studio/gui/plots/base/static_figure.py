"""A static figure with its legend, for pages that combine a figure with text."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, QTimer
from PySide6.QtWidgets import QWidget

from studio.figures.figure import Figure, Pointer
from studio.gui.base import theme
from studio.gui.plots.painting.canvas import apply_canvas_theme, apply_ranges, make_canvas
from studio.gui.plots.painting.hover import Hover
from studio.gui.plots.painting.legend import Legend
from studio.gui.plots.painting.painter import Painter, make_legend_entries
from studio.gui.widgets import kit

Words = Callable[[Pointer], str]


class StaticFigure(QWidget):
    """Shows one figure, with its description beneath and that of hovered items at the pointer.

    Args:
        height: Of the drawing, in pixels at a scale of 1; 0: the available height.
    """

    def __init__(self, height: int = 0) -> None:
        super().__init__()
        self._height = height
        self._figure: Figure | None = None
        self._describe: Words = lambda _: ""
        self.legend = Legend()
        self.canvas = make_canvas()
        self._painter = Painter(self.canvas)
        self._caption_label = kit.label("", "small", wrap=True)
        kit.column(
            self.legend, (self.canvas, 1), self._caption_label, parent=self, spacing=theme.GRID // 2
        )
        self._hover = Hover(self, self.canvas, self._describe_at, self._painter.find_panel)
        # Deferred, as a new style sheet also causes this event: new axes delete widgets (the menus
        # of pyqtgraph's axes), which would crash Qt (theme.apply).
        self._resize_timer = QTimer(self, interval=0, singleShot=True)
        self._resize_timer.timeout.connect(self._redraw)
        self.canvas.viewport().installEventFilter(self)
        self.canvas.scene().sigMouseMoved.connect(self._hover.describe_item_at)
        theme.get_notifier().changed.connect(self._redraw)

    def set_height(self, height: int) -> None:
        """Draw with another height: pixels at a scale of 1."""
        if height != self._height:
            self._height = height
            self._redraw()

    @property
    def description(self) -> str:
        """The description of the hovered item, or the text beneath the drawing."""
        return self._hover.text or self._caption_label.text()

    def show_figure(self, figure: Figure, title: str, describe: Words | None = None) -> None:
        """Show another figure; ``title`` is for screen readers, ``describe`` for hovered items."""
        self._figure, self._describe = figure, describe or (lambda _: "")
        self.canvas.setAccessibleName(title)
        self.canvas.setAccessibleDescription(figure.default_text)
        self._redraw()

    def show_empty_state(self, reason: str) -> None:
        """Show a message instead of a figure."""
        self._figure = None
        self._hover.hide()
        self.canvas.hide()
        self.legend.hide()
        kit.show_text(self._caption_label, reason)

    def _redraw(self, _: object = None) -> None:
        figure = self._figure
        if figure is None:
            return
        if self._height:
            self.canvas.setFixedHeight(theme.pixels(self._height))
        self.canvas.show()
        apply_canvas_theme(self.canvas)
        self._painter.paint(figure)
        apply_ranges(self.canvas)
        self._hover.apply_theme()
        self.legend.apply_theme()
        self.legend.show_entries(make_legend_entries(figure.marks))
        kit.show_text(self._caption_label, figure.default_text)

    def _describe_at(self, position: QPointF) -> str:
        pointer = None if self._figure is None else self._painter.map_to_figure(position)
        return "" if pointer is None else self._describe(pointer)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Clear the hover when the pointer leaves; redraw after a resize; ignore the wheel.

        The wheel scrolls the page; pyqtgraph's axes would otherwise consume it.
        """
        if event.type() == QEvent.Type.Leave:
            self._hover.hide()
        elif event.type() == QEvent.Type.Resize:
            self._resize_timer.start()
        elif event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)
