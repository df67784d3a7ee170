"""The visible content and controls of a window, found by their texts."""

from collections.abc import Iterator
from typing import Any, TypeVar

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from studio.gui.shell.bars.runs_strip import RunChip
from studio.gui.widgets.fields import Choice

W = TypeVar("W", bound=QWidget)


def iter_visible(widget: QWidget, kind: type[W]) -> Iterator[W]:
    """Yield the visible child widgets of a kind."""
    return (each for each in widget.findChildren(kind) if each.isVisibleTo(widget))


def get_visible_text(widget: QWidget) -> str:
    """Return the texts of a widget's visible labels, one line each."""
    return "\n".join(each.text() for each in iter_visible(widget, QLabel) if each.text())


def press(widget: QWidget, name: str) -> None:
    """Click the button with this text or accessible name."""
    (button,) = (
        each
        for each in iter_visible(widget, QAbstractButton)
        if name in (each.text(), each.accessibleName())
    )
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def pick(choice: Choice, value: object) -> None:
    """Choose a value in a drop-down."""
    position = choice.values.index(value)
    choice.setCurrentIndex(position)
    choice.activated.emit(position)


def chips(strip: QWidget) -> dict[int, RunChip]:
    """Return the chips of a strip of runs by run id."""
    return {each.run_id: each for each in strip.findChildren(RunChip)}


def get_scene_position(canvas: Any, x: float, y: float, panel: int = 0) -> QPointF:
    """Return the scene position of a point in data coordinates of a panel."""
    position: QPointF = list(canvas.ci.items)[panel].getViewBox().mapViewToScene(QPointF(x, y))
    return position
