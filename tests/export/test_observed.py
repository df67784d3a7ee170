"""Targets in a predicted table: compared with its predictions."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.answers.rows import PredictedRows
from studio.analysis.decision import compute_decision_figures
from studio.analysis.decision_text import list_outcome_lines
from studio.analysis.selected_rows_text import describe_observed
from studio.cli.entry import main
from studio.data.second_file import CORRECT_WEIGHTS
from studio.document.store import Document
from studio.export.predict import predict_table
from studio.export.predictions import TablePredictions, format_rows
from studio.runs.settings import TableSource
from tests.export.conftest import make_finished_run
from tests.export.test_caveats import booking_run, write_bookings  # noqa: F401
from tests.facts import contains_facts

N_ROWS = 60


def predict(run: tuple[Path, int], table: Path) -> TablePredictions:
    with Document.open(run[0]) as document:
        return predict_table(document, run[1], table)


def relabel(table: Path, labels: list[str]) -> Path:
    header, *lines = table.read_text().splitlines()
    cells = [line.rpartition(",")[0] for line in lines]
    rows = [f"{each},{label}" for each, label in zip(cells, labels, strict=True)]
    table.write_text("\n".join([header, *rows]) + "\n")
    return table


@pytest.mark.slow
def test_table_with_targets_evaluates_predictions(
    booking_run: tuple[Path, int],  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = write_bookings(tmp_path / "new.csv", 60, N_ROWS)
    truth = [line.rpartition(",")[2] for line in table.read_text().splitlines()[1:]]
    predicted = predict(booking_run, table)
    assert [predicted.classes[int(code)] for code in predicted.observed] == truth
    n_wrong = sum(one != other for one, other in zip(predicted.values, truth, strict=True))
    assert contains_facts(
        predicted.observed_note, f"{N_ROWS} rows", "“cancelled”", f"{100 * n_wrong / N_ROWS:.1f} %"
    )
    assert predicted.observed_note in predicted.notes
    assert not any("not used" in each for each in predicted.notes), "the target is used"
    arguments = ["predict", str(booking_run[0]), str(table), "--top", "9"]
    assert main([*arguments, "--json"]) == 0
    expected = json.loads(capsys.readouterr().out.splitlines()[-1])["expected"]
    assert predicted.probabilities is not None
    order = np.argsort(-predicted.probabilities[:, predicted.positive_code], kind="stable")[:9]
    n_hits = [truth[row] for row in order].count(expected["label"])
    assert contains_facts(expected["observed"], "“cancelled”", f" {n_hits}.")
    assert main(arguments) == 0
    assert expected["observed"] in capsys.readouterr().err


@pytest.mark.slow
def test_only_known_targets_are_compared(booking_run: tuple[Path, int], tmp_path: Path) -> None:  # noqa: F811
    labels = ["yes", "", "maybe", "NO"] * (N_ROWS // 4)
    table = relabel(write_bookings(tmp_path / "new.csv", 60, N_ROWS), labels)
    predicted = predict(booking_run, table)
    codes = {each: predicted.classes.index(each) for each in ("yes", "no")}
    assert np.array_equal(
        predicted.observed[:4], [codes["yes"], np.nan, np.nan, codes["no"]], equal_nan=True
    )
    assert contains_facts(predicted.observed_note, f"{N_ROWS // 2} rows", "15 rows", "'maybe'")
    rows, selected = format_rows(predicted), np.arange(8)
    assert contains_facts(describe_observed(rows, selected, codes["yes"]), " 2.", "4 of these rows")
    unknown = describe_observed(rows, np.array([1, 2]), codes["yes"])
    assert "“cancelled”" in unknown and not any(each.isdigit() for each in unknown)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["absent", "empty", "other classes"])
def test_table_without_usable_targets_is_not_compared(
    booking_run: tuple[Path, int],  # noqa: F811
    tmp_path: Path,
    case: str,
) -> None:
    without = "cancelled" if case == "absent" else ""
    table = write_bookings(tmp_path / "new.csv", 60, N_ROWS, without=without)
    if case != "absent":
        relabel(table, [{"empty": ""}.get(case, "maybe")] * N_ROWS)
    predicted = predict(booking_run, table)
    assert predicted.observed.size == 0
    assert ("“cancelled”" in predicted.observed_note) == (case == "other classes")
    assert describe_observed(format_rows(predicted), np.arange(9), 1) == ""


def test_unused_columns_are_listed_beside_targets(
    booking_run: tuple[Path, int],  # noqa: F811
    tmp_path: Path,
) -> None:
    table = write_bookings(tmp_path / "new.csv", 60, N_ROWS)
    header, *lines = table.read_text().splitlines()
    table.write_text("\n".join([f"{header},clerk", *(f"{line},x" for line in lines)]) + "\n")
    unused = [each for each in predict(booking_run, table).notes if "'clerk'" in each]
    assert len(unused) == 1 and "cancelled" not in unused[0]


def weigh(table: Path, weights: list[str]) -> Path:
    header, *lines = table.read_text().splitlines()
    rows = [f"{weight},{line}" for weight, line in zip(weights, lines, strict=True)]
    table.write_text("\n".join([f"share,{header}", *rows]) + "\n")
    return table


@pytest.fixture(scope="module")
def weighted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run on bookings of which every third counts more."""
    folder = tmp_path_factory.mktemp("weighted")
    table = weigh(write_bookings(folder / "old.csv", 0, 240), ["5", "1", "1"] * 80)
    source = TableSource(str(table), target="cancelled", roles={"share": "weight"})
    return make_finished_run(folder / "w.studio", table, source=source, budget=3)


@pytest.mark.slow
def test_targets_are_compared_with_weights(weighted: tuple[Path, int], tmp_path: Path) -> None:
    weights = [f"{0.25 * (1 + row % 9)}" for row in range(N_ROWS)]
    table = weigh(write_bookings(tmp_path / "new.csv", 60, N_ROWS), weights)
    truth = [line.rpartition(",")[2] for line in table.read_text().splitlines()[1:]]
    predicted = predict(weighted, table)
    is_wrong = [one != other for one, other in zip(predicted.values, truth, strict=True)]
    error = np.average(is_wrong, weights=np.array(weights, float))
    assert f"{100 * error:.1f}" != f"{100 * np.mean(is_wrong):.1f}"
    facts = f"{N_ROWS} rows", "“share”", "“cancelled”", f"{100 * error:.1f} %"
    assert contains_facts(predicted.observed_note, *facts)
    assert not any("'share'" in each for each in predicted.notes), "the weights are used"


@pytest.mark.parametrize("header", ["SHARE", " Share "])
def test_weights_are_found_like_other_columns(
    weighted: tuple[Path, int], tmp_path: Path, header: str
) -> None:
    table = weigh(write_bookings(tmp_path / "new.csv", 60, N_ROWS), ["2"] * N_ROWS)
    table.write_text(table.read_text().replace("share", header, 1))
    predicted = predict(weighted, table)
    assert "“share”" in predicted.observed_note
    assert not any(header.strip() in each for each in predicted.notes), "the weights are used"


@pytest.mark.parametrize(
    ("weights", "reason"), [(None, "'new.csv'"), ("-1", "-1"), ("x", "60"), ("0", "0")]
)
def test_unusable_weights_are_named(
    weighted: tuple[Path, int], tmp_path: Path, weights: str | None, reason: str
) -> None:
    table = write_bookings(tmp_path / "new.csv", 60, N_ROWS)
    if weights is not None:
        weigh(table, [weights] * N_ROWS)
    truth = [line.rpartition(",")[2] for line in table.read_text().splitlines()[1:]]
    predicted = predict(weighted, table)
    error = np.mean([one != other for one, other in zip(predicted.values, truth, strict=True)])
    note = predicted.observed_note
    assert contains_facts(note, f"{N_ROWS} rows", "“cancelled”", f"{100 * error:.1f} %")
    assert "“share”" not in note
    assert (CORRECT_WEIGHTS in note) is (weights is not None)
    assert "another column" not in note, "a remedy before training only"
    assert "'share'" in note and reason in note.partition(f"{100 * error:.1f} %")[2]


def test_observed_numbers_have_sum_and_error() -> None:
    rows = PredictedRows(
        predictions=np.array([110.0, 190.0, 40.0, 7.0]),
        observed=np.array([100.0, 220.0, np.nan, 9.0]),
        target="price",
        unit="€",
    )
    assert contains_facts(describe_observed(rows, np.array([0, 1]), 0), "“price”", "320", "20", "€")
    partly = describe_observed(rows, np.array([1, 2, 3]), 0)
    assert contains_facts(partly, "229", "16", "1 of these rows")
    assert describe_observed(rows, np.array([], dtype=np.int64), 0) == ""


@pytest.mark.slow
def test_weights_of_decided_rows_are_called_weights(
    weighted: tuple[Path, int], capsys: pytest.CaptureFixture[str]
) -> None:
    figures = compute_decision_figures(*weighted, threshold=0.5)
    cells = figures.threshold_confusion
    assert figures.is_weighted and cells.total != figures.count
    ((_, (text,)), *_) = list_outcome_lines(figures, [cells], figures.positive_class, None)
    assert "weight" in text
    counted = list_outcome_lines(replace(figures, is_weighted=False), [cells], "", None)
    assert not any("weight" in text for _, texts in counted for text in texts)
    assert main(["decide", str(weighted[0])]) == 0
    assert "weight" in capsys.readouterr().out
