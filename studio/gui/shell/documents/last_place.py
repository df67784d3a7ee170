"""The last document and window geometry, saved on closing and restored at the next start."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QMargins, QRect, QSettings, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_DOCUMENT, _GEOMETRY = "last/document", "geometry"
_MIN_VISIBLE = 120
"""Minimum visible width and height of a window's frame on a screen, in pixels."""

_FRAME = QMargins(2, 40, 2, 4)
"""Space for a frame and its title bar, whose size is unknown before a window is shown."""


def store_window_state(document: Path | None, window: QWidget) -> None:
    """Store the open document and the window's geometry."""
    stored = QSettings()
    stored.setValue(_DOCUMENT, "" if document is None else str(document))
    stored.setValue(_GEOMETRY, window.saveGeometry())


def last_document() -> Path | None:
    """Return the document that was open last, if it still exists."""
    name = QSettings().value(_DOCUMENT)
    if not isinstance(name, str) or not name:
        return None
    path = Path(name)
    return path if path.is_file() else None


def restore_geometry(window: QWidget) -> None:
    """Restore a window's geometry, on the nearest screen if its own is missing.

    A window that had none is made no larger than what the screen has room for.
    """
    geometry = QSettings().value(_GEOMETRY)
    if not isinstance(geometry, QByteArray) or not window.restoreGeometry(geometry):
        # A requested position would hide the title bar of a first window.
        window.resize(fit_to_screen(window.size(), window.screen().availableSize()))
    elif not window.isMaximized() and not window.isFullScreen():
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        window.setGeometry(on_a_screen(window.geometry(), screens))


def fit_to_screen(wanted: QSize, room: QSize) -> QSize:
    """Limit a size to a screen's available space."""
    return wanted.boundedTo(room.shrunkBy(_FRAME))


def on_a_screen(wanted: QRect, screens: list[QRect]) -> QRect:
    """Move and shrink a rectangle as needed to fit its screen.

    One of which little can be seen is put in the middle of the first screen. All leave room for the
    title bar.
    """
    if not screens:
        return wanted
    home = next((screen for screen in screens if _is_visible_on(wanted, screen)), None)
    room = (home or screens[0]).marginsRemoved(_FRAME)
    placed = QRect(wanted.topLeft(), wanted.size().boundedTo(room.size()))
    if home is None:
        placed.moveCenter(screens[0].center())
    placed.moveLeft(max(room.left(), min(placed.left(), room.right() + 1 - placed.width())))
    placed.moveTop(max(room.top(), min(placed.top(), room.bottom() + 1 - placed.height())))
    return placed


def _is_visible_on(wanted: QRect, screen: QRect) -> bool:
    seen = screen.intersected(wanted)
    return seen.width() >= _MIN_VISIBLE and seen.height() >= _MIN_VISIBLE
