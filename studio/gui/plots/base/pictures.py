"""Exporting a plot: as pixels, as vectors, and as a table; a file is complete or not there."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from studio.document.whole_files import put
from studio.errors import ExportError
from studio.export.cells import safe
from studio.gui.base import theme
from studio.gui.base.png import png
from studio.language import tr
from studio.printable import printable

SCALE = 2
"""Pixels of a picture for each of the screen's."""


def image_of(plot: QWidget) -> QImage:
    """Return what a widget shows, at twice the screen's size, on the theme's ground."""
    picture = QImage(plot.size() * SCALE, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(SCALE)
    picture.fill(theme.colour(theme.current().surface))
    painter = QPainter(picture)
    plot.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.end()
    return picture


def png_of(plot: QWidget) -> bytes:
    """Return a widget's picture as a PNG file's content."""
    return png(image_of(plot))


def svg_of(plot: QWidget, title: str) -> bytes:
    """Return a widget as an SVG file's content: lines and letters, no pixels of them."""
    from PySide6.QtSvg import QSvgGenerator

    made = QByteArray()
    buffer = QBuffer(made)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(plot.size())
    generator.setViewBox(QRect(QPoint(), plot.size()))
    # One unit of the file is one pixel of the screen; else Qt counts in its default of 1/72 inch.
    generator.setResolution(plot.logicalDpiX())
    generator.setTitle(title)
    painter = QPainter(generator)
    painter.fillRect(plot.rect(), theme.colour(theme.current().surface))
    plot.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.end()
    return bytes(made.data())


def csv_of(names: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as a CSV file's content (UTF-8), with names as spreadsheets may have them."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([_cell(each) for each in row] for row in (names, *rows))
    return text.getvalue().encode()


def _cell(value: object) -> object:
    return safe(printable(value)) if isinstance(value, str) else value


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there.

    Raises:
        ExportError: If that is not possible; what was there stays.
    """
    try:
        put(path, content)
    except OSError as error:
        raise ExportError(
            tr(
                "{path} could not be written ({reason}). Choose a folder that you can write "
                "to and that has space left.",
                path=path,
                reason=error.strerror or error,
            )
        ) from error
