"""A line above the page that says what went wrong; it stays until it is closed."""

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit


def close_button(message: QWidget) -> QPushButton:
    """Return a cross that hides a message."""
    words = tr("Close the message")
    return kit.button("", message.hide, kind="quiet", icon="cross", name=words, tip=words)


class Banner(QFrame):
    """One sentence and a cross; newer sentences replace older ones."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self.text = kit.label("", wrap=True, selectable=True)
        self.text.setAccessibleName(tr("Message"))
        kit.row(
            (self.text, 1),
            close_button(self),
            on=self,
            spacing=None,
            margin=(2 * GRID, GRID, GRID, GRID),
        )
        self.hide()

    def say(self, text: str) -> None:
        """Show a sentence; one that another room made in English is translated."""
        self.text.setText(said(text))
        self.show()
