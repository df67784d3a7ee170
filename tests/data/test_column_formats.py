"""Formats of columns, and the remedies for ambiguous ones."""

import pytest

from studio.data.columns import describe_all_columns
from studio.data.dates import DateFormat
from studio.data.description import ColumnDescription
from studio.data.numbers import NumberFormat
from studio.data.read_options import ReadOptions
from studio.data.reading import read


def describe_column(save, cells: list[str], reading: str = "") -> ColumnDescription:
    """Describe one column of a table with an unrelated target."""
    column_readings = (("x", reading),) if reading else ()
    lines = "".join(f"{cell};{i * i % 7}\n" for i, cell in enumerate(cells))
    options = ReadOptions(separator=";", header=True, columns=column_readings)
    return describe_all_columns(read(save("x;y\n" + lines), options))[0]


def test_column_describes_its_format(save):
    money = describe_column(save, ["1.234,50 €", "2,75 €", "?", "k.A.", "17,00 €"] * 6)
    assert money.number_format == NumberFormat(",", ".", units=("€",))
    assert (money.date_format, money.missing_words) == (None, ("?", "k.A."))
    days = describe_column(save, ["31.01.2024", "01.02.2024", "NA", ""] * 6)
    assert days.date_format == DateFormat("day-first")
    assert (days.number_format, days.missing_words) == (None, ("NA",))
    word_column = describe_column(save, ["red", "blue", "NA", "N/A"] * 6)
    assert (word_column.number_format, word_column.date_format) == (None, None)
    assert word_column.missing_words == ("N/A",)


@pytest.mark.parametrize(
    ("cells", "remedies"),
    [
        (["1.234", "5.678"],
         {"decimal:point": (1.234, 5.678), "thousands:point": (1234.0, 5678.0)}),
        (["1,234 kg", "5,678 kg"],
         {"decimal:comma": (1.234, 5.678), "thousands:comma": (1234.0, 5678.0)}),
        (["1.234", "5,678"],
         {"decimal:point,thousands:comma": (1.234, 5678.0), "thousands:point": (5.678, 1234.0)}),
    ],
)  # fmt: skip
def test_ambiguous_mark_has_remedy_per_meaning(save, cells, remedies):
    column = describe_column(save, cells * 6)
    finding = next(each for each in column.findings if each.kind == "unclear-numbers")
    assert [(each.choice, each.value) for each in finding.remedies] == [
        ("reading", value) for value in remedies
    ]
    for remedy in finding.remedies:
        remedied_column = describe_column(save, cells * 6, remedy.value)
        ends = remedies[remedy.value]
        assert (remedied_column.minimum, remedied_column.maximum) == ends
        assert (remedy.effect.values["low"], remedy.effect.values["high"]) == ends
        assert "unclear-numbers" not in {each.kind for each in remedied_column.findings}


@pytest.mark.parametrize(
    ("cells", "remedies"),
    [
        (["01/02/2024", "03/04/2024"],
         {"dates:day-first": ("2024-02-01", "2024-04-03"),
          "dates:month-first": ("2024-01-02", "2024-03-04")}),
        (["01/02/24", "03/04/24"],
         {"dates:day-first-short": ("2024-02-01", "2024-04-03"),
          "dates:month-first-short": ("2024-01-02", "2024-03-04")}),
        (["21/12/23", "22/11/23"], {"dates:day-first-short": ("2023-11-22", "2023-12-21")}),
    ],
)  # fmt: skip
def test_ambiguous_date_order_has_remedy_per_order(save, cells, remedies):
    column = describe_column(save, cells * 6)
    assert column.kind == "category"
    finding = next(each for each in column.findings if each.kind == "unclear-dates")
    assert {
        each.value: (each.effect.values["low"], each.effect.values["high"])
        for each in finding.remedies
    } == remedies
    for remedy in finding.remedies:
        remedied_column = describe_column(save, cells * 6, remedy.value)
        assert remedied_column.kind == "date"
        assert "unclear-dates" not in {each.kind for each in remedied_column.findings}


def test_date_orders_are_illustrated_by_ambiguous_cell(save):
    column = describe_column(save, ["05/05/2024", "", "01/02/2024", "09/03/2024"] * 6)
    finding = next(each for each in column.findings if each.kind == "unclear-dates")
    examples = [
        (each.effect.values["example"], each.effect.values["date"]) for each in finding.remedies
    ]
    assert examples == [("'01/02/2024'", "2024-02-01"), ("'01/02/2024'", "2024-01-02")]


@pytest.mark.parametrize(
    "cells",
    [
        "R6.1.15 H31.4.30", "令和6年1月15日 平成元年2月1日", "113/01/15 113/01/16",
    ],
)  # fmt: skip
def test_dates_with_era_raise_question(save, cells):
    column = describe_column(save, cells.split() * 12)
    assert column.kind == "category"
    assert ("unclear-dates", "decide") in {(each.kind, each.level) for each in column.findings}


def test_date_among_words_is_offered_in_original_format(save):
    days = [f"2024-02-{day:02d}" for day in range(1, 29)]
    column = describe_column(save, [*days, *(["soon", "later", "never"] * 2)])
    finding = next(each for each in column.findings if each.kind == "unclear-dates")
    assert [(each.choice, each.value) for each in finding.remedies] == [("kind", "date")]
    assert "first" not in finding.sentence
