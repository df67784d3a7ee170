"""Small words around a plot: broken where there is no room, never cut."""

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy


class ReadOut(QLabel):
    """Wrapped words that keep the most lines they had: else each other text would move the plot."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setProperty("role", "small")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        """Show other words."""
        if text != self.text():
            super().setText(text)
            self._hold(self.minimumHeight())

    def begin(self) -> None:
        """Forget how many lines there were: another run, or another size of letters."""
        self._hold(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many lines as another width asks for."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._hold(0)

    def changeEvent(self, event: QEvent) -> None:
        """Measure again in letters of another size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._hold(0)

    def _hold(self, least: int) -> None:
        self.ensurePolished()
        # QLabel's own measure is never less than the least height that it has.
        room = QRect(0, 0, max(1, self.width()), 10_000)
        words = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, self.text())
        self.setFixedHeight(max(least, words.height()))
