"""A widget that stays visible while a longer neighbour scrolls."""

from PySide6.QtCore import QEvent, QObject, QPoint, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit


class StickyColumn(QWidget):
    """Holds items at the top of the visible part of its place in a scroll area.

    Args:
        area: The scroll area around it.
        *items: In a column; they move within the height of this widget, without influence on it.
    """

    def __init__(self, area: QScrollArea, *items: kit.Item) -> None:
        super().__init__()
        self._content, self._area = QWidget(self), area
        content = self._content
        kit.column(*items, parent=content, spacing=GRID // 2)
        content.installEventFilter(self)
        policy = content.sizePolicy()
        policy.setHeightForWidth(content.hasHeightForWidth())
        self.setSizePolicy(policy)
        area.verticalScrollBar().valueChanged.connect(self._place)

    def sizeHint(self) -> QSize:
        """Return that of the content."""
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return that of the content."""
        return self._content.minimumSizeHint()

    def heightForWidth(self, width: int) -> int:
        """Return that of the content."""
        return self._content.heightForWidth(width)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow changes of the content's size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._place()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the content again."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        inside, content = self._area.widget(), self._content
        has_width = content.hasHeightForWidth()
        height = content.heightForWidth(self.width()) if has_width else content.sizeHint().height()
        top = self.mapTo(inside, QPoint()).y() if inside and inside.isAncestorOf(self) else 0
        hidden_height = self._area.verticalScrollBar().value() - top
        offset = max(0, min(hidden_height, self.height() - height))
        content.setGeometry(0, offset, self.width(), min(height, self.height()))
