"""A column that keeps its height when lines disappear."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit


class StableHeightColumn(QWidget):
    """A column that keeps its largest height, until its width or its type changes."""

    def __init__(self, *items: kit.Item, lines: int = 0) -> None:
        super().__init__()
        self._lines = lines
        kit.column(*items, None, on=self, spacing=GRID // 2)
        self._reserve()

    def reserve(self, lines: int) -> None:
        """Reserve the height of some lines of text, and no more."""
        self._lines = lines
        self._reserve()

    def _reserve(self) -> None:
        self.setMinimumHeight(self._lines * self.fontMetrics().lineSpacing())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Record the height; reset at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._reserve()
        else:
            self.setMinimumHeight(max(self.minimumHeight(), event.size().height()))

    def changeEvent(self, event: QEvent) -> None:
        """Reset at another type size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._reserve()
