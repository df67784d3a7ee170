"""Predictions as an Excel workbook, in which every cell comes out as it was written."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from studio.arrays import AnyArray, Floats
from studio.data.coded import Coded
from studio.data.formats.base import text_of
from studio.errors import ExportError
from studio.extras import install_command

SUFFIX = ".xlsx"

MAX_ROWS = 2**20 - 1
"""Rows of a sheet, without its heading."""

_LONGEST = 32_767
"""Characters of a cell."""


def workbook(
    own: Sequence[tuple[str, Coded]], heads: Sequence[str], values: AnyArray, numbers: Floats
) -> bytes:
    """Return the bytes of a workbook with one sheet.

    A column whose cells are all written as a workbook would write the numbers is one of numbers;
    all others are texts: "06108" and "10 %" stay what they are, and "=1+1" is not computed.

    Args:
        own: The rows' own columns.
        heads: Headings of the prediction and the numbers beside it.
        values: Shape (n,). The predictions.
        numbers: Shape (n, k). What is beside them.

    Raises:
        ExportError: If the library that writes workbooks is not installed, or there are too many
            rows.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ImportError as error:
        raise ExportError(
            "Excel workbooks are written by openpyxl, which is not installed ({command}). Choose a "
            "CSV file, or install it.",
            command=install_command("excel"),
        ) from error
    if len(values) > MAX_ROWS:
        raise ExportError(
            "A sheet of Excel has room for {most:,} rows; these are {count:,}. Choose a CSV file.",
            most=MAX_ROWS,
            count=len(values),
        )
    book = Workbook(write_only=True)
    sheet = book.create_sheet()

    def text(value: str) -> Any:
        kept = ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", value)[:_LONGEST]
        if not kept.startswith(("=", "#")):
            return kept
        cell = WriteOnlyCell(sheet, kept)
        cell.data_type = "s"  # neither a formula nor an error
        return cell

    sheet.append([text(name) for name in (*(name for name, _ in own), *heads)])
    cells = [_column(column, text) for _, column in own]
    answer: Callable[[int], Any] = values.tolist().__getitem__
    if values.dtype == object:  # labels, which may be whole numbers
        answer = _column(Coded.of([str(each) for each in values.tolist()]), text)
    for row, beside in enumerate(numbers.tolist()):
        sheet.append([*(column(row) for column in cells), answer(row), *beside])
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _column(column: Coded, text: Callable[[str], Any]) -> Callable[[int], Any]:
    """Return what gives the cell of a row."""
    texts = column.texts.listed()
    if all(map(_is_number, texts)):
        known = [float(each) if each else None for each in texts]
        return lambda row: known[column.codes[row]]
    return lambda row: text(texts[column.codes[row]])


def _is_number(text: str) -> bool:
    """Say whether a workbook shows the number as it is written here; empty cells are no matter."""
    try:
        return not text or text_of(float(text)) == text
    except (ValueError, OverflowError):
        return False
