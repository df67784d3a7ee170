"""Line icons (``resources/icons``), drawn in the colours of the theme."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from studio.assets import RESOURCES
from studio.gui.base import theme

_TASK_SIZES = (16, 32, 48, 128)
_BASE_PIXEL_RATIO = 2.0
"""Device pixel ratio at which icons are always rendered, for sharper screens added later."""


def make_icon(name: str, colour: str | None = None, size: int = 18) -> QIcon:
    """Return an icon by its file name.

    Args:
        name: The file's name without ``.svg``.
        colour: A token of the theme; by default its text colour.
        size: Edge in device-independent pixels; the icon contains pixmaps for all current screens.
    """
    scales = {screen.devicePixelRatio() for screen in QGuiApplication.screens()}
    tokens = theme.current()
    return _make_icon(
        name, colour or tokens.text, tokens.faint, size, frozenset({*scales, _BASE_PIXEL_RATIO})
    )


def make_application_icon() -> QIcon:
    """Return the program's icon, for title bars and task lists."""
    app_icon = QIcon()
    source = (RESOURCES / "desktop" / "application.svg").read_bytes()
    renderer = QSvgRenderer(QByteArray(source))
    for size in _TASK_SIZES:
        app_icon.addPixmap(_render_pixmap(renderer, size, 1.0))
    return app_icon


def make_pixmap(name: str, colour: str, size: int, scale: float) -> QPixmap:
    """Return an icon in a single size (device-independent pixels) at a screen's pixel ratio."""
    return _render_pixmap(_make_renderer(name, colour), size, scale)


@cache
def _make_icon(name: str, colour: str, disabled: str, size: int, scales: frozenset[float]) -> QIcon:
    qicon = QIcon()
    for ink, mode in ((colour, QIcon.Mode.Normal), (disabled, QIcon.Mode.Disabled)):
        renderer = _make_renderer(name, ink)
        for scale in scales:
            qicon.addPixmap(_render_pixmap(renderer, size, scale), mode)
    return qicon


def _make_renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_read_svg(name).replace("currentColor", colour).encode()))


@cache
def _read_svg(name: str) -> str:
    return (RESOURCES / "icons" / f"{name}.svg").read_text("utf-8")


def _render_pixmap(renderer: QSvgRenderer, size: int, scale: float) -> QPixmap:
    picture = QPixmap(QSize(round(size * scale), round(size * scale)))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture
