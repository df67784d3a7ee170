"""Tables that are not lines of cells: one file a format, some an optional extra, and their list."""

from studio.data.formats.base import RawGrid, TableFormat, TextFormat, text_of
from studio.data.formats.registry import REGISTRY, TEXTS, format_of, text_format_of

__all__ = [
    "REGISTRY",
    "TEXTS",
    "RawGrid",
    "TableFormat",
    "TextFormat",
    "format_of",
    "text_format_of",
    "text_of",
]
