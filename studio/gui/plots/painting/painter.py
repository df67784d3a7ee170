"""Painter of a figure on a canvas, which updates existing items in place."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen, QTransform

from studio.arrays import Floats
from studio.figures import marks
from studio.figures.figure import Figure, Panel, Pointer
from studio.figures.marks import Heatmap, LegendItem, Mark
from studio.gui.base import theme
from studio.gui.base.inks import get_colour
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
    ThinBoxesItem,
)
from studio.gui.plots.painting.legend import LegendEntry
from studio.gui.plots.painting.scale import WARM_HUE, get_colour_table, get_text_colour_on_scale

_SAMPLE_CELL_TEXT = "0.00"
"""Widest text of a cell; if it does not fit, no cell has text, as all are equally large."""


def _shorten(metrics: QFontMetrics, line: str, width: int) -> str:
    """Return the beginning of a line that fits; nothing if its number would be cut.

    Centred in a narrower cell, a line would lose the first digits of its number.
    """
    shown = metrics.elidedText(line, Qt.TextElideMode.ElideRight, width)
    return shown if shown == line or line[len(shown) - 1] not in "0123456789.," else ""


class CellTexts(ScreenItem):
    """Draws a text in each cell, in pixels, with as many of its lines as fit."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: Sequence[Sequence[str]] = ()
        self._shares: Floats = np.empty((0, 0))
        self._area = QRectF()
        self._is_warm = False
        self._longest_line, self._max_lines = "", 1

    def set_texts(
        self,
        texts: Sequence[Sequence[str]],
        shares: Floats,
        area: tuple[float, float, float, float],
        *,
        is_warm: bool,
    ) -> None:
        """Set the texts of cells that cover an area (left, bottom, width, height).

        Args:
            shares: Shape (rows, columns). Positions of the cells' colours on the scale.
            is_warm: Whether the cells off the diagonal have the hue of errors.
        """
        self.prepareGeometryChange()
        self._texts, self._shares, self._area = texts, shares, QRectF(*area)
        self._is_warm = is_warm
        lines = [text.split("\n") for row in texts for text in row]
        self._longest_line = max((each for text in lines for each in text), key=len, default="")
        self._max_lines = max(map(len, lines), default=1)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._area

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        if not self._texts or not self._texts[0]:
            return
        cell_width = self._area.width() / len(self._texts[0])
        cell_height = self._area.height() / len(self._texts)
        cell = to_screen.mapRect(QRectF(0, 0, cell_width, cell_height))
        painter.setFont(self._choose_font(cell))
        metrics = painter.fontMetrics()
        if (
            cell.width() < metrics.horizontalAdvance(_SAMPLE_CELL_TEXT) + 4
            or cell.height() < metrics.height()
        ):
            return
        n_lines = max(1, int((cell.height() - 2) // metrics.height()))
        area = QRectF(0, 0, cell.width(), cell.height())
        self._draw_cell_borders(painter, to_screen)
        for row, line in enumerate(self._texts):
            for column, text in enumerate(line):
                x = self._area.left() + cell_width * (column + 0.5)
                y = self._area.top() + cell_height * (row + 0.5)
                area.moveCenter(to_screen.map(QPointF(x, y)))
                share, warm = float(self._shares[row, column]), self._is_warm and row != column
                painter.setPen(get_text_colour_on_scale(share, is_warm=warm))
                visible_text = "\n".join(
                    _shorten(metrics, each, math.ceil(cell.width()))
                    for each in text.split("\n")[:n_lines]
                )
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, visible_text)

    def _choose_font(self, cell: QRectF) -> QFont:
        """Return the largest font in which the longest text fills two thirds of a cell or less."""
        for size in (theme.TITLE, theme.LARGE):
            metrics = QFontMetrics(theme.font(size))
            if (
                metrics.horizontalAdvance(self._longest_line) <= cell.width() * 2 / 3
                and metrics.height() * self._max_lines <= cell.height() * 2 / 3
            ):
                return theme.font(size)
        return theme.font(theme.SMALL)

    def _draw_cell_borders(self, painter: QPainter, to_screen: QTransform) -> None:
        """Draw borders between cells, to separate neighbours of equal colour."""
        painter.setPen(QPen(theme.colour(theme.current().surface), 1))
        for lines, step in ((len(self._texts[0]), (1, 0)), (len(self._texts), (0, 1))):
            for index in range(1, lines):
                x, y = (index / lines * each for each in step)
                width, height = self._area.width(), self._area.height()
                start = QPointF(self._area.left() + x * width, self._area.top() + y * height)
                end = start + QPointF(step[1] * width, step[0] * height)
                painter.drawLine(to_screen.map(start), to_screen.map(end))


class HeatmapItem(PaintedMarks[marks.Heatmap]):
    """A matrix on the colour scale, with texts in its cells."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (pyqtgraph.ImageItem(axisOrder="row-major"), CellTexts())

    def show(self, mark: marks.Heatmap) -> None:
        image, texts = self.items
        pixels = np.empty((*mark.values.shape, 4), dtype=np.uint8)
        colour_indices = np.clip(np.nan_to_num(mark.values) * 255, 0, 255).astype(int)
        pixels[..., :3] = get_colour_table()[colour_indices]
        if mark.has_off_diagonal_hue:
            is_off_diagonal = ~np.eye(len(mark.values), dtype=np.bool_)
            pixels[is_off_diagonal, :3] = get_colour_table(WARM_HUE)[
                colour_indices[is_off_diagonal]
            ]
        pixels[..., 3] = np.where(np.isnan(mark.values), 0, 255)
        area = (mark.left, mark.bottom, mark.width, mark.height)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(*area)
        texts.set_texts(mark.texts, mark.values, area, is_warm=mark.has_off_diagonal_hue)


class CellMatrixItem(PaintedMarks[marks.CellMatrix]):
    """A matrix of cells in the given inks."""

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (pyqtgraph.ImageItem(axisOrder="row-major"),)

    def show(self, mark: marks.CellMatrix) -> None:
        (image,) = self.items
        shades = np.zeros((*mark.ink_indices.shape, 4), dtype=np.uint8)
        if mark.inks:
            colours = [get_colour(ink) for ink in mark.inks]
            table = np.array([(c.red(), c.green(), c.blue()) for c in colours], dtype=np.uint8)
            shades[..., :3] = table[mark.ink_indices]
        # Pixels are written as 32-bit numbers with alpha in the highest byte, which is faster than
        # byte by byte.
        pixels = (255 * mark.alphas + 0.5).astype("<u4") << 24 | shades.view("<u4")[..., 0]
        pixels = pixels.view(np.uint8).reshape(*mark.alphas.shape, 4)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(mark.left, mark.bottom, mark.width, mark.height)


_MIN_NOTE_WIDTH = 120
"""Minimum width in pixels before a sentence wraps."""


class WordsItem(PaintedMarks[marks.WordMarks]):
    """Short texts."""

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        super().__init__(axes)

    def create_items(self, axes: Any) -> Sequence[Any]:
        return []

    def show(self, mark: marks.WordMarks) -> None:
        items = list(self.items)
        while len(items) < len(mark.texts):
            items.append(pyqtgraph.TextItem(anchor=(0, 0.5)))
            self._axes.addItem(items[-1], ignoreBounds=True)
            self._depth = None  # outdated, as it is the maximum of all items
        self.items = items
        box = self._axes.getViewBox()
        low, high = box.viewRange()[0]
        text_width = mark.max_width * box.width() / ((high - low) or 1.0)
        texts = mark.texts
        widest = max(map(QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance, texts), default=0)
        if mark.short_texts and widest + _TEXT_MARGINS >= _MAX_TEXT_SHARE * box.width():
            texts = mark.short_texts
        for index, item in enumerate(items):
            item.setVisible(index < len(mark.texts))
            if index < len(mark.texts):
                item.fill = pyqtgraph.mkBrush(
                    None if mark.background is None else get_colour(mark.background)
                )
                item.setColor(get_colour(mark.ink))
                item.setFont(theme.font(theme.SMALL))
                item.anchor = pyqtgraph.Point(float(mark.is_right_aligned), 0.5)
                text = texts[index]
                item.setText(
                    text
                    if math.isinf(text_width)
                    else elide_tick(text, int(text_width) - _TEXT_MARGINS)
                )
                item.setPos(float(mark.x[index]), float(mark.y[index]))
        self._extend_axis(mark)

    def _extend_axis(self, mark: marks.WordMarks) -> None:
        """Extend the axis so that no text is cut, which depends on the font."""
        box = self._axes.getViewBox()
        (low, high), width = box.viewRange()[0], box.width()
        needed = high
        for x, item in zip(mark.x.tolist(), self.items, strict=False):
            left = width - item.boundingRect().width()
            if left > (1 - _MAX_TEXT_SHARE) * width:
                needed = max(needed, low + (x - low) * width / left)
        if needed > high:
            canvas.extend_column(box, (low, needed))


class EmptyPanelTextItem(PaintedMarks[marks.EmptyPanelText]):
    """A sentence."""

    def __init__(self, axes: Any) -> None:
        self._box = axes.getViewBox()
        super().__init__(axes)

    def create_items(self, axes: Any) -> Sequence[Any]:
        return (pyqtgraph.TextItem(anchor=(0.5, 0.5)),)

    def show(self, mark: marks.EmptyPanelText) -> None:
        (item,) = self.items
        item.setColor(get_colour(mark.ink))
        item.setFont(theme.font(theme.SMALL))
        item.setText(mark.text)
        item.setTextWidth(max(_MIN_NOTE_WIDTH, int(0.9 * self._box.width())))
        item.setPos(self._box.viewRect().center())


_MIN_OPACITY = 0.3
_TEXT_MARGINS = 8
"""Pixels at both sides of a text of pyqtgraph together."""

_MAX_TEXT_SHARE = 2 / 3
"""Share of the width up to which an axis is extended for a text beyond its end."""

_MIN_SQUARE_SHARE = 0.65
"""Share of the plot's width that a square panel takes at least."""

_UNLIMITED_SIZE = 16_777_215.0
"""Qt's value for an unlimited width."""

ITEM_CLASSES: dict[type[Mark], type[PaintedMarks[Any]]] = {
    marks.Line: LineItem,
    marks.Area: AreaItem,
    marks.Band: BandItem,
    marks.Dots: DotsItem,
    marks.Boxes: BoxesItem,
    marks.ThinBoxes: ThinBoxesItem,
    marks.Rule: RuleItem,
    marks.LevelSpan: LevelSpanItem,
    marks.Heatmap: HeatmapItem,
    marks.CellMatrix: CellMatrixItem,
    marks.WordMarks: WordsItem,
    marks.EmptyPanelText: EmptyPanelTextItem,
}
"""Painter of each kind of mark; a new kind is a class in an adjacent module and a line here."""


_FILLED_MARKS = {marks.Heatmap, marks.CellMatrix, marks.Boxes, marks.ThinBoxes}


class Painter:
    """Draws one figure at a time."""

    def __init__(self, canvas: Any) -> None:
        self._canvas = canvas
        self._panels: Sequence[Panel] = ()
        self._layout_key: list[tuple[int, int, int, int, bool, bool]] = []
        self._axes: list[CanvasAxes] = []
        self._labelled_panels: set[int] = set()
        self._reserved_left_width = 0
        self._pool: dict[tuple[int, type[Mark]], list[PaintedMarks[Any]]] = {}

    def paint(self, figure: Figure) -> None:
        """Show a figure, replacing the previous one."""
        self._update_axes(figure.panels)
        right_margin = compute_right_margin(figure.panels, self._canvas.width())
        spare_sides = _find_spare_sides(figure)
        # A second pass after the layout of names and numbers, as the available space depends on it.
        for _ in range(2):
            sizes_before = self._get_drawing_areas()
            for index, (axes, panel) in enumerate(zip(self._axes, figure.panels, strict=True)):
                axes.show_panel(
                    panel,
                    has_height=self._has_named_axes,
                    right=right_margin,
                    has_padding=spare_sides[index],
                )
            self._align_panels()
            self._limit_widths()
            if self._get_drawing_areas() == sizes_before:
                break
        self._labelled_panels = {
            mark.panel for mark in figure.marks if isinstance(mark, Heatmap) and mark.texts
        }
        used_counts: dict[tuple[int, type[Mark]], int] = {}
        for index, mark in enumerate(figure.marks):
            if isinstance(mark, LegendItem):
                continue
            kind = (mark.panel, type(mark))
            number = used_counts.get(kind, 0)
            used_counts[kind] = number + 1
            item = self._make_item(kind, number)
            item.set_visible(True)
            item.show(mark)
            item.set_depth(index if mark.depth is None else mark.depth)
        for kind, pool in self._pool.items():
            for item in pool[used_counts.get(kind, 0) :]:
                item.set_visible(False)

    @property
    def label_width(self) -> int:
        """Width in pixels of the widest label at a curve's end; 0 for none."""
        end_axes = [axes.item.getAxis("right") for axes in self._axes]
        return max((end.max_label_width for end in end_axes if end.isVisible()), default=0)

    def reserve_label_width(self, pixels: int) -> None:
        """Reserve at least this width for labels at curves' ends, if any."""
        for axes in self._axes:
            axes.item.getAxis("right").reserve(pixels)

    @property
    def left_width(self) -> int:
        """Width in pixels that the left axes need; 0 for none."""
        columns = self._group_axes("column")
        return max(axes.left for axes in columns[min(columns)]) if columns else 0

    def reserve_left_width(self, pixels: int) -> None:
        """Reserve at least this width for the left axes, if any."""
        if pixels != self._reserved_left_width:
            self._reserved_left_width = pixels
            self._align_panels()

    def _group_axes(self, attribute: Literal["row", "column"]) -> dict[int, list[CanvasAxes]]:
        groups: dict[int, list[CanvasAxes]] = {}
        for axes, panel in zip(self._axes, self._panels, strict=True):
            groups.setdefault(getattr(panel, attribute), []).append(axes)
        return groups

    def map_to_figure(self, scene_position: QPointF) -> Pointer | None:
        """Convert a position of the scene to figure coordinates; None outside all panels."""
        for number, axes in enumerate(self._axes):
            box = axes.item.getViewBox()
            if box.sceneBoundingRect().contains(scene_position):
                position, pixel = box.mapSceneToView(scene_position), box.viewPixelSize()
                return Pointer(number, position.x(), position.y(), *pixel)
        return None

    def find_panel(self, position: QPointF) -> QRectF | None:
        """Return the area of a crosshair; ``None`` where it would strike through texts of cells."""
        boxes = (
            axes.item.getViewBox().sceneBoundingRect()
            for index, axes in enumerate(self._axes)
            if index not in self._labelled_panels
        )
        return next((box for box in boxes if box.contains(position)), None)

    @property
    def _has_named_axes(self) -> bool:
        """Whether stacked axes are tall enough for their names."""
        rows = {panel.row for panel in self._panels}
        return len(rows) == 1 or self._canvas.height() >= theme.pixels(canvas.MIN_FULL_HEIGHT)

    def _update_axes(self, panels: Sequence[Panel]) -> None:
        """Create or remove axes to match the panels, and place them."""
        layout_key = [
            (
                each.row,
                each.column,
                each.height_share,
                theme.pixels(each.fixed_width),
                each.right_ticks is not None or bool(each.end_labels),
                each.square,
            )
            for each in panels
        ]
        if layout_key == self._layout_key:
            return
        self._canvas.clear()
        self._pool.clear()
        layout = self._canvas.ci.layout
        widths = dict.fromkeys((panel.column for panel in self._panels), 0)
        widths |= {panel.column: theme.pixels(panel.fixed_width) for panel in panels}
        for column, width in widths.items():
            layout.setColumnMinimumWidth(column, width)
            layout.setColumnMaximumWidth(column, width or _UNLIMITED_SIZE)
        self._panels, self._layout_key = panels, layout_key
        rows = Counter(panel.row for panel in panels)
        self._axes = [
            CanvasAxes(self._canvas, each, is_single=rows[each.row] == 1) for each in panels
        ]
        first: dict[int, Any] = {}
        for axes, panel in zip(self._axes, panels, strict=True):
            layout.setRowStretchFactor(panel.row, panel.height_share)
            axes.item.getViewBox().sigRangeChangedManually.connect(self._align_panels)
            axes_above = first.setdefault(panel.column, axes.item)
            if axes_above is not axes.item:
                axes.item.setXLink(axes_above)
        layout.activate()
        self._canvas.ci.setGeometry(self._canvas.range)  # new panels may have needed more space

    def _get_drawing_areas(self) -> list[QRectF]:
        self._canvas.ci.layout.activate()
        for axes in self._axes:
            axes.item.layout.activate()
        return [axes.item.getViewBox().sceneBoundingRect() for axes in self._axes]

    def _align_panels(self, *_: object) -> None:
        """Align panels in columns and rows by the maximum size of their axes."""
        columns = self._group_axes("column")
        for column, same_column in columns.items():
            left = max(axes.left for axes in same_column)
            if left and column == min(columns):
                left = max(left, self._reserved_left_width)
            for axes in same_column:
                axes.set_left_width(left)
        for same_row in self._group_axes("row").values():
            bottom = max(axes.bottom_height for axes in same_row) if len(same_row) > 1 else 0.0
            for axes in same_row:
                axes.set_bottom_height(bottom)

    def _limit_widths(self) -> None:
        """Give square panels equal width and height, so that their diagonals rise at 45°.

        In a wide and short plot, where most of the width would be empty, some fill it.
        """
        areas, layout = self._get_drawing_areas(), self._canvas.ci.layout
        for area, axes, panel in zip(areas, self._axes, self._panels, strict=True):
            if panel.square:
                margin_width = axes.item.geometry().width() - area.width()
                width = max(1.0, area.height() + margin_width)
                if panel.fills_width and width < _MIN_SQUARE_SHARE * self._canvas.width():
                    width = _UNLIMITED_SIZE
                layout.setColumnMaximumWidth(panel.column, width)
                self._canvas.ci.setGeometry(self._canvas.range)  # it may have needed less space

    def _make_item(self, kind: tuple[int, type[Mark]], number: int) -> PaintedMarks[Any]:
        pool = self._pool.setdefault(kind, [])
        if number == len(pool):
            panel, mark = kind
            pool.append(ITEM_CLASSES[mark](self._axes[panel].item))
        return pool[number]


def _find_spare_sides(figure: Figure) -> list[tuple[bool, bool]]:
    """Return whether each panel may extend beyond its x range and its y range.

    The margin shows symbols at the edge of the range whole. Filled cells, and bars that start at an
    axis, get no margin.
    """
    kinds: list[set[type[Mark]]] = [set() for _ in figure.panels]
    for mark in figure.marks:
        kinds[mark.panel].add(type(mark))
    has_dots = any(marks.Dots in each for each in kinds)
    is_filled = any(each & _FILLED_MARKS for each in kinds)
    has_spare_width = has_dots and not is_filled
    return [
        (has_spare_width, _has_spare_height(index, figure, kinds)) for index in range(len(kinds))
    ]


def _has_spare_height(index: int, figure: Figure, kinds: list[set[type[Mark]]]) -> bool:
    """Return whether a panel, or one that shares its rows, may extend beyond its y range."""
    panel = figure.panels[index]
    same_row = [
        each
        for each, other in zip(kinds, figure.panels, strict=True)
        if other.row == panel.row and other.y.low == panel.y.low and other.y.high == panel.y.high
    ]
    has_filled = any(each & {*_FILLED_MARKS, marks.Area} for each in same_row)
    return marks.Dots in kinds[index] and not has_filled


def make_legend_entries(marks_drawn: Sequence[Mark]) -> list[LegendEntry]:
    """Return the legend of marks: the named ones, each name once."""
    marks_by_name: dict[str, Mark] = {}
    for mark in marks_drawn:
        if mark.name:
            marks_by_name.setdefault(mark.name, mark)
    # Samples are small, and need a minimum opacity.
    return [
        LegendEntry(name, mark.legend_sample, ink.with_opacity(max(ink.alpha, _MIN_OPACITY)))
        for name, mark in marks_by_name.items()
        for ink in [mark.legend_ink]
    ]
