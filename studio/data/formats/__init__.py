"""Table formats other than delimited text: one file each, some an optional extra."""

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
