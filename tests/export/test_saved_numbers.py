"""Decimal mark and digits of saved predictions."""

from pathlib import Path

import numpy as np
import pytest

from studio.analysis.prediction_digits import (
    choose_saved_decimals,
    count_observed_decimals,
    round_for_file,
)
from studio.cli.entry import main
from studio.data.reading import read
from studio.export.predictions import (
    Intervals,
    PredictedTable,
    TablePredictions,
    format_csv,
    format_rows,
    make_prediction_rows,
    make_predictions,
)
from studio.numerals import NumeralFormat
from studio.runs.settings import TableSource
from tests.export.conftest import make_finished_run


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, Path]:
    """Return a run on a table whose only decimals are those of its target, and the table."""
    folder = tmp_path_factory.mktemp("german")
    rng = np.random.default_rng(2)
    lines = ["Zimmer;Alter;Preis"]
    for _ in range(160):
        rooms, age = rng.integers(1, 9), rng.integers(0, 90)
        price = 12_000 + 900 * rooms - 31 * age + rng.normal(0, 400)
        lines.append(f"{rooms};{age};" + f"{price:,.2f} €".translate(str.maketrans(",.", ".,")))
    table = folder / "alt.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = TableSource(str(table), target="Preis")
    path, run_id = make_finished_run(
        folder / "work.studio", table, source=source, method="EO-mse", budget=3
    )
    return path, run_id, table


def new_table(folder: Path, text: str) -> Path:
    path = folder / "neu.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "separator", "mark"),
    [
        (["Zimmer;Alter", "3;40", "5;7"], ";", ","),  # as in training
        (["Zimmer;Alter;Note", "3;40;1.5", "5;7;2.25"], ";", "."),  # the file's own mark
        (["Zimmer,Alter", "3,40", "5,7"], ",", "."),  # no decimal comma between commas
    ],
)
def test_file_without_decimals_gets_mark_of_training(
    german: tuple[Path, int, Path], tmp_path: Path, rows: list[str], separator: str, mark: str
) -> None:
    new, output_path = new_table(tmp_path, "\n".join(rows) + "\n"), tmp_path / "out.csv"
    assert (
        main(["predict", str(german[0]), str(new), "-o", str(output_path), "--interval", "0.9"])
        == 0
    )
    header, *lines = output_path.read_text(encoding="utf-8-sig").splitlines()
    assert header.split(separator)[0] == "prediction" and len(lines) == 2
    for line in lines:
        for cell in line.split(separator):
            integer_part, found, decimals = cell.partition(mark)
            assert (
                integer_part.isdigit() and len(decimals) <= 2 and (decimals.isdigit() or not found)
            )
    assert any(mark in line for line in lines)


@pytest.mark.slow
def test_pickle_writes_numbers_like_its_document(
    german: tuple[Path, int, Path], tmp_path: Path
) -> None:
    new, model = new_table(tmp_path, "Zimmer;Alter\n3;40\n5;7\n"), tmp_path / "m.pkl"
    assert main(["export", str(german[0]), "--format", "pickle", "-o", str(model)]) == 0
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert main(["predict", str(german[0]), str(new), "-o", str(files[0])]) == 0
    assert main(["predict", str(model), str(new), "-o", str(files[1]), "--trust"]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("predictions", "observed", "unit", "decimals"),
    [
        ([16043.98108152742, 769.5712], [769.57, 12.3], "€", 2),
        ([16043.98108152742, 769.5712], [770.0, 12.0], "€", 0),
        ([3.4181818, 0.9123, 7.25], [3.0, 1.0, 8.0], "", 2),  # counts
        ([0.42318181, 0.3999], [0.123456789012, 0.4], "", 7),  # at most seven digits
        ([1.5e-7, 4.2e-7], [2e-7, 1e-7], "", 9),
        ([100001.2181, 100001.2272, 100001.2363, 100001.2454], [1.0], "", 3),  # differences
        ([2.5e10, 3.1e10], [2e10], "", 0),
    ],
)
def test_saved_numbers_have_digits_of_target(
    predictions: list[float], observed: list[float], unit: str, decimals: int
) -> None:
    found = count_observed_decimals(np.array(observed))
    assert choose_saved_decimals(np.array(predictions), found, unit) == decimals


def test_files_round_ties_like_the_window(tmp_path: Path) -> None:
    values = np.array([0.125, -0.125, 2.675, 1.005, 0.375, 26.254999, 1e15, -0.001])
    texts = ["0.13", "-0.13", "2.68", "1.01", "0.38", "26.25", "1000000000000000.00", "0.00"]
    assert [f"{each:.2f}" for each in round_for_file(values, 2).tolist()] == texts
    window = [NumeralFormat(2).format(each).replace(",", "") for each in values.tolist()]
    assert window == texts
    assert round_for_file(np.array([[0.5, 1.5], [2.5, -2.5]]), 0).tolist() == [[1, 2], [3, -3]]
    table = PredictedTable.from_raw_table(read(new_table(tmp_path, "n;m\n3;2\n5;1\n")), ",")
    bounds = np.array([[0.125, 0.375], [-0.125, 2.675]])
    predicted = TablePredictions(
        np.array([0.625, 2.5]), None, (), (), table, Intervals(0.9, bounds), decimals=2
    )
    lines = format_csv(predicted).decode().splitlines()[1:]
    assert lines == ["0,63;0,13;0,38", "2,50;-0,13;2,68"]


def test_decimals_apply_to_predictions_and_intervals_but_not_probabilities(tmp_path: Path) -> None:
    raw = read(new_table(tmp_path, "n;m\n3;2\n5;1\n"))
    table, bounds = PredictedTable.from_raw_table(raw, ","), np.array([[-0.001, 2.5], [1.25, 9.0]])
    numbers = TablePredictions(
        np.array([16043.98108152742, -0.0001]), None, (), (), table, Intervals(0.9, bounds),
        raw=raw, decimals=2,
    )  # fmt: skip
    for each in (numbers, make_predictions(format_rows(numbers))):
        lines = format_csv(each).decode().splitlines()[1:]
        assert lines == ["16043,98;0,00;2,50", "0,00;1,25;9,00"]
        selected = format_csv(each.select_rows(np.array([0]))).decode().splitlines()[1:]
        assert selected == lines[:1]
    rounded_predictions = TablePredictions(
        np.array([16043.98, 2e20]), None, (), (), table, decimals=0
    )
    assert make_prediction_rows(rounded_predictions)[1:] == [[16044.0], [2e20]]
    rounded_predictions = TablePredictions(
        np.array([16043.98, -3.2]), None, (), (), table, decimals=0
    )
    assert format_csv(rounded_predictions).decode().splitlines()[1:] == ["16044", "-3"]
    shares = np.array([[0.1234567, 0.8765433]])
    classes = TablePredictions(np.array(["b"], dtype=object), shares, ("a", "b"), (), table)
    assert format_csv(classes).decode().splitlines()[1] == "b;0,123457;0,876543"
