"""The one family of line icons (``resources/icons``), drawn in the colours of the theme."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap

from studio.assets import RESOURCES
from studio.gui.base import theme

_SCALES = (1.0, 1.5, 2.0, 3.0)


def icon(name: str, colour: str | None = None, size: int = 18) -> QIcon:
    """Return an icon by the name of its file.

    Parameters
    ----------
    name : str
        The file's name without ``.svg``.
    colour : str, optional
        A token of the theme; its text colour if not given.
    size : int
        Edge in device-independent pixels; pictures for screens of every scale are in it.
    """
    return _drawn(name, colour or theme.current().text, theme.current().muted, size)


def pixmap(name: str, colour: str, size: int, scale: float) -> QPixmap:
    """Return one picture of ``size`` device-independent pixels for a screen of this scale."""
    from PySide6.QtSvg import QSvgRenderer

    text = (RESOURCES / "icons" / f"{name}.svg").read_text("utf-8")
    renderer = QSvgRenderer(QByteArray(text.replace("currentColor", colour).encode()))
    picture = QPixmap(QSize(round(size * scale), round(size * scale)))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture


@cache
def _drawn(name: str, colour: str, disabled: str, size: int) -> QIcon:
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(pixmap(name, colour, size, scale))
        made.addPixmap(pixmap(name, disabled, size, scale), QIcon.Mode.Disabled)
    return made
