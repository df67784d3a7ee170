"""Formats of text besides delimited rows: JSON, ARFF and SVMlight.

Nothing is fetched or executed; numbers are kept as written.
"""

import io
import itertools
import json
import re
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.data import dialect
from studio.data.coded import CodedColumn
from studio.data.dialect import CELL_SEPARATOR, iterate_lines
from studio.data.extent import Extent
from studio.data.formats.base import RawGrid, format_cell
from studio.data.read_cost import MAX_COLUMNS, MemoryBudget
from studio.data.rows import DelimitedText, parse_columns
from studio.data.texts import Texts
from studio.errors import DataError
from studio.phrases import phrase

_JSON_START = re.compile(r"\s*(?:(\[)\s*[\[{]|\{\s*[\"}])")
_AFTER = re.compile(r"[ \t\r]*(?:\n|\{|,\s*\{|\Z)")
_BLANK = re.compile(r"\s*")
_BETWEEN = re.compile(r"\s*,\s*|\s*")
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_CONSTANTS = {None: "", True: "true", False: "false"}
_MAX_DEPTH = 3  # maximum depth of nested objects
_ROWS_BEFORE_ESTIMATE = 1000  # number of rows after which the table's size is estimated


def is_json(text: str) -> bool:
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


def read_json(text: str, name: str, max_rows: int | None) -> RawGrid:
    """Parse an object per row, or an object of lists; absent entries count as missing.

    Objects inside a row become columns such as a.b; an object may also contain the list of rows.
    """
    allowance = MemoryBudget(name)
    columns: dict[str, _Column] = {}
    n_rows = 0
    for record, end in _iterate_rows(text, name):
        for key, value in _flatten(record).items():
            if key not in columns:
                columns[key] = _Column()
            columns[key].add(_to_cell(value, key, n_rows + 1, name), n_rows)
        n_rows += 1
        if len(columns) > MAX_COLUMNS or n_rows % _ROWS_BEFORE_ESTIMATE == 0:
            allowance.used_bytes = 0
            allowance.count_cells(sum(len(column.codes) for column in columns.values()), end)
            allowance.check(n_rows, len(columns), end / len(text))
        if n_rows == max_rows:
            break
    allowance.reserve(n_rows, len(columns))
    return RawGrid(
        header=tuple(map(_clean_text, columns)),
        columns=tuple(column.build_column(n_rows) for column in columns.values()),
        evidence={"sheet": phrase("JSON records name their columns themselves.")},
    )


class _Column:
    """The cells of a name, which may be absent in some records."""

    def __init__(self) -> None:
        self.codes = array("i")
        self._column_indices: dict[str, int] = {}

    def add(self, cell: str, n_rows: int) -> None:
        """Append a cell of row ``n_rows``; skipped rows are empty."""
        self._fill(n_rows)
        self.codes.append(self._column_indices.setdefault(cell, len(self._column_indices)))

    def build_column(self, n_rows: int) -> CodedColumn:
        self._fill(n_rows)
        return CodedColumn(
            np.array(self.codes, dtype=np.int32), Texts.from_distinct(list(self._column_indices))
        )

    def _fill(self, n_rows: int) -> None:
        missing = n_rows - len(self.codes)
        if missing:
            self.codes.extend(
                [self._column_indices.setdefault("", len(self._column_indices))] * missing
            )


def _iterate_rows(text: str, name: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield each row and its end: a record, or those inside a lone record."""
    records = _iterate_records(text, name)
    for record, end in records:
        rows = _find_rows(record) if _find_match_end(_BLANK, text, end) == len(text) else []
        return itertools.chain(((row, end) for row in rows or [record]), records)
    return records


def _find_rows(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows inside a record: lists by column, pandas' "split", or its list of objects."""
    match record:
        case {"columns": [*names], "data": [[*_], *_] as rows}:
            if all(isinstance(row, list) and len(row) == len(names) for row in rows):
                return [dict(zip(map(str, names), row, strict=True)) for row in rows]
    lists = [each for each in record.values() if isinstance(each, list) and len(each) > 1]
    if len(lists) == 1 and all(isinstance(each, dict) for each in lists[0]):
        return lists[0]
    columns = _find_columns(record)
    return [dict(zip(record, row, strict=True)) for row in zip(*columns, strict=True)]


def _flatten(record: dict[str, Any], depth: int = _MAX_DEPTH) -> dict[str, Any]:
    """Return a record with entries of nested objects as a.b; MongoDB's {"$oid": …} is a cell."""
    if not depth or not any(isinstance(value, dict) for value in record.values()):
        return record
    flat: dict[str, Any] = {}
    for key, value in record.items():
        inner = _flatten(value, depth - 1) if isinstance(value, dict) else {}
        is_cell = len(inner) == 1 and next(iter(inner)).startswith("$")
        names = (key if is_cell else f"{key}.{each}" for each in inner)
        flat |= dict(zip(names, inner.values(), strict=True)) or {
            key: None if value == {} else value
        }
    return flat


def _find_columns(record: dict[str, Any]) -> list[list[Any]]:
    """Return the columns of an object of lists, or of objects with equal keys; else none."""
    values = list(record.values())
    if all(isinstance(each, dict) and each.keys() == values[0].keys() for each in values):
        values = [list(each.values()) for each in values]
    if not all(isinstance(each, list) and len(each) == len(values[0]) > 1 for each in values):
        return []
    return values


def _iterate_records(text: str, name: str) -> Iterator[tuple[dict[str, Any], int]]:
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
                "Record {number:,} of the JSON file {name!r} is not an object with names and "
                "values. Write the table as records, with pandas by to_json(orient='records', "
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
    if key.startswith(("geometry.", "bbox")):
        return DataError(
            "{name!r} is a GeoJSON file: its records have shapes of a map, and a row of a table "
            "has only texts, numbers, true, false and null. Export the properties as CSV, in QGIS "
            "by “Save Features As…”, or with GeoPandas by drop(columns='geometry').to_csv(…).",
            name=name,
        )
    return DataError(
        "Record {number:,} of the JSON file {name!r} contains a list or an object ({key!r}); a row "
        "of a table has only texts, numbers, true, false and null. Flatten it first, with pandas "
        "by json_normalize, or export the table as CSV.",
        name=name,
        number=number,
        key=key[:60],
    )


_MAX_PREFACE_LINES = 10_000  # maximum number of comment lines above the declaration

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s*(.*)""", re.IGNORECASE
)
_CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))[^,]*,""")
_ESCAPE = re.compile(r"\\(.)")


def is_arff(text: str) -> bool:
    """Whether the first line other than a comment declares a relation."""
    for line in dialect.sample_lines(text, 0, _MAX_PREFACE_LINES):
        if line.strip() and not line.lstrip().startswith("%"):
            return line.strip().lower().startswith("@relation")
    return False


def read_arff(text: str, name: str, max_rows: int | None) -> RawGrid:
    """Parse the declarations of the columns, then the lines of cells."""
    names, categories, start, first_row = _read_header(text, name)
    sample = dialect.sample_lines(text, start)
    opening = next((line.strip() for line in sample if line.strip(" \t\r\n")), "")
    if opening.startswith("{"):
        raise DataError(
            "{name!r} is a sparse ARFF file, which cannot be read. Write it as an ordinary "
            "one (in Weka with the filter SparseToNonSparse) or as CSV.",
            name=name,
        )
    delimited = DelimitedText(
        text, start, CELL_SEPARATOR, "", name, first_row=first_row, rewrite=_split_cells
    )
    extent = Extent(tuple(names), None, 0, len(names))
    cells = parse_columns(delimited, lambda _: extent, max_rows)
    return RawGrid(
        header=tuple(names),
        columns=cells.columns[: len(names)],
        evidence={"sheet": phrase("An ARFF file names its columns itself.")},
        notes=cells.notes,
        categories=categories,
    )


def _split_cells(line: str) -> str:
    """Split a line into cells, with quotes of both kinds; a comment yields none."""
    text = line.strip()
    if not text or text.startswith("%"):
        return "\n"
    if "," not in text:
        text = text.replace("\t", ",")
    cells = []
    for match in _CELL.finditer(f"{text},"):
        quoted = match[1] if match[1] is not None else match[2]
        cells.append(match[3].strip() if quoted is None else _ESCAPE.sub(r"\1", quoted))
    return CELL_SEPARATOR.join(cells) + "\n"


def _read_header(text: str, name: str) -> tuple[list[str], frozenset[int], int, int]:
    """Return the names, nominal columns, and position and line number of the first cells."""
    names: list[str] = []
    nominal: set[int] = set()
    start = 0
    for number, line in enumerate(iterate_lines(text, 0, name), 1):
        start += len(line)
        declaration = line.strip()
        if declaration.lower().startswith("@data"):
            if not names:
                break
            return names, frozenset(nominal), start, number + 1
        if not declaration.lower().startswith("@attribute"):
            continue
        match = _ATTRIBUTE.match(declaration)
        if match is None or match[4].lower().startswith("relational"):
            raise DataError(
                "Line {line:,} of {name!r} ({text!r}) declares no readable column. Write the "
                "table as CSV.",
                line=number,
                name=name,
                text=declaration[:60],
            )
        if match[4].startswith("{"):
            nominal.add(len(names))
        quoted = match[1] if match[1] is not None else match[2]
        names.append(match[3] if quoted is None else _ESCAPE.sub(r"\1", quoted))
    raise DataError(
        "{name!r} is an ARFF file without columns or without a line @data. Export it again.",
        name=name,
    )


_SAMPLE_LINES = 20
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_LINE = re.compile(rf"{_NUMBER}(?:,{_NUMBER})*(?: qid:[0-9]+)?((?: [0-9]+:{_NUMBER})*) ?(?:\#.*)?")
_CLOCK = re.compile("[0-9]{1,2}:[0-9]{2}")
_MIN_PAIRS = 3


def is_svmlight(text: str) -> bool:
    """Whether the first lines are a number followed by ascending pairs such as 3:0.5."""
    index_rows: list[list[int]] = []
    clocks = True
    for line in dialect.sample_lines(text, 0, 10 * _SAMPLE_LINES):
        normalised = " ".join(line.split())
        if not normalised or normalised.startswith("#"):
            continue
        match = _LINE.fullmatch(normalised)
        if match is None:
            return False
        clocks &= all(map(_CLOCK.fullmatch, match[1].split()))
        index_rows.append([int(pair.partition(":")[0]) for pair in match[1].split()])
        if len(index_rows) == _SAMPLE_LINES:
            break
    if not index_rows or any(row != sorted(set(row)) for row in index_rows):
        return False
    if not clocks:
        return True
    # A number and a time of day ("5 10:30") look like such a line, but not in every line.
    n_long = sum(len(row) >= _MIN_PAIRS for row in index_rows)
    return 2 * n_long >= len(index_rows) or (
        bool(index_rows[0]) and all(r == index_rows[0] for r in index_rows)
    )


def read_svmlight(text: str, name: str, max_rows: int | None) -> RawGrid:
    """Read the target and columns named by their indices; absent cells are 0."""
    from sklearn.datasets import load_svmlight_file

    try:
        X, y, groups = load_svmlight_file(io.BytesIO(text.encode()), query_id=True)
    except (ValueError, OverflowError) as error:
        raise DataError(
            "{name!r} looks like a LIBSVM file, but it cannot be read ({error}). Each line "
            "must be one label and then pairs such as 3:0.5, in ascending order.",
            name=name,
            error=error,
        ) from error
    n_rows, width = X.shape
    n_rows = n_rows if max_rows is None else min(n_rows, max_rows)
    allowance = MemoryBudget(name)
    allowance.check(n_rows, width)
    allowance.reserve(n_rows, width + 2)
    sparse = X[:n_rows].tocsc()
    columns = [_encode_numbers(y[:n_rows])]
    header = ["target"]
    if len(groups):
        columns.append(_encode_numbers(groups[:n_rows]))
        header.append("qid")
    columns += [_encode_numbers(sparse[:, i].toarray().ravel()) for i in range(width)]
    first = 0 if re.search(r"^[^#\n]*?\s0:", text, re.MULTILINE) else 1
    return RawGrid(
        header=(*header, *(str(i + first) for i in range(width))),
        columns=tuple(columns),
        evidence={
            "sheet": phrase(
                "A LIBSVM file: the first number of each line is the target, and columns are "
                "named by their numbers."
            )
        },
    )


def _encode_numbers(values: AnyArray) -> CodedColumn:
    """Format numbers, (n,)."""
    import pandas as pd

    codes, distinct = pd.factorize(values)
    texts = Texts.from_distinct([format_cell(value) for value in distinct.tolist()])
    return CodedColumn(codes.astype(np.int32), texts)
