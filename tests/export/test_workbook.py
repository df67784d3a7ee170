"""Excel workbooks of predictions: cells equal to those of the table, and their formats."""

import csv
import datetime
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data.coded import CodedColumn
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.document.store import Document
from studio.export.predict import predict_table
from studio.export.predictions import (
    Intervals,
    PredictedTable,
    TablePredictions,
    format_rows,
    write_predictions,
)
from studio.export.workbook import make_unit_code
from studio.helper.predicted_rows import save_rows, store_predictions
from studio.measure import PREFIX_MARK
from studio.runs.settings import TableSource
from tests.export.conftest import make_finished_run

openpyxl = pytest.importorskip("openpyxl")


def parse_amount(text: str) -> float:
    return float(text.strip("$ %").replace(",", ""))


CELLS: dict[str, tuple[tuple[str, ...], Callable[[str], Any]]] = {
    "numbers": (("1.5", "2", "1.25", "-3", "0", ""), float),
    "counts": (("60", "61", "7", "0"), float),
    "unknown": (("60", "61.5", "?", "n/k", "not measured", ""), float),
    "words": (("=1+1", "#REF!", "?", "n/k", "a", "@SUM(1)", "+1", "-", " x ", ""), float),
    "codes": (("007", "010", "A1", "1"), float),
    "truths": (("True", "False", ""), float),
    "days": (("2024-01-31", "1999-12-01", ""), datetime.datetime.fromisoformat),
    "shares": (("51 %", "0 %", "7 %", "n/a"), parse_amount),
    "amounts": (("$1,200.50", "$0.00", "$7.10", "unknown"), parse_amount),
}
"""Cells by kind, and the function that gives the typed value of one."""


def is_same(cell: Any, text: str, parse: Callable[[str], Any]) -> bool:
    """Whether a workbook's cell holds a text, or the number or date that it stands for."""
    if cell is None or isinstance(cell, str):
        return bool((cell or "") == text)
    return bool(cell == parse(text))


@st.composite
def draw_columns(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Draw kinds of columns, and their cells."""
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=6))
    n_rows = draw(st.integers(1, 30))
    cells = [
        draw(st.lists(st.sampled_from(CELLS[kind][0]), min_size=n_rows, max_size=n_rows))
        for kind in kinds
    ]
    return kinds, cells


@settings(max_examples=150, deadline=None)
@given(drawn=draw_columns(), values=st.lists(st.sampled_from([1.5, 2.0, 0.0]), min_size=30))
def test_workbook_holds_cells_of_table(
    drawn: tuple[list[str], list[list[str]]],
    values: list[float],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    kinds, cells = drawn
    predicted = np.array(values[: len(cells[0])])
    raw = RawTable(
        tuple(f"c{index}" for index in range(len(kinds))),
        tuple(CodedColumn.from_cells(column) for column in cells),
        ReadOptions(separator=","),
        {},
        (),
        "table.csv",
        "",
        ((),) * len(kinds),
    )
    predictions = TablePredictions(
        predicted,
        None,
        (),
        (),
        PredictedTable.from_raw_table(raw),
        Intervals(0.9, np.column_stack((predicted, predicted + 1))),
        raw=raw,
    )
    path = tmp_path_factory.getbasetemp() / "cells.xlsx"
    write_predictions(predictions, path, include_columns=True)
    book = openpyxl.load_workbook(path)
    rows = [[cell.value for cell in row] for row in book.active.iter_rows(min_row=2)]
    assert len(rows) == len(predicted)
    for index, row in enumerate(rows):
        *own_cells, value, low, high = row
        assert [value, low, high] == [predicted[index], predicted[index], predicted[index] + 1]
        for kind, column, cell in zip(kinds, cells, own_cells, strict=True):
            assert is_same(cell, column[index], CELLS[kind][1]), (kind, column[index], cell)


def write_stays(path: Path, n_rows: int, *, missing_every: int, with_cost: bool) -> Path:
    """Write stays with few different counts of illnesses, some of which are not known."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["illnesses", "pulse", "ward", *["cost"] * with_cost])
    for row in range(n_rows):
        illnesses = "n/k" if row % missing_every == 0 else str(row * 7 % 6)
        pulse = "not measured" if row % missing_every == 1 else f"{60 + row * 11 % 37}.5"
        cost = f"${900 + row * 7 % 6 * 150 + row % 5 + 0.25:,.2f}"
        writer.writerow([illnesses, pulse, "abc"[row % 3], *[cost] * with_cost])
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def stay_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    folder = tmp_path_factory.mktemp("stays")
    table = write_stays(folder / "stays.csv", 400, missing_every=40, with_cost=True)
    return make_finished_run(
        folder / "s.studio",
        table,
        method="EO-mse",
        source=TableSource(str(table), target="cost", kinds={"illnesses": "number"}),
    )


@pytest.mark.slow
def test_workbook_types_cells_as_in_training(stay_run: tuple[Path, int], tmp_path: Path) -> None:
    new = write_stays(tmp_path / "new.csv", 120, missing_every=12, with_cost=False)
    raw = read(new)
    assert [each.kind for each in raw.formats] == ["category", "number", "category"]
    with Document.open(stay_run[0]) as document:
        predicted = predict_table(document, stay_run[1], new, interval=0.9)
    assert [each.is_numeric for each in format_rows(predicted).table_columns] == [True, True, False]
    write_predictions(predicted, tmp_path / "made.xlsx", include_columns=True)
    store_predictions(predicted, tmp_path)
    save_rows(tmp_path, tuple(range(120)), tmp_path / "kept.xlsx")
    for name in ("made.xlsx", "kept.xlsx"):
        rows = list(openpyxl.load_workbook(tmp_path / name).active.iter_rows(min_row=2))
        columns = list(zip(*rows, strict=True))[-6:]
        for column, word in zip(columns[:2], ("n/k", "not measured"), strict=True):
            values = [cell.value for cell in column]
            assert values.count(word) == 10
            assert {type(each) for each in values if each != word} <= {int, float}
        assert {cell.value for cell in columns[2]} == set("abc")
        formats = {cell.number_format for column in columns[3:] for cell in column}
        assert formats == {'"$"#,##0.00'}


def test_codes_of_new_table_stay_text(stay_run: tuple[Path, int], tmp_path: Path) -> None:
    lines = [f"{'A' * (row % 20 > 0)}{row},60.5,a" for row in range(120)]
    (tmp_path / "new.csv").write_text("\n".join(["illnesses,pulse,ward", *lines]))
    with Document.open(stay_run[0]) as document:
        predicted = predict_table(document, stay_run[1], tmp_path / "new.csv")
    assert [each.is_numeric for each in format_rows(predicted).table_columns] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("unit", "decimals", "code"),
    [
        ("$" + PREFIX_MARK, 2, '"$"#,##0.00'),
        ("€", 0, '#,##0" €"'),
        ("%", 1, '#,##0.0" %"'),
        ("", 2, ""),
        ('"', 2, ""),
    ],
)
def test_format_of_unit(unit: str, decimals: int, code: str) -> None:
    assert make_unit_code(unit, decimals) == code
