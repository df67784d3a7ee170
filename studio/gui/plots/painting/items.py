"""Lines, bands, symbols, boxes and regions as pyqtgraph items."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.arrays import Floats
from studio.figures import marks
from studio.figures.ink import Ink
from studio.figures.marks import Mark
from studio.gui.base import theme
from studio.gui.base.inks import get_colour
from studio.gui.plots.painting.canvas import PaintedDots

M = TypeVar("M", bound=Mark)


class PaintedMarks(Generic[M]):
    """Painter of one kind of mark, whose items are created once and updated."""

    def __init__(self, axes: Any) -> None:
        self._depth: float | None = None
        self.items: Sequence[Any] = self.create_items(axes)
        for item in self.items:
            axes.addItem(item, ignoreBounds=True)

    def create_items(self, axes: Any) -> Sequence[Any]:
        """Create the items."""
        raise NotImplementedError

    def show(self, mark: M) -> None:
        """Update the items from a mark."""
        raise NotImplementedError

    def set_depth(self, depth: float) -> None:
        """Set the stacking order."""
        if depth == self._depth:
            return
        self._depth = depth
        for index, item in enumerate(self.items):
            item.setZValue(depth + 0.1 * index)

    def set_visible(self, visible: bool) -> None:
        """Show or hide the items."""
        for item in self.items:
            item.setVisible(visible)


class ScreenItem(QGraphicsItem):
    """An item in plot units whose lines and text have a fixed size in pixels."""

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Pass a painter in pixels and the transform from plot units to it."""
        del option, widget
        to_screen = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        self.paint_pixels(painter, to_screen)
        painter.restore()

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Paint with a painter in pixels; its state is restored afterwards."""
        raise NotImplementedError


_NO_PEN = QPen(Qt.PenStyle.NoPen)
_EMPTY: Floats = np.empty(0)

_MAX_WIDE_POINTS = 300
"""Maximum number of points of a curve two pixels wide, as wide pens are slow."""

_THICK_FACTOR = 1.75
"""Factor of a thick curve's width."""

_MARKER_PEN_WIDTH = 1.6
"""Pen width of symbols made of lines."""

_MARKER_SIZE = 6.0


def make_pen(
    ink: Ink, weight: marks.Weight = "line", n_points: int = 0, *, dashed: bool = False
) -> QPen:
    """Return the pen of a curve with this many points; a hairline is one pixel wide."""
    width = 1.0 if n_points > _MAX_WIDE_POINTS else theme.stroke(1.0 if weight == "hair" else 2.0)
    if weight == "thick":
        width *= _THICK_FACTOR
    # Qt measures cosmetic pens in physical pixels.
    app = QGuiApplication.instance()
    ratio = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    qpen = QPen(get_colour(ink), width * ratio)
    qpen.setCosmetic(True)
    if dashed:
        qpen.setDashPattern([4, 3])
    return qpen


class LineItem(PaintedMarks[marks.Line]):
    """A curve."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return pyqtgraph.PlotCurveItem(), PaintedDots()

    def show(self, mark: marks.Line) -> None:
        curve, points = self.items
        curve.setPen(make_pen(mark.ink, mark.weight, len(mark.x), dashed=mark.dashed))
        # Separate segments are faster for many points, but their joints are less smooth, and each
        # begins with a dash, so that short ones make a solid line.
        segmented_mode = "on" if len(mark.x) > _MAX_WIDE_POINTS else "auto"
        curve.setSegmentedLineMode("off" if mark.dashed else segmented_mode)
        curve.setData(mark.x, mark.y, connect="pairs" if mark.is_segments else "finite")
        if not mark.dotted and not len(points.data):
            return
        has_marker = marks.are_finite(mark.x, mark.y) & mark.dotted
        size = theme.stroke(_MARKER_SIZE)
        brush = pyqtgraph.mkBrush(get_colour(mark.ink))
        points.setData(x=mark.x[has_marker], y=mark.y[has_marker], size=size, brush=brush, pen=None)


class AreaItem(PaintedMarks[marks.Area]):
    """A curve filled down to a floor."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (pyqtgraph.PlotCurveItem(pen=None),)

    def show(self, mark: marks.Area) -> None:
        (item,) = self.items
        # Antialiased adjacent areas would show the background between them.
        item.opts["antialias"] = mark.edge is not None
        item.setPen(_NO_PEN if mark.edge is None else make_pen(mark.edge))
        item.setBrush(get_colour(mark.ink))
        item.setFillLevel(mark.floor)
        item.setData(mark.x, mark.y)


class BandItem(PaintedMarks[marks.Band]):
    """The area between two invisible curves."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        self._low = pyqtgraph.PlotCurveItem(pen=None)
        self._high = pyqtgraph.PlotCurveItem(pen=None)
        return (pyqtgraph.FillBetweenItem(self._low, self._high),)

    def show(self, mark: marks.Band) -> None:
        self.items[0].setBrush(get_colour(mark.ink))
        self._low.setData(mark.x, mark.low, connect="finite")
        upper_x = mark.x if mark.high_x is None else mark.high_x
        self._high.setData(upper_x, mark.high, connect="finite")


def _make_stroke_path(*x_and_y: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    for x, y in x_and_y:
        path.moveTo(QPointF(-x, -y))
        path.lineTo(QPointF(x, y))
    return path


class DotsItem(PaintedMarks[marks.Dots]):
    """Symbols."""

    SYMBOLS: ClassVar[dict[str, Any]] = {
        "dot": "o",
        "ring": "o",
        "triangle": "t",
        "up": "t1",
        "right": "t2",
        "peak": "t1",
        "diamond": "d",
        "star": "star",
        "square": "s",
        "cross": _make_stroke_path((0.5, 0.5), (0.5, -0.5)),
        "plus": _make_stroke_path((0.5, 0.0), (0.0, 0.5)),
    }
    LINES: ClassVar[frozenset[str]] = frozenset({"ring", "cross", "plus", "peak"})

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (PaintedDots(),)

    def show(self, mark: marks.Dots) -> None:
        """Update the symbols; Qt crashes on a symbol at NaN."""
        (item,) = self.items
        is_finite = marks.are_finite(mark.x, mark.y)
        # A single size is much faster than equal sizes per symbol.
        sizes = mark.size[is_finite] if isinstance(mark.size, np.ndarray) else mark.size
        size = theme.stroke(1.0) * sizes
        options: dict[str, Any] = {"symbol": self.SYMBOLS[mark.shape], "size": size}
        if mark.shape in self.LINES:
            options |= {"brush": None, "pen": self._make_marker_pen(mark)}
        else:
            options["brush"] = self._make_brushes(mark, is_finite)
            options["pen"] = None if mark.outline is None else make_pen(mark.outline, "hair")
        item.setData(x=mark.x[is_finite], y=mark.y[is_finite], **options)

    @staticmethod
    def _make_marker_pen(mark: marks.Dots) -> QPen:
        qpen = make_pen(mark.ink, mark.weight)
        if mark.weight == "line":
            qpen.setWidthF(_MARKER_PEN_WIDTH)
        return qpen

    @staticmethod
    def _make_brushes(mark: marks.Dots, is_finite: Any) -> Any:
        if not mark.inks:
            return pyqtgraph.mkBrush(get_colour(mark.ink))
        # One brush object per ink: pyqtgraph redraws a symbol for each brush object.
        brushes = {ink: pyqtgraph.mkBrush(get_colour(ink)) for ink in set(mark.inks)}
        return [brushes[mark.inks[index]] for index in np.flatnonzero(is_finite).tolist()]


class BoxesItem(PaintedMarks[marks.Boxes]):
    """Rectangles."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (pyqtgraph.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None),)

    def show(self, mark: marks.Boxes) -> None:
        self.items[0].setOpts(
            x0=mark.x0, x1=mark.x1, y0=mark.y0, y1=mark.y1, brush=get_colour(mark.ink)
        )


class PaintedThinBoxes(ScreenItem):
    """Boxes of one colour, thousands of which may be narrower than a pixel."""

    def __init__(self) -> None:
        super().__init__()
        self._x0 = self._x1 = self._y0 = self._y1 = _EMPTY
        self._colour = QColor()
        self._area = QRectF()

    def set_boxes(self, x0: Floats, x1: Floats, y0: Floats, y1: Floats, colour: QColor) -> None:
        """Set the boxes: four arrays of shape (n,)."""
        self.prepareGeometryChange()
        self._x0, self._x1, self._y0, self._y1, self._colour = x0, x1, y0, y1, colour
        self._area = QRectF()
        if len(x0):
            left, low = float(x0.min()), float(y0.min())
            self._area = QRectF(left, low, float(x1.max()) - left, float(y1.max()) - low)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._area

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Fill the boxes in screen pixels, skipping boxes hidden within a pixel."""
        left = to_screen.m11() * self._x0 + to_screen.dx()
        width = np.maximum(to_screen.m11() * (self._x1 - self._x0), 1.0)
        y_pixels = [to_screen.m22() * y + to_screen.dy() for y in (self._y0, self._y1)]
        top, height = np.minimum(*y_pixels), np.abs(y_pixels[1] - y_pixels[0])
        boxes = np.unique(np.round(np.stack([left, top, width, height], axis=1), 1), axis=0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        painter.drawRects([QRectF(*box) for box in boxes.tolist()])


class ThinBoxesItem(PaintedMarks[marks.ThinBoxes]):
    """Rectangles at least one pixel wide."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (PaintedThinBoxes(),)

    def show(self, mark: marks.ThinBoxes) -> None:
        self.items[0].set_boxes(mark.x0, mark.x1, mark.y0, mark.y1, get_colour(mark.ink))


class RuleItem(PaintedMarks[marks.Rule]):
    """A line through the panel."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (pyqtgraph.InfiniteLine(),)

    def show(self, mark: marks.Rule) -> None:
        (item,) = self.items
        item.setVisible(math.isfinite(mark.position))
        item.setAngle(0 if mark.is_horizontal else 90)
        item.setPen(make_pen(mark.ink, mark.weight, dashed=mark.dashed))
        if math.isfinite(mark.position):
            item.setPos(mark.position)


class LevelSpanItem(PaintedMarks[marks.LevelSpan]):
    """A horizontal region through the panel."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (
            pyqtgraph.LinearRegionItem(
                orientation="horizontal", movable=False, pen=_NO_PEN, hoverPen=_NO_PEN
            ),
        )

    def show(self, mark: marks.LevelSpan) -> None:
        (item,) = self.items
        item.setBrush(get_colour(mark.ink))
        item.setRegion((mark.low, mark.high))
