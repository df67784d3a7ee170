"""The pickle: its dependencies, its predictions, and atomic writing."""

import hashlib
import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.data.reading import read
from studio.document.store import Document
from studio.errors import ExportError
from studio.export.bundle import write
from studio.export.formats.base import ExportJob, ExportResult
from studio.export.predict import predict_table
from studio.export.preprocessing import MISSING_COLUMNS_WARNING
from studio.runs.settings import TableSource
from tests.export.conftest import make_finished_run
from tests.recording_reporter import RecordingReporter

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def exported(
    classification_run: tuple[Path, int], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ExportResult]:
    path = tmp_path_factory.mktemp("out") / "model.pkl"
    with Document.open(classification_run[0]) as document:
        return path, write(ExportJob(document, classification_run[1], path))


def load(path: Path) -> Any:
    with path.open("rb") as file:
        return pickle.load(file)


# A word such as NA may be a category, which only the cells of the whole column show.
READINGS: list[dict[str, Any]] = [
    {"keep_default_na": False, "na_values": ["", "?"]},
    {"keep_default_na": False, "na_values": ["", "?"], "dtype": str},
    {"keep_default_na": False, "dtype": str},
    {"keep_default_na": False, "na_values": ["", "?"], "decimal": ",", "thousands": "."},
]


@pytest.mark.parametrize("reading", READINGS, ids=["default", "text", "plain text", "marks told"])
def test_pickle_predicts_equally_for_any_pandas_dtypes(
    exported: tuple[Path, ExportResult],
    classification_run: tuple[Path, int],
    mixed_type_table: Path,
    reading: Any,
) -> None:
    model = load(exported[0])
    table = pd.read_csv(mixed_type_table, sep=";", **reading)
    with Document.open(classification_run[0]) as document:
        predicted = predict_table(document, classification_run[1], mixed_type_table)
    assert model.predict(table).tolist() == predicted.values.tolist()


def test_pickle_encodes_table_as_run_does(
    exported: tuple[Path, ExportResult],
    classification_run: tuple[Path, int],
    mixed_type_table: Path,
) -> None:
    from studio.runs.prepare import prepare

    model = load(exported[0])
    with Document.open(classification_run[0], writable=False) as document:
        prepared_run = prepare(document, classification_run[1])
    table = pd.read_csv(mixed_type_table, sep=";", dtype=str, keep_default_na=False)
    np.testing.assert_array_equal(model[:-1].transform(table), prepared_run.problem.X)
    recipe = prepared_run.problem.make_recipe()
    np.testing.assert_array_equal(recipe.encode(read(mixed_type_table)).X, prepared_run.problem.X)


def test_pickle_loads_without_program(exported: tuple[Path, ExportResult]) -> None:
    code = (
        "import sys; sys.modules['studio'] = None\n"
        "import pickle; model = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print([name for name in sys.modules if name.startswith('studio.')])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, str(exported[0])], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == "[]"


def test_pickle_has_companion_file_with_metadata(exported: tuple[Path, ExportResult]) -> None:
    path, export_result = exported
    metadata = json.loads(path.with_name(f"{path.name}.json").read_text())
    assert metadata["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert metadata["packages"]["scikit-learn"]
    assert metadata["columns"] == export_result.details["columns"]
    assert "size.1" in metadata["columns"]
    example = path.with_name("model.pkl.example.py").read_text()
    compile(example, "example", "exec")
    assert "sep=';'" in example


def test_example_code_in_companion_file_runs(
    exported: tuple[Path, ExportResult], mixed_type_table: Path, tmp_path: Path
) -> None:
    for name in ("model.pkl", "model.pkl.example.py"):
        (tmp_path / name).write_bytes(exported[0].with_name(name).read_bytes())
    (tmp_path / "new.csv").write_bytes(mixed_type_table.read_bytes())
    process = subprocess.run(
        [sys.executable, "model.pkl.example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "good" in process.stdout


def test_pickle_warns_of_missing_columns_at_each_call(
    exported: tuple[Path, ExportResult], mixed_type_table: Path
) -> None:
    model = load(exported[0])
    table = pd.read_csv(mixed_type_table, sep=";", dtype=str, keep_default_na=False)
    n_columns = len(exported[1].details["columns"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(table)  # the target, an extra column, is no reason to warn
    short = table.drop(columns=["word", "code"])
    for call in (model.predict, model.predict, model.predict_proba):
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("default")  # Python's own, which shows repetitions once
            predictions = call(short)
        (warning,) = shown
        assert str(warning.message).startswith(f"{MISSING_COLUMNS_WARNING} (2 of {n_columns})")
        assert "'code'" in str(warning.message) and "'word'" in str(warning.message)
    empty = table.assign(word=None, code=None)
    np.testing.assert_array_equal(predictions, model.predict_proba(empty))


def test_regression_pickle_predicts_numbers(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, table = regression_run
    output_path = tmp_path / "model.pkl"
    with Document.open(path) as document:
        write(ExportJob(document, run_id, output_path))
        predicted = predict_table(document, run_id, table)
    model = load(output_path)
    np.testing.assert_allclose(
        model.predict(pd.read_csv(table, dtype=str)), predicted.values, rtol=1e-12
    )
    assert predicted.probabilities is None


def test_missing_folder_is_reported_without_temporary_files(
    classification_run: tuple[Path, int], tmp_path: Path
) -> None:
    with (
        Document.open(classification_run[0]) as document,
        pytest.raises(ExportError, match="writable folder"),
    ):
        write(ExportJob(document, classification_run[1], tmp_path / "no" / "model.pkl"))
    assert list(tmp_path.iterdir()) == []


def test_run_without_successful_trial_cannot_be_exported(
    tmp_path: Path, mixed_type_table: Path
) -> None:
    from studio.runs.prepare import prepare
    from studio.runs.settings import RunSettings, TableSource

    with Document.create(tmp_path / "w.studio") as document:
        settings = RunSettings(source=TableSource(path=str(mixed_type_table)))
        run_id = document.runs.add("waiting", settings.to_json())
        prepare(document, run_id, starts_run=True)
        progress = RecordingReporter()
        with pytest.raises(ExportError, match="no successful trial"):
            write(ExportJob(document, run_id, tmp_path / "m.pkl", progress=progress))
        assert progress.notes == []  # nothing is announced that cannot follow


def make_titled_lines(separator: str) -> list[str]:
    rows = [
        separator.join((f"{row % 7},5", "äö"[row % 2], f"{row % 7 * 10 + row / 100:.2f}"))
        for row in range(80)
    ]
    return ["Export of the desk", "", separator.join(("größe", "wort", "preis")), *rows]


@pytest.mark.slow
@pytest.mark.parametrize(("has_names", "n_above"), [(True, 2), (True, 0), (False, 0)])
def test_example_reads_new_file_as_training_did(
    has_names: bool, n_above: int, tmp_path: Path
) -> None:
    title, blank, names, *rows = make_titled_lines(";")
    table, new = tmp_path / "old.csv", tmp_path / "new.csv"
    above = [title, blank][:n_above] + [names] * has_names
    table.write_text("\n".join([*above, *rows]) + "\n", encoding="cp1252")
    # The other title and the missing target are those of a later export.
    without_target = [line.rsplit(";", 1)[0] for line in (names, *rows)][not has_names :]
    above = ["Open orders", blank][:n_above]
    new.write_text("\n".join([*above, *without_target]) + "\n", encoding="cp1252")
    reading = {"encoding": "cp1252"} | ({} if has_names else {"header": False})
    target = "preis" if has_names else "column 3"
    run = make_finished_run(
        tmp_path / "r.studio",
        table,
        method="EO-mse",
        source=TableSource(path=str(table), target=target, reading=reading),
    )
    with Document.open(run[0], writable=False) as document:
        export_result = write(ExportJob(document, run[1], tmp_path / "model.pkl"))
        expected = predict_table(document, run[1], new).values
    assert len(expected) == len(rows)
    example = export_result.example.replace("model.predict(table)", "model.predict(table).tolist()")
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    np.testing.assert_allclose(json.loads(process.stdout.splitlines()[0]), expected, rtol=1e-9)
