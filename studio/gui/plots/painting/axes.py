"""One pair of axes of a figure's panel."""

import math
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QPen, QTextOption
from PySide6.QtWidgets import QGraphicsTextItem

from studio.figures.figure import Axis, Panel, Ticks
from studio.gui.base import theme
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.plots.painting import canvas

_WIDTH_SLACK = 24.0
"""Additional pixels required before a name returns to its place beside the axis."""

_MAX_RETURNS = 2
"""Maximum number of such returns per canvas size. Otherwise the name would oscillate if the height
of the bottom axes depends on the width that it leaves.
"""

_LABELLED_SIDES = ("left", "bottom")


class _AxisLabels:
    """Labels of the axes, in full wherever they fit."""

    def __init__(self, item: Any) -> None:
        self._item = item
        self._labels = dict.fromkeys(_LABELLED_SIDES, "")
        self._has_height = True
        self._has_title = False
        self._rows = 1
        self.bottom_height = self._min_bottom_height = 0.0
        self._canvas: tuple[Any, str] | None = None
        self._n_returns = 0
        # Placed outside of the layout, which would otherwise become as wide as the label.
        self._label_above = QGraphicsTextItem(item)
        self._label_above.document().setDocumentMargin(0.0)
        for side in _LABELLED_SIDES:
            item.getAxis(side).geometryChanged.connect(self._position_labels)

    def show(
        self, left: str, bottom: str, *, has_title: bool, has_height: bool, n_rows: int
    ) -> None:
        """Set the labels of both axes.

        Args:
            left, bottom: Their quantities; empty for no label.
            has_title: Whether the panel has a title, so that the space above is occupied.
            has_height: Whether the height suffices for labels.
        """
        self._labels = {"left": left, "bottom": bottom}
        self._has_title, self._has_height, self._rows = has_title, has_height, n_rows
        for side in _LABELLED_SIDES:
            self._item.getAxis(side).showLabel(bool(self._labels[side]) and has_height)
        self._position_labels()

    def set_bottom_height(self, height: float) -> None:
        if height != self._min_bottom_height:
            self._min_bottom_height = height
            self._position_labels()

    @property
    def is_left_label_beside_axis(self) -> bool:
        """Whether the left axis's label is next to the axis."""
        return (
            bool(self._labels["left"]) and self._has_height and not self._label_above.toPlainText()
        )

    def _position_labels(self) -> None:
        left, label_above = self._labels["left"], self._label_above
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        label_height = float(round(1.2 * metrics.height()))
        axis_length = self._item.getAxis("left").geometry().height()
        was_above = bool(label_above.toPlainText())
        if was_above:
            # A label above would change the heights of all panels, and so appear and disappear
            # alternately.
            axis_length += label_height - _WIDTH_SLACK
        is_long = 0 < axis_length < metrics.horizontalAdvance(left)
        if was_above and not is_long:
            is_long = not self._allow_label_beside(left)
        elided = ""
        if is_long and self._has_height and not self._has_title:
            width = self._item.layout.geometry().width()
            elided = metrics.elidedText(left, Qt.TextElideMode.ElideRight, width)
        label_above.setFont(theme.font(theme.SMALL))
        label_above.setDefaultTextColor(QColor(theme.current().text))
        if elided != label_above.toPlainText():
            label_above.setPlainText(elided)
            self._set_title_height(label_height if elided else 0.0)
        elif elided:
            self._set_title_height(
                label_height
            )  # pyqtgraph resets it with each title, even an empty one
        self._set_label("left", "" if elided else left)
        self._set_bottom_label(self._labels["bottom"])

    def _allow_label_beside(self, left: str) -> bool:
        """Count a label's return beside its axis; return whether more are allowed."""
        view = self._item.getViewWidget()
        canvas_now = (None if view is None else view.size(), left)
        if canvas_now != self._canvas:
            self._canvas, self._n_returns = canvas_now, 0
        self._n_returns += 1
        return self._n_returns <= _MAX_RETURNS

    def _set_title_height(self, height: float) -> None:
        layout = self._item.layout
        if layout.rowMaximumHeight(0) != height:
            layout.setRowFixedHeight(0, height)

    def _set_bottom_label(self, title: str) -> None:
        """Place the bottom axis's label, in two lines if it is too long for one."""
        axis = self._item.getAxis("bottom")
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        axis_length = axis.geometry().width()
        is_long = 0 < axis_length < metrics.horizontalAdvance(title)
        self._set_label("bottom", _split_in_two(title) if is_long else title)
        self.bottom_height = 0.0
        if axis.style["showValues"]:
            # Tighter than in pyqtgraph, as small plots need their height.
            lines = (2.6 + 1.3 * is_long) if title and self._has_height else 1.5
            lines += 1.3 * (self._rows - 1)
            self.bottom_height = theme.pixels(lines * theme.SMALL) + 4.0
        height = max(self.bottom_height, self._min_bottom_height) if self.bottom_height else None
        if height != axis.fixedHeight:
            axis.setHeight(height)

    def _set_label(self, side: str, title: str) -> None:
        """Place a label along its axis, elided with a tooltip if too long."""
        axis = self._item.getAxis(side)
        area = axis.geometry()
        axis_length = area.height() if side == "left" else area.width()
        text = title
        if axis_length > 0:
            metrics = QFontMetricsF(theme.font(theme.SMALL))
            lines = title.split("\n")
            cut = (
                metrics.elidedText(each, Qt.TextElideMode.ElideRight, axis_length) for each in lines
            )
            text = "\n".join(cut)
        markup = escape(text).replace("\n", "<br>")
        style = {"color": theme.current().text, "font-size": f"{theme.pixels(theme.SMALL)}px"}
        if (markup, style) != (axis.labelText, axis.labelStyle):
            axis.setToolTip("" if text == title else make_plain_tip(title))
            axis.label.document().setDefaultTextOption(QTextOption(Qt.AlignmentFlag.AlignHCenter))
            axis.label.setTextWidth(-1)
            axis.setLabel(markup, **style)
            axis.label.setTextWidth(axis.label.document().idealWidth())
            axis.showLabel(bool(text) and self._has_height)
            # pyqtgraph centres a name only when its own size changes.
            axis.resizeEvent()


def _split_in_two(text: str) -> str:
    """Break a text into two lines at the space nearest to the middle, if there is one."""
    spaces = [index for index, letter in enumerate(text) if letter == " "]
    if not spaces:
        return text
    index = min(spaces, key=lambda each: abs(each - len(text) / 2))
    return f"{text[:index]}\n{text[index + 1 :]}"


_MIN_TICK_WIDTH = 56
"""Minimum width of an elided tick at the bottom, in pixels."""

_MAX_LABEL_ROWS = 3
"""Maximum number of rows of staggered names at the bottom."""

_OVERHANG = 40
"""Pixels by which the first and the last of staggered names may exceed the axis; others may by the
margin of the canvas.
"""

_ELIDE_WIDTH = 18
"""Maximum width of a row's name in grid units, or a third of the canvas if that is more."""

_TITLE_HEIGHT, _TICK_GAPS = 18, 10
"""Width of a vertical name along a left axis, and of the margins of tick labels."""

_MIN_RIGHT_MARGIN = 96
"""Minimum width of the names at a right edge, up to a third of the canvas for long names."""

_GRID_OPACITY = 0.12

_TICK_LENGTH = 5
"""Length of the ticks next to numbers, in pixels."""

_SYMBOL_SIZE = 6
"""Half the height of a large symbol, in pixels."""


class CanvasAxes:
    """A panel's axes on a canvas; ``is_single`` if there is no adjacent panel."""

    def __init__(self, on: Any, panel: Panel, *, is_single: bool = True) -> None:
        self._canvas, self._is_single = on, is_single
        self.item = canvas.add_axes(on, panel.row, panel.column)
        self._labels = _AxisLabels(self.item)
        self._y = panel.y
        self._applied: dict[str, object] = {}

    def show_panel(
        self,
        panel: Panel,
        *,
        has_height: bool,
        right: int = 0,
        has_padding: tuple[bool, bool] = (False, False),
    ) -> None:
        """Set a panel's ranges, names and ticks.

        Args:
            has_height: Whether the height suffices for the axes' names.
            right: The width of the names at a right edge, in pixels.
            has_padding: Whether the ranges of x and y are padded, for symbols at their ends.
        """
        item, theme_state = self.item, (theme.current().key, theme.scale())
        if self._has_changed(
            "look",
            (theme_state, panel.is_zoomable, panel.y.is_flipped, panel.y.is_visible, panel.title),
        ):
            self._applied = {"look": self._applied["look"]}
            for side, offset in (("left", 6), ("bottom", 3)):
                item.getAxis(side).setPen(QPen(QColor(theme.current().border), 1))
                item.getAxis(side).setTextPen(QColor(theme.current().muted))
                item.getAxis(side).setStyle(tickTextOffset=offset)
            item.getViewBox().setMouseEnabled(panel.is_zoomable, panel.is_zoomable)
            item.getViewBox().invertY(panel.y.is_flipped)
            item.showAxis("left", panel.y.is_visible)
            # Where space is scarce, numbers at an end may exceed the axis.
            item.getAxis("bottom").setStyle(hideOverlappingLabels=not panel.fixed_width)
            item.setTitle(
                escape(panel.title) or None,  # frees the row above for the left axis's name
                color=theme.current().text,
                size=f"{theme.pixels(theme.SMALL)}px",
                bold=True,
            )
        if self._has_changed("grid", (panel.x.has_grid, panel.y.has_grid)):
            item.showGrid(x=panel.x.has_grid, y=panel.y.has_grid, alpha=_GRID_OPACITY)
        box = item.getViewBox()
        x_range = _widen_range(panel.x, box.width() if has_padding[0] else 0.0)
        y_range = _widen_range(panel.y, box.height() if has_padding[1] else 0.0)
        if panel.is_zoomable:
            canvas.limit_view(box, x_range, y_range)
        item.setRange(xRange=x_range, yRange=y_range, padding=0)
        self._set_side("left", panel.y, self._make_left_ticks(panel.y), has_height=has_height)
        x_ticks = self._make_bottom_ticks(
            panel.x, _MAX_LABEL_ROWS if has_height and panel.x.has_tick_labels else 1
        )
        self._set_side("bottom", panel.x, x_ticks, has_height=has_height)
        self._y = panel.y
        rows = 1 + max((text.count("\n") for _, text in x_ticks or ()), default=0)
        overhang = theme.pixels(_OVERHANG) if rows > 1 else canvas.RIGHT_MARGIN if x_ticks else 0
        self.item.getAxis("bottom").set_overhang(overhang)
        names_state = (panel.y.label, panel.x.label, bool(panel.title), has_height, rows)
        if self._has_changed("names", names_state):
            # A label above would misalign a panel's rows with those of adjacent panels.
            is_space_taken = bool(panel.title) or not self._is_single
            self._labels.show(
                panel.y.label,
                panel.x.label,
                has_title=is_space_taken,
                has_height=has_height,
                n_rows=rows,
            )
        if panel.end_labels:
            self.item.showAxis("right")
            self.item.getAxis("right").set_end_labels(panel.end_labels, item.getViewBox().height())
        elif panel.right_ticks is not None:
            self._set_right_tick_labels(self._drop_overlapping(panel.right_ticks), right)

    def _has_changed(self, key: str, value: object) -> bool:
        """Return whether an axis property has changed, as updating the axes is slow."""
        if self._applied.get(key, self) == value:
            return False
        self._applied[key] = value
        return True

    def _set_side(self, side: str, axis: Axis, ticks: Ticks | None, *, has_height: bool) -> None:
        bare_axis = replace(axis, label="", low=0.0, high=0.0, ticks=None)
        if not self._has_changed(
            side, (bare_axis, None if ticks is None else tuple(ticks), has_height)
        ):
            return
        edge = self.item.getAxis(side)
        # Names are next to coloured marks, which ticks would cover.
        has_named_ticks = ticks is not None and not axis.has_grid
        edge.setStyle(
            showValues=axis.has_tick_labels,
            tickLength=0 if has_named_ticks else -_TICK_LENGTH,
            tickAlpha=0 if has_named_ticks else None,
        )
        edge.setTickFont(theme.font(round(theme.SMALL * axis.tick_scale)))
        edge.setTicks(None if ticks is None else [list(ticks)])
        edge.setLogMode(**{"x" if side == "bottom" else "y": axis.is_log})
        edge.has_integers = axis.has_integers
        edge.max_tick = math.inf if axis.max_tick is None else axis.max_tick
        edge.picture = None

    @property
    def left(self) -> int:
        """The current width of the left axis in pixels."""
        if not (self._y.is_visible and self._y.has_tick_labels):
            return 2 * theme.GRID if self._y.is_visible else 0
        edge = self.item.getAxis("left")
        if self._y.ticks is None:
            low, high = self.item.getViewBox().viewRange()[1]
            widest: float = edge.measure_widest(low, high, edge.geometry().height())
        else:
            widest = max(
                (_get_text_width(text) for _, text in self._make_left_ticks(self._y) or ()),
                default=0,
            )
        title_width = theme.pixels(_TITLE_HEIGHT) if self._labels.is_left_label_beside_axis else 0
        needed = math.ceil(widest) + title_width + _TICK_GAPS
        return needed if self._y.is_fitted_to_labels else max(needed, canvas.compute_left_width())

    def set_left_width(self, left: int) -> None:
        """Set the left axis' width, the maximum of its column."""
        if self._has_changed("begin", left):
            self.item.getAxis("left").setWidth(left)

    @property
    def bottom_height(self) -> float:
        """The current height of the bottom axis in pixels."""
        return self._labels.bottom_height

    def set_bottom_height(self, height: float) -> None:
        """Set the bottom axis' height, the maximum of its row."""
        self._labels.set_bottom_height(height)

    def _make_left_ticks(self, axis: Axis) -> Ticks | None:
        if axis.ticks is None or axis.tick_overlap == "all":
            return axis.ticks
        step = canvas.compute_row_label_step(self.item, len(axis.ticks), axis.tick_scale)
        ticks = axis.ticks[::step]
        longest = max(_ELIDE_WIDTH * theme.GRID, self._canvas.width() // 3)
        return [(position, elide_tick(text, longest)) for position, text in ticks]

    def _make_bottom_ticks(self, axis: Axis, n_rows: int) -> Ticks | None:
        """Return the ticks at the bottom, staggered, elided or thinned to fit."""
        if not axis.ticks or axis.tick_overlap == "all":
            return axis.ticks
        width = int(self.item.getViewBox().width())
        if axis.tick_overlap == "thin":
            return self._thin_ticks(axis, width)
        longest = max(_get_text_width(text) for _, text in axis.ticks) + theme.GRID
        pixel = width / ((axis.high - axis.low) or 1.0)
        # Margins beside the ends may make ticks closer than an equal share of the width.
        distances = (abs(one - other) * pixel for (one, _), (other, _) in pairwise(axis.ticks))
        cell = max(1, int(min((width / len(axis.ticks), *distances))))
        step = max(1, -(-min(longest, _MIN_TICK_WIDTH) // (cell * n_rows)))
        n_rows = min(n_rows, -(-longest // (cell * step)))
        available = max(cell * step * n_rows - theme.GRID, theme.GRID)

        ticks = axis.ticks[::step]
        room = compute_tick_room([text for _, text in ticks], available, n_rows)

        def align_tick(position: float, text: str, width: int) -> str:
            """Align a text at its position so that it stays within the canvas."""
            edge = (axis.high - position) * pixel + canvas.RIGHT_MARGIN
            return elide_tick(text, min(width, int(2 * edge)))

        return [
            (position, "\n" * (number % n_rows) + align_tick(position, text, room[number]))
            for number, (position, text) in enumerate(ticks)
        ]

    @staticmethod
    def _thin_ticks(axis: Axis, width: int) -> Ticks:
        """Return every n-th tick, such that none touches the next."""
        ticks, pixel = axis.ticks or (), (width or 1) / ((axis.high - axis.low) or 1.0)
        for step in range(1, len(ticks)):
            thinned = ticks[::step]
            if all(
                abs(one[0] - other[0]) * pixel
                >= (_get_text_width(one[1]) + _get_text_width(other[1])) / 2 + 8
                for one, other in pairwise(thinned)
            ):
                return thinned
        return ticks[:1]

    def _set_right_tick_labels(self, names: Ticks, width: int) -> None:
        if not self._has_changed("right", (tuple(names), width)):
            return
        self.item.showAxis("right")
        edge = self.item.getAxis("right")
        edge.setWidth(width)
        edge.setPen(None)
        edge.setTextPen(QColor(theme.current().text))
        edge.setTickFont(theme.font(theme.SMALL))
        edge.setStyle(tickLength=0, tickTextOffset=4)
        edge.setTicks([[(position, elide_tick(text, width - 8)) for position, text in names]])

    def _drop_overlapping(self, names: Ticks) -> Ticks:
        box = self.item.getViewBox()
        min_distance = theme.pixels(canvas.LABEL_PIXELS) * abs(box.viewPixelSize()[1])
        selected_ticks: list[tuple[float, str]] = []
        for position, text in sorted(names):
            if not selected_ticks or position - selected_ticks[-1][0] >= min_distance:
                selected_ticks.append((position, text))
        return selected_ticks


def _widen_range(axis: Axis, pixels: float) -> tuple[float, float]:
    """Extend an axis's range by half a symbol at both ends; unchanged for 0 pixels."""
    if pixels <= 4 * _SYMBOL_SIZE:
        return axis.low, axis.high
    padding = _SYMBOL_SIZE * (axis.high - axis.low) / (pixels - 2 * _SYMBOL_SIZE)
    if axis.has_integers:
        padding = min(padding, 0.4)  # otherwise the axis would end with a number beyond the data
    return axis.low - padding, axis.high + padding


def compute_right_margin(panels: Sequence[Panel], width: int) -> int:
    """Return the common width of the names at the right edges, for a canvas width in pixels."""
    names = [text for panel in panels for _, text in panel.right_ticks or ()]
    widest = max(map(_get_text_width, names), default=0) + 8
    return min(max(theme.pixels(_MIN_RIGHT_MARGIN), widest), width // 3)


def _get_text_width(text: str) -> int:
    return QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(text)


def compute_tick_room(texts: Sequence[str], available: int, n_rows: int) -> list[int]:
    """Return the width in pixels that each tick may use: more than its share beside short ones.

    Args:
        available: The share of a tick in its row, without the gap to the next.
        n_rows: Number of rows in which the ticks are staggered.
    """
    widths = [min(_get_text_width(text), available) for text in texts]
    room = []
    for number in range(len(texts)):
        neighbours = [each for each in (number - n_rows, number + n_rows) if 0 <= each < len(texts)]
        widest = max((widths[each] for each in neighbours), default=available)
        room.append(2 * available - widest)
    return room


def elide_tick(text: str, width: int) -> str:
    """Elide a tick's text to the available width."""
    metrics = QFontMetrics(theme.font(theme.SMALL))
    return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, max(width, theme.GRID))
