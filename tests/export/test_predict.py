"""Predictions for new tables: missing, extra and reordered columns, unseen categories."""

import csv
import io
import pickle
import shutil
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.children import make_code_command
from studio.data.duplicates import are_rows_among
from studio.data.read_options import ReadOptions
from studio.data.reading import read
from studio.document.store import Document
from studio.errors import DataError, ExportError, UsageError
from studio.export import predict
from studio.export.estimator import _make_single_trial_ensemble, train
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.export.frame import make_raw_frame
from studio.export.predict import predict_pickle, predict_table
from studio.export.predictions import (
    PredictedTable,
    TablePredictions,
    get_input_columns,
    make_prediction_rows,
    write_predictions,
)
from studio.export.progress import PREDICTING, TRAINING
from studio.helper.tables import check_table
from studio.printable import escape_cell
from studio.runs.inline import InlinePool
from studio.trial import FailureKind, History, Trial
from tests.facts import about, facts
from tests.recording_reporter import RecordingReporter

pytestmark = pytest.mark.slow


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def records(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        text = file.read()
    separator = ";" if ";" in text.partition("\n")[0] else ","
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


def test_column_order_is_irrelevant_and_extra_columns_are_reported(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    rows = records(table)
    turned = write(
        tmp_path / "turned.csv",
        ["kind,extra,y,x", *(f"{row['kind']},9,{row['y']},{row['x']}" for row in rows)],
    )
    with Document.open(path) as document:
        straight = predict_table(document, run_id, table)
        predicted = predict_table(document, run_id, turned)
    assert predicted.values.tolist() == straight.values.tolist()
    assert any("not needed" in note for note in predicted.notes)


def test_missing_columns_and_unseen_categories_are_reported(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, _ = regression_run
    new = write(tmp_path / "new.csv", ["x,kind", "0.5,z", "1.5,q"])
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, new)
    assert len(predicted.values) == 2
    assert any("missing" in note and "'y'" in note for note in predicted.notes)
    assert any("'z'" in note for note in predicted.notes)


def test_alternative_column_spellings_give_same_predictions(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    header, *lines = table.read_text().splitlines()
    shouted = write(tmp_path / "shouted.csv", [header.upper().replace(",", " , "), *lines])
    with Document.open(path) as document:
        straight = predict_table(document, run_id, table)
        predicted = predict_table(document, run_id, shouted)
    assert predicted.values.tolist() == straight.values.tolist()
    assert any("'KIND' ('kind')" in note for note in predicted.notes)


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        (["x,kind", "0.5,p", "1.5,q"], True),
        (["x,kind", "0.5,p"], False),
        (["x,kind", "0.5,p", "0.5,p"], False),
        (["x,y,kind", "0.5,1,p", "1.5,1,q"], False),
    ],
    ids=["different rows", "one row", "equal rows", "all columns"],
)
def test_constant_predictions_with_missing_columns_are_rejected(
    regression_run: tuple[Path, int, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str],
    refused: bool,
) -> None:
    path, run_id, _ = regression_run
    answers = np.full(len(lines) - 1, 0.25)
    monkeypatch.setattr(predict, "_predict_in_chunks", lambda *_: (answers, None))
    new = write(tmp_path / "new.csv", lines)
    with Document.open(path) as document:
        if refused:
            with pytest.raises(DataError, match="'y'"):
                predict_table(document, run_id, new)
        else:
            assert predict_table(document, run_id, new).values.tolist() == answers.tolist()


def test_prediction_intervals_cover_and_are_written(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, table, interval=0.9)
        with pytest.raises(UsageError, match="0 and 1"):
            predict_table(document, run_id, table, interval=90.0)
    write_predictions(predicted, tmp_path / "out.csv", include_columns=True)
    rows = records(tmp_path / "out.csv")
    inside = [
        float(row["lower 90 %"]) <= float(row["value"]) <= float(row["upper 90 %"]) for row in rows
    ]
    assert 0.85 < np.mean(inside) < 1.0
    assert all(float(row["lower 90 %"]) < float(row["prediction"]) for row in rows)


def test_interval_of_few_rows_is_omitted_with_note(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, table, interval=0.9999)
    assert predicted.intervals is None
    assert any("too few" in note for note in predicted.notes)


def test_class_predictions_have_no_interval(
    classification_run: tuple[Path, int], mixed_type_table: Path
) -> None:
    path, run_id = classification_run
    with Document.open(path) as document, pytest.raises(UsageError, match="probability"):
        predict_table(document, run_id, mixed_type_table, interval=0.9)


def test_table_without_known_columns_is_rejected(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, _ = regression_run
    other = write(tmp_path / "other.csv", ["red,green", "1,2", "3,4"])
    check_facts = about(source="'other.csv'", expected="'x', 'y', 'kind'")
    with Document.open(path) as document, pytest.raises(DataError, check=check_facts):
        predict_table(document, run_id, other)


def test_table_in_another_locale_is_parsed_with_options(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, _ = regression_run
    german = write(tmp_path / "german.csv", ["x;y;kind", "0,5;1,25;p"])
    plain = write(tmp_path / "plain.csv", ["x,y,kind", "0.5,1.25,p"])
    with Document.open(path) as document:
        first = predict_table(document, run_id, german, ReadOptions(separator=";", decimal=","))
        second = predict_table(document, run_id, plain)
    assert first.values.tolist() == second.values.tolist()


def test_pickle_encodes_table_as_document_does(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, _ = regression_run
    model = tmp_path / "model.pkl"
    other = write(tmp_path / "german.csv", ["KIND; X;y", "p;0,5;1,25", "q;-1,5;1.234,5"])
    with Document.open(path) as document:
        model.write_bytes(pickle.dumps(train(document, run_id, make_pool=InlinePool).estimator))
        expected = predict_table(document, run_id, other)
    predictions = predict_pickle(model, other, ReadOptions())
    np.testing.assert_allclose(predictions.values, expected.values)
    assert any("'KIND' ('kind')" in note for note in predictions.notes)


@pytest.mark.parametrize("cause", ["not to keep", "a reason", "unknown", "another trial", "kept"])
def test_reason_for_retraining_is_reported_first(
    regression_run: tuple[Path, int, Path],
    tmp_path: Path,
    cause: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(predict, "train", partial(train, make_pool=InlinePool))
    path, run_id, _ = regression_run
    path = Path(shutil.copyfile(path, tmp_path / "run.studio"))
    new = write(tmp_path / "new.csv", ["x,y,kind", "0.5,1,p", "1.5,1,q"])
    recorded = RecordingReporter()
    reason = "The disk was full. Refit the members once."
    with Document.open(path) as document:
        result = document.runs.get(run_id).result
        assert result is not None
        first, second, *_ = result.members
        if cause in {"not to keep", "a reason", "unknown"}:
            document.ensembles.remove(run_id)
        if cause == "a reason":
            document.runs.set_result(run_id, replace(result, kept_reason=reason))
        if cause == "not to keep":
            document.runs.change_settings(run_id, {"keep": False})
        trial = second.trial if cause == "another trial" else None
        if trial is not None:
            document.runs.set_result(run_id, replace(result, members=(first,)))
        predict_table(document, run_id, new, progress=recorded, trial=trial)
    before = recorded.reports[: recorded.reports.index(PREDICTING)]
    if cause == "kept":
        assert not before
        return
    note, training, *_ = before
    assert ([note], training) == (recorded.notes, TRAINING)
    assert (note == reason) is (cause == "a reason")
    if cause != "a reason":
        assert facts(note) == ({} if trial is None else {"trial": str(trial)})


def test_pickle_treats_missing_columns_as_document_does(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, _ = regression_run
    model = tmp_path / "model.pkl"
    without = write(tmp_path / "without.csv", ["KIND;x", "p;0,5", "q;-1,5"])
    least = write(tmp_path / "least.csv", ["kind;extra", "p;1", "q;2"])
    with Document.open(path) as document:
        model.write_bytes(pickle.dumps(train(document, run_id, make_pool=InlinePool).estimator))
        expected = predict_table(document, run_id, without)
        with pytest.raises(DataError) as refused:
            predict_table(document, run_id, least)
    predictions = predict_pickle(model, without, ReadOptions())
    np.testing.assert_allclose(predictions.values, expected.values)
    assert any("missing" in note and "'y'" in note for note in predictions.notes)
    with pytest.raises(DataError, check=about(**facts(refused.value))):
        predict_pickle(model, least, ReadOptions())


def test_predicted_probabilities_sum_to_one(
    classification_run: tuple[Path, int], mixed_type_table: Path, tmp_path: Path
) -> None:
    with Document.open(classification_run[0]) as document:
        predicted = predict_table(document, classification_run[1], mixed_type_table)
    assert predicted.probabilities is not None
    assert predicted.probabilities.sum(axis=1) == pytest.approx(1.0)
    assert ((predicted.probabilities > 0) & (predicted.probabilities < 1)).mean() > 0.5
    largest = [predicted.classes[code] for code in predicted.probabilities.argmax(axis=1)]
    same = [one == other for one, other in zip(largest, predicted.values.tolist(), strict=True)]
    assert sum(same) > 0.9 * len(same), "votes and probabilities seldom differ"
    write_predictions(predicted, tmp_path / "out.csv")
    rows = records(tmp_path / "out.csv")
    assert rows[0]["prediction"] in {"good", "bad"}
    assert {"probability good", "probability bad"} <= set(rows[0])


def test_non_pickle_file_is_reported(mixed_type_table: Path, tmp_path: Path) -> None:
    fake = tmp_path / "m.pkl"
    fake.write_text("not a pickle")
    with pytest.raises(ExportError, check=about(model=str(fake))):
        predict_pickle(fake, mixed_type_table, ReadOptions())


def test_predictions_are_appended_to_table_columns(tmp_path: Path) -> None:
    table = tmp_path / "neu.csv"
    table.write_bytes("Kunde;Größe\nK1;-1,5\n=1+1;2,5\n".encode("cp1252"))
    table_columns = PredictedTable.from_raw_table(read(table, ReadOptions(header=True)))
    shares = np.array([[0.25, 0.75], [1.0, 0.0]])
    predictions = TablePredictions(
        np.array(["ja", "nein"], dtype=object), shares, ("ja", "nein"), (), table_columns
    )
    write_predictions(predictions, tmp_path / "plain.csv", include_columns=True)
    assert "\n=1+1;2,5" in (tmp_path / "plain.csv").read_text(encoding="utf-8-sig")
    write_predictions(predictions, tmp_path / "out.csv", include_columns=True, for_spreadsheet=True)
    names, *rows = (tmp_path / "out.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert names.split(";") == [
        *("Kunde", "Größe", "prediction", "probability ja", "probability nein")
    ]
    assert rows == ["K1;-1,5;ja;0,25;0,75", "'=1+1;2,5;nein;1;0"]
    numbers = TablePredictions(np.array([1.5, -2.0]), None, (), (), table_columns)
    write_predictions(numbers, tmp_path / "out.csv", include_columns=True)
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [line.rsplit(";")[-1] for line in lines] == ["prediction", "1,5", "-2,0"]
    assert make_prediction_rows(numbers)[1:] == [[1.5], [-2.0]], (
        "the preview in JSON has plain numbers"
    )
    assert make_prediction_rows(predictions)[1] == ["ja", "0.25", "0.75"]


def test_first_rows_include_table_columns(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["a,b,c", "1,,x", "2,y,zz", "3,y,x"])
    raw = read(table, ReadOptions(header=True))
    assert get_input_columns(PredictedTable.from_raw_table(raw), 2, 2) == [
        ["a", "b"],
        ["1", ""],
        ["2", "y"],
    ]


@pytest.mark.parametrize("failure", ["early", "time"])
def test_trial_without_model_is_not_called_failed(failure: FailureKind) -> None:
    history, cause = History(np.zeros(2, np.int64), 2), "It was late."
    history.append(
        Trial(number=1, configuration={}, seed=0, loss=None, cause=cause, failure=failure), None
    )
    with pytest.raises(ExportError, check=about(trial="1", cause=cause)) as rejected:
        _make_single_trial_ensemble(history, 1)
    assert "fail" not in str(rejected.value)


def test_single_trial_can_predict(
    regression_run: tuple[Path, int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id, table = regression_run
    with Document.open(path) as document:
        result = document.runs.get(run_id).result
        single = result.single.trial
        stored_model = train(document, run_id, trial=single)
        monkeypatch.setattr("studio.export.estimator.read_kept", lambda *_, **__: (None, ""))
        repeated = train(document, run_id, trial=single, make_pool=InlinePool)
        assert (stored_model.is_from_document, repeated.is_from_document) == (True, False)
        assert stored_model.ensemble.members == repeated.ensemble.members == (single,)
        prepared_run = stored_model.prepared_run
        frame = make_raw_frame(stored_model, prepared_run.problem.rows[prepared_run.split.test])
        predictions = np.asarray(stored_model.estimator.predict(frame))
        np.testing.assert_array_equal(predictions, np.asarray(repeated.estimator.predict(frame)))
        loss = prepared_run.compute_loss(prepared_run.split.test, predictions)
        assert loss == pytest.approx(result.test_error_single, rel=1e-6)
        progress = RecordingReporter()
        with pytest.raises(ExportError, check=about(trial="99", count=8)):
            predict_table(document, run_id, table, trial=99, progress=progress)
        assert progress.notes == []
        with pytest.raises(ExportError, match="the ensemble"):
            predict_table(document, run_id, table, trial=single, interval=0.9)
        with pytest.raises(ExportError, match="whole run"):
            get_format("report").export(ExportJob(document, run_id, path, trial=single))


def test_unfamiliar_rows_are_reported(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    rows = records(table)
    shifted_table = write(
        tmp_path / "moved.csv",
        ["x,y,kind", *(f"{float(row['x']) + 3},{row['y']},{row['kind']}" for row in rows)],
    )
    with Document.open(path) as document:
        assert predict_table(document, run_id, table).training_comparison.sentences == ()
        comparison = predict_table(document, run_id, shifted_table).training_comparison
    assert [each.name for each in comparison.changed_columns] == ["x"]
    assert check_table(path, run_id, shifted_table).data_differences == comparison.sentences


LABELS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=8
) | st.sampled_from(
    ["+", "-", "=1+1", "@x", "-5 % or less", "'+", '"', ",", ";", "a\nb", "\r", " "]
)


@given(labels=st.lists(LABELS, min_size=1, max_size=6), beside=st.booleans())
@settings(max_examples=100, deadline=None)
def test_labels_round_trip_through_predictions(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], beside: bool
) -> None:
    folder = tmp_path_factory.mktemp("labels")
    table_columns = PredictedTable.from_raw_table(
        read(write(folder / "t.csv", ["a;b", *("1;2,5" for _ in labels)]))
    )
    predictions = TablePredictions(np.array(labels, dtype=object), None, (), (), table_columns)
    write_predictions(predictions, folder / "out.csv", include_columns=beside)
    separator = ";"
    with (folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=separator))
    assert [row["prediction"] for row in rows] == labels
    # A file for spreadsheets differs only in cells that would run as formulas.
    write_predictions(
        predictions, folder / "sheet.csv", include_columns=beside, for_spreadsheet=True
    )
    with (folder / "sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        sheet = list(csv.DictReader(file, delimiter=separator))
    assert [row["prediction"] for row in sheet] == [escape_cell(label) for label in labels]


def test_fresh_process_predicts_without_slow_imports(
    classification_run: tuple[Path, int], mixed_type_table: Path, tmp_path: Path
) -> None:
    output_path = tmp_path / "predictions.csv"
    code = (
        "import sys; from studio.cli.entry import main\n"
        "assert main(['predict', *sys.argv[1:]]) == 0\n"
        "print(*{'scipy.stats._stats_py', 'matplotlib'} & sys.modules.keys())"
    )
    command = make_code_command(
        code, str(classification_run[0]), str(mixed_type_table), "-o", str(output_path)
    )
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert process.stdout.splitlines()[-1] == ""
    assert len(output_path.read_text().splitlines()) == 161


def test_training_rows_contained_in_new_table_are_reported(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    lines = table.read_text().splitlines()
    other = tmp_path / "new.csv"
    other.write_text("\n".join([lines[0], *("9" + line for line in lines[1:])]) + "\n")
    with Document.open(path) as document:
        known_notes, new = (predict_table(document, run_id, each).notes for each in (table, other))
    assert [note for note in known_notes if "training rows" in note]
    assert not [note for note in new if "training rows" in note]
    other.write_text("\n".join(lines[:2]) + "\n")
    with Document.open(path) as document:
        (alone,) = (
            note for note in predict_table(document, run_id, other).notes if "training rows" in note
        )
    assert "1 of 1" not in alone


@pytest.mark.parametrize("seed", range(3))
def test_detection_of_training_rows_equals_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    known_rows, rows = (rng.integers(0, 3, (40, 3)).astype(float) for _ in range(2))
    known_rows[0, 0] = rows[5, 0] = np.nan
    rows[5, 1:] = known_rows[0, 1:]
    by_hand = [
        any(np.array_equal(row, each, equal_nan=True) for each in known_rows) for row in rows
    ]
    assert are_rows_among(rows, known_rows).tolist() == by_hand
