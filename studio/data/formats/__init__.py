"""Table formats other than delimited text: each needs two functions and a line here."""

from collections.abc import Callable

from studio.data.formats.base import RawGrid, format_cell
from studio.data.formats.excel import is_workbook, read_workbook
from studio.data.formats.parquet import is_parquet, read_parquet
from studio.data.formats.text_formats import (
    is_arff,
    is_json,
    is_svmlight,
    read_arff,
    read_json,
    read_svmlight,
)
from studio.data.read_options import ReadOptions

__all__ = ["RawGrid", "find_reader", "find_text_reader", "format_cell"]

Reader = Callable[[bytes, str, ReadOptions, int | None], RawGrid]
TextReader = Callable[[str, str, int | None], RawGrid]
"""Readers of a file's content, with its name, the options, and the maximum number of rows; they
raise DataError if it is damaged, empty or too large, or if an extra is missing.
"""

_FORMATS = ((is_parquet, read_parquet), (is_workbook, read_workbook))
_TEXT_FORMATS = ((is_arff, read_arff), (is_json, read_json), (is_svmlight, read_svmlight))


def find_reader(data: bytes) -> Reader | None:
    """Return the reader of a file's bytes; ``None`` for text and everything unknown."""
    return next((read for recognises, read in _FORMATS if recognises(data)), None)


def find_text_reader(text: str) -> TextReader | None:
    """Return the reader of a text; ``None`` for delimited lines and everything unknown."""
    return next((read for recognises, read in _TEXT_FORMATS if recognises(text)), None)
