"""One class for each kind of mark: the pyqtgraph items that show it, changed in place."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainterPath, QPen

from studio.figures import marks
from studio.figures.ink import Ink
from studio.figures.marks import Mark
from studio.gui.base import theme
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.brackets import BracketsItem
from studio.gui.plots.painting.cell_texts import CellTexts
from studio.gui.plots.painting.pens import colour, pen
from studio.gui.plots.painting.scale import scale_table
from studio.gui.plots.painting.slim_boxes import SlimBoxes
from studio.gui.plots.painting.symbols import Dots

M = TypeVar("M", bound=Mark)

_NONE = QPen(Qt.PenStyle.NoPen)
_MARK = 1.6
"""Width of the pen of marks that are made of lines."""

_NARROWEST = 120
_POINT = 6.0


class Shown(Generic[M]):
    """What shows marks of one kind, one at a time.

    Parameters
    ----------
    axes : PlotItem
        Where they are drawn.
    """

    def __init__(self, axes: Any) -> None:
        self._depth: float | None = None
        self.items: Sequence[Any] = self.made(axes)
        for item in self.items:
            axes.addItem(item, ignoreBounds=True)

    def made(self, axes: Any) -> Sequence[Any]:
        """Return new items."""
        raise NotImplementedError

    def show(self, mark: M) -> None:
        """Bring the items up to date with a mark."""
        raise NotImplementedError

    def at(self, depth: float) -> None:
        """Take a depth among the others."""
        if depth == self._depth:
            return
        self._depth = depth
        for place, item in enumerate(self.items):
            item.setZValue(depth + 0.1 * place)

    def set_visible(self, visible: bool) -> None:
        """Show the items, or keep them for later."""
        for item in self.items:
            item.setVisible(visible)


class ShownLine(Shown[marks.Line]):
    """A curve."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return a curve, and what marks its points."""
        return pyqtgraph.PlotCurveItem(), Dots()

    def show(self, mark: marks.Line) -> None:
        """Draw its points."""
        curve, points = self.items
        curve.setPen(pen(mark.ink, mark.weight, len(mark.x), dashed=mark.dashed))
        # Segments are faster where there are many, but their joints are not as smooth.
        curve.setSegmentedLineMode("on" if len(mark.x) > canvas.WIDE else "auto")
        curve.setData(mark.x, mark.y, connect="pairs" if mark.pairs else "finite")
        if not mark.dotted and not len(points.data):
            return
        there = marks.finite(mark.x, mark.y) & mark.dotted
        points.setData(
            x=mark.x[there],
            y=mark.y[there],
            size=theme.stroke(_POINT),
            brush=pyqtgraph.mkBrush(colour(mark.ink)),
            pen=None,
        )


class ShownArea(Shown[marks.Area]):
    """A curve that is filled down to a floor."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return a curve."""
        return (pyqtgraph.PlotCurveItem(pen=None),)

    def show(self, mark: marks.Area) -> None:
        """Draw its points."""
        (item,) = self.items
        # Areas that lie edge to edge would show the ground between them.
        item.opts["antialias"] = mark.edge is not None
        item.setPen(_NONE if mark.edge is None else pen(mark.edge))
        item.setBrush(colour(mark.ink))
        item.setFillLevel(mark.floor)
        item.setData(mark.x, mark.y)


class ShownBand(Shown[marks.Band]):
    """What is between two curves, which are not drawn."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return the filling."""
        self._low = pyqtgraph.PlotCurveItem(pen=None)
        self._high = pyqtgraph.PlotCurveItem(pen=None)
        return (pyqtgraph.FillBetweenItem(self._low, self._high),)

    def show(self, mark: marks.Band) -> None:
        """Fill between its lines."""
        self.items[0].setBrush(colour(mark.ink))
        self._low.setData(mark.x, mark.low, connect="finite")
        over = mark.x if mark.high_x is None else mark.high_x
        self._high.setData(over, mark.high, connect="finite")


def _strokes(*ends: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    for x, y in ends:
        path.moveTo(QPointF(-x, -y))
        path.lineTo(QPointF(x, y))
    return path


class ShownDots(Shown[marks.Dots]):
    """Symbols."""

    SYMBOLS: ClassVar[dict[str, Any]] = {
        "dot": "o",
        "ring": "o",
        "triangle": "t",
        "up": "t1",
        "peak": "t1",
        "diamond": "d",
        "star": "star",
        "square": "s",
        "cross": _strokes((0.5, 0.5), (0.5, -0.5)),
        "plus": _strokes((0.5, 0.0), (0.0, 0.5)),
    }
    LINES: ClassVar[frozenset[str]] = frozenset({"ring", "cross", "plus", "peak"})

    def made(self, axes: Any) -> Sequence[Any]:
        """Return a scatter plot."""
        return (Dots(),)

    def show(self, mark: marks.Dots) -> None:
        """Draw them; Qt crashes over a symbol without a place."""
        (item,) = self.items
        there = marks.finite(mark.x, mark.y)
        # One size for all is much quicker than one each, though the same.
        sizes = mark.size[there] if isinstance(mark.size, np.ndarray) else mark.size
        size = theme.stroke(1.0) * sizes
        options: dict[str, Any] = {"symbol": self.SYMBOLS[mark.shape], "size": size}
        if mark.shape in self.LINES:
            options |= {"brush": None, "pen": self._mark_pen(mark)}
        else:
            options["brush"] = self._brushes(mark, there)
            options["pen"] = None if mark.outline is None else pen(mark.outline, "hair")
        item.setData(x=mark.x[there], y=mark.y[there], **options)

    @staticmethod
    def _mark_pen(mark: marks.Dots) -> QPen:
        made = pen(mark.ink, mark.weight)
        if mark.weight == "line":
            made.setWidthF(_MARK)
        return made

    @staticmethod
    def _brushes(mark: marks.Dots, there: Any) -> Any:
        if not mark.inks:
            return pyqtgraph.mkBrush(colour(mark.ink))
        # One brush an ink: pyqtgraph draws a symbol anew for every brush object.
        made = {ink: pyqtgraph.mkBrush(colour(ink)) for ink in set(mark.inks)}
        return [made[mark.inks[place]] for place in np.flatnonzero(there).tolist()]


class ShownBoxes(Shown[marks.Boxes]):
    """Rectangles."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return bars."""
        return (pyqtgraph.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None),)

    def show(self, mark: marks.Boxes) -> None:
        """Draw them."""
        self.items[0].setOpts(
            x0=mark.x0, x1=mark.x1, y0=mark.y0, y1=mark.y1, brush=colour(mark.ink)
        )


class ShownSlimBoxes(Shown[marks.SlimBoxes]):
    """Rectangles that are a pixel wide at least."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return bars of our own."""
        return (SlimBoxes(),)

    def show(self, mark: marks.SlimBoxes) -> None:
        """Draw them."""
        self.items[0].show_boxes(mark.x0, mark.x1, mark.y0, mark.y1, colour(mark.ink))


class ShownRule(Shown[marks.Rule]):
    """A line through the panel."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return a line."""
        return (pyqtgraph.InfiniteLine(),)

    def show(self, mark: marks.Rule) -> None:
        """Draw it where its place is known."""
        (item,) = self.items
        item.setVisible(math.isfinite(mark.at))
        item.setAngle(0 if mark.level else 90)
        item.setPen(pen(mark.ink, mark.weight, dashed=mark.dashed))
        if math.isfinite(mark.at):
            item.setPos(mark.at)


class ShownSpan(Shown[marks.Span]):
    """An upright region through the panel."""

    ORIENTATION: ClassVar[str] = "vertical"

    def made(self, axes: Any) -> Sequence[Any]:
        """Return a region."""
        return (
            pyqtgraph.LinearRegionItem(
                orientation=self.ORIENTATION, movable=False, pen=_NONE, hoverPen=_NONE
            ),
        )

    def show(self, mark: marks.Span) -> None:
        """Fill it."""
        (item,) = self.items
        item.setBrush(colour(mark.ink))
        for line in item.lines:
            line.setPen(_NONE if mark.edge is None else pen(mark.edge, "hair"))
        item.setRegion((mark.low, mark.high))


class ShownLevelSpan(ShownSpan):
    """A level region through the panel."""

    ORIENTATION: ClassVar[str] = "horizontal"


class ShownHeat(Shown[marks.Heat]):
    """A matrix on the colour scale, with texts in its cells."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an image, and what writes into it."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"), CellTexts())

    def show(self, mark: marks.Heat) -> None:
        """Colour the cells."""
        image, texts = self.items
        pixels = np.empty((*mark.shares.shape, 4), dtype=np.uint8)
        places = np.clip(np.nan_to_num(mark.shares) * 255, 0, 255).astype(int)
        pixels[..., :3] = scale_table()[places]
        pixels[..., 3] = np.where(np.isnan(mark.shares), 0, 255)
        area = (mark.left, mark.bottom, mark.width, mark.height)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(*area)
        texts.show_texts(mark.texts, mark.shares, area)


class ShownCells(Shown[marks.Cells]):
    """A matrix of cells in some inks, with texts in them."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an image, and what writes into it."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"), CellTexts())

    def show(self, mark: marks.Cells) -> None:
        """Colour the cells."""
        image, texts = self.items
        shades = np.zeros((*mark.places.shape, 4), dtype=np.uint8)
        if mark.inks:
            table = np.array([_triple(ink) for ink in mark.inks], dtype=np.uint8)
            shades[..., :3] = table[mark.places]
        # A pixel is one number of four bytes, the opacity the highest: quicker than byte by byte.
        pixels = (255 * mark.alphas + 0.5).astype("<u4") << 24 | shades.view("<u4")[..., 0]
        pixels = pixels.view(np.uint8).reshape(*mark.alphas.shape, 4)
        area = (mark.left, mark.bottom, mark.width, mark.height)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(*area)
        texts.show_texts(mark.texts, None, area)


def _triple(ink: Ink) -> tuple[int, int, int]:
    made = colour(ink)
    return made.red(), made.green(), made.blue()


class ShownWords(Shown[marks.Words]):
    """Short texts."""

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        super().__init__(axes)

    def made(self, axes: Any) -> Sequence[Any]:
        """Return none yet."""
        return []

    def show(self, mark: marks.Words) -> None:
        """Write them."""
        items = list(self.items)
        while len(items) < len(mark.texts):
            items.append(pyqtgraph.TextItem(anchor=(0, 0.5)))
            self._axes.addItem(items[-1], ignoreBounds=True)
            self._depth = None  # of all of them
        self.items = items
        for place, item in enumerate(items):
            item.setVisible(place < len(mark.texts))
            if place < len(mark.texts):
                item.setColor(colour(mark.ink))
                item.setFont(theme.font(theme.SMALL))
                item.setText(mark.texts[place])
                item.setPos(float(mark.x[place]), float(mark.y[place]))


class ShownNote(Shown[marks.Note]):
    """A sentence."""

    def __init__(self, axes: Any) -> None:
        self._box = axes.getViewBox()
        super().__init__(axes)

    def made(self, axes: Any) -> Sequence[Any]:
        """Return a text."""
        return (pyqtgraph.TextItem(anchor=(0.5, 0.5)),)

    def show(self, mark: marks.Note) -> None:
        """Write it, in as many lines as it takes."""
        (item,) = self.items
        item.setColor(colour(mark.ink))
        item.setFont(theme.font(theme.SMALL))
        item.setText(mark.text)
        item.setTextWidth(max(_NARROWEST, int(0.9 * self._box.width())))
        item.setPos(self._box.viewRect().center())


class ShownBrackets(Shown[marks.Brackets]):
    """Brackets beside a matrix."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an item of our own."""
        return (BracketsItem(),)

    def show(self, mark: marks.Brackets) -> None:
        """Draw them."""
        self.items[0].show_brackets(mark.groups, mark.size)


KINDS: dict[type[Mark], type[Shown[Any]]] = {
    marks.Line: ShownLine,
    marks.Area: ShownArea,
    marks.Band: ShownBand,
    marks.Dots: ShownDots,
    marks.Boxes: ShownBoxes,
    marks.SlimBoxes: ShownSlimBoxes,
    marks.Rule: ShownRule,
    marks.Span: ShownSpan,
    marks.LevelSpan: ShownLevelSpan,
    marks.Heat: ShownHeat,
    marks.Cells: ShownCells,
    marks.Words: ShownWords,
    marks.Note: ShownNote,
    marks.Brackets: ShownBrackets,
}
"""What shows each kind of mark; a new kind is one class above and one line here."""
