"""Cells that look like totals, credits, codes, weeks or missing words, but are not."""

import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from studio.data.read_options import ReadOptions
from studio.data.reading import read

STATES = ["AL", "CV", "GA", "IA", "KS", "ME", "NC", "OH", "PA", "SEM", "TX", "UT", "VA", "WA", "WY"]


def infer_kind(raw, name, cells, n=80):
    rows = "".join(f'{i / 7:.3f},"{cells[i % len(cells)]}"\n' for i in range(n))
    column = describe_all_columns(raw(f"x,{name}\n{rows}"), "x")[1]
    return column.kind, column.distinct


@pytest.mark.parametrize("last", ["SD", "CV", "SEM"])
def test_place_codes_are_not_statistics(raw, last):
    rows = "".join(f"{each},{i},{7 - i % 3}\n" for i, each in enumerate(STATES))
    n = len(STATES)
    mean = f"{np.mean(range(n)):.2f}"
    assert raw(f"state,a,b\n{rows}{last},{mean},7\n").n_rows == n + 1
    assert raw(f"state,a,b\n{rows}Mean,{mean},6.9\n{last},4.5,7\n").n_rows == n


@pytest.mark.parametrize(
    ("cells", "largest"),
    [
        (["12,958.42 Cr", "451.20 Cr", "20,574.20 Cr"], 2.05742e11),
        (["8,99,122.79Cr", "451.20Cr", "12,000.00Cr"], 899122.79),
    ],
)
def test_credits_have_lakhs_and_crores_do_not(table, cells, largest):
    rows = "".join(f'{i},"{cells[i % 3]}"\n' for i in range(60))
    column = table(f"x,cap\n{rows}").columns[1]
    assert column.values.max() == pytest.approx(largest)


@pytest.mark.parametrize(
    "cells",
    [
        ["08.15", "09.30", "10.45", "11.15", "12.30", "17.45"],
        ["07.25", "08.40", "09.75", "10.99", "12.50"],
        ["02.5", "07.5", "12.5"],
        ["06.8", "07.1", "10.1"],
    ],
)
def test_measurements_of_fixed_width_stay_numbers(raw, cells):
    assert infer_kind(raw, "value", cells) == ("number", len(cells))


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("power_kw", ["20581", "20763", "19812", "20199", "20444", "20317"]),
        ("kW", ["20581", "20763", "19812", "20199", "20444", "20317"]),
        ("visits per week", ["19686", "19937", "20011", "19755", "19899"]),
        ("lifetime", ["2000279", "1999113", "2001005", "2000117", "2000333"]),
    ],
)
def test_quantities_are_no_weeks_or_days(raw, name, cells):
    assert infer_kind(raw, name, cells) == ("number", len(cells))


def test_chosen_number_format_of_weeks_is_followed(save):
    cells = [f"2023{week:02d}" for week in range(2, 51)]
    path = save("week,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    assert read(path, ReadOptions()).formats[0].kind == "date"
    chosen = ReadOptions(columns=(("week", "decimal:point"),))
    assert read(path, chosen).formats[0].kind == "number"


@pytest.mark.parametrize(
    ("cells", "n_classes"),
    [
        (["N", "S", "NA"], 3),
        (["F", "S", "NA"], 3),
        (["yes", "no", "None"], 3),
        (["yes", "no", "NA"], 2),
        (["Y", "N", "NA"], 2),
        (["True", "False", "None"], 2),
    ],
)
def test_missing_words_beside_truth_values_only(raw, cells, n_classes):
    assert infer_kind(raw, "answer", cells) == ("category", n_classes)


def test_surname_is_no_source(raw):
    rows = "".join(f"Person {i},{i},{'ab'[i % 2]}\n" for i in range(28))
    assert raw(f"name,a,y\n{rows}Kaynak Demir,44,\n").n_rows == 29
    assert raw(f"name,a,y\n{rows}\nKaynak: TÜİK 2023\n").n_rows == 28
