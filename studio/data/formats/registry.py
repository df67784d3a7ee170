"""All formats of tables that are not text. A new one is one file and one line here."""

from studio.data.formats.base import TableFormat
from studio.data.formats.excel import Excel
from studio.data.formats.parquet import Parquet

REGISTRY: tuple[TableFormat, ...] = (Parquet(), Excel())


def format_of(data: bytes) -> TableFormat | None:
    """Return the format of a file's bytes; ``None`` for text and everything unknown."""
    return next((each for each in REGISTRY if each.is_it(data)), None)
