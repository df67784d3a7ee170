"""Parquet and Excel files give the same table as CSV; malicious files are rejected."""

import builtins
import datetime
import functools
import io
import itertools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.data import formats, read_cost
from studio.data.formats import excel, format_cell
from studio.data.formats.excel import is_workbook, read_workbook
from studio.data.formats.parquet import read_parquet
from studio.data.read_cost import StoppedReadingError, allow_interruption
from studio.data.read_options import ReadOptions
from studio.data.reading import read
from studio.errors import DataError
from tests.facts import about

CSV = "age,city,paid,target\n31,Łódź,1.5,yes\n,Paris,2.25,no\n1e+22,,-3,yes\n"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(CSV, "utf-8")
    return path


@pytest.fixture
def parquet_file(tmp_path: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table(
        {
            "age": [31, None, 1e22],
            "city": ["Łódź", "Paris", None],
            "paid": [1.5, 2.25, -3.0],
            "target": ["yes", "no", "yes"],
        }
    )
    path = tmp_path / "t.parquet"
    parquet.write_table(table, path)
    return path


def workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    book.close()
    return path


ROWS: list[list[Any]] = [
    ["age", "city", "paid", "target"],
    [31, "Łódź", 1.5, "yes"],
    [None, "Paris", 2.25, "no"],
    [1e22, None, -3, "yes"],
]


def cells(path: Path, options: ReadOptions | None = None) -> list[list[str]]:
    return [list(column) for column in read(path, options).columns]


@pytest.mark.slow
def test_parquet_equals_csv(plain: Path, parquet_file: Path) -> None:
    table = read(parquet_file)
    assert table.names == read(plain).names
    assert cells(parquet_file) == cells(plain)
    assert "nothing was guessed" in table.evidence["sheet"]
    assert table.options.number_format == read(plain).options.number_format
    assert read(parquet_file, max_rows=2).n_rows == 2
    assert len(table.sha256) == 64


@pytest.mark.slow
def test_workbook_equals_csv(plain: Path, tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"notes": [], "values": [[], *ROWS], "more": ROWS[:2]})
    table = read(path)
    assert cells(path) == cells(plain)
    assert table.sheets == ("notes", "values", "more")
    assert table.options.sheet == "values"
    assert "one of 3" in table.evidence["sheet"]
    assert read(path, ReadOptions(sheet="more")).n_rows == 1
    assert read(path, max_rows=2).n_rows == 2
    with pytest.raises(DataError, check=about(sheet="'x'", sheets="notes, values, more")):
        read(path, ReadOptions(sheet="x"))
    with pytest.raises(DataError, match="empty", check=about(sheet="'notes'")):
        read(path, ReadOptions(sheet="notes"))


@pytest.mark.parametrize(
    "below",
    [
        [[], ["name", "value"], ["m", 1], ["n", 2]],  # another table
        [["Total", 12345, None]],  # its sum does not agree
    ],
)
def test_workbook_asks_the_same_questions_as_csv(below: list[list[Any]], tmp_path: Path) -> None:
    names = [name for name in ("Nord", "West") for _ in range(12)]
    rows: list[list[Any]] = [["region", "amount", "y"]]
    rows += [[name, 7 + i * 97 % 89, "pq"[i % 2]] for i, name in enumerate(names)]
    rows = [*rows[:13], *below, *rows[13:]] if len(below) == 1 else [*rows, *below]
    text = "".join(",".join(map(format_cell, row)) + "\n" for row in rows)
    (tmp_path / "t.csv").write_text(text, "utf-8")
    asked = read(tmp_path / "t.csv").undecided_notes
    assert asked
    assert read(workbook(tmp_path / "t.xlsx", {"values": rows})).undecided_notes == asked


def test_table_is_reproduced_with_resolved_options(tmp_path: Path, plain: Path) -> None:
    for path in (workbook(tmp_path / "t.xlsx", {"values": ROWS}), plain):
        table = read(path)
        restored = ReadOptions.from_json(table.options.to_json())
        assert cells(path, restored) == [list(column) for column in table.columns]


def test_damaged_files_are_rejected_with_message(parquet_file: Path, tmp_path: Path) -> None:
    content = parquet_file.read_bytes()
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="damaged Parquet"):
        read(broken)
    book = tmp_path / "broken.xlsx"
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook")
        archive.writestr("[Content_Types].xml", "")
    pytest.importorskip("openpyxl")
    with pytest.raises(DataError, match="damaged workbook"):
        read(book)


@pytest.mark.slow
def test_damaged_workbook_is_parsed_or_rejected(tmp_path: Path) -> None:
    content = workbook(tmp_path / "whole.xlsx", {"values": ROWS}).read_bytes()
    rng = np.random.default_rng(0)
    n_rejections = 0
    for _ in range(200):
        damaged = bytearray(content)
        for index in rng.integers(len(content), size=2):
            damaged[index] = rng.integers(256)
        if is_workbook(bytes(damaged)):
            try:
                read_workbook(bytes(damaged), "damaged.xlsx", ReadOptions(), None)
            except DataError:
                n_rejections += 1
    assert n_rejections > 20


def test_workbook_bomb_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "bomb.xlsx", {"values": ROWS})
    monkeypatch.setattr(excel, "MAX_UNPACKED", 100)
    with pytest.raises(DataError, match="zip bomb"):
        read(path)


@pytest.mark.slow
def test_malformed_workbook_is_rejected_and_unusual_one_accepted(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    from tests.data.hostile_workbooks import HARMLESS, TRAPS

    for what, octets in TRAPS.items():
        assert len(octets) < 20_000, what
        (tmp_path / "trap.xlsx").write_bytes(octets)
        with pytest.raises(DataError, match=r"malicious"):
            read(tmp_path / "trap.xlsx")
    for octets in HARMLESS.values():
        (tmp_path / "odd.xlsx").write_bytes(octets)
        table = read(tmp_path / "odd.xlsx")
        assert len(table.names) == 3
        assert table.n_rows >= 38


@pytest.mark.slow
def test_sheets_of_workbook_share_limit_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remark, empty = [["a remark"]], [[None]]
    sheets = {f"remark {number}": [*remark, *empty * 98, *remark] for number in range(9)}
    path = workbook(tmp_path / "many.xlsx", {**sheets, "values": ROWS})
    assert read(path).n_rows == len(ROWS) - 1
    monkeypatch.setattr(excel, "_MAX_SCANNED", 500)
    with pytest.raises(DataError, match=r"malicious"):
        read(path)


def test_reading_of_phantom_rows_can_be_stopped() -> None:
    class FakeSheet:
        parent = SimpleNamespace(_number_formats=())

        def reset_dimensions(self) -> None: ...

        def iter_rows(self, *, values_only: bool) -> Iterator[tuple[None]]:
            return itertools.repeat((None,))

    with pytest.raises(StoppedReadingError), allow_interruption(lambda: True):
        excel._read_rows(FakeSheet(), "endless.xlsx", None, itertools.count(1))


@pytest.mark.slow
def test_utf16_xml_does_not_bypass_checks(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    from tests.data.hostile_workbooks import SOUND, make_workbook

    path, narrow = tmp_path / "wide.xlsx", io.BytesIO(make_workbook(SOUND))
    with zipfile.ZipFile(narrow) as sound, zipfile.ZipFile(path, "w") as wide:
        for name in sound.namelist():
            text = sound.read(name).decode()
            wide.writestr(name, text.encode("utf-16" if "sheet1" in name else "utf-8"))
    with pytest.raises(DataError, match="unusual kind"):
        read(path)


@pytest.mark.parametrize("packed", ["workbook", "text", "parquet"])
def test_reading_can_be_cancelled(
    request: pytest.FixtureRequest, tmp_path: Path, packed: str
) -> None:
    names = {"text": "plain", "parquet": "parquet_file"}
    if packed == "workbook":
        path = workbook(tmp_path / "t.xlsx", {"values": ROWS})
    else:
        path = request.getfixturevalue(names[packed])
    checks = []
    with pytest.raises(StoppedReadingError), allow_interruption(lambda: checks.append(1) or True):
        read(path)
    assert checks
    assert read(path).n_rows


@pytest.mark.slow
def test_too_large_parquet_file_is_rejected_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "bomb.parquet"
    parquet.write_table(pyarrow.table({"a": pyarrow.array(["x" * 1000]).take([0] * 10**5)}), path)
    assert path.stat().st_size < 50_000
    monkeypatch.setattr(read_cost, "get_free_memory", lambda: 10**6)
    with pytest.raises(DataError, match="Take a sample", check=about(n_rows=1e5, n_columns=1)):
        read(path)
    assert read(path, max_rows=3).n_rows == 3


def test_parquet_file_with_huge_metadata_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"a": [1, 2], "target": ["x", "y"]})
    path = tmp_path / "huge.parquet"
    parquet.write_table(table.replace_schema_metadata({"key": "z" * 10**6}), path)
    assert read(path).n_rows == 2
    # pyarrow itself reads at most 100 MB of it.
    limited = functools.partial(parquet.ParquetFile, thrift_string_size_limit=10**5)
    monkeypatch.setattr(parquet, "ParquetFile", limited)
    with pytest.raises(DataError, match="damaged Parquet"):
        read(path)


@pytest.mark.slow
def test_parquet_cell_exceeding_memory_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    count = 10**6
    values = pyarrow.array(np.zeros(count, dtype=np.int8))
    column = pyarrow.ListArray.from_arrays(pyarrow.array([0, 3, count]), values)
    path = tmp_path / "bomb.parquet"
    parquet.write_table(pyarrow.table({"a": column, "target": ["x", "y"]}), path)
    assert path.stat().st_size < 10**5
    monkeypatch.setattr(read_cost, "get_free_memory", lambda: 100 * count)
    with pytest.raises(DataError, match="Take a sample", check=about(n_rows=2, n_columns=2)):
        read(path)


@pytest.mark.slow
def test_sheet_with_wrong_dimensions_is_read_completely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.active["XFD20"] = "x"
    book.active["A100000"] = 1
    book.save(tmp_path / "far.xlsx")
    table = read(tmp_path / "far.xlsx")
    assert len(table.names) == 5
    assert table.n_rows == 5
    monkeypatch.setattr(read_cost, "get_free_memory", lambda: 10**6)
    with pytest.raises(DataError, match="16,384 columns"):
        read(tmp_path / "far.xlsx")


@pytest.mark.parametrize(("package", "extra"), [("pyarrow", "parquet"), ("openpyxl", "excel")])
def test_missing_format_library_error_names_extra(
    package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def import_except_package(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest, **more)

    path = tmp_path / "t.file"
    if extra == "parquet":
        path.write_bytes(b"PAR1" + bytes(20))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("xl/workbook.xml", "")
    monkeypatch.setattr(builtins, "__import__", import_except_package)
    with pytest.raises(DataError, match=rf"pip install .{package}>="):
        read(path)


def test_formats_are_recognised_by_content() -> None:
    assert formats.find_reader(b"a,b\n1,2\n") is None
    assert formats.find_reader(b"PK\x03\x04 torn") is None
    assert formats.find_reader(b"PAR1....") is read_parquet
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    assert formats.find_reader(book.getvalue()) is read_workbook


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (3.0, "3"),
        (0.1, "0.1"),
        (1e22, "1e+22"),
        (True, "True"),
        (b"caf\xc3\xa9", "café"),
        (datetime.date(2026, 11, 21), "2026-11-21"),
        ([1, None, "a"], "1  a"),
    ],
)
def test_cells_round_trip_through_text(value: object, text: str) -> None:
    assert format_cell(value) == text


@pytest.mark.slow
def test_sheet_with_only_remarks_is_skipped(tmp_path: Path, plain: Path) -> None:
    remarks = [["What this is"], ["As of", "2024"]]
    path = workbook(tmp_path / "t.xlsx", {"read me": remarks, "values": ROWS})
    assert read(path).options.sheet == "values"
    assert cells(path) == cells(plain)
    only = workbook(tmp_path / "one.xlsx", {"one column": [["x"], [1], [2]], "none": []})
    assert cells(only) == [["1", "2"]]


def test_workbook_titles_and_empty_columns_are_skipped(tmp_path: Path, plain: Path) -> None:
    shifted_rows = [[None, *row] for row in ROWS]
    path = workbook(
        tmp_path / "t.xlsx", {"v": [[], [None, "Customers"], ["As of May"], [], *shifted_rows]}
    )
    table = read(path)
    assert table.names == read(plain).names
    assert cells(path) == cells(plain)
    (note,) = table.notes
    assert "'Customers; As of" in note
    # A name above only one of two columns is not a title: an index has no name.
    indexed = workbook(tmp_path / "i.xlsx", {"v": [[None, "y"], [0, 5], [1, 6]]})
    assert read(indexed).names == ("column 1", "y")
    short = workbook(tmp_path / "s.xlsx", {"v": [["y"], [0, 5], [1, 6], [2, 7]]})
    assert read(short).names == ("y", "column 2")


@pytest.mark.slow
def test_sheet_header_row_is_detected_or_specified(tmp_path: Path) -> None:
    body = [[i, i / 7, ("no", "yes")[i % 2]] for i in range(12)]
    rows = [["Report", None, None], ["Station", 7], [], ["a", "b", "y"], ["kg", "m", "-"], *body]
    path = workbook(tmp_path / "t.xlsx", {"v": [*rows, ["Total", None, None], [], ["Source: x"]]})
    table = read(path)
    assert table.names == ("a", "b", "y")
    assert table.n_rows == 12
    assert table.header_row == 4
    assert table.opening[0] == ("Report", "", "")
    assert len(table.notes) == 3
    explicit_table = read(path, ReadOptions(header_row=4))
    assert (explicit_table.names, explicit_table.n_rows) == (table.names, 12)
    assert explicit_table.options.header_row == 4
    assert read(path, ReadOptions(skip=5)).names == ("column 1", "column 2", "column 3")
    assert read(path, ReadOptions(skip=5, header=True)).n_rows == 11
    years = workbook(tmp_path / "y.xlsx", {"v": [[2019, 2020, "class"], *body]})
    assert read(years).names == ("2019", "2020", "class")
    plain = workbook(tmp_path / "n.xlsx", {"v": body})
    assert read(plain).n_rows == 12
    assert read(path, max_rows=3).n_rows == 3


def test_workbook_dates_omit_midnight(tmp_path: Path) -> None:
    day = datetime.datetime(2024, 1, 31)
    noon = day.replace(hour=12)
    path = workbook(tmp_path / "t.xlsx", {"v": [["a", "b"], [day, day], [None, noon], [day, noon]]})
    assert cells(path) == [
        ["2024-01-31", "", "2024-01-31"],
        ["2024-01-31 00:00:00", "2024-01-31 12:00:00", "2024-01-31 12:00:00"],
    ]


def test_workbook_postcodes_keep_zeros_of_their_format(tmp_path: Path) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["code", "amount", "y"])
    for i in range(30):
        book.active.append([(1067, 10115, None)[i % 3], 7 * i, "ab"[i % 2]])
    for cell, amount in book.active.iter_rows(min_row=2, max_col=2):
        cell.number_format, amount.number_format = "00000", "0"
    book.save(tmp_path / "codes.xlsx")
    table = read(tmp_path / "codes.xlsx")
    assert list(table.coded[0].texts) == ["01067", "10115", ""]
    assert [each.kind for each in table.formats] == ["category", "number", "category"]
