"""Waiting until a window that was just shown has been painted."""

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QWidget

_LONGEST_MS = 1000
"""A window may be shown where nobody sees it (minimised, behind a lock screen)."""


class _FirstPaint(QObject):
    """Ends a loop once a window's first paint is on the screen."""

    def __init__(self, loop: QEventLoop) -> None:
        super().__init__()
        self._loop = loop

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._loop.quit)  # a turn later: it is only now being painted
        return super().eventFilter(watched, event)


def wait_for_first_paint(window: QWidget) -> None:
    """Return once a window that was just shown is painted.

    Keys, clicks and drops that come meanwhile are not lost: they wait in the queue.
    """
    loop = QEventLoop()
    painted = _FirstPaint(loop)
    window.installEventFilter(painted)
    QTimer.singleShot(_LONGEST_MS, loop, loop.quit)
    loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    window.removeEventFilter(painted)
