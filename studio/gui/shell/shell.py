"""Keeps the window: opens it, and rebuilds it where the language became another one."""

from PySide6.QtCore import QObject, QTimer

from studio.gui.base import language, preferences, speech
from studio.gui.base.preferences import Preferences
from studio.gui.shell.frame.first_paint import wait_for_first_paint
from studio.gui.shell.window import MainWindow


class Shell(QObject):
    """Owns the window that is open."""

    def __init__(self) -> None:
        super().__init__()
        self.window: MainWindow | None = None
        preferences.notifier().changed.connect(self._preferences_changed)

    def open_window(self) -> MainWindow:
        """Show the window, and make it whole once it has been painted."""
        self.window = MainWindow(furnished=False)
        self.window.show()
        wait_for_first_paint(self.window)
        self.window.furnish()
        return self.window

    def rebuild(self) -> None:
        """Rebuild the window, at the same place, on the same document, page and run."""
        earlier = self.window
        if earlier is None:
            return
        self.window = MainWindow()
        self.window.take_over(earlier)
        self.window.show()
        earlier.retire()

    def _preferences_changed(self, wanted: Preferences) -> None:
        before = language.current()
        speech.speak()
        if language.current() != before and self.window is not None:
            # The dialog that asked for it, a child of the old window, must have ended first.
            QTimer.singleShot(0, self.rebuild)
