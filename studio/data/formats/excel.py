"""Excel workbooks (.xlsx), by openpyxl (the extra ``excel``)."""

import io
import warnings
import zipfile
from typing import Any, ClassVar

import numpy as np

from studio.data.formats.base import Format, Grid, text_of
from studio.errors import DataError

MAX_UNPACKED = 2 * 2**30
"""A workbook may unfold to at most this many bytes (2 GiB)."""


class Excel(Format):
    """The first sheet that holds anything, or the one that is named; formulas by their values."""

    title: ClassVar[str] = "an Excel workbook"
    extra: ClassVar[str] = "excel"
    endings: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")

    def is_it(self, data: bytes) -> bool:
        """Whether the bytes are a zip archive with a workbook in it."""
        if not data.startswith(b"PK\x03\x04"):
            return False
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return "xl/workbook.xml" in archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError):
            return False

    def read(self, data: bytes, name: str, sheet: str | None, max_rows: int | None) -> Grid:
        """Read one sheet; its first row that is not empty holds the names."""
        try:
            import openpyxl
        except ImportError as error:
            raise DataError(
                f"{name!r} is an Excel workbook, and openpyxl, which reads them, is not installed. "
                "Install it with: pip install 'ensemble-studio[excel]', or open it in Excel and "
                "save the sheet as CSV."
            ) from error
        _refuse_bombs(data, name)
        try:
            with warnings.catch_warnings():
                # Styles and extensions that it does not know say nothing about the cells.
                warnings.simplefilter("ignore")
                book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
                try:
                    return _grid(book, name, sheet, max_rows)
                finally:
                    book.close()
        except (KeyError, ValueError, TypeError, SyntaxError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{name!r} is a damaged workbook, or one of an unusual kind ({error}). Open it in "
                "Excel and save the sheet as CSV."
            ) from error


def _refuse_bombs(data: bytes, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > MAX_UNPACKED:
        raise DataError(
            f"{name!r} unfolds to {unpacked / 2**30:.1f} GiB, more than the "
            f"{MAX_UNPACKED / 2**30:.0f} GiB that are read; it may be a trap (a zip bomb). If you "
            "trust it, save the sheet as CSV."
        )


def _grid(book: Any, name: str, sheet: str | None, max_rows: int | None) -> Grid:
    sheets = tuple(str(each.title) for each in book.worksheets)
    if sheet is not None and sheet not in sheets:
        raise DataError(
            f"{name!r} has no sheet {sheet!r}; it has: {', '.join(sheets[:20])}. Choose one of "
            "these."
        )
    for candidate in [sheet] if sheet is not None else sheets:
        rows = _rows(book[candidate], max_rows)
        if rows:
            return _table(rows, str(candidate), sheets)
    if sheet is None:
        raise DataError(f"{name!r} is empty. Choose a sheet with a header line and rows.")
    raise DataError(
        f"The sheet {sheet!r} of {name!r} is empty. Choose a sheet with a header line and rows."
    )


def _rows(worksheet: Any, max_rows: int | None) -> list[list[str]]:
    """Return the rows that hold anything, the header among them."""
    found: list[list[str]] = []
    for row in worksheet.iter_rows(values_only=True):
        cells = [text_of(value) for value in row]
        if any(cells):
            found.append(cells)
            if max_rows is not None and len(found) > max_rows:
                break
    return found


def _table(rows: list[list[str]], sheet: str, sheets: tuple[str, ...]) -> Grid:
    width = max(max(i for i, cell in enumerate(row) if cell) + 1 for row in rows)
    filled = [(row + [""] * width)[:width] for row in rows]
    header, body = filled[0], filled[1:]
    columns = []
    for position in range(width):
        cells = np.empty(len(body), dtype=object)
        cells[:] = [row[position] for row in body]
        columns.append(cells)
    evidence = f"The sheet {sheet!r} of an Excel workbook; its first row names the columns."
    if len(sheets) > 1:
        evidence = (
            f"The sheet {sheet!r} of an Excel workbook, one of {len(sheets)}; its first row names "
            "the columns."
        )
    return Grid(
        header=tuple(header),
        columns=tuple(columns),
        evidence=evidence,
        sheet=sheet,
        sheets=sheets,
    )
