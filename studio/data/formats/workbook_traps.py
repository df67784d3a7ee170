"""Workbooks that a few kilobytes make, and that would fill the memory or take hours to read.

A workbook is an archive of XML, and openpyxl makes objects of all of it before it gives the first
row. So its parts are looked through as bytes first, which is quick, for as much of each kind as no
workbook of Excel's has.
"""

import io
import re
import zipfile
from dataclasses import dataclass
from typing import IO

from studio.data.allowance import Allowance
from studio.data.interruption import check_stopped
from studio.data.sources import most_unpacked, too_large_unpacked
from studio.errors import DataError
from studio.phrases import phrase

MAX_UNPACKED = 2 * 2**30
"""A workbook may unfold to at most this many bytes (2 GiB)."""

MAX_ROWS, MAX_COLUMNS = 2**20, 2**14
"""The rows and columns of a sheet, empty ones included: Excel has no more."""

_MAX_TAGS = 2**19
"""Between two rows, or two texts that cells share: of each tag an object is made. A row of
:data:`MAX_COLUMNS` cells has some 100,000."""

_SPARE_TEXTS = 2**16
"""Texts that no cell needs; writers may leave some."""

_A_PIECE = 150
"""Bytes that a row or a text takes of which nothing else is known."""

_PIECE = re.compile(rb"<(?:[\w.-]+:)?(row|si)[\s/>]")
"""Begins a row of a sheet, or a text that its cells share."""

_WIDE = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
"""Begins XML whose characters have two bytes, which Excel does not write."""

_BLOCK = 2**20


class InterruptibleBytes(io.BytesIO):
    """The bytes of a workbook; a stop is heard whenever some of them are read."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes, or raise that somebody said stop."""
        check_stopped()
        return super().read(size)


@dataclass
class _Counts:
    """What the parts of a workbook hold: their texts, and the tags of those with rows."""

    pieces: int = 0
    texts: int = 0
    tags: int = 0


def refuse_traps(data: bytes, name: str) -> None:
    """Refuse a workbook that holds more than any workbook does, or than there is memory for.

    Raises:
        DataError: With what is too much.
        BadZipFile, OSError, ...: If the archive is damaged
            (:data:`studio.data.sources.UNREADABLE_ARCHIVE`).
    """
    counts = _Counts()
    with zipfile.ZipFile(InterruptibleBytes(data)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > most_unpacked(len(data), MAX_UNPACKED):
            raise too_large_unpacked(name, f"{unpacked / 2**20:,.0f} MiB")
        for member in archive.infolist():
            with archive.open(member) as part:
                _look_through(part, name, counts)
    many = counts.pieces * _A_PIECE > Allowance(name).limit
    if many or counts.texts > counts.tags + _SPARE_TEXTS:
        raise too_large_unpacked(name, phrase("{pieces:,} rows and texts", pieces=counts.pieces))


def _look_through(part: IO[bytes], name: str, counts: _Counts) -> None:
    """Count what a part of the archive holds; refuse too many rows, and a piece that is too long.

    Raises:
        DataError: As :func:`refuse_traps`.
    """
    rows = tags = since = 0
    rest = b""
    while block := part.read(_BLOCK):
        if not rest and block.startswith(_WIDE):
            raise ValueError("UTF-16")
        # What is cut off belongs to a tag that the next block ends.
        whole, mark, begun = (rest + block).rpartition(b"<")
        rest = mark + begun
        first, *others = _PIECE.split(whole)
        kinds, pieces = others[::2], others[1::2]
        longest = max((piece.count(b"<") for piece in pieces), default=0)
        since += first.count(b"<")
        if max(since, longest) > _MAX_TAGS:
            raise too_large_unpacked(
                name, phrase("more than {tags:,} tags in a row", tags=_MAX_TAGS)
            )
        if pieces:
            since = pieces[-1].count(b"<")
        tags += whole.count(b"<")
        rows += kinds.count(b"row")
        counts.texts += kinds.count(b"si")
        counts.pieces += len(pieces)
        if rows > MAX_ROWS:
            raise too_large(name)
    if rows:
        counts.tags += tags


def too_large(name: str) -> DataError:
    """Return the refusal of a sheet that is larger than any can be."""
    return DataError(
        "{name!r} has a sheet of more than {max_rows:,} rows or {max_columns:,} columns, which no "
        "workbook has. It is damaged, or a trap. If you trust it, open it in Excel and save the "
        "sheet as CSV.",
        name=name,
        max_rows=MAX_ROWS,
        max_columns=MAX_COLUMNS,
    )
