"""The calm panel that says what a plot shows and how it is read."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr

WIDTH = 400


class Explanation(QFrame):
    """A popup beside the button that asked for it; Esc, F1 or a click elsewhere closes it.

    Args:
        title, summary, explanation, source: Of the plot, as they are shown.
        parent: The plot's header.
    """

    def __init__(
        self, title: str, summary: str, explanation: str, source: str, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self.setAccessibleName(tr("What is this? {title}", title=title))
        texts = [(title, "section"), (summary, "")]
        texts += [(part, "muted") for part in explanation.split("\n") if part]
        texts.append((tr("After: {source}", source=source), "small"))
        labels = (kit.label(text, role, wrap=True) for text, role in texts)
        kit.column(*labels, on=self, margin=2 * GRID)
        self.setAccessibleDescription(" ".join(text for text, _ in texts))

    def show_below(self, anchor: QWidget) -> None:
        """Show it under the button, moved where the screen ends."""
        self.setFixedWidth(WIDTH)
        self.setFixedHeight(max(self.heightForWidth(WIDTH), 1))
        place = anchor.mapToGlobal(QPoint(anchor.width() - WIDTH, anchor.height() + GRID // 2))
        room = anchor.screen().availableGeometry()
        place.setX(min(max(place.x(), room.left()), room.right() - WIDTH))
        place.setY(min(max(place.y(), room.top()), max(room.top(), room.bottom() - self.height())))
        self.move(place)
        self.show()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on the keys that people try."""
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_F1, Qt.Key.Key_Return, Qt.Key.Key_Space):
            self.close()
        else:
            super().keyPressEvent(event)
