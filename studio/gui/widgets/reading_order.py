"""Tab order of fields that are rebuilt repeatedly.

Qt puts a new widget at the end of its window's order, so a form that follows what is chosen would
come last, after everything that was there before it.
"""

from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

_SAME_LINE = 10
"""Middles that differ by fewer pixels than this are on one line."""


def follow(first: QWidget, inside: QWidget) -> None:
    """Let Tab go from a widget through what takes it inside another one, as it is read."""
    takers = [
        each
        for each in inside.findChildren(QWidget)
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisibleTo(inside)
    ]
    before = first
    for each in as_read(takers, inside):
        QWidget.setTabOrder(before, each)
        before = each


def as_read(widgets: Iterable[QWidget], inside: QWidget) -> list[QWidget]:
    """Return widgets line by line, each line from its left."""

    def middle(each: QWidget) -> QPoint:
        return each.mapTo(inside, each.rect().center())

    lines: list[tuple[int, list[QWidget]]] = []
    for each in sorted(widgets, key=lambda each: middle(each).y()):
        height = middle(each).y()
        if not lines or height - lines[-1][0] >= _SAME_LINE:
            lines.append((height, []))
        lines[-1][1].append(each)
    return [each for _, line in lines for each in sorted(line, key=lambda each: middle(each).x())]
