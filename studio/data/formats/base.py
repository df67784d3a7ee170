"""Common output of all table formats: names and cells as text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from studio.data.coded import CodedColumn
from studio.errors import DataError


@dataclass(frozen=True)
class RawGrid:
    """A table read from a binary file.

    Attributes:
        header: The names as in the file, possibly empty or repeated; ``None`` without a header.
        columns: The cells as text; missing ones as "".
        evidence: Reading option → a sentence; under "sheet", the part of the file that was read.
        sheet: The sheet of a workbook; empty for other files.
        opening: The first rows as written; empty if the file format includes column names.
        header_row: The index, from 1, of the row with the names.
        undecided_notes: Those of the notes that require the user's judgement.
        categories: Indices of the columns declared as categories.
    """

    header: tuple[str, ...] | None
    columns: tuple[CodedColumn, ...]
    evidence: dict[str, str]
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    undecided_notes: tuple[str, ...] = ()
    opening: tuple[tuple[str, ...], ...] = ()
    header_row: int | None = None
    categories: frozenset[int] = frozenset()


def make_library_error(name: str, title: str, extra: str) -> DataError:
    """Return the error for a file without the optional extra that reads it."""
    from studio.extras import make_install_command

    return DataError(
        "{name!r} is {title}, but the library that reads it is not installed. Install it with: "
        "{command}, or save the table as CSV.",
        name=name,
        title=title,
        command=make_install_command(extra),
    )


def format_cell(value: object) -> str:
    """Format a cell as text that is parsed to the same value; missing ones as ""."""
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value) if value.is_integer() and abs(value) <= 2**53 else value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(format_cell(each) for each in value)
    return str(value)
