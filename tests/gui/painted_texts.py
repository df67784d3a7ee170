"""A widget's painted texts with their areas, read from its SVG."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QTransform
from PySide6.QtWidgets import QWidget

from studio.gui.plots.base.frame import render_svg

_SVG = "{http://www.w3.org/2000/svg}"
_TOUCH = 1.0
"""Pixels by which lines may overlap, as no letter has the full height."""


@dataclass(frozen=True)
class PaintedText:
    """A text and its bounding rectangle in pixels of the widget."""

    text: str
    area: QRectF


def read_painted_texts(widget: QWidget) -> list[PaintedText]:
    """Return the texts painted by a widget and its children."""
    painted_texts = []
    root = ElementTree.fromstring(render_svg(widget, "texts", ""))
    for group in root.iter(f"{_SVG}g"):
        view = _transform(group.get("transform", ""))
        for element in group.findall(f"{_SVG}text"):
            text = (element.text or "").strip()
            if text:
                painted_texts.append(PaintedText(text, _area(element, text, view)))
    return painted_texts


def list_bottom_numbers(widget: QWidget) -> list[str]:
    """Return the whole numbers in the lowest line that has some, from left to right."""
    numbers = [each for each in read_painted_texts(widget) if each.text.isdigit()]
    lowest = max((each.area.center().y() for each in numbers), default=0.0)
    row = [each for each in numbers if lowest - each.area.center().y() < each.area.height() / 2]
    return [each.text for each in sorted(row, key=lambda each: each.area.left())]


def _transform(text: str) -> QTransform:
    numbers = [float(each) for each in re.findall(r"-?[\d.]+(?:e-?\d+)?", text)]
    return QTransform(*numbers) if len(numbers) == 6 else QTransform()


def _area(element: ElementTree.Element, text: str, view: QTransform) -> QRectF:
    font = QFont(str(element.get("font-family")).split(",")[0].strip("'"))
    font.setPixelSize(round(float(str(element.get("font-size")))))
    font.setWeight(QFont.Weight(int(str(element.get("font-weight")))))
    start = QPointF(float(str(element.get("x"))), float(str(element.get("y"))))
    tight = QFontMetricsF(font).tightBoundingRect(text).translated(start)
    return view.mapRect(tight)


def find_collisions(texts: Sequence[PaintedText]) -> list[tuple[str, str]]:
    """Return the overlapping pairs of texts."""
    return [
        (one.text, other.text)
        for index, one in enumerate(texts)
        for other in texts[:index]
        if _overlap(one.area, other.area)
    ]


def _overlap(one: QRectF, other: QRectF) -> bool:
    both = one.intersected(other)
    return both.width() > _TOUCH and both.height() > _TOUCH


def find_elided(texts: Sequence[PaintedText]) -> list[str]:
    """Return the elided texts."""
    return [each.text for each in texts if each.text.endswith("…") and len(each.text) > 1]


def find_outside(widget: QWidget, texts: Sequence[PaintedText]) -> list[str]:
    """Return the texts partly outside of a widget."""
    room = QRectF(widget.rect()).adjusted(-_TOUCH, -_TOUCH, _TOUCH, _TOUCH)
    return [each.text for each in texts if not room.contains(each.area)]
