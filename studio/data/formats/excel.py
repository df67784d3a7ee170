"""Excel workbooks (.xlsx), by openpyxl (the extra ``excel``)."""

import io
import itertools
import re
import warnings
import zipfile
from typing import Any, ClassVar

from studio.data.allowance import Allowance
from studio.data.coded import Coded
from studio.data.formats.base import RawGrid, TableFormat, text_of
from studio.data.formats.workbook_traps import (
    MAX_COLUMNS,
    MAX_ROWS,
    InterruptibleBytes,
    refuse_traps,
    too_large,
)
from studio.data.interruption import check_stopped
from studio.data.sources import UNREADABLE_ARCHIVE
from studio.errors import DataError
from studio.extras import install_command
from studio.phrases import phrase

_TITLES = 20
"""Rows above the names that may be titles, remarks and the like."""

_NUMBER = re.compile(r"[-+]?[0-9.,]+(?:[eE][-+]?[0-9]+)?")
_MIDNIGHT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00")


class Excel(TableFormat):
    """The first sheet with a table, or the one that is named; formulas by their values."""

    title: ClassVar[str] = "an Excel workbook"
    extra: ClassVar[str] = "excel"

    def is_it(self, data: bytes) -> bool:
        """Whether the bytes are a zip archive with a workbook in it."""
        if not data.startswith(b"PK\x03\x04"):
            return False
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return "xl/workbook.xml" in archive.namelist()
        except UNREADABLE_ARCHIVE:
            return False

    def read(self, data: bytes, name: str, sheet: str | None, max_rows: int | None) -> RawGrid:
        """Read one sheet; its first row that is neither empty nor a title holds the names."""
        try:
            import openpyxl
        except ImportError as error:
            raise DataError(
                "{name!r} is an Excel workbook, and openpyxl, which reads them, is not "
                "installed. Install it with: {command}, or open it "
                "in Excel and save the sheet as CSV.",
                name=name,
                command=install_command(self.extra),
            ) from error
        try:
            refuse_traps(data, name)
            with warnings.catch_warnings():
                # Styles and extensions that it does not know say nothing about the cells.
                warnings.simplefilter("ignore")
                book = openpyxl.load_workbook(
                    InterruptibleBytes(data), read_only=True, data_only=True
                )
                try:
                    return _grid(book, name, sheet, max_rows)
                finally:
                    book.close()
        except (*UNREADABLE_ARCHIVE, TypeError, SyntaxError) as error:
            raise DataError(
                "{name!r} is a damaged workbook, or one of an unusual kind ({error}). Open "
                "it in Excel and save the sheet as CSV.",
                name=name,
                error=error,
            ) from error


def _grid(book: Any, name: str, sheet: str | None, max_rows: int | None) -> RawGrid:
    sheets = tuple(str(each.title) for each in book.worksheets)
    if sheet is not None and sheet not in sheets:
        raise DataError(
            "{name!r} has no sheet {sheet!r}; it has: {sheets}. Choose one of these.",
            name=name,
            sheet=sheet,
            sheets=", ".join(sheets[:20]),
        )
    passed = None
    for candidate in [sheet] if sheet is not None else sheets:
        rows = _rows(book[candidate], name, max_rows)
        if rows and (sheet is not None or _is_table(rows)):
            return _table(rows, name, str(candidate), sheets)
        if rows and passed is None:
            passed = rows, name, str(candidate)
    if passed is not None:
        return _table(*passed, sheets)
    if sheet is None:
        raise DataError("{name!r} is empty. Choose a sheet with a header line and rows.", name=name)
    raise DataError(
        "The sheet {sheet!r} of {name!r} is empty. Choose a sheet with a header line and rows.",
        sheet=sheet,
        name=name,
    )


def _rows(worksheet: Any, name: str, max_rows: int | None) -> list[list[str]]:
    """Return the rows that hold anything, the header among them, up to their last cells."""
    # A sheet may claim to end at its last possible cell; each row is then filled up to there.
    worksheet.reset_dimensions()
    allowance = Allowance(name)
    found: list[list[str]] = []
    width = 0
    for number, row in enumerate(worksheet.iter_rows(values_only=True), 1):
        if number > MAX_ROWS or len(row) > MAX_COLUMNS:
            raise too_large(name)
        check_stopped()
        cells = allowance.shared(["" if value is None else text_of(value) for value in row])
        if any(cells):
            found.append(cells)
            width = max(width, len(cells))
            allowance.check(len(found), width)
            if max_rows is not None and len(found) > max_rows:
                break
    return found


def _is_table(rows: list[list[str]]) -> bool:
    """Whether at least two rows have two cells or more: a page of remarks has not."""
    return sum(_filled(row) > 1 for row in itertools.islice(rows, _TITLES + 2)) >= 2


def _filled(row: list[str]) -> int:
    return sum(map(bool, row))


def _titles(rows: list[list[str]]) -> int:
    """Return how many rows are a title above the names: one cell each, the first that is used.

    What follows must be names: two words or more, no numbers. A table of one column has no title.
    """
    count = 0
    while count < min(_TITLES, len(rows) - 2) and _filled(rows[count]) == 1:
        count += 1
    names = [cell for cell in rows[count] if cell]
    used = min(next(i for i, cell in enumerate(row) if cell) for row in rows[count:])
    left = all(any(row[: used + 1]) for row in rows[:count])
    words = all(not _NUMBER.fullmatch(cell) for cell in names)
    return count if len(names) > 1 and left and words else 0


def _without_midnight(cells: list[str]) -> list[str]:
    """Write dates as dates: a workbook gives every one of them a time of day."""
    if all(_MIDNIGHT.fullmatch(cell) for cell in cells if cell):
        return [cell.partition(" ")[0] for cell in cells]
    return cells


def _table(rows: list[list[str]], name: str, sheet: str, sheets: tuple[str, ...]) -> RawGrid:
    titles = _titles(rows)
    width = max(max(i for i, cell in enumerate(row) if cell) + 1 for row in rows)
    Allowance(name).reserve(len(rows), width)
    filled = [(row + [""] * width)[:width] for row in rows[titles:]]
    header, body = filled[0], filled[1:]
    names, columns = [], []
    for position in range(width):
        texts = _without_midnight([row[position] for row in body])
        if header[position] or any(texts):  # else nobody has written anything there
            names.append(header[position])
            columns.append(Coded.of(texts))
    evidence = phrase(
        "The sheet {sheet!r} of an Excel workbook; its first row names the columns.", sheet=sheet
    )
    if len(sheets) > 1:
        evidence = phrase(
            "The sheet {sheet!r} of an Excel workbook, one of {n_sheets}; its first row "
            "names the columns.",
            sheet=sheet,
            n_sheets=len(sheets),
        )
    left_out = "; ".join(cell[:60] for row in rows[:titles] for cell in row if cell)
    return RawGrid(
        header=tuple(names),
        columns=tuple(columns),
        evidence=evidence,
        sheet=sheet,
        sheets=sheets,
        notes=(phrase("{left_out!r} above the names was left out.", left_out=left_out),)
        if titles
        else (),
    )
