"""Table formats other than delimited text: a file each and a line here, some an optional extra."""

from studio.data.formats.base import RawGrid, TableFormat, TextFormat, format_cell
from studio.data.formats.excel import Excel
from studio.data.formats.parquet import Parquet
from studio.data.formats.text_formats import Arff, JsonRecords, Svmlight

__all__ = ["RawGrid", "TableFormat", "TextFormat", "format_cell"]

REGISTRY: tuple[TableFormat, ...] = (Parquet(), Excel())

TEXTS: tuple[TextFormat, ...] = (Arff(), JsonRecords(), Svmlight())


def detect_format(data: bytes) -> TableFormat | None:
    """Return the format of a file's bytes; ``None`` for text and everything unknown."""
    return next((each for each in REGISTRY if each.recognises(data)), None)


def detect_text_format(text: str) -> TextFormat | None:
    """Return the format of a text; ``None`` for delimited lines and everything unknown."""
    return next((each for each in TEXTS if each.recognises(text)), None)
