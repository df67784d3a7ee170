"""Top-ranked rows: order, expected outcome, and files."""

import csv
import datetime
import io
import json
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.one_row.helper_tasks import predict_row
from studio.analysis.selected_rows import (
    OutcomeEstimator,
    count_beyond,
    make_row_groups,
    select_first_rows,
)
from studio.cli.entry import main
from studio.data.intervals.pieces import RowGroups
from studio.data.intervals.sums import HitRates, TotalEstimate
from studio.data.read_options import ReadOptions
from studio.data.reading import read
from studio.document.store import Document
from studio.errors import ExportError, RunError, UsageError
from studio.export.predict import predict_table
from studio.export.predictions import (
    PredictedTable,
    TablePredictions,
    format_csv,
    format_rows,
    make_predictions,
    write_predictions,
)
from studio.export.workbook import PERCENT, InputSheet, build_workbook, make_sheet_title
from studio.helper.predicted_rows import (
    estimate_outcome,
    load_predictions,
    make_new_row,
    save_rows,
    store_predictions,
)
from studio.helper.protocol import ProtocolError
from studio.runs.settings import TableSource
from tests.export.conftest import make_finished_run
from tests.facts import contains_facts

TABLE = """\
Kunde;PLZ;Seit;Betrag;Notiz
K10;01067;09.12.2018;1.200,50;=1+1
K9;10115;02.01.2017;20,00;
K1;00012;31.03.2020;-3,10;#N/A
"""


def make_written_table(folder: Path) -> TablePredictions:
    path = folder / "neu.csv"
    path.write_text(TABLE, encoding="utf-8")
    raw = read(path, ReadOptions(header=True))
    shares = np.array([[0.25, 0.75], [1.0, 0.0], [0.4, 0.6]])
    return TablePredictions(
        np.array(["ja", "nein", "ja"], dtype=object),
        shares,
        ("nein", "ja"),
        (),
        PredictedTable.from_raw_table(raw),
        raw=raw,
    )


def test_table_columns_sort_by_value_and_keep_text(tmp_path: Path) -> None:
    rows = format_rows(make_written_table(tmp_path))
    sorted_ = {
        each.name: [each.get_text(int(each.codes[row])) for row in np.argsort(each.codes)]
        for each in rows.table_columns
    }
    assert sorted_["Betrag"] == ["-3,10", "20,00", "1.200,50"]
    assert sorted_["Seit"] == ["02.01.2017", "09.12.2018", "31.03.2020"]
    assert sorted_["PLZ"] == ["00012", "01067", "10115"]
    assert sorted_["Notiz"] == ["#N/A", "=1+1", ""]
    assert [each.is_numeric for each in rows.table_columns] == [False, False, False, True, False]
    assert format_csv(make_predictions(rows), include_columns=True) == format_csv(
        make_written_table(tmp_path), include_columns=True
    )


def test_selected_rows_are_written_in_order(tmp_path: Path) -> None:
    store_predictions(make_written_table(tmp_path), tmp_path)
    assert save_rows(tmp_path, (2, 0), tmp_path / "out.csv") == 2
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()
    names, *rows = lines
    own, prediction_header = (
        "Kunde;PLZ;Seit;Betrag;Notiz",
        "prediction;probability nein;probability ja",
    )
    assert names == f"row;{own};{prediction_header}"
    assert rows == [
        "3;K1;00012;31.03.2020;-3,10;#N/A;ja;0,4;0,6",
        "1;K10;01067;09.12.2018;1.200,50;=1+1;ja;0,25;0,75",
    ]


def test_predictions_use_number_format_of_table(tmp_path: Path) -> None:
    predictions = make_written_table(tmp_path)
    alone = format_csv(predictions).decode().splitlines()
    assert alone[:2] == ["prediction;probability nein;probability ja", "ja;0,25;0,75"]
    beside = format_csv(predictions, include_columns=True).decode("utf-8-sig").splitlines()
    assert all(line.endswith(f";{one}") for line, one in zip(beside, alone, strict=True))


@pytest.mark.slow
def test_numbers_of_mixed_columns_stay_numbers(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    cells: list[list[object]] = [["code", "post"], [1, 8001], [2, "n/a"], [3, 1201], [1, "A7"]]
    book = openpyxl.Workbook()
    for line in cells:
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")
    text = "\n".join(",".join(map(str, line)) for line in cells)
    (tmp_path / "codes.csv").write_text(text)
    (tmp_path / "numbers.csv").write_text(text.replace("A7", "NA"))
    for name, post in (
        ("t.xlsx", [8001, "n/a", 1201, "A7"]),
        ("codes.csv", ["8001", "n/a", "1201", "A7"]),
        ("numbers.csv", [8001, "n/a", 1201, "NA"]),
    ):
        raw = read(tmp_path / name, ReadOptions(header=True))
        table_columns = PredictedTable.from_raw_table(raw)
        predictions = TablePredictions(np.array([1.0] * 4), None, (), (), table_columns, raw=raw)
        store_predictions(predictions, tmp_path)
        save_rows(tmp_path, (0, 1, 2, 3), tmp_path / "kept.xlsx")
        write_predictions(predictions, tmp_path / "made.xlsx", include_columns=True)
        for workbook_name in ("kept.xlsx", "made.xlsx"):
            sheet = openpyxl.load_workbook(tmp_path / workbook_name).active
            lines = [line[-3:-1] for line in sheet.iter_rows(min_row=2, values_only=True)]
            assert lines == list(zip([1, 2, 3, 1], post, strict=True)), (name, workbook_name)


def test_workbook_stores_texts_and_numbers(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "neu.csv"
    path.write_text("id,code,n\nA\x07,01,5\n=1+1,10,2.5\n#N/A,,-1\n", encoding="utf-8")
    raw = read(path, ReadOptions(header=True))
    predictions = TablePredictions(
        np.array([1.5, -2.0, 3.0]), None, (), (), PredictedTable.from_raw_table(raw), raw=raw
    )
    write_predictions(
        predictions.select_rows(np.array([1, 0, 2])), tmp_path / "out.XLSX", include_columns=True
    )
    sheet = openpyxl.load_workbook(tmp_path / "out.XLSX").active
    assert [list(row) for row in sheet.iter_rows(values_only=True)] == [
        ["row", "id", "code", "n", "prediction"],
        [2, "=1+1", "10", 2.5, -2],
        [1, "A�", "01", 5, 1.5],
        [3, "#N/A", None, -1, 3],
    ]
    assert {cell.data_type for cell in sheet["B"]} == {"s"}
    for labels, expected in ((["1", "2"], [1, 2]), (["01", "2"], ["01", "2"]), ([7, 8], [7, 8])):
        predictions = TablePredictions(np.array(labels, dtype=object), None, (), ())
        write_predictions(predictions, tmp_path / "labels.xlsx")
        sheet = openpyxl.load_workbook(tmp_path / "labels.xlsx").active
        assert [cell.value for cell in sheet["A"]] == ["prediction", *expected]


AMOUNTS = """\
Nr;Seit;Zeit;Betrag;Rabatt;Code;Ab
A1;09.12.2018;2018-12-09 08:30;1.200,50 €;10 %;0012;01/02/1850
A2;;2017-01-02 17:05;20,00 €;5 %;0450;02/03/2001
A3;31.03.2020;2020-03-31 00:00;-3,10 €;7 %;0007;13/03/2001
A4;irgendwann;2020-04-01 12:00;unbekannt;7 %;0100;14/03/2001
"""


@pytest.mark.slow
def test_workbook_stores_dates_amounts_and_probabilities(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "neu [Januar].csv"
    more = (f"B{k};1{k % 9}.05.2019;2018-12-1{k % 9} 08:30;{k},00 €;{k} %;00{k};1{k % 9}/03/2001"
            for k in range(1, 60))  # fmt: skip
    path.write_text(AMOUNTS + "\n".join(more), encoding="utf-8")
    raw = read(path, ReadOptions(header=True))
    assert [raw.formats[index].kind for index in (1, 2, 3, 6)] == ["date", "date", "number", "date"]
    predictions = TablePredictions(
        np.array(["ja"] * raw.n_rows, dtype=object),
        np.tile([0.25, 0.75], (raw.n_rows, 1)),
        ("nein", "ja"),
        (),
        PredictedTable.from_raw_table(raw),
        raw=raw,
    )
    store_predictions(predictions, tmp_path)
    save_rows(tmp_path, (2, 0, 1, 3), tmp_path / "kept.xlsx")
    write_predictions(
        predictions.select_rows(np.array([2, 0, 1, 3])),
        tmp_path / "made.xlsx",
        include_columns=True,
    )
    for name in ("kept.xlsx", "made.xlsx"):
        sheet = openpyxl.load_workbook(tmp_path / name).active
        assert sheet.title == "neu  Januar"
        assert sheet.freeze_panes == "A2", "the heading stays in sight"
        assert [cell.value for cell in sheet["A"]] == ["row", 3, 1, 2, 4]
        sheet.delete_cols(1)
        rows = {row[0].value: row for row in sheet.iter_rows(min_row=2)}
        assert list(rows) == ["A3", "A1", "A2", "A4"]
        assert rows["A1"][1].value == datetime.datetime(2018, 12, 9)
        assert rows["A1"][1].number_format == "dd.mm.yyyy"
        assert rows["A1"][2].value == datetime.datetime(2018, 12, 9, 8, 30)
        assert (rows["A2"][1].value, rows["A4"][1].value) == (None, "irgendwann")
        assert [rows[each][3].value for each in ("A1", "A2", "A3")] == [1200.5, 20, -3.1]
        assert rows["A1"][3].number_format == '#,##0.00" €"'
        assert rows["A4"][3].value == "unbekannt"
        assert (rows["A1"][4].value, rows["A1"][4].number_format) == (10, '#,##0" %"')
        assert rows["A1"][5].value == "0012", "zeros in front are part of a code"
        assert rows["A1"][6].value == "01/02/1850", "before Excel's calendar"
        assert rows["A2"][6].value == datetime.datetime(2001, 3, 2)
        assert [cell.value for cell in rows["A1"][7:]] == ["ja", 0.25, 0.75]
        assert {cell.number_format for cell in rows["A1"][8:]} == {PERCENT}


def test_workbook_stores_numeric_columns_as_numbers(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "hours.csv"
    rows = (f"{k % 7}.{k % 10}0,{k}.5,{k},${k},K{k}" for k in range(1, 40))
    path.write_text(
        "hours,half,whole,mixed,key\n" + "\n".join(rows) + "\n2.00,3.25,4,7 USD,K0\n",
        encoding="utf-8",
    )
    raw = read(path)
    assert [raw.formats[index].kind for index in range(4)] == ["number"] * 4
    predictions = TablePredictions(
        np.ones(raw.n_rows), None, (), (), PredictedTable.from_raw_table(raw), raw=raw
    )
    write_predictions(predictions, tmp_path / "made.xlsx", include_columns=True)
    sheet = openpyxl.load_workbook(tmp_path / "made.xlsx").active
    last = [*sheet.iter_rows()][-1][-6:-1]
    assert [cell.value for cell in last] == [2, 3.25, 4, 7, "K0"]
    assert [cell.number_format for cell in last[:4]] == ["0.00", "General", "0", "General"]


def test_workbook_repeats_values_of_columns_without_format(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "sizes.csv"
    lines = [
        "size,pulse,note",
        *(f"{1.5 + k % 3 / 4:g},{'?' if k % 2 else 60},=1" for k in range(60)),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    raw = read(path)
    predictions = TablePredictions(
        np.arange(60.0), None, (), (), PredictedTable.from_raw_table(raw), raw=raw
    )
    write_predictions(predictions, tmp_path / "made.xlsx", include_columns=True)
    sheet = openpyxl.load_workbook(tmp_path / "made.xlsx").active
    rows = [[cell.value for cell in row][-4:] for row in sheet.iter_rows(min_row=2)]
    assert rows == [[1.5 + k % 3 / 4, "?" if k % 2 else 60, "=1", float(k)] for k in range(60)]


@pytest.mark.parametrize("table", ["", "'.csv", "a:b?.csv", "x" * 40 + ".csv"])
def test_sheet_name_is_valid_in_excel(tmp_path: Path, table: str) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    content = build_workbook(
        InputSheet(title=make_sheet_title(table)), ["y"], np.array([1.0]), np.empty((1, 0))
    )
    (title,) = openpyxl.load_workbook(io.BytesIO(content)).sheetnames
    assert 0 < len(title) <= 31


def test_workbook_requires_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(ExportError, match="not installed"):
        write_predictions(make_written_table(tmp_path), tmp_path / "out.xlsx", include_columns=True)
    assert not (tmp_path / "out.xlsx").exists()


@pytest.mark.slow
def test_expected_outcome_is_estimated_from_unseen_rows(
    classification_run: tuple[Path, int], mixed_type_table: Path, tmp_path: Path
) -> None:
    path, run_id = classification_run
    with Document.open(path) as document:
        assert predict_table(document, run_id, mixed_type_table).unseen_rows is None
        predicted = predict_table(document, run_id, mixed_type_table, with_expected_outcome=True)
    store_predictions(predicted, tmp_path)
    rows = load_predictions(tmp_path)
    assert rows.unseen_rows is not None
    assert rows.classes[rows.positive_code] == "good", "the rarer one"
    selected_rows = select_first_rows(rows, 20, rows.positive_code)
    scores = rows.probabilities[:, rows.positive_code]
    assert scores[selected_rows].min() >= np.delete(scores, selected_rows).max()
    rates = HitRates.learn(
        rows.unseen_rows.predictions[:, rows.positive_code],
        rows.unseen_rows.truth == rows.positive_code,
    )
    exact = TotalEstimate.from_draws(rates.draw(RowGroups.from_predictions(scores[selected_rows])))
    pieces = make_row_groups(rows, selected_rows, rows.positive_code)
    outcome = estimate_outcome(
        tmp_path, rows.positive_code, tuple(pieces.means.tolist()), tuple(pieces.counts.tolist())
    )
    assert (outcome.mean, outcome.low, outcome.high) == (exact.mean, exact.low, exact.high)
    assert outcome.label == "good"
    assert outcome.usual < outcome.mean
    everything = make_row_groups(rows, np.arange(len(scores)), rows.positive_code)
    total = OutcomeEstimator.learn(rows, rows.positive_code).estimate_outcome(everything)
    assert total.mean == pytest.approx(total.usual)


def test_scores_outside_training_range_are_counted_if_significant() -> None:
    rng = np.random.default_rng(5)
    seen_scores = rng.random(400)
    alarms = [count_beyond(rng.random(100), rng.random(400)) > 0 for _ in range(2000)]
    assert np.mean(alarms) <= 0.014  # 1 %, plus sampling error
    assert count_beyond(np.append(rng.random(95), [2.0, 3.0, 4.0, 5.0, 6.0]), seen_scores) == 5
    assert count_beyond(np.array([0.5, 2.0]), seen_scores[:20]) == 0
    assert count_beyond(seen_scores, seen_scores) == 0


@pytest.mark.slow
def test_single_trial_has_no_expected_outcome(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, table, trial=1, with_expected_outcome=True)
    assert predicted.unseen_rows is None
    with pytest.raises(UsageError, match="ensemble only"):
        OutcomeEstimator.learn(format_rows(predicted), 0)
    with pytest.raises(ProtocolError, match="Predict again"):
        load_predictions(tmp_path)


@pytest.mark.slow
def test_damaged_trial_keeps_predictions_without_expectation(
    regression_run: tuple[Path, int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RunError("Trial 3 is damaged.")

    monkeypatch.setattr("studio.export.predict.predict_unseen_rows", refuse)
    path, run_id, table = regression_run
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, table, with_expected_outcome=True)
    assert len(predicted.values) == 150
    assert format_rows(predicted).no_estimate_reason.endswith(" Trial 3 is damaged.")


@pytest.mark.slow
def test_new_row_has_values_of_table_row(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    with Document.open(path) as document:
        store_predictions(predict_table(document, run_id, table), tmp_path)
    first = table.read_text().splitlines()[3].split(",")
    assert make_new_row(path, run_id, tmp_path, 2).values == (
        float(first[0]),
        float(first[1]),
        first[2],
    )


@pytest.mark.slow
def test_predict_prints_first_rows(
    classification_run: tuple[Path, int], mixed_type_table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["predict", str(classification_run[0]), str(mixed_type_table), "--top", "10"]
    assert main(argv) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out), delimiter=";"))
    shares = [float(row["probability good"].replace(",", ".")) for row in rows]
    assert len(rows) == 10
    assert shares == sorted(shares, reverse=True)
    assert "first 10 rows" in err
    assert main([*argv, "--class", "bad", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert answer["expected"]["label"] == "bad"
    assert "“bad”" in answer["expected"]["sentence"]
    assert answer["output"] is None
    assert len(answer["preview"]) == len(answer["rows_preview"]) == 11


@pytest.mark.slow
def test_predict_prints_expected_sum(
    regression_run: tuple[Path, int, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [
        "predict",
        str(regression_run[0]),
        str(regression_run[2]),
        "-o",
        str(tmp_path / "o.csv"),
    ]
    assert main([*argv, "--top", "25"]) == 0
    assert contains_facts(capsys.readouterr().err, "first 25 rows", "add up")
    with (tmp_path / "o.csv").open(encoding="utf-8-sig") as file:
        values = [float(row["prediction"]) for row in csv.DictReader(file)]
    assert len(values) == 25
    assert values == sorted(values, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ((), "-o"),
        (("--top", "0"), "1 or more"),
        (("--class", "good", "-o", "o.csv"), "--top"),
        (("--top", "3", "--class", "none"), "no class 'none'"),
    ],
)
def test_invalid_row_selection_is_rejected(
    classification_run: tuple[Path, int],
    mixed_type_table: Path,
    more: tuple[str, ...],
    expected: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["predict", str(classification_run[0]), str(mixed_type_table), *more]) == 2
    assert expected in capsys.readouterr().err


@pytest.fixture(scope="module")
def with_texts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, Path]:
    """Return a run on numbers, categories, dates and texts, and new rows with other names."""
    rng = np.random.default_rng(2)
    folder = tmp_path_factory.mktemp("texts")
    lines = ["amount,kind,since,note,fraud"]
    for row in range(160):
        amount, kind = rng.gamma(2.0, 1000.0), rng.choice(["car", "house"])
        fraud = rng.random() < 0.5
        note = rng.choice(["story changed twice", "no papers"] if fraud else ["polite", "clear"])
        note += rng.choice([" today", " at noon", ""])
        since = f"{1 + row % 28:02}/{1 + row % 12:02}/2024 {row % 24:02}:30"
        lines.append(f'"€{amount:,.2f}",{kind},{since},{note},{"yes" if fraud else "no"}')
    (folder / "claims.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = TableSource(
        path=str(folder / "claims.csv"), kinds={"note": "text", "since": "date"}, target="fraud"
    )
    new = folder / "new.csv"
    new.write_text(
        "Note,kind,Since,amount\n"
        "Story changed at noon ,house,27/03/2024 23:30,\"€2,345.60\"\n"
        "n/a,car,,\n"
        ",boat,01/02/2024,17\n",
        encoding="utf-8",
    )  # fmt: skip
    return *make_finished_run(folder / "work.studio", folder / "claims.csv", source=source), new


@pytest.mark.slow
def test_new_row_prediction_agrees_with_one_row(
    with_texts: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, new = with_texts
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, new)
    store_predictions(predicted, tmp_path)
    rows = [make_new_row(path, run_id, tmp_path, row).values for row in range(3)]
    first, *others = rows
    assert first[:3] == (2345.6, "house", "27/03/2024 23:30")
    assert first[3].startswith("Story changed")
    assert others == [(None, "car", None, None), (17.0, None, "01/02/2024", None)]
    unknown = [make_new_row(path, run_id, tmp_path, row).unknown for row in range(3)]
    assert unknown == [("",) * 4, ("",) * 4, ("", "boat", "", "")]
    assert predicted.probabilities is not None
    for values, shares in zip(rows, predicted.probabilities, strict=True):
        probabilities = predict_row(path, run_id, values).probabilities
        np.testing.assert_allclose(probabilities, shares, atol=1e-12)
