#!/usr/bin/env python3
"""Make the icons of the program and of its documents from ``resources/desktop/application.svg``.

    python packaging/icons.py   writes the theme, .ico and .icns beside the packages that need them

The output is kept in the repository, so that builds need no window system and changes are visible.
"""

import os
import struct
import sys
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

from studio.version import APPLICATION_ID

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "resources" / "desktop" / "application.svg"
PACKAGING = ROOT / "packaging"
THEME = PACKAGING / "linux" / "share" / "icons" / "hicolor"
DOCUMENT = "application-x-ensemble-studio"

SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
"""Edges in pixels of the pictures of a theme."""

SMALL, MARGIN = 32, 4
"""Up to this size the margin (units of 64) is removed, as every pixel is needed."""

ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
ICO_PLAIN = 48
"""Up to this size an .ico contains bitmaps, as some parts of Windows cannot read small PNGs."""

ICNS_TYPES = {b"ic11": 32, b"ic12": 64, b"ic07": 128, b"ic13": 256, b"ic08": 256, b"ic14": 512,
              b"ic09": 512}  # fmt: skip
"""Kinds of PNGs in an .icns, and their sizes in pixels."""

_PAGE = (
    '<g stroke="#8a94a2" stroke-width="2" stroke-linejoin="round">'
    '<path d="M14 5h24l13 13v38a3 3 0 0 1-3 3H14a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3z" fill="#fff"/>'
    '<path d="M38 5v10a3 3 0 0 0 3 3h10z" fill="#d9dde4"/></g>'
)
"""A sheet with its corner turned, within the margin."""


def document_svg(application: str) -> str:
    """Return the icon of a document: a sheet with the program's icon."""
    head, mark = application.strip().removesuffix("</svg>").split(">", 1)
    return f'{head}>{_PAGE}<g transform="translate(13.400 20) scale(.550)">{mark}</g></svg>\n'


def paint_svg(svg: str, size: int) -> QImage:
    """Return a picture of ``size`` by ``size`` pixels, without a margin if it is small."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    if size <= SMALL:
        renderer.setViewBox(QRectF(MARGIN, MARGIN, 64 - 2 * MARGIN, 64 - 2 * MARGIN))
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


def png(image: QImage) -> bytes:
    """Return a picture as a PNG file's content."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, b"png")
    writer.setCompression(100)
    if not writer.write(image):
        raise OSError(writer.errorString())
    return buffer.data().data()


def bitmap(image: QImage) -> bytes:
    """Return a picture in .ico format: header, rows from below, and an empty mask."""
    size = image.width()
    turned = image.flipped(Qt.Orientation.Vertical)  # kept alive while its bits are in use
    pixels = bytes(turned.constBits())
    mask = bytes(size * ((size + 31) // 32 * 4))
    header = struct.pack("<IiiHHIIiiII", 40, size, 2 * size, 1, 32, 0, len(pixels), 0, 0, 0, 0)
    return header + pixels + mask


def ico(svg: str) -> bytes:
    """Return the content of an .ico file (Windows)."""
    pictures = []
    for size in ICO_SIZES:
        image = paint_svg(svg, size)
        pictures.append(bitmap(image) if size <= ICO_PLAIN else png(image))
    offset = 6 + 16 * len(pictures)
    entries = b""
    for size, content in zip(ICO_SIZES, pictures, strict=True):
        edge_byte = size % 256  # 0 means 256
        entries += struct.pack("<BBBBHHII", edge_byte, edge_byte, 0, 0, 1, 32, len(content), offset)
        offset += len(content)
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(pictures)


def icns(svg: str) -> bytes:
    """Return the content of an .icns file (macOS)."""
    body = b""
    for kind, size in ICNS_TYPES.items():
        content = png(paint_svg(svg, size))
        body += kind + struct.pack(">I", 8 + len(content)) + content
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def render_files() -> dict[Path, bytes]:
    """Return all generated files with their contents."""
    application = SOURCE.read_text("utf-8")
    document = document_svg(application)
    contents = {}
    for svg, name, context in (
        (application, APPLICATION_ID, "apps"),
        (document, DOCUMENT, "mimetypes"),
    ):
        contents[THEME / "scalable" / context / f"{name}.svg"] = svg.encode()
        for size in SIZES:
            contents[THEME / f"{size}x{size}" / context / f"{name}.png"] = png(paint_svg(svg, size))
    for svg, name in ((application, "studio"), (document, "document")):
        contents[PACKAGING / "windows" / f"{name}.ico"] = ico(svg)
        contents[PACKAGING / "macos" / f"{name}.icns"] = icns(svg)
    return contents


def main() -> int:
    """Write all icons."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication(sys.argv[:1])
    for path, content in render_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(f"{path.relative_to(ROOT)}  {len(content)} bytes")
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main())
