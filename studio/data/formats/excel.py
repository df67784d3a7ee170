"""Excel workbooks (.xlsx), read by openpyxl (the extra ``excel``).

A malicious workbook of a few kilobytes can fill the memory or take hours to read: it is an archive
of XML, and openpyxl creates objects for all of it before the first row. Therefore its parts are
first scanned as bytes, which is fast, for amounts beyond those of any Excel workbook.
"""

import io
import itertools
import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

from studio.data.body import RowPadder, TableBody
from studio.data.coded import CodedColumn
from studio.data.extent import MAX_HEADER_ROWS, N_OPENING_ROWS, ExtentHints, locate_table
from studio.data.extent import count_filled_cells as filled_cells
from studio.data.formats.base import RawGrid, format_cell, make_library_error
from studio.data.numbers import PLAIN
from studio.data.read_cost import MemoryBudget, check_stopped
from studio.data.read_options import ReadOptions
from studio.data.sources import UNREADABLE_ARCHIVE, get_max_unpacked_size, make_unpacked_size_error
from studio.data.texts import Texts
from studio.errors import DataError
from studio.phrases import phrase

_MAX_TITLE_ROWS = 20  # maximum number of rows above the header of a sheet with a table

_MIDNIGHT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00")
_PADDED = re.compile("0{2,}")
"""Excel's format of postcodes: 1067 is shown as 01067."""


def is_workbook(data: bytes) -> bool:
    """Whether the bytes are a zip archive with a workbook."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except UNREADABLE_ARCHIVE:
        return False


def read_workbook(data: bytes, name: str, options: ReadOptions, max_rows: int | None) -> RawGrid:
    """Read the first sheet with a table, or the named one; formulas by their values."""
    try:
        import openpyxl
    except ImportError as error:
        raise make_library_error(name, phrase("an Excel workbook"), "excel") from error
    try:
        _check_archive(data, name)
        with warnings.catch_warnings():
            # Unknown styles and extensions do not affect the cells.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(_InterruptibleBytes(data), read_only=True, data_only=True)
            try:
                return _read_grid(book, name, options, max_rows)
            finally:
                book.close()
    except (*UNREADABLE_ARCHIVE, TypeError, SyntaxError) as error:
        raise DataError(
            "{name!r} is a damaged workbook, or one of an unusual kind ({error}). Open "
            "it in Excel and save the sheet as CSV.",
            name=name,
            error=error,
        ) from error


def _read_grid(book: Any, name: str, options: ReadOptions, max_rows: int | None) -> RawGrid:
    sheet, sheets = options.sheet, tuple(str(each.title) for each in book.worksheets)
    if sheet is not None and sheet not in sheets:
        raise DataError(
            "{name!r} has no sheet {sheet!r}; available: {sheets}. Choose one of these.",
            name=name,
            sheet=sheet,
            sheets=", ".join(sheets[:20]),
        )
    found: tuple[str, list[list[str]]] | None = None
    row_numbers = itertools.count(1)
    for candidate in [sheet] if sheet is not None else sheets:
        n_required = None if max_rows is None else max_rows + MAX_HEADER_ROWS
        rows = _read_rows(book[candidate], name, n_required, row_numbers)
        table_rows = rows[options.rows_above :]
        has_table = _is_table(table_rows)
        if table_rows and (has_table or found is None):
            found = candidate, rows
        if has_table:
            break
    if found is not None:
        title, rows = found
        evidence = phrase("The sheet {sheet!r} of an Excel workbook.", sheet=title)
        if len(sheets) > 1:
            evidence = phrase(
                "The sheet {sheet!r} of an Excel workbook, one of {n_sheets}.",
                sheet=title,
                n_sheets=len(sheets),
            )
        grid = _make_grid(rows, evidence, name, options, max_rows)
        return replace(grid, sheet=title, sheets=sheets)
    if sheet is None:
        raise DataError("{name!r} is empty. Choose a sheet with a header line and rows.", name=name)
    raise DataError(
        "The sheet {sheet!r} of {name!r} is empty. Choose a sheet with a header line and rows.",
        sheet=sheet,
        name=name,
    )


def _read_rows(
    worksheet: Any, name: str, max_rows: int | None, row_numbers: Iterator[int]
) -> list[list[str]]:
    """Return the rows up to the last non-empty one, of one width; empty ones are [].

    ``row_numbers`` counts the rows of all sheets, including implicit empty ones.
    """
    # A sheet may declare the last possible cell as its end; rows are then padded to it.
    worksheet.reset_dimensions()
    allowance = MemoryBudget(name)
    rows: list[list[str]] = []
    width = count = 0
    has_padded = any(map(_PADDED.fullmatch, worksheet.parent._number_formats))
    cell_rows = worksheet.iter_rows(values_only=not has_padded)
    if has_padded:
        cell_rows = (tuple(map(_pad_number, row)) for row in cell_rows)
    for number, row in enumerate(cell_rows, 1):
        if number > _MAX_ROWS or len(row) > _MAX_COLUMNS:
            raise _make_size_error(name)
        n_scanned = next(row_numbers)
        if n_scanned > _MAX_SCANNED:
            raise make_unpacked_size_error(
                name, phrase("{pieces:,} rows and texts", pieces=n_scanned)
            )
        if not n_scanned % _ROWS_PER_STOP_CHECK:
            check_stopped()
        if row.count(None) == len(row):
            continue  # a sheet may have a million rows
        cells = allowance.intern_texts([format_cell(value) for value in row])
        n_filled = next((i for i in range(len(cells), 0, -1) if cells[i - 1]), 0)
        if n_filled:
            rows += [[]] * (number - 1 - len(rows))
            rows.append(cells[:n_filled])
            width, count = max(width, n_filled), count + 1
            allowance.check(count, width)
        if max_rows is not None and len(rows) > max_rows:
            break
    allowance.reserve(count, width)
    return [row + [""] * (width - len(row)) if row else row for row in rows]


def _pad_number(cell: Any) -> Any:
    """Return a cell's value, as text with the leading zeros that its format shows."""
    is_padded = isinstance(cell.value, int) and _PADDED.fullmatch(cell.number_format)
    return str(cell.value).zfill(len(cell.number_format)) if is_padded else cell.value


def _is_table(rows: list[list[str]]) -> bool:
    """Whether at least two rows have two or more cells, unlike a page of remarks."""
    counts = filter(None, map(filled_cells, rows))
    return sum(count > 1 for count in itertools.islice(counts, _MAX_TITLE_ROWS + 2)) >= 2


def _drop_midnight(column: CodedColumn) -> CodedColumn:
    """Format dates without the time of day that workbooks store with each."""
    if any(text and not _MIDNIGHT.fullmatch(text) for text in column.texts):
        return column
    return CodedColumn(
        column.codes, Texts.from_distinct([text.partition(" ")[0] for text in column.texts])
    )


def _make_grid(
    all_rows: list[list[str]], evidence: str, name: str, options: ReadOptions, max_rows: int | None
) -> RawGrid:
    rows = all_rows[options.rows_above :]
    start = ExtentHints(options.header, options.header_row, 1 + options.rows_above)
    layout = locate_table(rows[:MAX_HEADER_ROWS], start, PLAIN, name)
    width = max(map(len, rows))
    body = TableBody(layout, RowPadder(width), MemoryBudget(name))
    body.add(rows[layout.body :], max_rows)
    coded = body.finish(complete=body.n_rows != max_rows)
    names = layout.header or [""] * width
    # Columns without a name and without cells are dropped.
    kept_columns = [i for i in range(width) if names[i] or not coded[i].is_blank()]
    return RawGrid(
        header=None if layout.header is None else tuple(names[i] for i in kept_columns),
        columns=tuple(_drop_midnight(coded[i]) for i in kept_columns),
        evidence={"sheet": evidence, "header": layout.evidence},
        notes=(*layout.notes, *body.list_notes()),
        undecided_notes=tuple(body.undecided_notes),
        opening=tuple(map(tuple, all_rows[:N_OPENING_ROWS])),
        header_row=layout.header_row,
    )


MAX_UNPACKED = 2 * 2**30
"""Maximum unpacked size of a workbook in bytes (2 GiB)."""

_MAX_ROWS, _MAX_COLUMNS = 2**20, 2**14  # Excel's limits for a sheet, including empty rows
_MAX_SCANNED = 2**22  # rows scanned in all sheets before the table; even empty rows take time
_ROWS_PER_STOP_CHECK = 2**12  # empty rows are created without reading the file
_MAX_TAGS = 2**19  # maximum between two rows or shared texts; a full row has about 100,000
_SPARE_TEXTS = 2**16  # maximum number of unused texts, which some writers leave
_BYTES_PER_PIECE = 150  # estimated bytes of a row or a text of unknown size
_PIECE = re.compile(rb"<(?:[\w.-]+:)?(row|si)[\s/>]")  # start tag of a row, or of a shared text

_UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
"""Start of UTF-16 XML, which Excel does not write."""

_BLOCK = 2**20


class _InterruptibleBytes(io.BytesIO):
    """The bytes of a workbook; each read checks for a stop request."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes, or raise if the user cancelled."""
        check_stopped()
        return super().read(size)


def _check_archive(data: bytes, name: str) -> None:
    """Reject a workbook that exceeds any realistic size, or the memory.

    Raises:
        DataError: The message names the exceeded limit.
        BadZipFile, OSError, ...: If the archive is damaged
            (:data:`studio.data.sources.UNREADABLE_ARCHIVE`).
    """
    n_pieces = n_texts = n_tags = 0
    with zipfile.ZipFile(_InterruptibleBytes(data)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > get_max_unpacked_size(len(data), MAX_UNPACKED):
            raise make_unpacked_size_error(name, f"{unpacked / 2**20:,.0f} MiB")
        for member in archive.infolist():
            with archive.open(member) as part:
                rows, texts, tags = _scan_member(part, name)
            n_pieces, n_texts = n_pieces + rows + texts, n_texts + texts
            n_tags += tags * (rows > 0)
    is_too_large = n_pieces * _BYTES_PER_PIECE > MemoryBudget(name).limit
    if is_too_large or n_texts > n_tags + _SPARE_TEXTS:
        raise make_unpacked_size_error(name, phrase("{pieces:,} rows and texts", pieces=n_pieces))


def _scan_member(part: IO[bytes], name: str) -> tuple[int, int, int]:
    """Count rows, texts and tags; raise DataError for too many rows or oversized chunks."""
    rows = texts = tags = since = 0
    remainder = b""
    while block := part.read(_BLOCK):
        if not remainder and block.startswith(_UTF16_STARTS):
            raise ValueError("UTF-16")
        # The remainder belongs to a tag that the next block completes.
        complete, mark, start = (remainder + block).rpartition(b"<")
        remainder = mark + start
        first, *fields = _PIECE.split(complete)
        kinds, pieces = fields[::2], fields[1::2]
        longest = max((piece.count(b"<") for piece in pieces), default=0)
        since += first.count(b"<")
        if max(since, longest) > _MAX_TAGS:
            raise make_unpacked_size_error(
                name, phrase("more than {tags:,} tags in a row", tags=_MAX_TAGS)
            )
        if pieces:
            since = pieces[-1].count(b"<")
        tags += complete.count(b"<")
        rows += kinds.count(b"row")
        texts += kinds.count(b"si")
        if rows > _MAX_ROWS:
            raise _make_size_error(name)
    return rows, texts, tags


def _make_size_error(name: str) -> DataError:
    """Return the error for a sheet larger than Excel's limits."""
    return DataError(
        "{name!r} has a sheet of more than {max_rows:,} rows or {max_columns:,} columns, more "
        "than any workbook can have. It is damaged or malicious. If you trust it, open it in "
        "Excel and save the sheet as CSV.",
        name=name,
        max_rows=_MAX_ROWS,
        max_columns=_MAX_COLUMNS,
    )
