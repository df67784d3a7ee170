"""Table formats other than delimited text: one file each, some an optional extra."""

from studio.data.formats.base import RawGrid, TableFormat, TextFormat, format_cell
from studio.data.formats.registry import REGISTRY, TEXTS, detect_format, detect_text_format

__all__ = [
    "REGISTRY",
    "TEXTS",
    "RawGrid",
    "TableFormat",
    "TextFormat",
    "detect_format",
    "detect_text_format",
    "format_cell",
]
