"""A line above the page that says what went wrong; it stays until it is closed."""

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr, translate


def close_button(message: QWidget) -> QPushButton:
    """Return a cross that hides a message."""
    words = tr("Close the message")
    return kit.button("", message.hide, kind="quiet", icon="cross", name=words, tip=words)


class Banner(QFrame):
    """One sentence, perhaps a button, and a cross; newer sentences replace older ones."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self.text = kit.label("", wrap=True, selectable=True)
        self.text.setAccessibleName(tr("Message"))
        tip = tr("Follow the message's suggestion")
        self.act = kit.button("", self._do, tip=tip, name=tip)
        self.act.hide()
        self._action: Callable[[], object] | None = None
        kit.row(
            (self.text, 1),
            self.act,
            close_button(self),
            on=self,
            spacing=None,
            margin=(2 * GRID, GRID, GRID, GRID),
        )
        self.hide()

    def say(self, text: str, action: str = "", do: Callable[[], object] | None = None) -> None:
        """Show a sentence; one that another room made in English is translated.

        Args:
            text: The sentence.
            action, do: What its button says and does; no button without.
        """
        self.text.setText(translate(text))
        self._action = do
        self.act.setText(action)
        self.act.setAccessibleName(action or self.act.toolTip())
        self.act.setVisible(do is not None)
        self.show()

    def _do(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()
