"""The last document and window geometry, saved on closing and restored at the next start."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QMargins, QRect, QSettings, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_DOCUMENT_KEY, _GEOMETRY_KEY = "last/document", "geometry"
_MIN_VISIBLE = 120
"""Minimum visible width and height of a window's frame on a screen, in pixels."""

_FRAME_MARGINS = QMargins(2, 40, 2, 4)
"""Space for the frame and title bar, whose sizes are unknown before a window is shown."""


def store_window_state(document: Path | None, window: QWidget) -> None:
    """Store the open document and the window's geometry."""
    settings = QSettings()
    settings.setValue(_DOCUMENT_KEY, "" if document is None else str(document))
    settings.setValue(_GEOMETRY_KEY, window.saveGeometry())


def get_last_document() -> Path | None:
    """Return the document that was open last, if it still exists."""
    name = QSettings().value(_DOCUMENT_KEY)
    if not isinstance(name, str) or not name:
        return None
    path = Path(name)
    return path if path.is_file() else None


def restore_geometry(window: QWidget) -> None:
    """Restore a window's geometry, on the nearest screen if its own is missing."""
    geometry = QSettings().value(_GEOMETRY_KEY)
    if not isinstance(geometry, QByteArray) or not window.restoreGeometry(geometry):
        # A requested position would hide the title bar of a first window.
        window.resize(fit_to_screen(window.size(), window.screen().availableSize()))
    elif not window.isMaximized() and not window.isFullScreen():
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        window.setGeometry(fit_on_screen(window.geometry(), screens))


def fit_to_screen(size: QSize, available: QSize) -> QSize:
    """Limit a size to a screen's available space."""
    return size.boundedTo(available.shrunkBy(_FRAME_MARGINS))


def fit_on_screen(rect: QRect, screens: list[QRect]) -> QRect:
    """Move and shrink a rectangle as needed to fit its screen, with room for the title bar."""
    if not screens:
        return rect
    screen = next((each for each in screens if _is_visible_on(rect, each)), None)
    available = (screen or screens[0]).marginsRemoved(_FRAME_MARGINS)
    window_rect = QRect(rect.topLeft(), rect.size().boundedTo(available.size()))
    if screen is None:
        window_rect.moveCenter(screens[0].center())
    window_rect.moveLeft(
        max(available.left(), min(window_rect.left(), available.right() + 1 - window_rect.width()))
    )
    window_rect.moveTop(
        max(available.top(), min(window_rect.top(), available.bottom() + 1 - window_rect.height()))
    )
    return window_rect


def _is_visible_on(rect: QRect, screen: QRect) -> bool:
    visible = screen.intersected(rect)
    return visible.width() >= _MIN_VISIBLE and visible.height() >= _MIN_VISIBLE
