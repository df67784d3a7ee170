"""Prices in advertisements, amounts in brackets throughout, grouped keys; and columns like them."""

import numpy as np
import pytest

N = 60


def read(raw, cells, name="v", other="0,5"):
    """Return the format and the numbers of a column of these cells, repeated, beside another."""
    rows = "".join(f"{cells[i % len(cells)]};{other};{'yn'[i % 2]}\n" for i in range(N))
    table = raw(f"{name};b;y\n{rows}")
    return table.formats[0], sorted(set(table.get_distinct(0).numbers.tolist()))


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.200 € VB", "80 €", "950 €"], [80, 950, 1200]),
        (["1.200 € VB", "80 € VB"], [80, 1200]),
        (["£1,200 ono", "£80", "£950 o.n.o."], [80, 950, 1200]),
        (["EUR 80 FP", "EUR 95"], [80, 95]),
        (["ab 80 €", "95 €", "120 €"], [80, 95, 120]),
        (["ab 80 €", "ab 95 €", "Ab 1.200 €"], [80, 95, 1200]),
        (["ab 80 €", "ab 80,00 €", "95 €"], [80, 95]),
        (["<0,50 €", "<0,5 €", "3,20 €"], [0.5, 3.2]),
        (["< 18,5 years", "<=18,5 yrs", "≤18,50 years", "30 years"], [18.5, 30]),
        (["from $80", "$95", "up to $120"], [80, 95, 120]),
        (["à partir de 80 €", "95 €"], [80, 95]),
        (["1.200,50+", "80,25-", "95,00+"], [-80.25, 95, 1200.5]),
        (["4,5 von 5 Sternen", "3 von 5 Sternen"], [3, 4.5]),
    ],
)
def test_prices_with_remarks_are_numbers(raw, cells, numbers):
    column_format, values = read(raw, cells)
    assert column_format.kind == "number"
    assert values == numbers


@pytest.mark.parametrize(
    "cells",
    [
        ["ab 6", "ab 12", "ab 16"],
        ["ab 6 Jahre", "6 Jahre", "12 Jahre", "ab 12 Jahre"],
        ["from 3 to 5", "from 6 to 9", "up to 2"],
        ["2+", "2-", "1+", "3-"],
        ["2,3+", "2,7-", "3,0-", "2,0+"],
        ["from 18", "up to 18", "18"],
        ["ab 7 €", "bis 7 €", "ab 12 €"],
        ["ab 7,50 €", "bis 7,50 €", "7,50 €", "12 €"],
        ["<18 €", "<30 €", "<65 €"],
        ["AB 9", "AB 12", "3", "6"],
        ["1 VB", "2 NB", "3 VB", "4 NB"],
        ["3 firm", "4 soft", "5 firm"],
        ["3 von 5", "2 von 4", "6 von 8"],
        ["bis 1.000 €", "1.000 bis 2.000 €", "2.000 bis 3.000 €"],
    ],
)
def test_limits_and_codes_are_words(raw, cells):
    assert read(raw, cells)[0].kind == "category"


def test_repeated_remark_without_price_is_missing(raw):
    cells = [*(f"{100 + i} €" for i in range(14)), "VB", "120 € VB"]
    column_format, values = read(raw, cells)
    assert column_format.kind == "number"
    assert np.isnan(values).sum() == 1


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["(1.200)", "(2.500)", "(80)", "(95)", "(7)"], [-2500, -1200, -95, -80, -7]),
        (["(1.200,50)", "(80,00)"], [-1200.5, -80]),
        (["(80 €)", "(95 €)"], [-95, -80]),
        (["$(80.25)", "$(95.50)"], [-95.5, -80.25]),
        (["(1 200)", "(80)"], [-1200, -80]),
        (["(1.200 EUR)", "(80 EUR)"], [-1200, -80]),
        (["(1.200 Dollars)", "80 Dollars"], [-1200, 80]),
        (["(12 points)", "7 points"], [-12, 7]),
        (["(5 million)", "3 million"], [-5e6, 3e6]),
    ],
)
def test_amounts_in_brackets_are_negative(raw, cells, numbers):
    column_format, values = read(raw, cells)
    assert column_format.kind == "number"
    assert values == numbers


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["(1.200 ratings)", "(80 ratings)", "(1 rating)"], [1, 80, 1200]),
        (["(12 Bewertungen)", "(7 Bewertungen)"], [7, 12]),
    ],
)
def test_counts_in_brackets_are_positive(raw, cells, numbers):
    column_format, values = read(raw, cells)
    assert column_format.kind == "number"
    assert values == numbers


@pytest.mark.parametrize(
    "cells",
    [["(1)", "(2)"], ["(2019)", "(2020)"], ["(0,12)", "(0,305)"], ["(50 million)", "(30 million)"]],
)
def test_codes_years_and_errors_in_brackets_are_words(raw, cells):
    assert read(raw, cells)[0].kind == "category"


@pytest.mark.parametrize(
    ("name", "other", "low"),
    [
        ("Kundennr", "0,5", 1001),
        ("lat", "0,5", 1.001),
        ("Dichte", "0,5", 1.001),
        ("id", "0.5", 1.001),
    ],
)
def test_grouped_keys_are_whole_numbers(raw, name, other, low):
    cells = [f"1.{i:03d}" for i in range(1, N + 1)]
    assert read(raw, cells, name, other)[1][0] == low
