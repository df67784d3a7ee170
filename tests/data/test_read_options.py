import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from studio.data.numbers import NumberFormat
from studio.data.read_options import ColumnReading, ReadOptions, parse_column_reading
from studio.data.reading import read
from studio.data.table import Table
from studio.errors import UsageError

TABLE = "amount;when;region;y\n" + "1.234;01/02/2024;NA;a\n2.345;03/04/2024;EU;b\n?;;none;a\n" * 4


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("decimal:comma", ColumnReading(decimal=",")),
        ("decimal:comma,thousands:point", ColumnReading(",", ".")),
        ("dates:month-first", ColumnReading(order="month-first")),
        ("missing:NA|k. A.", ColumnReading(missing=("NA", "k. A."))),
        ("missing:", ColumnReading(missing=("",))),
    ],
)
def test_column_reading_round_trips_through_text(text, reading):
    assert parse_column_reading(text) == reading
    assert parse_column_reading(reading.to_text()) == reading


@pytest.mark.parametrize(
    "text",
    ["", "comma", "decimal:,", "decimal:comma,decimal:point", "dates:soon", "size:3",
     "decimal:comma,thousands:comma"],
)  # fmt: skip
def test_empty_column_reading_is_rejected(text):
    with pytest.raises(UsageError):
        ReadOptions(columns=(("a", text),))


def read_as(save, **readings: str) -> Table:
    options = ReadOptions(columns=tuple(readings.items()))
    assert ReadOptions.from_json(options.to_json()) == options
    return Table.from_raw(read(save(TABLE), options), roles=dict.fromkeys(readings, "ignore"))


def test_column_reading_resolves_ambiguous_format(save):
    assert read_as(save, amount="thousands:point").get_column("amount").values[:2].tolist() == [
        1234.0,
        2345.0,
    ]
    assert read_as(save, amount="thousands:none").get_column("amount").values[0] == 1.234
    days = {
        order: read_as(save, when=f"dates:{order}").get_column("when").values[:2].tolist()
        for order in ("day-first", "month-first")
    }
    start = np.datetime64("1970-01-01")
    assert days["day-first"] == [
        float((np.datetime64(day) - start).astype(int)) for day in ("2024-02-01", "2024-04-03")
    ]
    assert days["month-first"][0] == float((np.datetime64("2024-01-02") - start).astype(int))


def test_missing_words_can_be_specified(save):
    assert read_as(save, region="missing:NA|none").get_column("region").missing == 8
    assert read_as(save, region="missing:").get_column("region").missing == 0
    everywhere = Table.from_raw(read(save(TABLE), ReadOptions(missing=("NA",))))
    assert everywhere.get_column("region").missing == 4
    assert everywhere.get_column("region").categories == ("EU", "none")


def test_number_marks_of_file_apply_to_unspecified_columns(save):
    options = ReadOptions(thousands=".", columns=(("amount", "decimal:point,thousands:none"),))
    formats = read(save(TABLE + "3.456;;;\n"), options).formats
    assert formats[0].number_format == NumberFormat(".", "")


@pytest.mark.parametrize(("decimals", "fraction"), [("", 0), (".25", 0.25), (",25", 0.25)])
def test_date_order_applies_to_numeric_cells(save, decimals, fraction):
    text = "day;y\n" + "".join(f"{45_000 + i}{decimals};{'ab'[i % 2]}\n" for i in range(12))
    raw = read(save(text), ReadOptions(columns=(("day", "dates:serial"),)))
    assert raw.formats[0].kind == "date"
    assert raw.get_distinct(0).parse_dates()[0] / 86_400 == 45_000 - 25_569 + fraction


def test_non_object_columns_are_rejected():
    with pytest.raises(UsageError, match="columns"):
        ReadOptions.from_json({"columns": ["a"]})
    with pytest.raises(UsageError, match="missing"):
        ReadOptions.from_json({"missing": "NA"})


def test_number_marks_of_one_column_apply_to_ambiguous_columns(save):
    cells = [
        f"{1 + i % 9}.{100 + 37 * i % 900},{10 + i % 80};{1 + i % 7}.{200 + i}" for i in range(20)
    ]
    path = save("price;amount;y\n" + "".join(f"{row};{i % 2}\n" for i, row in enumerate(cells)))
    table = read(path, ReadOptions())
    explicit_table = read(path, ReadOptions(columns=(("price", "decimal:comma,thousands:point"),)))
    assert (
        explicit_table.formats[1].number_format
        == table.formats[1].number_format
        == NumberFormat(",", ".")
    )
    assert explicit_table.marks == table.marks
    ungrouped = read(path, ReadOptions(columns=(("price", "decimal:comma,thousands:none"),)))
    assert ungrouped.formats[0].kind == "number", "1.234,50 is unambiguous"
    other = read(path, ReadOptions(columns=(("price", "decimal:point,thousands:none"),)))
    assert other.formats[0].kind == "category"
    alone = save("a;b\n" + "1.234;2.345\n3.456;4.567\n5.678;6.789\n" * 4, "alone.csv")
    one = read(alone, ReadOptions(columns=(("a", "thousands:point"),))).formats[1]
    assert one.number_format == NumberFormat(",", ".")
    assert one.numbers.open_mark == "", "the point is known to group digits in this file"


@pytest.mark.parametrize(
    "labels",
    [
        ("1.1", "1.10", "1.9"),
        ("1.1", "1.2", "1.9", "1.10", "1.12", "2.1", "2.10", "3.4"),
        ("3.8", "3.9", "3.10", "3.11", "3.12"),
        tuple(f"3.{i}" for i in range(1, 13)),
        ("1.1", "1.10"),
    ],
)
def test_versions_and_chapters_are_words(raw, labels):
    table = raw("x,version\n" + "".join(f"{i / 7},{labels[i % len(labels)]}\n" for i in range(80)))
    column = describe_all_columns(table, "x")[1]
    assert (column.kind, column.distinct) == ("category", len(labels))
    assert "'3.10'" in column.reason or "'1.10'" in column.reason
    assert bool(column.findings[0].remedies) == (len(labels) > 2), "numbers, if they differ"


@pytest.mark.parametrize(
    "labels",
    [
        ("01.1", "01.2", "02.1", "10.3"),
        ("01.11", "01.13", "47.2"),
        ("01.1", "10.7", "13.9", "47.1", "62.0", "86.2"),
        ("01.0", "02.0", "10.0", "13.0", "62.0", "86.0"),
        ("0101.21", "0102.29", "8471.30", "8517.62"),
        ("03.11", "03.12", "15.20", "45.21", "45.30", "72.40"),
        tuple(f"{i:02d}.{j}" for i in (1, *range(10, 19)) for j in range(1, 3)),
    ],
)
def test_padded_chapters_are_words(raw, labels):
    table = raw("x,section\n" + "".join(f"{i / 7},{labels[i % len(labels)]}\n" for i in range(80)))
    column = describe_all_columns(table, "x")[1]
    assert (column.kind, column.distinct) == ("category", len(labels))
    assert column.findings[0].remedies


@pytest.mark.parametrize(
    "cells",
    [
        [f"{6 + i % 12:02d}.5" if i % 2 else f"{6 + i % 12:02d}.0" for i in range(80)],
        [f"{5 + i * 37 % 400 / 10:04.1f}" for i in range(80)],
        [f"{i % 9 / 10 + 0.1:04.1f}" for i in range(80)],
        [f"{8 + i * i % 37 / 10:04.1f}" for i in range(80)],
        [f"{i * i % 19 + 1:02d}.0" for i in range(80)],
        ["02.5", "05.0", "10.0", "20.0"] * 20,
        ["05.90 €", "12.50 €", "24.90 €", "99.00 €"] * 20,
        ["00.5", "10.2", "30.7"] * 20,
        ["1.1", "1.2", "2.1", "3.3"] * 20,
        ["01.1", "1.2", "10.3", "2.1"] * 20,
        ["01.1", "01.2", "02.1", "10.3"],
    ],
    ids=[
        "halves",
        "many",
        "below 1",
        "repeated",
        "whole",
        "doses",
        "prices",
        "zero",
        "not padded",
        "several widths",
        "few rows",
    ],
)
def test_padded_measurements_are_numbers(raw, cells):
    table = raw("x,level\n" + "".join(f"a,{cell}\n" for cell in cells))
    assert table.formats[1].kind == "number"


@pytest.mark.slow
def test_decimals_with_mixed_precision_are_numbers(raw):
    rng = np.random.default_rng(0)
    prices = rng.choice([0.99, 1.1, 1.5, 2.1, 2.2, 3.75], 80).tolist()
    grades = rng.choice([1.0, 1.3, 1.7, 2.0, 2.3], 80).tolist()
    doses = rng.choice([0.1, 0.2, 0.5], 80).tolist()
    acid = rng.uniform(7.1, 7.39, 80).round(2).tolist()
    for values in (prices, grades, doses, acid, rng.uniform(0, 9, 80).round(1).tolist()):
        mixed = [f"{each:.2f}" if i % 3 == 0 else str(each) for i, each in enumerate(values)]
        rare = [str(each) for each in values[:-1]] + ["1.10"]
        for cells in (mixed, rare):
            table = raw("x,amount\n" + "".join(f"a,{cell}\n" for cell in cells))
            assert table.formats[1].kind == "number", cells
