"""A line above the page that says what went wrong; it stays until it is closed."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit


class Banner(QFrame):
    """One sentence and a cross; newer sentences replace older ones."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.text = kit.label("", wrap=True, selectable=True)
        self.text.setAccessibleName(tr("Message"))
        close = kit.button(
            "",
            self.hide,
            kind="quiet",
            icon="cross",
            name=tr("Close the message"),
            tip=tr("Close the message"),
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        row.addWidget(self.text, 1)
        row.addWidget(close)
        self.hide()

    def say(self, text: str) -> None:
        """Show a sentence; one that another room made in English is translated."""
        self.text.setText(said(text))
        self.show()
