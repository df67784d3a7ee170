"""Excel workbooks of predictions, with typed numbers, dates and probabilities."""

import datetime
import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from studio.analysis.answers.array_fields import float_field
from studio.arrays import AnyArray, Floats
from studio.data.coded import CodedColumn
from studio.data.dates import SECONDS_PER_DAY
from studio.data.distinct import DistinctCells
from studio.data.formats.base import format_cell
from studio.data.reading import RawTable
from studio.errors import ExportError
from studio.extras import make_install_command
from studio.measure import strip_unit_mark

_MAX_ROWS = 2**20 - 1
"""Maximum rows of a sheet, without the header."""

_MAX_TEXT_LENGTH = 32_767

_MAX_COLUMN_CHARACTERS, _N_SAMPLED_TEXTS = 40, 200
"""Maximum width of a column in characters, and texts sampled for it."""

_MAX_DIGITS = 15
"""Significant digits of a workbook's numbers."""

_MAX_DECIMALS = 10
"""Maximum number of decimals in a format."""

_DATE = re.compile(
    r"[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}(?:[ T][0-9]{1,2}:[0-9]{2}(?P<second>:[0-9]{2})?)?"
)
_DATE_CODES = {
    "year-first": "yyyy{0}mm{0}dd",
    "day-first": "dd{0}mm{0}yyyy",
    "month-first": "mm{0}dd{0}yyyy",
    "day-first-short": "dd{0}mm{0}yy",
    "month-first-short": "mm{0}dd{0}yy",
}
_FIRST_DAY = datetime.datetime(1900, 3, 1)
"""The first supported day: Excel treats 1900 as a leap year; earlier days remain text."""

_SIGN = r"[^0-9.,+\-−\s]*"
_AMOUNT = re.compile(
    rf"(?P<before>{_SIGN})\s*[+\-−]?[0-9][0-9., '’_\u00a0\u202f]*?(?P<after>\s*{_SIGN})"
)

_NO_FORMAT = "General"
"""Excel's format of numbers without one."""

PERCENT = "0.0%"
"""Number format of a probability."""


@dataclass(frozen=True)
class SheetColumn:
    """Type and format of a column's texts in a sheet.

    Attributes:
        code: Excel's format of its values; empty if all cells remain text.
        values: Shape (k,). The value of each text: a number, or days since 1970; NaN if the text is
            kept.
        holds_dates: Whether values are days.
    """

    code: str = ""
    values: Floats = float_field()
    holds_dates: bool = False


TEXT = SheetColumn()


def make_sheet_column(cells: DistinctCells, raw: RawTable, index: int) -> SheetColumn:
    """Return the type and format of an imported table's column, with cells (k,)."""
    column_format = raw.formats[index]
    texts = cells.stripped.to_list()
    if column_format.kind == "date" and column_format.date is not None:
        return _make_date_column(
            texts,
            np.asarray(cells.parse_dates()) / SECONDS_PER_DAY,
            column_format.date.format.order,
        )
    if column_format.kind == "number":
        sheet_format = column_format.number_format
        if not sheet_format.notations and not sheet_format.duration and not sheet_format.lakh:
            numbers = np.array(cells.numbers, dtype=np.float64)
            return _make_amount_column(
                texts, numbers, sheet_format.decimal, plain=sheet_format.is_plain
            )
    return _make_mixed_column(texts, column_format.missing_words, workbook=bool(raw.sheets))


def _make_mixed_column(
    texts: Sequence[str], missing: frozenset[str], *, workbook: bool
) -> SheetColumn:
    """Return the numbers of a column that also contains text.

    Cells of a workbook keep their types. In a text file cells have no types: "7" is a code in a
    column with "A7", but a number in one with "n/a".

    Args:
        texts: Texts of the column, (k,).
        missing: Words that mean a missing value.
    """
    numbers = np.array([bool(text) and _is_number(text) for text in texts], dtype=bool)
    other_texts = [text for text, is_number in zip(texts, numbers, strict=True) if not is_number]
    if not numbers.any() or not any(other_texts):
        return TEXT
    if not workbook and any(text and text not in missing for text in other_texts):
        return TEXT
    parsed_numbers = [
        float(text) if is_number else math.nan
        for text, is_number in zip(texts, numbers, strict=True)
    ]
    return SheetColumn(_NO_FORMAT, np.array(parsed_numbers, dtype=np.float64))


def _make_date_column(texts: Sequence[str], days: Floats, order: str) -> SheetColumn:
    matches = [_DATE.fullmatch(text) for text in texts]
    marks = {each[1] for each in matches if each}
    if order not in _DATE_CODES or len(marks) != 1:
        return TEXT
    is_match = np.array([each is not None for each in matches])
    mark = marks.pop()
    code = _DATE_CODES[order].format(r"\/" if mark == "/" else mark)  # Excel would localise a slash
    if any(":" in text for text in texts):
        code += " hh:mm" + (":ss" if any(each and each["second"] for each in matches) else "")
    return SheetColumn(code, np.where(is_match, days, np.nan), holds_dates=True)


def _make_amount_column(
    texts: Sequence[str], numbers: Floats, decimal: str, *, plain: bool
) -> SheetColumn:
    """Return the numbers with the format of their unit; codes and other cells remain text.

    Args:
        texts: Texts of the column, (n,).
        numbers: Shape (n,). The parsed numbers, NaN for other cells.
        plain: Whether they have no unit and no grouping marks.
    """
    matches = [_AMOUNT.fullmatch(text) for text in texts]
    digits = [re.sub("[^0-9]", "", text) for text in texts]
    are_codes = any(len(each) > 1 and each[0] == "0" and decimal not in text and "." not in text
                for each, text in zip(digits, texts, strict=True))  # fmt: skip
    if are_codes or any(len(each) > _MAX_DIGITS for each in digits):
        return TEXT
    is_match = np.array([each is not None for each in matches])
    values = np.where(is_match, numbers, np.nan)
    affixes = {(each["before"], each["after"].strip()) for each in matches if each}
    decimal_counts = {
        len(re.sub("[^0-9]", "", text.partition(decimal)[2])) for text in texts if text
    }
    if len(affixes) != 1 or any('"' in each for pair in affixes for each in pair):
        return SheetColumn(_NO_FORMAT, values)  # several units, or no separate unit
    if plain and len(decimal_counts) != 1:
        return SheetColumn(_NO_FORMAT, values)
    before, after = affixes.pop()
    code = "0" if plain else "#,##0"
    return SheetColumn(_make_code(before, code, max(decimal_counts, default=0), after), values)


def make_unit_code(unit: str, decimals: int) -> str:
    """Return Excel's format of numbers with a unit (:data:`studio.measure.PREFIX_MARK`)."""
    sign = strip_unit_mark(unit)
    if not sign or '"' in sign:
        return ""
    before, after = ("", sign) if sign == unit else (sign, "")
    return _make_code(before, "#,##0", decimals, after)


def _make_code(before: str, digits: str, decimals: int, after: str) -> str:
    """Return Excel's format of numbers between the two parts of a unit, possibly empty."""
    code = digits + "." * bool(decimals) + "0" * min(decimals, _MAX_DECIMALS)
    # In quotes a percent sign is plain text without scaling.
    return (f'"{before}"' if before else "") + code + (f'" {after}"' if after else "")


def make_sheet_title(table: str) -> str:
    """Return a sheet's name: the table's file name without characters that are invalid in Excel."""
    name = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", PurePath(table).name.split(".")[0]).strip(" '")
    return name[:31].rstrip(" '")


@dataclass(frozen=True)
class InputSheet:
    """The rows' own columns with headings, cells and formats, and the sheet's title."""

    names: tuple[str, ...] = ()
    coded: tuple[CodedColumn, ...] = ()
    columns: tuple[SheetColumn, ...] = ()
    title: str = ""


def build_workbook(
    input_sheet: InputSheet,
    headers: Sequence[str],
    values: AnyArray,
    numbers: Floats,
    *,
    code: str = "",
    value_code: str = "",
) -> bytes:
    """Return a workbook with one sheet and a frozen header.

    Dates, numbers and amounts keep their imported types, as do numbers of a workbook. Other columns
    are numeric if all cells are written like numbers of a workbook or are missing; the rest is
    text: "06108" is unchanged, and "=1+1" is not computed.

    Args:
        headers: Headings of the prediction and its accompanying numbers.
        values: Shape (n,). The predictions.
        numbers: Shape (n, k). The accompanying numbers.
        code: Excel's format of these numbers; empty for none.
        value_code: Excel's format of predicted values.

    Raises:
        ExportError: If the library for workbooks is not installed, or there are too many rows.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
        from openpyxl.utils import get_column_letter
    except ImportError as error:
        raise ExportError(
            "Excel workbooks are written by openpyxl, which is not installed ({command}). Choose a "
            "CSV file, or install it.",
            command=make_install_command("excel"),
        ) from error
    if len(values) > _MAX_ROWS:
        raise ExportError(
            "An Excel sheet has room for {most:,} rows; there are {count:,}. Choose a CSV file.",
            most=_MAX_ROWS,
            count=len(values),
        )
    book = Workbook(write_only=True)
    sheet = book.create_sheet(input_sheet.title or None)
    sheet.freeze_panes = "A2"

    def make_text_cell(value: str) -> Any:
        cleaned_text = ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", value)[
            :_MAX_TEXT_LENGTH
        ]
        if not cleaned_text.startswith(("=", "#")):
            return cleaned_text
        cell = WriteOnlyCell(sheet, cleaned_text)
        cell.data_type = "s"  # neither a formula nor an error
        return cell

    def make_formatted_cell(value: Any, form: str) -> Any:
        if form in {"", _NO_FORMAT}:
            return value
        cell = WriteOnlyCell(sheet, value)
        cell.number_format = form
        return cell

    columns = input_sheet.columns or (TEXT,) * len(input_sheet.coded)
    names = (*input_sheet.names, *headers)
    for column_index, name in enumerate(names, 1):
        sample = []
        if column_index <= len(input_sheet.coded):
            sample = input_sheet.coded[column_index - 1].texts.to_list()[:_N_SAMPLED_TEXTS]
        max_width = max(map(len, (name, *sample)))
        sheet.column_dimensions[get_column_letter(column_index)].width = min(
            _MAX_COLUMN_CHARACTERS, max_width + 2
        )
    sheet.append([make_text_cell(name) for name in names])
    cells = [
        _make_cell_getter(column, make_text_cell, make_formatted_cell, sheet_format)
        for column, sheet_format in zip(input_sheet.coded, columns, strict=True)
    ]
    predicted = values.tolist()

    def make_value_cell(row: int) -> Any:
        return make_formatted_cell(predicted[row], value_code)

    get_prediction: Callable[[int], Any] = make_value_cell
    if values.dtype == object:  # labels, which may be integers
        get_prediction = _make_cell_getter(
            CodedColumn.from_cells([str(each) for each in values.tolist()]),
            make_text_cell,
            make_formatted_cell,
            TEXT,
        )
    for row, row_numbers in enumerate(numbers.tolist()):
        sheet.append(
            [
                *(column(row) for column in cells),
                get_prediction(row),
                *(make_formatted_cell(each, code) for each in row_numbers),
            ]
        )
    output = io.BytesIO()
    book.save(output)
    return output.getvalue()


def _make_cell_getter(
    column: CodedColumn,
    text: Callable[[str], Any],
    formatted: Callable[[Any, str], Any],
    sheet_format: SheetColumn,
) -> Callable[[int], Any]:
    """Return a function of a row that makes its cell.

    Cells of texts are new: openpyxl writes the next value of a row into a cell without a style. It
    does not change plain values and cells with a style, which are shared by rows.
    """
    texts, codes = column.texts.to_list(), column.codes.tolist()
    if sheet_format.code:
        values = _to_python_values(sheet_format)
        cells = [each if each is None else formatted(each, sheet_format.code) for each in values]

        def make_cell(row: int) -> Any:
            cell = cells[codes[row]]
            return text(texts[codes[row]]) if cell is None else cell

        return make_cell
    if all(map(_is_number, texts)):
        numbers = [float(each) if each else None for each in texts]
        return lambda row: numbers[codes[row]]
    return lambda row: text(texts[codes[row]])


def _to_python_values(sheet_format: SheetColumn) -> list[Any]:
    """Convert the values to Python objects, (k,); ``None`` where the text is kept."""
    if not sheet_format.holds_dates:
        return [None if math.isnan(each) else each for each in sheet_format.values.tolist()]
    values: list[Any] = []
    for days in sheet_format.values.tolist():
        timestamp = None
        if not math.isnan(days):
            timestamp = datetime.datetime(1970, 1, 1) + datetime.timedelta(
                seconds=round(days * SECONDS_PER_DAY)
            )
        values.append(timestamp if timestamp is not None and timestamp >= _FIRST_DAY else None)
    return values


def _is_number(text: str) -> bool:
    """Return whether a workbook would display the number as written; empty cells are ignored."""
    try:
        return not text or format_cell(float(text)) == text
    except (ValueError, OverflowError):
        return False
