"""Parsing of text into columns of cells, with ragged rows and unclosed quotes."""

import csv
import dataclasses
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray
from studio.data import dialect
from studio.data.body import RowPadder, TableBody
from studio.data.coded import PADDING, CodedColumn, EncodedCells
from studio.data.dialect import iterate_lines
from studio.data.extent import MAX_HEADER_ROWS, N_OPENING_ROWS, Extent
from studio.data.numbers import PLAIN, NumberFormat
from studio.data.read_cost import CHUNK_CELLS, MemoryBudget
from studio.errors import DataError
from studio.garbage import pause_garbage_collection
from studio.phrases import phrase

_CHUNK_ROWS = 2**14  # rows parsed at a time; fewer if they are long (CHUNK_CELLS)

# Decoded text contains no NUL, so this sentinel after the last line becomes part of a cell if and
# only if a quote is still open.
_END_MARK = "\x00"


@dataclass(frozen=True)
class DelimitedText:
    """A text and its dialect.

    Attributes:
        quote: The character that encloses cells with separators or line breaks; "" for none.
        first_row: The file's row number of the first row, from 1.
        rewrite: Converts a line of another form to separated cells.
    """

    text: str
    start: int
    separator: str
    quote: str
    name: str
    number_format: NumberFormat = PLAIN
    first_row: int = 1
    rewrite: dialect.Rewrite | None = None

    def iterate_lines(self, start: int | None = None) -> Iterator[str]:
        """Yield the lines of the table with line breaks, starting at a position in the text."""
        return iterate_lines(self.text, self.start if start is None else start, self.name)


FindExtent = Callable[[list[list[str]]], Extent]
"""Receives the first rows, to locate the start of the table."""


@dataclass(frozen=True)
class RawCells:
    """A table's cells by column, and notes of repairs; ``undecided_notes`` are for the user."""

    columns: tuple[CodedColumn, ...]
    extent: Extent
    header: tuple[str, ...] | None
    opening: tuple[tuple[str, ...], ...]
    quote: str
    notes: tuple[str, ...]
    n_ragged: int
    undecided_notes: tuple[str, ...] = ()


class _UnclosedQuoteError(Exception):
    """A quote is not closed at the end of the file."""


def parse_columns(
    delimited: DelimitedText, find: FindExtent, max_rows: int | None = None
) -> RawCells:
    """Parse a text into columns.

    Rows with too few cells are padded, extra cells are dropped; both are reported. An unclosed
    quote is treated as an ordinary character if that gives regular rows.

    Raises:
        DataError: If there is no row, or a quote is never closed and cannot be ignored.
    """
    with pause_garbage_collection():  # millions of live strings would slow it down
        try:
            cells = _parse(delimited, find, max_rows, strict=True)
        except (_UnclosedQuoteError, csv.Error):
            cells = _parse_with_odd_quotes(delimited, find, max_rows)
    if not cells.columns or not len(cells.columns[0]):
        if cells.header is None:
            raise DataError(
                "{layout!r} has no rows. Choose a file with a header line and rows.",
                layout=delimited.name,
            )
        raise DataError(
            "{layout!r} has column names but no rows below them. Export it again with its data.",
            layout=delimited.name,
        )
    return cells


def _parse_with_odd_quotes(
    delimited: DelimitedText, find: FindExtent, max_rows: int | None
) -> RawCells:
    if delimited.rewrite is None and f"\\{delimited.quote}" in delimited.text:
        try:
            escaping = dataclasses.replace(
                delimited, rewrite=dialect.rewrite_backslash_quotes(delimited.quote)
            )
            return _parse(escaping, find, max_rows, strict=True)
        except (_UnclosedQuoteError, csv.Error):
            pass  # an escaped backslash before a quote
    try:
        cells = _parse(delimited, find, max_rows)
    except (_UnclosedQuoteError, csv.Error) as error:
        return _parse_without_quotes(delimited, find, max_rows, error)
    line = _find_open_quote_line(delimited, strict=True)
    note = phrase(
        "In line {line:,} a quote ({quote}) neither opens nor ends a cell; check that the rows "
        "there are right.",
        line=line,
        quote=delimited.quote,
    )
    return dataclasses.replace(cells, notes=(note, *cells.notes))


def _parse_without_quotes(
    delimited: DelimitedText, find: FindExtent, max_rows: int | None, error: Exception
) -> RawCells:
    line = _find_open_quote_line(delimited, strict=False)
    cells = _parse(dataclasses.replace(delimited, quote=""), find, max_rows)
    if cells.n_ragged:
        raise DataError(
            "The quote ({quote}) that opens a cell in line {line:,} of {layout!r} is never "
            "closed, so the rest of the file would be one cell. Close it there, or read without "
            "quotes (--quote '').",
            quote=delimited.quote,
            line=line,
            layout=delimited.name,
        ) from error
    note = phrase(
        "The quote ({quote}) in line {line:,} is never closed; quotes were read as ordinary "
        "characters.",
        quote=delimited.quote,
        line=line,
    )
    return dataclasses.replace(cells, notes=(note, *cells.notes))


def _find_open_quote_line(delimited: DelimitedText, strict: bool) -> int:
    """Return the number of the line with the first misplaced quote, or the unclosed one."""
    n_lines = 0

    def count_lines() -> Iterator[str]:
        nonlocal n_lines
        for line in delimited.iterate_lines():
            n_lines += 1
            yield line if delimited.rewrite is None else delimited.rewrite(line)

    previous = current = 0
    try:
        for _ in dialect.read_rows(count_lines(), delimited.separator, delimited.quote, strict):
            previous, current = current, n_lines
    except csv.Error:
        previous = current
    return previous + delimited.first_row


def _parse(
    delimited: DelimitedText, find: FindExtent, max_rows: int | None, strict: bool = False
) -> RawCells:
    rows = _RowReader(delimited, strict)
    opening = rows.read_chunk(MAX_HEADER_ROWS)
    allowance = MemoryBudget(delimited.name)
    allowance.check(len(opening), max(map(len, opening), default=0))
    extent = find(opening)
    first = opening[extent.body :]
    shape = RowPadder(extent.usual_width)
    header = extent.header
    if header is not None:
        header = shape.fit_header(header, [row for row in first if any(row)])
    body = TableBody(extent, shape, allowance)
    body.add(first, max_rows)
    by_bytes = strict and max_rows is None and delimited.rewrite is None
    while not (rows.ended or body.n_rows == max_rows):
        if by_bytes:
            rows = _append_regular_rows(delimited, rows, body)
        body.add(rows.read_chunk(_CHUNK_ROWS), max_rows)
        body.check(rows.parsed_share, int(rows.parsed_share * sys.getsizeof(delimited.text)))
    complete = rows.ended and body.n_rows != max_rows
    columns = body.finish(complete=complete)
    if delimited.separator == ",":
        shape.check_long_rows(delimited.name)
    return RawCells(
        columns=tuple(columns),
        extent=extent,
        header=header,
        opening=tuple(map(tuple, opening[:N_OPENING_ROWS])),
        quote=delimited.quote,
        notes=(*extent.notes, *body.list_notes()),
        n_ragged=shape.n_short + shape.n_long,
        undecided_notes=tuple(body.undecided_notes),
    )


def _append_regular_rows(
    delimited: DelimitedText, rows: "_RowReader", body: TableBody
) -> "_RowReader":
    start = delimited.start + rows.n_parsed
    marks = delimited.separator, delimited.quote, body.extent.mark
    regular = RegularParser(delimited.text, start, marks, body.width)
    for cells in regular.iterate_chunks():
        body.add_cells(cells)
        part = (regular.position - delimited.start) / (len(delimited.text) - delimited.start)
        body.check(part, int(part * sys.getsizeof(delimited.text)))
    return (
        rows
        if regular.position == start
        else _RowReader(delimited, strict=True, start=regular.position)
    )


class _RowReader:
    """Yields the rows of a text in chunks."""

    def __init__(self, delimited: DelimitedText, strict: bool, start: int | None = None) -> None:
        self.ended = False
        start = delimited.start if start is None else start
        self._all = max(1, len(delimited.text) - delimited.start)
        counter = self._consumed = [start - delimited.start]

        def count_characters(line: str) -> str:
            counter[0] += len(line)  # a list, as a reference to ``self`` would keep the text longer
            return line

        text_lines = map(count_characters, delimited.iterate_lines(start))
        if delimited.rewrite is not None:
            text_lines = map(delimited.rewrite, text_lines)
        self._rows = dialect.read_rows(
            itertools.chain(text_lines, [_END_MARK]), delimited.separator, delimited.quote, strict
        )

    @property
    def n_parsed(self) -> int:
        return self._consumed[0]

    @property
    def parsed_share(self) -> float:
        """The parsed share of the text, in (0, 1]."""
        return max(1, self.n_parsed) / self._all

    def read_chunk(self, max_rows: int) -> list[list[str]]:
        """Return the next rows: at most ``max_rows``, or :data:`CHUNK_CELLS` cells."""
        rows: list[list[str]] = []
        n_cells = 0
        for row in self._rows:
            rows.append(row)
            n_cells += len(row)
            if len(rows) >= max_rows or n_cells >= CHUNK_CELLS:
                break
        else:
            self.ended = True
        if rows and rows[-1] == [_END_MARK]:
            self.ended = True
            rows.pop()
        elif rows and rows[-1] and rows[-1][-1].endswith(_END_MARK):
            raise _UnclosedQuoteError
        return rows


_CHUNK_SIZE = 2**21  # characters parsed at a time

_LINE_FEED, _RETURN, _BLANK = b"\n\r "


class RegularParser:
    """Fast parser of the regular beginning of a text, up to ``position``, by bytes instead of rows.

    All rows have the same number of cells, and quotes enclose whole cells without quotes inside.
    The result is identical to that of :mod:`csv`, which parses everything else.
    """

    def __init__(self, text: str, start: int, marks: tuple[str, str, str], width: int) -> None:
        separator, quote, mark = marks
        self._text, self.position, self._width = text, start, width
        # Blanks before a cell are skipped, so they do not count as a separator.
        is_supported = separator.isascii() and separator != " " and width > 1
        self._separator = ord(separator) if is_supported else -1
        self._quote = ord(quote) if quote else -1
        self._mark = ord(mark[0]) if mark else -1

    def iterate_chunks(self) -> Iterator[EncodedCells]:
        """Yield the cells in chunks of rows, as long as they are regular."""
        text = self._text
        while self._separator >= 0 and self.position < len(text):
            stop = min(self.position + _CHUNK_SIZE, len(text))
            if stop < len(text):
                stop = text.rfind("\n", self.position, stop) + 1
            if stop <= self.position:
                return
            data = text[self.position : stop].encode()
            cells = self._parse_lines(data if data.endswith(b"\n") else data + b"\n")
            if cells is None:
                return
            self.position = stop
            yield cells

    def _parse_lines(self, data: bytes) -> EncodedCells | None:
        """Parse whole lines, the last one with its end; ``None`` if they are irregular."""
        content = np.frombuffer(data, dtype=np.uint8)
        returns = _RETURN in data
        if returns and data.count(b"\r") != data.count(b"\r\n"):
            return None
        cell_ends = np.flatnonzero((content == self._separator) | (content == _LINE_FEED))
        quoted = self._quote >= 0 and self._quote in data
        if quoted:
            quotes = np.flatnonzero(content == self._quote)
            if not self._encloses_cells(content, quotes):
                return None
            cell_ends = cell_ends[np.searchsorted(quotes, cell_ends) % 2 == 0]
        if len(cell_ends) % self._width:
            return None
        is_last = (content.take(cell_ends) == _LINE_FEED).reshape(-1, self._width)
        if not is_last[:, -1].all() or np.count_nonzero(is_last) != len(is_last):
            return None
        starts = np.empty_like(cell_ends, dtype=np.int32)
        starts[0], starts[1:] = 0, cell_ends[:-1] + 1
        starts = starts.reshape(is_last.shape)
        cell_ends = cell_ends.astype(np.int32).reshape(is_last.shape)
        if returns:
            cell_ends[:, -1] -= (content[cell_ends[:, -1] - 1] == _RETURN) & (
                cell_ends[:, -1] > starts[:, -1]
            )
        if quoted:
            enclosed = content.take(starts) == self._quote
            starts += enclosed
            cell_ends -= enclosed
        if _BLANK in data:
            blank = content.take(starts) == _BLANK
            if quoted:
                blank &= ~enclosed
            while blank.any():
                starts += blank
                blank &= content.take(starts) == _BLANK
        if (content[starts[:, 0]] == self._mark).any():
            return None
        return EncodedCells(data + PADDING, starts, cell_ends - starts)

    def _encloses_cells(self, content: AnyArray, quotes: AnyArray) -> bool:
        """Whether quotes, at positions (k,) of octets (n,), alternately begin and end cells."""
        if len(quotes) % 2:
            return False
        opening, closing = quotes[::2], quotes[1::2]
        byte_before = content[opening - 1]  # at -1, the last byte: the end of a line
        byte_after = content[closing + 1]
        ends_cell = (
            (byte_after == self._separator) | (byte_after == _LINE_FEED) | (byte_after == _RETURN)
        )
        begins_cell = (byte_before == self._separator) | (byte_before == _LINE_FEED)
        return bool(ends_cell.all() and begins_cell.all())
