"""Owner of the window, which rebuilds it when the language changes."""

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QWidget

from studio import language
from studio.gui.base import localisation, preferences
from studio.gui.base.preferences import Preferences
from studio.gui.shell.window import MainWindow

_PAINT_TIMEOUT_MS = 1000
"""Longest wait for a paint: a window may be minimised, or behind a lock screen."""


class Shell(QObject):
    """Owns the current window."""

    def __init__(self) -> None:
        super().__init__()
        self.window: MainWindow | None = None
        self._language = ""  # language of the window, or of its replacement
        preferences.get_notifier().changed.connect(self._on_preferences_change)

    def open_window(self) -> MainWindow:
        """Show the window, and complete it after its first paint."""
        self.window = MainWindow(complete=False)
        self._language = language.get_language()
        self.window.show()
        wait_for_first_paint(self.window)
        self.window.add_parts()
        return self.window

    def rebuild(self) -> None:
        """Rebuild the window in place, on the same document, page and run, with open settings."""
        old_window = self.window
        if old_window is None:
            return
        from studio.gui.shell.settings_dialog import SettingsDialog

        dialog_states = [
            each.focus_state for each in old_window.findChildren(SettingsDialog) if each.isVisible()
        ]
        self.window = MainWindow()
        self.window.take_over(old_window)
        self.window.show()
        old_window.close_silently()
        for dialog_state in dialog_states:
            self.window.window_actions.show_settings(state=dialog_state)

    def _on_preferences_change(self, new_preferences: Preferences) -> None:
        localisation.apply_language()
        if language.get_language() != self._language and self.window is not None:
            self._language = language.get_language()
            # The dialog that requested it, a child of the old window, must have returned first.
            QTimer.singleShot(0, self.rebuild)


class _FirstPaintFilter(QObject):
    """Ends an event loop after a window's first paint."""

    def __init__(self, loop: QEventLoop) -> None:
        super().__init__()
        self._loop = loop

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._loop.quit)
        return super().eventFilter(watched, event)


def wait_for_first_paint(window: QWidget) -> None:
    """Wait until a newly shown window is painted.

    Keys, clicks and drops in the meantime are queued, not lost.
    """
    loop = QEventLoop()
    painted = _FirstPaintFilter(loop)
    window.installEventFilter(painted)
    QTimer.singleShot(_PAINT_TIMEOUT_MS, loop, loop.quit)
    loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    window.removeEventFilter(painted)
