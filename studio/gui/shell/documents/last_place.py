"""Where the user was: kept when the window closes, taken up again at the next start."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QMargins, QRect, QSettings, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_DOCUMENT, _GEOMETRY = "last/document", "geometry"
_MIN_VISIBLE = 120
"""Width and height of a window's frame that must lie on a screen, in pixels."""

_FRAME = QMargins(2, 40, 2, 4)
"""Room for a frame and its title bar, which are not known before a window is shown."""


def keep(document: Path | None, window: QWidget) -> None:
    """Keep which document is open and where the window is."""
    stored = QSettings()
    stored.setValue(_DOCUMENT, "" if document is None else str(document))
    stored.setValue(_GEOMETRY, window.saveGeometry())


def document() -> Path | None:
    """Return the document that was open last, if it is still there."""
    name = QSettings().value(_DOCUMENT)
    if not isinstance(name, str) or not name:
        return None
    path = Path(name)
    return path if path.is_file() else None


def put_back(window: QWidget) -> None:
    """Give a window the place it had; where no screen is there any more, the nearest one's.

    A window that had none is made no larger than what the screen has room for.
    """
    geometry = QSettings().value(_GEOMETRY)
    if isinstance(geometry, QByteArray):
        window.restoreGeometry(geometry)
    else:
        window.resize(first_size(window.size(), window.screen().availableSize()))
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    shown = on_a_screen(window.geometry(), screens)
    if shown != window.geometry():  # an asked-for place would hide the title bar of a first window
        window.setGeometry(shown)


def first_size(wanted: QSize, room: QSize) -> QSize:
    """Return the wanted size, or what of it a screen with this room can show with its frame."""
    return wanted.boundedTo(room.shrunkBy(_FRAME))


def on_a_screen(wanted: QRect, screens: list[QRect]) -> QRect:
    """Return the rectangle if enough of it can be seen, else one of its size on the first screen.

    One that is larger than the screen where it is seen is moved, too; what is moved is no larger
    than its screen, and has room for its title bar.
    """
    for screen in screens:
        seen = screen.intersected(wanted)
        fits = screen.width() >= wanted.width() and screen.height() >= wanted.height()
        if fits and seen.width() >= _MIN_VISIBLE and seen.height() >= _MIN_VISIBLE:
            return wanted
    if not screens:
        return wanted
    home = screens[0]
    moved = QRect(wanted)
    room = home.marginsRemoved(_FRAME)
    moved.setSize(wanted.size().boundedTo(room.size()))
    moved.moveCenter(home.center())
    moved.moveTop(max(moved.top(), room.top()))
    return moved
