"""JSON tables: JSON lines, an array of objects, or an object of columns.

Nothing is fetched and nothing is run; numbers are kept as they are written.
"""

import itertools
import json
import re
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from studio.data.allowance import MAX_COLUMNS, Allowance
from studio.data.coded import CodedColumn
from studio.data.formats.base import RawGrid, TextFormat
from studio.data.texts import Texts
from studio.errors import DataError
from studio.phrases import phrase

_JSON_START = re.compile(r"\s*(?:(\[)\s*[\[{]|\{\s*[\"}])")
_AFTER = re.compile(r"[ \t\r]*(?:\n|\{|,\s*\{|\Z)")
_BLANK = re.compile(r"\s*")
_BETWEEN = re.compile(r"\s*,\s*|\s*")
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_CONSTANTS = {None: "", True: "true", False: "false"}
_CHECKED = 1000
"""Number of rows after which the table's size is estimated."""


class JsonRecords(TextFormat):
    """An object per row, of texts, numbers, true, false and null; or an object of lists."""

    def recognises(self, text: str) -> bool:
        """Whether a text begins with an array of objects, or an object on a line."""
        match = _JSON_START.match(text)
        if match is None:
            return False
        if match[1]:
            return True
        try:
            _, end = _DECODER.raw_decode(text, _find_match_end(_BLANK, text, 0))
        except (ValueError, RecursionError):
            return True
        return _AFTER.match(text, end) is not None

    def read(self, text: str, name: str, max_rows: int | None) -> RawGrid:
        """Parse the records; absent entries are missing."""
        allowance = Allowance(name)
        columns: dict[str, _Column] = {}
        n_rows = 0
        for record, end in _iterate_rows(text, name):
            for key, value in record.items():
                if key not in columns:
                    columns[key] = _Column()
                columns[key].add(_to_cell(value, key, n_rows + 1, name), n_rows)
            n_rows += 1
            if len(columns) > MAX_COLUMNS or n_rows % _CHECKED == 0:
                allowance.taken = 0
                allowance.count_cells(sum(len(column.codes) for column in columns.values()), end)
                allowance.check(n_rows, len(columns), end / len(text))
            if n_rows == max_rows:
                break
        allowance.reserve(n_rows, len(columns))
        return RawGrid(
            header=tuple(map(_clean_text, columns)),
            columns=tuple(column.coded(n_rows) for column in columns.values()),
            evidence={"sheet": phrase("JSON records name their columns themselves.")},
        )


class _Column:
    """The cells of a name, which may be absent in some records."""

    def __init__(self) -> None:
        self.codes = array("i")
        self._places: dict[str, int] = {}

    def add(self, cell: str, n_rows: int) -> None:
        """Append a cell of row ``n_rows``; skipped rows are empty."""
        self._fill(n_rows)
        self.codes.append(self._places.setdefault(cell, len(self._places)))

    def coded(self, n_rows: int) -> CodedColumn:
        """Return the column."""
        self._fill(n_rows)
        return CodedColumn(np.array(self.codes, dtype=np.int32), Texts.of(list(self._places)))

    def _fill(self, n_rows: int) -> None:
        missing = n_rows - len(self.codes)
        if missing:
            self.codes.extend([self._places.setdefault("", len(self._places))] * missing)


def _iterate_rows(text: str, name: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield each row and its end: a record, or those inside a lone record."""
    records = _iterate_records(text, name)
    for record, end in records:
        columns = _find_columns(record) if _find_match_end(_BLANK, text, end) == len(text) else []
        if columns:
            rows = (dict(zip(record, row, strict=True)) for row in zip(*columns, strict=True))
            return itertools.chain(((row, end) for row in rows), records)
        return itertools.chain([(record, end)], records)
    return records


def _find_columns(record: dict[str, Any]) -> list[list[Any]]:
    """Return the columns of an object of lists, or of objects with equal keys; else none."""
    values = list(record.values())
    if all(isinstance(each, dict) and each.keys() == values[0].keys() for each in values):
        values = [list(each.values()) for each in values]
    if not all(isinstance(each, list) and len(each) == len(values[0]) > 1 for each in values):
        return []
    return values


def _iterate_records(text: str, name: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield each record and its end in the text."""
    position = _find_match_end(_BLANK, text, 0)
    is_array = text[position] == "["
    position += is_array
    number = 0
    while (position := _find_match_end(_BLANK if not number else _BETWEEN, text, position)) < len(
        text
    ):
        if is_array and text[position] == "]":
            position = _find_match_end(_BLANK, text, position + 1)
            if position < len(text):
                raise _make_syntax_error(text, position, name)
            return
        try:
            record, position = _DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise _make_syntax_error(text, error.pos, name) from error
        except RecursionError as error:
            raise _make_nesting_error(name, number + 1, "") from error
        number += 1
        if not isinstance(record, dict):
            raise DataError(
                "Record {number:,} of the JSON file {name!r} is no object with names and values. "
                "Write the table as records, with pandas by to_json(orient='records', "
                "lines=True), or as CSV.",
                name=name,
                number=number,
            )
        yield record, position
    if is_array:
        raise _make_syntax_error(text, len(text), name)


def _to_cell(value: Any, key: str, number: int, name: str) -> str:
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, dict | list):
        raise _make_nesting_error(name, number, key)
    return _CONSTANTS[value]


def _clean_text(value: str) -> str:
    """Return a text without NUL characters and lone surrogates."""
    if value.isascii() and "\x00" not in value:
        return value
    return value.replace("\x00", "").encode("utf-8", "replace").decode()


def _find_match_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _make_syntax_error(text: str, position: int, name: str) -> DataError:
    return DataError(
        "{name!r} seems to be a JSON file, but line {line:,} is not valid JSON. Write it again, or "
        "export the table as CSV.",
        name=name,
        line=text.count("\n", 0, position) + 1,
    )


def _make_nesting_error(name: str, number: int, key: str) -> DataError:
    return DataError(
        "Record {number:,} of the JSON file {name!r} contains a list or an object ({key!r}); a row "
        "of a table has only texts, numbers, true, false and null. Flatten it first, with pandas "
        "by json_normalize, or export the table as CSV.",
        name=name,
        number=number,
        key=key[:60],
    )
