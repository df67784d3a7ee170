"""Compatibility of a new file with a run, checked before training or writing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.cli.entry import main
from studio.data.read_options import ReadOptions
from studio.data.reading import read
from studio.document.store import Document
from studio.errors import DataError
from studio.helper.tables import check_table
from studio.printable import escape_cell
from studio.runs import table_files
from studio.runs.prepare import prepare
from studio.runs.table_files import get_training_options, read_prediction_file
from tests.facts import about, contains_facts


@pytest.fixture(scope="module")
def training_format(regression_run: tuple[Path, int, Path]):  # type: ignore[no-untyped-def]
    with Document.open(regression_run[0], writable=False) as document:
        recipe = prepare(document, regression_run[1]).problem.make_recipe()
        return recipe, get_training_options(document, regression_run[1])


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_file_in_training_format_has_no_notes(training_format, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    prediction_file = read_prediction_file(
        write(tmp_path / "n.csv", "kind,y,x", "p,1.5,2.25"), *training_format
    )
    assert prediction_file.notes == ()
    assert prediction_file.raw.n_rows == 1


def test_different_locale_is_detected_with_note(training_format, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = write(tmp_path / "n.csv", *(["x;y;kind"] + ["1,5;2,25;p", "0,25;1,125;q"] * 5))
    prediction_file = read_prediction_file(path, *training_format)
    separated, numbers = prediction_file.notes
    assert contains_facts(separated, "semicolon", "comma"), "in the file, and in training"
    assert "'x'" in numbers
    assert "'y'" in numbers
    assert prediction_file.encoded.X[:2, 0].tolist() == [1.5, 0.25]


def test_explicit_reading_options_are_not_changed(training_format, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = write(tmp_path / "n.csv", "x;y;kind", "1,5;2,25;p", "0,25;1,125;q")
    with pytest.raises(DataError, check=about(source="'n.csv'", expected="'x', 'y', 'kind'")):
        read_prediction_file(
            path, training_format[0], ReadOptions(separator=","), are_options_fixed=True
        )


def test_unseen_categories_do_not_change_file_format(training_format, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    prediction_file = read_prediction_file(
        write(tmp_path / "n.csv", "x,y,kind,more", "1,2,zebra,1"), *training_format
    )
    assert prediction_file.raw.options.separator == ","
    assert any("zebra" in note for note in prediction_file.notes)
    assert any("not needed" in note for note in prediction_file.notes)
    assert not any("differently" in note for note in prediction_file.notes)


@pytest.mark.parametrize(
    ("lines", "readings"),
    [
        (("x,y,kind", "1,2,zebra", "2,3,q"), 1),
        (("x,y,kind,more", "1,2,'p'", "2,3,'q'"), 2),
        (("# a remark", "x,y,kind", "1,2,zebra", "2,3,q"), 2),
        (("x,y,other", "1,2,p", "2,3,q"), 2),
    ],
    ids=["as guessed", "other quotes", "a remark above", "a column is missing"],
)
def test_file_is_reread_only_if_format_may_differ(
    training_format: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: tuple[str, ...],
    readings: int,
) -> None:
    requested_options: list[ReadOptions] = []

    def record_read(path: Path, options: ReadOptions) -> Any:
        requested_options.append(options)
        return read(path, options)

    monkeypatch.setattr(table_files, "read", record_read)
    prediction_file = read_prediction_file(write(tmp_path / "n.csv", *lines), *training_format)
    assert len(requested_options) == readings
    restored = read(tmp_path / "n.csv", ReadOptions())
    if readings == 1:
        assert prediction_file.raw.options == restored.options
        assert np.array_equal(
            prediction_file.encoded.X, training_format[0].encode(restored).X, equal_nan=True
        )


def test_helper_checks_table_without_training(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path = write(tmp_path / "n.csv", "x,kind", "1,p")
    file_fit = check_table(*regression_run[:2], path)
    assert file_fit.rows == 1
    assert "'y'" in file_fit.notes[0]
    write(path, "a,b", "1,2")
    with pytest.raises(DataError, check=about(source="'n.csv'", expected="'x', 'y', 'kind'")):
        check_table(*regression_run[:2], path)


def test_unsuitable_file_is_reported_before_training(
    regression_run: tuple[Path, int, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "n.csv", "a,b", "1,2")
    code = main(["predict", str(regression_run[0]), str(path), "-o", str(tmp_path / "o.csv")])
    assert code == 1
    error_output = capsys.readouterr().err
    assert "n.csv" in error_output and "'x', 'y', 'kind'" in error_output
    assert "Training" not in error_output
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-2.5", "-2.5"),
        (-2.5, -2.5),
        ("@x", "'@x"),
        ("\t=1", "'\t=1"),
        ("fine", "fine"),
        ("", ""),
        ("+", "+"),
        ("-", "-"),
        ("--", "--"),
    ],
)
def test_exported_cells_are_not_formulas(given: object, made: object) -> None:
    assert escape_cell(given) == made
