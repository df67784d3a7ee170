"""Diagrams in the theme's colours, at any size, on screen or as images."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.figures.shapes import Box, Diagram, Dot, Path, Shape, TextLabel
from studio.gui.base import theme
from studio.gui.base.saving import encode_png
from studio.gui.base.theme import Theme
from studio.gui.base.tooltips import make_plain_tip
from studio.language import translate, translate_figures

_SURROUNDING_HEIGHT = 440
"""Height of the window's other content, which limits the diagram's height."""

_MAX_SCALE_TALL = 1.25
"""Maximum scale of a diagram in a tall window, so that its type is no larger than headings."""

_MAX_SCALE = 2.0
"""Maximum scale of a diagram relative to its size on paper."""

_EXPORT_SCALE = 2.0
"""Scale of an exported picture."""

_DASH_PATTERN = [4.0, 3.0]


def paint(painter: QPainter, diagram: Diagram, look: Theme, *, translated: bool = False) -> None:
    """Draw a diagram, possibly translated, at its own size; the caller has scaled the painter."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    translate_text = str if translated else translate_figures
    for shape in diagram.shapes:
        _paint_shape(painter, shape, look, translate_text)


def _paint_shape(
    painter: QPainter, shape: Shape, look: Theme, translate_text: Callable[[str], str]
) -> None:
    colour = get_colour(shape.colour, look)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    match shape:
        case Path():
            pen = QPen(colour, shape.width)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap if shape.round_ends else Qt.PenCapStyle.FlatCap)
            if shape.dashed:
                pen.setDashPattern(_DASH_PATTERN)
            painter.setPen(pen)
            painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in shape.points]))
        case Box():
            colour.setAlphaF(shape.alpha)
            painter.setPen(Qt.PenStyle.NoPen if shape.filled else QPen(colour, 1.5))
            if shape.filled:
                painter.setBrush(colour)
            painter.drawRect(QRectF(shape.x, shape.y, shape.width, shape.height))
        case Dot():
            rim = QPen(theme.colour(look.surface), 2.0) if shape.has_outline else Qt.PenStyle.NoPen
            colour.setAlphaF(shape.alpha)
            painter.setPen(rim)
            painter.setBrush(colour)
            painter.drawEllipse(QPointF(shape.x, shape.y), shape.radius, shape.radius)
        case TextLabel():
            painter.setFont(theme.make_painter_font(shape.size, bold=shape.bold))
            painter.setPen(colour)
            measure = painter.fontMetrics().horizontalAdvance
            measure_width = QFontMetrics(theme.make_painter_font(shape.size)).horizontalAdvance
            text = shape.fit_text(
                lambda each: measure(translate_text(each)),
                lambda each: measure_width(translate_text(each)),
            )
            text = translate_text(text)
            width = measure(text)
            left = {"start": 0.0, "middle": width / 2, "end": float(width)}[shape.anchor]
            painter.drawText(QPointF(shape.x - left, shape.y), text)


def get_colour(word: str, look: Theme) -> QColor:
    """Return a theme's colour for a diagram's colour word."""
    if word.startswith("series "):
        return theme.colour(look.series[int(word.split()[1]) % len(look.series)])
    return theme.colour(str(getattr(look, word)))


def render_png(diagram: Diagram) -> bytes:
    """Render a diagram as PNG, in the light theme."""
    size = QSize(round(diagram.width * _EXPORT_SCALE), round(diagram.height * _EXPORT_SCALE))
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(theme.colour(theme.LIGHT.surface))
    painter = QPainter(image)
    painter.scale(_EXPORT_SCALE, _EXPORT_SCALE)
    paint(painter, diagram, theme.LIGHT)
    painter.end()
    return encode_png(image)


class DiagramView(QWidget):
    """A diagram, possibly translated, with its caption as tooltip.

    Attributes:
        fills: Whether it fills its widget, as in full screen; otherwise its width determines its
            height.
        max_stretch: Maximum width relative to that of the diagram at its scale; 1 for images.
    """

    def __init__(self, *, translated: bool = False) -> None:
        super().__init__()
        self._translated = translated
        self.diagram: Diagram | None = None
        self.fills, self.max_stretch = False, _MAX_SCALE
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumWidth(320)
        theme.get_notifier().changed.connect(self.update)

    def show_diagram(self, diagram: Diagram) -> None:
        """Show another diagram, or a changed one."""
        if diagram == self.diagram:
            return
        self.diagram = diagram
        self.setAccessibleName(translate(diagram.title))
        self.setAccessibleDescription(translate(diagram.caption))
        self.setToolTip(make_plain_tip(translate(diagram.caption)))
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return not self.fills

    def fill(self, enabled: bool) -> None:
        """Fill the widget's height, or use the height that fits the width."""
        self.fills = enabled
        policy = self.sizePolicy()
        policy.setHeightForWidth(not enabled)
        vertical_policy = QSizePolicy.Policy.Expanding if enabled else QSizePolicy.Policy.Preferred
        policy.setVerticalPolicy(vertical_policy)
        self.setSizePolicy(policy)
        self.updateGeometry()
        self.update()

    def heightForWidth(self, width: int) -> int:
        if self.diagram is None:
            return 0
        return round(self.diagram.height * self._compute_scale(width))

    def sizeHint(self) -> QSize:
        if self.diagram is None:
            return QSize(0, 0)
        width = round(self.diagram.width)
        return QSize(width, self.heightForWidth(width))

    def _compute_scale(self, width: int) -> float:
        assert self.diagram is not None
        if self.fills:  # the largest type with which the whole diagram is visible
            return min(self.height() / self.diagram.height, width / self.diagram.width)
        max_scale = (self.window().height() - _SURROUNDING_HEIGHT) / self.diagram.height
        scale = min(max(theme.scale(), max_scale), _MAX_SCALE_TALL * theme.scale())
        return min(scale, width / self.diagram.width)

    def _compute_corner(self, diagram: Diagram, scale: float) -> QPointF:
        """Return the left and top that centre a diagram in a widget that it fills."""
        if not self.fills:
            return QPointF()
        spare_width = self.width() - scale * diagram.width
        spare_height = self.height() - scale * diagram.height
        return QPointF(max(0.0, spare_width / 2), max(0.0, spare_height / 2))

    def _scale_diagram(self, scale: float) -> Diagram:
        """Return the scale at which the diagram fills the width, within limits."""
        assert self.diagram is not None
        stretch = self.width() / (scale * self.diagram.width)
        return self.diagram.stretch(min(self.max_stretch, max(1.0, stretch)))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.diagram is None:
            return
        painter = QPainter(self)
        scale = self._compute_scale(self.width())
        diagram = self._scale_diagram(scale)
        painter.translate(self._compute_corner(diagram, scale))
        painter.scale(scale, scale)
        paint(painter, diagram, theme.current(), translated=self._translated)
        painter.end()


_DEFAULT_WIDTH = 480.0


class DrawnDiagram(QWidget):
    """Draws the (possibly translated) result of a function of the width in pixels."""

    def __init__(self, *, translated: bool = False) -> None:
        super().__init__()
        self._translated = translated
        self._make_diagram: Callable[[float], Diagram] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.get_notifier().changed.connect(self.update)

    def show_diagram(self, make: Callable[[float], Diagram] | None, summary: str) -> None:
        """Set the function; ``words`` is the text for screen readers."""
        self._make_diagram = make
        self.setAccessibleName(summary)
        if make is None or self.parentWidget() is not None:  # without a parent it would be a window
            self.setVisible(make is not None)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the diagram's height, which does not depend on its width."""
        if self._make_diagram is None:
            return QSize(0, 0)
        return QSize(
            theme.pixels(_DEFAULT_WIDTH), theme.pixels(self._make_diagram(_DEFAULT_WIDTH).height)
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        if self._make_diagram is None:
            return
        painter = QPainter(self)
        painter.scale(theme.scale(), theme.scale())
        diagram = self._make_diagram(self.width() / theme.scale())
        paint(painter, diagram, theme.current(), translated=self._translated)
        painter.end()


class ClickableDiagram(DrawnDiagram):
    """A diagram of a fixed size, whose parts are described on hover and can be pressed."""

    pressed = Signal(float, float)
    """A point of the diagram, in its own pixels, was pressed."""

    def __init__(self) -> None:
        super().__init__(translated=True)
        self._describe: Callable[[float, float], str] = lambda x, y: ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_static(self, diagram: Diagram | None, describe: Callable[[float, float], str]) -> None:
        """Set the diagram, and the function that describes a point of it."""
        self._describe = describe
        title = "" if diagram is None else diagram.title
        self.show_diagram(None if diagram is None else lambda _: diagram, title)
        self.setAccessibleDescription("" if diagram is None else diagram.caption)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position() / theme.scale()
        self.pressed.emit(position.x(), position.y())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            position = QPointF(event.pos()) / theme.scale()
            text = self._describe(position.x(), position.y())
            QToolTip.showText(event.globalPos(), make_plain_tip(text), self)
            return True
        return super().event(event)
