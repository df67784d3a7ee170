"""A column in a scroll area that is as tall as its wrapped texts need at the width they have."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class Flowing(QWidget):
    """A widget whose least height follows its width.

    A scroll area asks what is inside only for a smallest size, and wrapped labels name one line
    there: without this they are cut where the column is taller than the view.
    """

    def event(self, event: QEvent) -> bool:
        """Measure again when something inside has become taller or shorter."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Measure again at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        layout = self.layout()
        if layout is not None and layout.hasHeightForWidth():
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
