"""Hover on a drawing: a crosshair, and a label beside the pointer."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from studio.gui.base import theme

SEPARATOR = "  ·  "
"""Separator of facts in a sentence; the label shows one fact per line."""

_POINTER_GAP = 14
"""Distance of the label from the pointer in pixels."""

_MAX_WIDTH = 340
"""Maximum width of the label, beyond which lines wrap."""


def compute_label_position(point: QPoint, size: QSize, view: QRect) -> QPoint:
    """Return the upper left corner of a label, within a view and away from a point.

    The label is at the upper right, else on the first side where it fits, else in the corner
    farthest from the point.
    """
    left, top = view.left(), view.top()
    right = max(left, view.right() + 1 - size.width())
    low = max(top, view.bottom() + 1 - size.height())
    x_options = (point.x() + _POINTER_GAP, point.x() - _POINTER_GAP - size.width())
    y_options = (point.y() - _POINTER_GAP - size.height(), point.y() + _POINTER_GAP)
    corners = [QPoint(x, y) for x in x_options for y in y_options]
    # A box beside the pointer may shift vertically; one above or below it, horizontally.
    corners += [QPoint(x, min(max(y_options[0], top), low)) for x in x_options]
    corners += [QPoint(min(max(x_options[0], left), right), y) for y in y_options]
    for corner in corners:
        if view.contains(QRect(corner, size)):
            return corner
    middle = view.center()
    return QPoint(left if point.x() > middle.x() else right, top if point.y() > middle.y() else low)


class Hover:
    """A crosshair over a canvas and a label over the plot around it.

    Both are separate widgets above the drawing, so only the areas they uncover are repainted.

    Args:
        describe_at: Describes the item at a position of the scene, one line per fact; empty if
            there is none.
    """

    def __init__(
        self,
        plot: QWidget,
        canvas: Any,
        describe_at: Callable[[QPointF], str],
        find_panel: Callable[[QPointF], QRectF | None],
    ) -> None:
        self._plot, self._canvas = plot, canvas
        self._describe_at, self._find_panel = describe_at, find_panel
        self._position: QPointF | None = None
        self.text = ""
        self.lines = (QWidget(canvas.viewport()), QWidget(canvas.viewport()))
        self.label = QLabel(plot)
        self.label.setProperty("role", "hover")
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        for part in (*self.lines, self.label):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._set_visible(False)
        for line in self.lines:
            line.setAutoFillBackground(True)
        self.apply_theme()

    def describe_item_at(self, position: QPointF) -> None:
        """Describe the item at a position of the scene."""
        self._position, self.text = position, self._describe_at(position)
        if not self.text:
            self._set_visible(False)
            return
        panel = self._find_panel(position)
        view_point = self._canvas.mapFromScene(position)
        for line in self.lines:
            line.setVisible(panel is not None)
        if panel is not None:
            area = self._canvas.mapFromScene(panel).boundingRect()
            vertical_line, level = self.lines
            vertical_line.setGeometry(view_point.x(), area.top(), 1, area.height())
            level.setGeometry(area.left(), view_point.y(), area.width(), 1)
        self._update_label(self._canvas.viewport().mapTo(self._plot, view_point))

    def update_description(self) -> None:
        """Update the description under the pointer after a redraw; hide it if the pointer left.

        A window that opens under the pointer takes it without notice to the canvas.
        """
        if not self._canvas.viewport().underMouse():
            self.hide()
        elif self._position is not None:
            self.describe_item_at(self._position)

    def hide(self) -> None:
        """Clear the hover."""
        self._position, self.text = None, ""
        self._set_visible(False)

    def apply_theme(self) -> None:
        """Apply the current theme's colours."""
        colours = QPalette()
        colours.setColor(QPalette.ColorRole.Window, theme.colour(theme.current().muted))
        for line in self.lines:
            line.setPalette(colours)

    def _set_visible(self, visible: bool) -> None:
        for part in (*self.lines, self.label):
            part.setVisible(visible)

    def _update_label(self, point: QPoint) -> None:
        label, view = self.label, self._plot.rect()
        label.setText(self.text.replace(SEPARATOR, "\n"))
        label.setWordWrap(False)
        widest = min(theme.pixels(_MAX_WIDTH), view.width())
        if label.sizeHint().width() > widest:
            label.setWordWrap(True)
            label.resize(widest, label.heightForWidth(widest))
        else:
            label.resize(label.sizeHint())  # a fixed size would be a lower bound of later hints
        label.move(compute_label_position(point, label.size(), view))
        label.show()
        label.raise_()
