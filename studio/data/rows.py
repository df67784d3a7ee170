"""From text to columns of cells: rows of unequal length, quotes that never close, titles on top."""

import csv
import dataclasses
import gc
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray
from studio.data import dialect
from studio.data.allowance import STEP, Allowance
from studio.data.lines import lines
from studio.data.shape import Shape
from studio.errors import DataError
from studio.phrases import phrase

_CHUNK = 2**16
"""Rows that are cut at a time; fewer where they are long (:data:`studio.data.allowance.STEP`)."""

_TITLE_LINES = 10

# No decoded text holds a NUL, so this line, put after the last one, is swallowed by a cell
# exactly if a quote is still open there.
_END = "\x00"


@dataclass(frozen=True)
class Layout:
    """A text and how it is cut.

    Attributes
    ----------
    text : str
        The decoded file.
    start : int
        Where the table starts in it.
    separator : str
        The character between cells.
    quote : str
        The character around cells that hold separators or line breaks; "" for none.
    name : str
        The file's name, for messages.
    """

    text: str
    start: int
    separator: str
    quote: str
    name: str


HasHeader = Callable[[list[list[str]]], bool]
"""Given the first rows, whether the first of them holds names."""


@dataclass(frozen=True)
class RawCells:
    """A table's cells by column.

    Attributes
    ----------
    header : tuple of str or None
        The first line's cells, if they are names.
    columns : tuple of arrays of str objects, shape (n_rows,) each
        All of one length.
    quote : str
        The quote that was used in the end; "" if quotes did not match up.
    notes : tuple of str
        What was repaired.
    """

    header: tuple[str, ...] | None
    columns: tuple[AnyArray, ...]
    quote: str
    notes: tuple[str, ...]


class _OpenQuoteError(Exception):
    """A quote was still open at the end of the file."""


def cut(layout: Layout, has_header: HasHeader, max_rows: int | None = None) -> RawCells:
    """Cut a text into columns.

    Rows with too few cells are filled up, extra cells are dropped; both are reported. A quote that
    is never closed is taken as an ordinary character where that gives regular rows.

    Parameters
    ----------
    layout : Layout
        The text and its signs.
    has_header : callable
        Given the first rows, whether the first of them holds names.
    max_rows : int or None
        Stop after this number of rows.

    Raises
    ------
    DataError
        If there is no row, or a quote is never closed and cannot be ignored.
    """
    with _no_collector():
        try:
            cells, _ = _cut(layout, has_header, max_rows, strict=True)
        except (_OpenQuoteError, csv.Error):
            cells = _with_odd_quotes(layout, has_header, max_rows)
    if not cells.columns or not len(cells.columns[0]):
        if cells.header is None:
            raise DataError(
                "{layout!r} has no rows. Choose a file with a header line and rows.",
                layout=layout.name,
            )
        raise DataError(
            "{layout!r} has column names but no rows below them. Export it again with its data.",
            layout=layout.name,
        )
    return cells


def _with_odd_quotes(layout: Layout, has_header: HasHeader, max_rows: int | None) -> RawCells:
    try:
        cells, _ = _cut(layout, has_header, max_rows)
    except (_OpenQuoteError, csv.Error) as error:
        return _without_quotes(layout, has_header, max_rows, error)
    line = _line_of_trouble(layout, strict=True)
    note = phrase(
        "In line {line:,} a quote ({quote}) neither opens nor ends a cell; check that the rows "
        "there are right.",
        line=line,
        quote=layout.quote,
    )
    return dataclasses.replace(cells, notes=(note, *cells.notes))


def _without_quotes(
    layout: Layout, has_header: HasHeader, max_rows: int | None, error: Exception
) -> RawCells:
    line = _line_of_trouble(layout, strict=False)
    cells, ragged = _cut(dataclasses.replace(layout, quote=""), has_header, max_rows)
    if ragged:
        raise DataError(
            "The quote ({quote}) that opens a cell in line {line:,} of {layout!r} is never "
            "closed, so the rest of the file would be one cell. Close it there, or choose to "
            "read without quotes.",
            quote=layout.quote,
            line=line,
            layout=layout.name,
        ) from error
    note = phrase(
        "The quote ({quote}) in line {line:,} is never closed; quotes were read as ordinary "
        "characters.",
        quote=layout.quote,
        line=line,
    )
    return dataclasses.replace(cells, notes=(note, *cells.notes))


def _line_of_trouble(layout: Layout, strict: bool) -> int:
    """Return the line of the first odd quote, or of the one that is never closed."""
    taken = 0

    def counted() -> Iterator[str]:
        nonlocal taken
        for line in lines(layout.text, layout.start, layout.name):
            taken += 1
            yield line

    before = last = 0
    try:
        for _ in dialect.reader(counted(), layout.separator, layout.quote, strict):
            before, last = last, taken
    except csv.Error:
        before = last
    return before + 1 + (layout.start > 0)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Millions of live strings make the cyclic collector walk them for nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _cut(
    layout: Layout, has_header: HasHeader, max_rows: int | None, strict: bool = False
) -> tuple[RawCells, int]:
    """Cut the text; return the cells and how many rows were too long or too short."""
    rows = _Reading(layout, strict)
    first = rows.chunk()
    opening = [row for row in first[:1000] if any(cell.strip() for cell in row)]
    titles, usual = _titles(opening)
    header = None
    allowance = Allowance(layout.name)
    allowance.check(len(first), max(map(len, first), default=0))
    shape = Shape(usual, allowance)
    body = first
    if opening:
        at = first.index(opening[titles])
        if has_header(opening[titles:]):
            header = shape.fit_header(first[at], opening[titles + 1 :])
            at += 1
        body = first[at:]
    notes = []
    if titles:
        notes.append(
            phrase("One line above the table left out.")
            if titles == 1
            else phrase("{titles} lines above the table left out.", titles=titles)
        )
    collected: list[list[AnyArray]] = []
    while True:
        left = None if max_rows is None else max_rows - shape.n_rows
        shape.add(body, collected, left)
        if rows.ended or (max_rows is not None and shape.n_rows >= max_rows):
            break
        if max_rows is None:
            allowance.check(
                shape.n_rows, shape.width, rows.part, int(rows.part * sys.getsizeof(layout.text))
            )
        body = rows.chunk()
    columns = _joined(collected)
    while len(columns) > 1 and header is not None and _is_void(header, columns):
        columns.pop()
    if header is not None:
        header = header[: len(columns)]
    notes.extend(shape.notes())
    return RawCells(header, tuple(columns), layout.quote, tuple(notes)), shape.short + shape.long


class _Reading:
    """The rows of a text, in chunks.

    Attributes
    ----------
    ended : bool
        Whether there are no more.
    """

    def __init__(self, layout: Layout, strict: bool) -> None:
        self.ended = False
        self._taken, self._all = 0, max(1, len(layout.text) - layout.start)
        found = lines(layout.text, layout.start, layout.name)
        self._rows = dialect.reader(
            itertools.chain(map(self._counted, found), [_END]),
            layout.separator,
            layout.quote,
            strict,
        )

    def _counted(self, line: str) -> str:
        self._taken += len(line)
        return line

    @property
    def part(self) -> float:
        """The part of the text that was cut, in (0, 1]."""
        return max(1, self._taken) / self._all

    def chunk(self) -> list[list[str]]:
        """Return the next rows: as many as :data:`_CHUNK`, or as make up :data:`STEP` cells.

        Raises
        ------
        _OpenQuoteError
            If the end mark was swallowed by an open quote.
        """
        found: list[list[str]] = []
        cells = 0
        for row in self._rows:
            found.append(row)
            cells += len(row)
            if len(found) >= _CHUNK or cells >= STEP:
                break
        else:
            self.ended = True
        if found and found[-1] == [_END]:
            self.ended = True
            found.pop()
        elif found and found[-1] and found[-1][-1].endswith(_END):
            raise _OpenQuoteError
        return found


def _joined(collected: list[list[AnyArray]]) -> list[AnyArray]:
    """Join the pieces of each column, shape (n,), letting them go column by column."""
    if not collected:
        return []
    pieces = [list(reversed(piece)) for piece in collected]
    collected.clear()
    return [np.concatenate([piece.pop() for piece in pieces]) for _ in range(len(pieces[0]))]


def _titles(opening: list[list[str]]) -> tuple[int, int]:
    """Return how many lines of one cell come above the table, and the usual number of cells."""
    if not opening:
        return 0, 0
    usual = Counter(map(len, opening)).most_common(1)[0][0]
    if usual < 2:
        return 0, max(usual, len(opening[0]))
    titles = next((i for i, row in enumerate(opening) if len(row) > 1), 0)
    return (titles if titles <= _TITLE_LINES else 0), usual


def _is_void(header: tuple[str, ...], columns: list[AnyArray]) -> bool:
    """Whether the last column, (n,), has neither name nor content (separators that end lines)."""
    nameless = len(header) < len(columns) or not header[len(columns) - 1].strip()
    return nameless and not any(cell.strip() for cell in columns[-1])
