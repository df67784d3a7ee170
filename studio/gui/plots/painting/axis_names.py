"""The names of axes: along them, or above the left one where it is too low for its name."""

from html import escape
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QTextOption
from PySide6.QtWidgets import QGraphicsTextItem

from studio.gui.base import theme
from studio.gui.base.tips import plain_tip

_SLACK = 24.0
"""Pixels more than it needs that a name must find before it goes back beside its axis."""

_SIDES = ("left", "bottom")


class AxisNames:
    """What axes measure, written out wherever there is room for it in any direction.

    Attributes:
        foot: Pixels that the bottom axis needs; 0 where it has no numbers.

    Args:
        item: The axes.
    """

    def __init__(self, item: Any) -> None:
        self._item = item
        self._names = dict.fromkeys(_SIDES, "")
        self._roomy = True
        self._titled = False
        self._rows = 1
        self.foot = self._given_foot = 0.0
        # Not in the layout, which would become as wide as the name.
        self._above = QGraphicsTextItem(item)
        self._above.document().setDocumentMargin(0.0)
        for side in _SIDES:
            item.getAxis(side).geometryChanged.connect(self._fit)

    def show(self, left: str, bottom: str, *, titled: bool, roomy: bool, rows: int) -> None:
        """Name both axes.

        Args:
            left, bottom: What they measure; empty: nothing is written.
            titled: Whether the panel has a title, so that the place above is taken.
            roomy: Whether there is height enough for names at all.
            rows: Lines of the ticks' texts along the bottom.
        """
        self._names = {"left": left, "bottom": bottom}
        self._titled, self._roomy, self._rows = titled, roomy, rows
        for side in _SIDES:
            self._item.getAxis(side).showLabel(bool(self._names[side]) and roomy)
        self._fit()

    def give_foot(self, foot: float) -> None:
        """Let the bottom axis be this high, if that is more than it needs."""
        if foot != self._given_foot:
            self._given_foot = foot
            self._fit()

    @property
    def beside(self) -> bool:
        """Whether the left axis' name is along it."""
        return bool(self._names["left"]) and self._roomy and not self._above.toPlainText()

    def _fit(self) -> None:
        """Write the names as the room is now."""
        left, above = self._names["left"], self._above
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        high = float(round(1.2 * metrics.height()))
        along = self._item.getAxis("left").geometry().height()
        if above.toPlainText():
            # Panels share their height again once a name is above: it would go to and fro.
            along += high - _SLACK
        is_long = 0 < along < metrics.horizontalAdvance(left)
        shown = ""
        if is_long and self._roomy and not self._titled:
            across = self._item.layout.geometry().width()
            shown = metrics.elidedText(left, Qt.TextElideMode.ElideRight, across)
        above.setFont(theme.font(theme.SMALL))
        above.setDefaultTextColor(QColor(theme.current().text))
        if shown != above.toPlainText():
            above.setPlainText(shown)
            self._give_height(high if shown else 0.0)
        elif shown:
            self._give_height(high)  # pyqtgraph takes it away with every title, also with none
        self._write("left", "" if shown else left)
        self._write_below(self._names["bottom"])

    def _give_height(self, height: float) -> None:
        """Give the row above the axes a height."""
        layout = self._item.layout
        if layout.rowMaximumHeight(0) != height:
            layout.setRowFixedHeight(0, height)

    def _write_below(self, whole: str) -> None:
        """Write the bottom axis' name, in two lines where one is too short for it."""
        axis = self._item.getAxis("bottom")
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        along = axis.geometry().width()
        is_long = 0 < along < metrics.horizontalAdvance(whole)
        self._write("bottom", in_two(whole) if is_long else whole)
        self.foot = 0.0
        if axis.style["showValues"]:
            # Closer together than pyqtgraph would have it: a small plot needs its height itself.
            lines = (2.6 + 1.3 * is_long) if self._roomy else 1.5
            lines += 1.3 * (self._rows - 1)
            self.foot = theme.pixels(lines * theme.SMALL) + 4.0
        height = max(self.foot, self._given_foot) if self.foot else None
        if height != axis.fixedHeight:
            axis.setHeight(height)

    def _write(self, side: str, whole: str) -> None:
        """Write a name along its axis; with "…" and a tooltip where it is longer than that."""
        axis = self._item.getAxis(side)
        area = axis.geometry()
        along = area.height() if side == "left" else area.width()
        shown = whole
        if along > 0:
            metrics = QFontMetricsF(theme.font(theme.SMALL))
            lines = whole.split("\n")
            cut = (metrics.elidedText(each, Qt.TextElideMode.ElideRight, along) for each in lines)
            shown = "\n".join(cut)
        markup = escape(shown).replace("\n", "<br>")
        look = {"color": theme.current().text, "font-size": f"{theme.pixels(theme.SMALL)}px"}
        if (markup, look) != (axis.labelText, axis.labelStyle):
            axis.setToolTip("" if shown == whole else plain_tip(whole))
            axis.label.document().setDefaultTextOption(QTextOption(Qt.AlignmentFlag.AlignHCenter))
            axis.label.setTextWidth(-1)
            axis.setLabel(markup, **look)
            axis.label.setTextWidth(axis.label.document().idealWidth())
            axis.showLabel(bool(shown) and self._roomy)
            # It centres a name only when its own size changes.
            axis.resizeEvent()


def in_two(text: str) -> str:
    """Return a text in two lines, broken at the space nearest to its middle, if it has one."""
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if not spaces:
        return text
    place = min(spaces, key=lambda each: abs(each - len(text) / 2))
    return f"{text[:place]}\n{text[place + 1 :]}"
