"""The rail of pages at the left."""

from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton, QVBoxLayout, QWidget

from studio.gui import kit
from studio.gui.theme import GRID

WIDTH = 144


class Rail(QFrame):
    """One button a page; Ctrl+1, Ctrl+2, … press them."""

    page_chosen = Signal(str)

    def __init__(
        self, pages: tuple[tuple[str, str, str], ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.setFixedWidth(WIDTH)
        self._buttons: dict[str, QPushButton] = {}
        group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID, GRID, GRID, GRID)
        column.setSpacing(4)
        for position, (key, title, tip) in enumerate(pages, start=1):
            made = kit.button(
                f"  {title}",
                partial(self.page_chosen.emit, key),
                kind="rail",
                icon=key,
                name=title,
            )
            made.setIconSize(QSize(20, 20))
            made.setCheckable(True)
            made.setMinimumHeight(40)
            shortcut = QKeySequence(f"Ctrl+{position}")
            made.setShortcut(shortcut)
            made.setToolTip(f"{tip} ({shortcut.toString()})")
            group.addButton(made)
            column.addWidget(made)
            self._buttons[key] = made
        column.addStretch(1)

    def show_page(self, key: str) -> None:
        """Mark the page that is shown; none for an unknown key."""
        for name, made in self._buttons.items():
            made.setChecked(name == key)

    def set_live(self, live: bool) -> None:
        """Mark that something is running."""
        self._buttons["live"].setText("  Live  ●" if live else "  Live")

    def set_enabled(self, enabled: bool) -> None:
        """Allow pages to be chosen (not while no document is open)."""
        for made in self._buttons.values():
            made.setEnabled(enabled)
