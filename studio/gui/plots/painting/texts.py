"""Texts at places, and in place of what cannot be drawn."""

from collections.abc import Sequence
from typing import Any

import pyqtgraph

from studio.figures import marks
from studio.gui.base import theme
from studio.gui.base.inks import colour
from studio.gui.plots.painting.shown import PaintedMarks

_NARROWEST = 120
"""Pixels that a sentence has at least before it is broken."""


class ShownWords(PaintedMarks[marks.WordMarks]):
    """Short texts."""

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        super().__init__(axes)

    def made(self, axes: Any) -> Sequence[Any]:
        """Return none yet."""
        return []

    def show(self, mark: marks.WordMarks) -> None:
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
        self._make_room(mark)

    def _make_room(self, mark: marks.WordMarks) -> None:
        """Let the axis reach so far that no text is cut: how wide they are depends on the font."""
        box = self._axes.getViewBox()
        (low, high), width = box.viewRange()[0], box.width()
        needed = high
        for x, item in zip(mark.x.tolist(), self.items, strict=False):
            left = width - item.boundingRect().width()
            if left > width / 3:
                needed = max(needed, low + (x - low) * width / left)
        if needed > high:
            box.setXRange(low, needed, padding=0)


class ShownNote(PaintedMarks[marks.Note]):
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
