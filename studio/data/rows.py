"""From text to columns of cells: rows of unequal length, quotes that never close, titles on top."""

import csv
import dataclasses
import gc
import io
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray
from studio.data import dialect
from studio.errors import DataError

_CHUNK = 2**16
_TITLE_LINES = 10

# No decoded text holds a NUL, so this line, put behind the last one, is swallowed by a cell
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
"""Given the first rows, tells whether the first of them holds names."""


@dataclass(frozen=True)
class Cells:
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


def cut(layout: Layout, has_header: HasHeader, max_rows: int | None = None) -> Cells:
    """Cut a text into columns.

    Rows with too few cells are filled up, extra cells are dropped; both are told. A quote that is
    never closed is taken as an ordinary character where that gives regular rows.

    Parameters
    ----------
    layout : Layout
        The text and its signs.
    has_header : callable
        Given the first rows, whether the first of them holds names.
    max_rows : int or None
        Stop after so many rows.

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
                f"{layout.name!r} holds no rows. Choose a file with a header line and rows."
            )
        raise DataError(
            f"{layout.name!r} holds column names but no rows below them. Export it again with its "
            "data."
        )
    return cells


def _with_odd_quotes(layout: Layout, has_header: HasHeader, max_rows: int | None) -> Cells:
    try:
        cells, _ = _cut(layout, has_header, max_rows)
    except (_OpenQuoteError, csv.Error) as error:
        return _without_quotes(layout, has_header, max_rows, error)
    line = _line_of_trouble(layout, strict=True)
    note = (
        f"In line {line:,} a quote ({layout.quote}) neither opens nor ends a cell; look "
        "whether the rows there are as they should be."
    )
    return dataclasses.replace(cells, notes=(note, *cells.notes))


def _without_quotes(
    layout: Layout, has_header: HasHeader, max_rows: int | None, error: Exception
) -> Cells:
    line = _line_of_trouble(layout, strict=False)
    cells, ragged = _cut(dataclasses.replace(layout, quote=""), has_header, max_rows)
    if ragged:
        raise DataError(
            f"The quote ({layout.quote}) that opens a cell in line {line:,} of {layout.name!r} is "
            "never closed, so the rest of the file would be one cell. Close it there, or choose to "
            "read without quotes."
        ) from error
    note = (
        f"The quote ({layout.quote}) in line {line:,} is never closed; quotes were taken as "
        "ordinary characters."
    )
    return dataclasses.replace(cells, notes=(note, *cells.notes))


def _line_of_trouble(layout: Layout, strict: bool) -> int:
    """Return the line at which the first odd quote, or the one that is never closed, stands."""
    taken = 0

    def lines() -> Iterator[str]:
        nonlocal taken
        text = io.StringIO(layout.text, newline="")
        text.seek(layout.start)
        for line in text:
            taken += 1
            yield line

    before = last = 0
    try:
        for _ in dialect.reader(lines(), layout.separator, layout.quote, strict):
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
) -> tuple[Cells, int]:
    """Cut the text; return the cells and how many rows were too long or too short."""
    lines = io.StringIO(layout.text, newline="")
    lines.seek(layout.start)
    rows = dialect.reader(itertools.chain(lines, [_END]), layout.separator, layout.quote, strict)
    first = _closed(list(itertools.islice(rows, _CHUNK)))
    complete = len(first) < _CHUNK
    if first and first[-1] == [_END]:
        first.pop()
    opening = [row for row in first[:1000] if any(cell.strip() for cell in row)]
    titles, usual = _titles(opening)
    header = None
    shape = _Shape(usual)
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
            "One line above the table left out."
            if titles == 1
            else f"{titles} lines above the table left out."
        )
    collected: list[list[AnyArray]] = []
    while True:
        left = None if max_rows is None else max_rows - shape.n_rows
        shape.add(body, collected, left)
        if complete or (max_rows is not None and shape.n_rows >= max_rows):
            break
        body = _closed(list(itertools.islice(rows, _CHUNK)))
        complete = len(body) < _CHUNK
        if body and body[-1] == [_END]:
            body.pop()
    columns = [np.concatenate(parts) for parts in zip(*collected, strict=True)]
    while len(columns) > 1 and header is not None and _is_void(header, columns):
        columns.pop()
    if header is not None:
        header = header[: len(columns)]
    notes.extend(shape.notes())
    return Cells(header, tuple(columns), layout.quote, tuple(notes)), shape.short + shape.long


def _closed(chunk: list[list[str]]) -> list[list[str]]:
    """Return a chunk of rows unless the end mark was swallowed by an open quote."""
    if chunk and chunk[-1] != [_END] and chunk[-1] and chunk[-1][-1].endswith(_END):
        raise _OpenQuoteError
    return chunk


def _titles(opening: list[list[str]]) -> tuple[int, int]:
    """Return how many lines of one cell stand above the table, and the usual number of cells."""
    if not opening:
        return 0, 0
    usual = Counter(map(len, opening)).most_common(1)[0][0]
    if usual < 2:
        return 0, max(usual, len(opening[0]))
    titles = next((i for i, row in enumerate(opening) if len(row) > 1), 0)
    return (titles if titles <= _TITLE_LINES else 0), usual


def _is_void(header: tuple[str, ...], columns: list[AnyArray]) -> bool:
    """Whether the last column has neither name nor content (separators at the ends of lines)."""
    nameless = len(header) < len(columns) or not header[len(columns) - 1].strip()
    return nameless and not any(cell.strip() for cell in columns[-1])


class _Shape:
    """Brings rows to one width and counts what had to be done."""

    def __init__(self, usual: int) -> None:
        self.width = usual
        self.n_rows = 0
        self.short = 0
        self.long = 0
        self._first_long = 0
        self._row_names = False

    def fit_header(self, header: list[str], body: list[list[str]]) -> tuple[str, ...]:
        """Take the width from the header too; R leaves out the name above the row names."""
        wider = bool(body) and all(len(row) == len(header) + 1 for row in body)
        if wider and any(row[-1].strip() for row in body):
            header = ["", *header]
            self._row_names = True
        elif wider:
            self.width = len(header)
        while len(header) > self.width and not header[-1].strip():
            header = header[:-1]
        self.width = max(self.width, len(header))
        return tuple(header)

    def add(self, rows: list[list[str]], collected: list[list[AnyArray]], left: int | None) -> None:
        """Append rows as column arrays; rows of blank lines are left out."""
        if not all(map(self.width.__eq__, map(len, rows))):
            filled = [row for row in rows if row]
            rows = [self._fitted(row, self.n_rows + i) for i, row in enumerate(filled, 1)]
        rows = rows[:left]
        self.n_rows += len(rows)
        if rows:
            columns = zip(*rows, strict=True)
            collected.append([np.array(column, dtype=object) for column in columns])

    def _fitted(self, row: list[str], number: int) -> list[str]:
        missing = self.width - len(row)
        if missing > 0:
            self.short += 1
            return [*row, *[""] * missing]
        if missing < 0 and any(cell.strip() for cell in row[self.width :]):
            self.long += 1
            self._first_long = self._first_long or number
        return row[: self.width]

    def notes(self) -> list[str]:
        """Say what was done."""
        notes = []
        if self._row_names:
            notes.append("The first column has no name above it; it seems to hold row names.")
        if self.short:
            notes.append(
                f"{self.short:,} rows have fewer than {self.width} cells; the missing ones "
                "at their ends were taken as empty."
            )
        if self.long:
            notes.append(
                f"{self.long:,} rows have more than {self.width} cells (the first is row "
                f"{self._first_long:,}); the extra ones were dropped. A separator inside a cell "
                "that is not quoted is the usual reason."
            )
        return notes
