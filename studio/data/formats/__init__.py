"""Tables that are not text: one file a format, each an optional extra, and their list."""

from studio.data.formats.base import RawGrid, TableFormat, text_of
from studio.data.formats.registry import REGISTRY, format_of

__all__ = ["REGISTRY", "RawGrid", "TableFormat", "format_of", "text_of"]
