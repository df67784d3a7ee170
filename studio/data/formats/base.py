"""Interface of table formats: names and cells as text."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from studio.data.coded import CodedColumn
from studio.data.read_options import ReadOptions
from studio.errors import DataError


@dataclass(frozen=True)
class RawGrid:
    """A table read from a binary file.

    Attributes:
        header: As in the file; names may be empty or repeat. ``None`` without one.
        columns: The cells written out; missing ones as "".
        evidence: A sentence by reading option; under "sheet" the part of the file that was read.
        sheet: Of a workbook; empty for other files.
        notes: Repairs, a sentence each.
        opening: The first rows as written; empty if the file names its columns itself.
        header_row: The index, from 1, of the row with the names.
        categories: Indices of the columns declared as categories.
    """

    header: tuple[str, ...] | None
    columns: tuple[CodedColumn, ...]
    evidence: dict[str, str]
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    opening: tuple[tuple[str, ...], ...] = ()
    header_row: int | None = None
    categories: frozenset[int] = frozenset()


class TableFormat(ABC):
    """A binary table format.

    Attributes:
        title: The name of such a file in a sentence: "a Parquet file".
        extra: The optional extra of this package that reads it.
    """

    title: ClassVar[str]
    extra: ClassVar[str]

    def missing_library_error(self, name: str) -> DataError:
        """Return the error for a file without the library that reads it."""
        from studio.extras import make_install_command

        return DataError(
            "{name!r} is {title}, and what reads it is not installed. Install it with: {command}, "
            "or save the table as CSV.",
            name=name,
            title=self.title,
            command=make_install_command(self.extra),
        )

    @abstractmethod
    def recognises(self, data: bytes) -> bool:
        """Whether a file's bytes have this format (by content, not by name)."""

    @abstractmethod
    def read(self, data: bytes, name: str, options: ReadOptions, max_rows: int | None) -> RawGrid:
        """Read the table.

        Args:
            options: The sheet of a workbook (by default the first with a table), and the start of
                the table.

        Raises:
            DataError: If the extra is not installed, or the file is damaged, empty or a trap.
        """


class TextFormat(ABC):
    """A text format other than delimited lines."""

    @abstractmethod
    def recognises(self, text: str) -> bool:
        """Whether a text has this format (by content, not by name)."""

    @abstractmethod
    def read(self, text: str, name: str, max_rows: int | None) -> RawGrid:
        """Read the table.

        Raises:
            DataError: If the file is damaged, empty, too large, or not a table.
        """


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
