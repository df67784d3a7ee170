"""Painter of a figure on a canvas, which updates existing items in place."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTransform

from studio.arrays import Floats
from studio.figures import marks
from studio.figures.figure import Figure, Panel, Pointer
from studio.figures.ink import Ink
from studio.figures.marks import Key, Mark
from studio.gui.base import theme
from studio.gui.base.inks import colour
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.axes import CanvasAxes, compute_right_margin, elide_tick
from studio.gui.plots.painting.items import (
    AreaItem,
    BandItem,
    BoxesItem,
    DotsItem,
    LevelSpanItem,
    LineItem,
    PaintedMarks,
    RuleItem,
    ScreenItem,
    SlimBoxesItem,
    SpanItem,
)
from studio.gui.plots.painting.legend import LegendEntry
from studio.gui.plots.painting.scale import on_scale, scale_table

_ROOM = "0.00"
"""Widest text of a cell: if it does not fit, all cells stay empty, as they have one size."""

_AWAY, _TICK = 5.0, 4.0
"""Distance of a bracket from the matrix, and the length of its ends, in pixels."""


class CellTexts(ScreenItem):
    """Draws a text in each cell, in pixels; a second line if it fits."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: Sequence[Sequence[str]] = ()
        self._shares: Floats = np.empty((0, 0))
        self._area = QRectF()

    def show_texts(
        self,
        texts: Sequence[Sequence[str]],
        shares: Floats,
        area: tuple[float, float, float, float],
    ) -> None:
        """Set the texts of cells that cover an area (left, bottom, width, height).

        Args:
            shares: Shape (rows, columns). Positions of the cells' colours on the scale.
        """
        self.prepareGeometryChange()
        self._texts, self._shares, self._area = texts, shares, QRectF(*area)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the matrix' bounds."""
        return self._area

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Draw each text in the centre of its cell, if it fits."""
        if not self._texts or not self._texts[0]:
            return
        across = self._area.width() / len(self._texts[0])
        up = self._area.height() / len(self._texts)
        cell = to_screen.mapRect(QRectF(0, 0, across, up))
        painter.setFont(theme.font(theme.SMALL))
        metrics = painter.fontMetrics()
        if cell.width() < metrics.horizontalAdvance(_ROOM) + 4 or cell.height() < metrics.height():
            return
        whole = cell.height() > 2 * metrics.height() + 2
        area = QRectF(0, 0, cell.width(), cell.height())
        self._part_cells(painter, to_screen)
        for row, line in enumerate(self._texts):
            for column, text in enumerate(line):
                x = self._area.left() + across * (column + 0.5)
                y = self._area.top() + up * (row + 0.5)
                area.moveCenter(to_screen.map(QPointF(x, y)))
                painter.setPen(on_scale(float(self._shares[row, column])))
                written = text if whole else text.split("\n", maxsplit=1)[0]
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, written)

    def _part_cells(self, painter: QPainter, to_screen: QTransform) -> None:
        """Draw borders between cells, to separate neighbours of equal colour."""
        painter.setPen(QPen(theme.colour(theme.current().surface), 1))
        for lines, step in ((len(self._texts[0]), (1, 0)), (len(self._texts), (0, 1))):
            for place in range(1, lines):
                x, y = (place / lines * each for each in step)
                across, up = self._area.width(), self._area.height()
                start = QPointF(self._area.left() + x * across, self._area.top() + y * up)
                end = start + QPointF(step[1] * across, step[0] * up)
                painter.drawLine(to_screen.map(start), to_screen.map(end))


class HeatItem(PaintedMarks[marks.Heat]):
    """A matrix on the colour scale, with texts in its cells."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        """Create an image with its texts."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"), CellTexts())

    def show(self, mark: marks.Heat) -> None:
        """Update the colours of the cells."""
        image, texts = self.items
        pixels = np.empty((*mark.shares.shape, 4), dtype=np.uint8)
        places = np.clip(np.nan_to_num(mark.shares) * 255, 0, 255).astype(int)
        pixels[..., :3] = scale_table()[places]
        pixels[..., 3] = np.where(np.isnan(mark.shares), 0, 255)
        area = (mark.left, mark.bottom, mark.width, mark.height)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(*area)
        texts.show_texts(mark.texts, mark.shares, area)


class CellsItem(PaintedMarks[marks.Cells]):
    """A matrix of cells in some inks."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        """Create an image."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"),)

    def show(self, mark: marks.Cells) -> None:
        """Update the colours of the cells."""
        (image,) = self.items
        shades = np.zeros((*mark.places.shape, 4), dtype=np.uint8)
        if mark.inks:
            table = np.array([_triple(ink) for ink in mark.inks], dtype=np.uint8)
            shades[..., :3] = table[mark.places]
        # A pixel is one number of four bytes, alpha highest: faster than byte by byte.
        pixels = (255 * mark.alphas + 0.5).astype("<u4") << 24 | shades.view("<u4")[..., 0]
        pixels = pixels.view(np.uint8).reshape(*mark.alphas.shape, 4)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(mark.left, mark.bottom, mark.width, mark.height)


def _triple(ink: Ink) -> tuple[int, int, int]:
    made = colour(ink)
    return made.red(), made.green(), made.blue()


_NARROWEST = 120
"""Minimum width in pixels before a sentence wraps."""


class WordsItem(PaintedMarks[marks.WordMarks]):
    """Short texts."""

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        super().__init__(axes)

    def create_items(self, axes: Any) -> Sequence[Any]:
        """Create no items yet."""
        return []

    def show(self, mark: marks.WordMarks) -> None:
        """Update the texts."""
        items = list(self.items)
        while len(items) < len(mark.texts):
            items.append(pyqtgraph.TextItem(anchor=(0, 0.5)))
            self._axes.addItem(items[-1], ignoreBounds=True)
            self._depth = None  # the widest of all
        self.items = items
        box = self._axes.getViewBox()
        low, high = box.viewRange()[0]
        room = mark.room * box.width() / ((high - low) or 1.0)
        for place, item in enumerate(items):
            item.setVisible(place < len(mark.texts))
            if place < len(mark.texts):
                item.fill = pyqtgraph.mkBrush(None if mark.ground is None else colour(mark.ground))
                item.setColor(colour(mark.ink))
                item.setFont(theme.font(theme.SMALL))
                item.anchor = pyqtgraph.Point(float(mark.before), 0.5)
                text = mark.texts[place]
                item.setText(
                    text if math.isinf(room) else elide_tick(text, int(room) - _TEXT_MARGINS)
                )
                item.setPos(float(mark.x[place]), float(mark.y[place]))
        self._make_room(mark)

    def _make_room(self, mark: marks.WordMarks) -> None:
        """Extend the axis so that no text is cut, which depends on the font."""
        box = self._axes.getViewBox()
        (low, high), width = box.viewRange()[0], box.width()
        needed = high
        for x, item in zip(mark.x.tolist(), self.items, strict=False):
            left = width - item.boundingRect().width()
            if left > width / 3:
                needed = max(needed, low + (x - low) * width / left)
        if needed > high:
            box.setXRange(low, needed, padding=0)


class NoteItem(PaintedMarks[marks.Note]):
    """A sentence."""

    def __init__(self, axes: Any) -> None:
        self._box = axes.getViewBox()
        super().__init__(axes)

    def create_items(self, axes: Any) -> Sequence[Any]:
        """Create a text."""
        return (pyqtgraph.TextItem(anchor=(0.5, 0.5)),)

    def show(self, mark: marks.Note) -> None:
        """Update the text and wrap it."""
        (item,) = self.items
        item.setColor(colour(mark.ink))
        item.setFont(theme.font(theme.SMALL))
        item.setText(mark.text)
        item.setTextWidth(max(_NARROWEST, int(0.9 * self._box.width())))
        item.setPos(self._box.viewRect().center())


_FAINTEST = 0.3
_TEXT_MARGINS = 8
"""Pixels at both sides of a text of pyqtgraph together."""

_ANY = 16_777_215.0
"""Qt's value for an unlimited width."""

KINDS: dict[type[Mark], type[PaintedMarks[Any]]] = {
    marks.Line: LineItem,
    marks.Area: AreaItem,
    marks.Band: BandItem,
    marks.Dots: DotsItem,
    marks.Boxes: BoxesItem,
    marks.SlimBoxes: SlimBoxesItem,
    marks.Rule: RuleItem,
    marks.Span: SpanItem,
    marks.LevelSpan: LevelSpanItem,
    marks.Heat: HeatItem,
    marks.Cells: CellsItem,
    marks.WordMarks: WordsItem,
    marks.Note: NoteItem,
}
"""Painter of each kind of mark; a new kind is a class in an adjacent module and a line here."""


_FILLED = {marks.Heat, marks.Cells, marks.Boxes, marks.SlimBoxes}


class Painter:
    """Draws a figure, one at a time."""

    def __init__(self, on: Any) -> None:
        self._canvas = on
        self._panels: Sequence[Panel] = ()
        self._places: list[tuple[int, int, int, int, bool]] = []
        self._axes: list[CanvasAxes] = []
        self._pool: dict[tuple[int, type[Mark]], list[PaintedMarks[Any]]] = {}

    def paint(self, figure: Figure) -> None:
        """Show a figure, replacing the previous one."""
        self._update_axes(figure.panels)
        right = compute_right_margin(figure.panels, self._canvas.width())
        spare = _spare_sides(figure)
        # A second pass after names and numbers are laid out: what fits depends on the rest.
        for _ in range(2):
            before = self._sizes()
            for place, (axes, panel) in enumerate(zip(self._axes, figure.panels, strict=True)):
                axes.show_panel(panel, roomy=self._is_roomy, right=right, spare=spare[place])
            self._align()
            if self._sizes() == before:
                break
        used: dict[tuple[int, type[Mark]], int] = {}
        for place, mark in enumerate(figure.marks):
            if isinstance(mark, Key):
                continue
            kind = (mark.panel, type(mark))
            number = used.get(kind, 0)
            used[kind] = number + 1
            shown = self._make_item(kind, number)
            shown.set_visible(True)
            shown.show(mark)
            shown.set_depth(place if mark.depth is None else mark.depth)
        for kind, pool in self._pool.items():
            for shown in pool[used.get(kind, 0) :]:
                shown.set_visible(False)

    @property
    def label_width(self) -> int:
        """Width in pixels of the widest label at a curve's end; 0 for none."""
        ends = [axes.item.getAxis("right") for axes in self._axes]
        return max((end.widest for end in ends if end.isVisible()), default=0)

    def reserve_label_width(self, pixels: int) -> None:
        """Reserve at least this width for labels of curves' ends, where there are any."""
        for axes in self._axes:
            axes.item.getAxis("right").reserve(pixels)

    def pointer(self, where: QPointF) -> Pointer | None:
        """Convert a position of the scene to figure coordinates; None outside all panels."""
        for number, axes in enumerate(self._axes):
            box = axes.item.getViewBox()
            if box.sceneBoundingRect().contains(where):
                at, pixel = box.mapSceneToView(where), box.viewPixelSize()
                return Pointer(number, at.x(), at.y(), *pixel)
        return None

    def find_panel(self, where: QPointF) -> QRectF | None:
        """Return the drawing area of the panel at a position of the scene."""
        boxes = (axes.item.getViewBox().sceneBoundingRect() for axes in self._axes)
        return next((box for box in boxes if box.contains(where)), None)

    @property
    def _is_roomy(self) -> bool:
        """Whether stacked axes are high enough for their names."""
        rows = {panel.row for panel in self._panels}
        return len(rows) == 1 or self._canvas.height() >= canvas.compute_roomy_height()

    def _update_axes(self, panels: Sequence[Panel]) -> None:
        """Create or remove axes to match the panels, and place them."""
        places = [
            (each.row, each.column, each.share, theme.pixels(each.wide), _has_right(each))
            for each in panels
        ]
        if places == self._places:
            return
        self._canvas.clear()
        self._pool.clear()
        layout = self._canvas.ci.layout
        widths = dict.fromkeys((panel.column for panel in self._panels), 0)
        widths |= {panel.column: theme.pixels(panel.wide) for panel in panels}
        for column, wide in widths.items():
            layout.setColumnMinimumWidth(column, wide)
            layout.setColumnMaximumWidth(column, wide or _ANY)
        self._panels, self._places = panels, places
        rows = Counter(panel.row for panel in panels)
        self._axes = [CanvasAxes(self._canvas, each, alone=rows[each.row] == 1) for each in panels]
        first: dict[int, Any] = {}
        for axes, panel in zip(self._axes, panels, strict=True):
            layout.setRowStretchFactor(panel.row, panel.share)
            axes.item.getViewBox().sigRangeChangedManually.connect(self._align)
            above = first.setdefault(panel.column, axes.item)
            if above is not axes.item:
                axes.item.setXLink(above)
        layout.activate()
        self._canvas.ci.setGeometry(self._canvas.range)  # more panels may have needed more

    def _sizes(self) -> list[QRectF]:
        """Return the drawing areas after layout."""
        self._canvas.ci.layout.activate()
        for axes in self._axes:
            axes.item.layout.activate()
        return [axes.item.getViewBox().sceneBoundingRect() for axes in self._axes]

    def _align(self, *_: object) -> None:
        """Align panels in columns and rows by the maximum size of their axes."""
        for column in {panel.column for panel in self._panels}:
            below = [
                axes
                for axes, panel in zip(self._axes, self._panels, strict=True)
                if panel.column == column
            ]
            left = max(axes.left for axes in below)
            for axes in below:
                axes.set_left_width(left)
        for row in {panel.row for panel in self._panels}:
            beside = [
                axes
                for axes, panel in zip(self._axes, self._panels, strict=True)
                if panel.row == row
            ]
            foot = max(axes.foot for axes in beside) if len(beside) > 1 else 0.0
            for axes in beside:
                axes.set_foot_height(foot)

    def _make_item(self, kind: tuple[int, type[Mark]], number: int) -> PaintedMarks[Any]:
        pool = self._pool.setdefault(kind, [])
        if number == len(pool):
            panel, mark = kind
            pool.append(KINDS[mark](self._axes[panel].item))
        return pool[number]


def _spare_sides(figure: Figure) -> list[tuple[bool, bool]]:
    """Return for each panel whether there is spare space beside its x range and its y range.

    Symbols at the edge of a range are painted whole there. What fills its cells, and bars that
    begin at an axis, end with their range.
    """
    kinds: list[set[type[Mark]]] = [set() for _ in figure.panels]
    for mark in figure.marks:
        kinds[mark.panel].add(type(mark))
    dotted = any(marks.Dots in each for each in kinds)
    filled = any(each & _FILLED for each in kinds)
    across = dotted and not filled
    return [(across, _has_spare_height(place, figure, kinds)) for place in range(len(kinds))]


def _has_spare_height(place: int, figure: Figure, kinds: list[set[type[Mark]]]) -> bool:
    """Return whether a panel has spare space, or the panels that share its rows have."""
    panel = figure.panels[place]
    beside = [
        each
        for each, other in zip(kinds, figure.panels, strict=True)
        if other.row == panel.row and other.y.low == panel.y.low and other.y.high == panel.y.high
    ]
    ends = any(each & {*_FILLED, marks.Area} for each in beside)
    return marks.Dots in kinds[place] and not ends


def _has_right(panel: Panel) -> bool:
    """Return whether a panel has labels at its right edge."""
    return panel.right is not None or bool(panel.ends)


def entries(drawn: Sequence[Mark]) -> list[LegendEntry]:
    """Return the legend of marks: the named ones, each name once."""
    named: dict[str, Mark] = {}
    for mark in drawn:
        if mark.name:
            named.setdefault(mark.name, mark)
    return [LegendEntry(name, mark.looks, _sample(mark.legend_ink)) for name, mark in named.items()]


def _sample(ink: Ink) -> Ink:
    """Return the ink of a legend sample, with a minimum opacity, as it is small."""
    return ink.with_opacity(max(ink.alpha, _FAINTEST))
