"""A line above the page that says what went wrong, or is there; it stays until it is closed."""

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit


def close_button(message: QWidget) -> QPushButton:
    """Return a cross that hides a message."""
    words = tr("Close the message")
    return kit.button("", message.hide, kind="quiet", icon="cross", name=words, tip=words)


class Banner(QFrame):
    """One sentence, perhaps a button, and a cross; newer sentences replace older ones."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.text = kit.label("", wrap=True, selectable=True)
        self.text.setAccessibleName(tr("Message"))
        tip = tr("Does what the message offers, and closes it")
        self.button = kit.button("", self._act, name=tr("Do what is offered"), tip=tip)
        self._acting: Callable[[], object] = lambda: None
        kit.row(
            (self.text, 1),
            self.button,
            close_button(self),
            on=self,
            spacing=None,
            margin=(2 * GRID, GRID, GRID, GRID),
        )
        self.hide()

    def say(self, text: str) -> None:
        """Show a sentence; one that another room made in English is translated."""
        self.text.setText(said(text))
        self.button.hide()
        self.show()

    def offer(self, text: str, button: str, acting: Callable[[], object]) -> None:
        """Show a sentence with a button that does something, and puts the line away."""
        self.say(text)
        self._acting = acting
        self.button.setText(button)
        self.button.setAccessibleName(button)
        self.button.show()

    def _act(self) -> None:
        self.hide()
        self._acting()
