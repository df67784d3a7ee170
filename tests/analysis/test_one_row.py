"""One row: form, prediction, contributions, and counterfactuals."""

import csv
import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.answers.rows import RowPrediction, RowReasons, Value
from studio.analysis.one_row import helper_tasks
from studio.analysis.one_row.helper_tasks import (
    explain_row,
    get_table_row,
    make_row_form,
    predict_row,
)
from studio.analysis.one_row.row_ensemble import (
    CalibrationRecord,
    NoStoredModelError,
    load_row_ensemble,
    make_fields,
)
from studio.document.decision import Decision
from studio.document.store import Document
from studio.errors import DataError
from studio.export.predict import predict_table
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.load import follow
from studio.runs.prepare import prepare
from studio.runs.settings import RunSettings, TableSource

pytestmark = pytest.mark.slow

Run = tuple[Path, int]
LEVELS = {"low": -2.0, "middle": 0.0, "high": 3.0}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table with a number, a whole number, a category and a date."""
    rng = np.random.default_rng(4)
    path = tmp_path_factory.mktemp("tables") / "mixed.csv"
    lines = ["size,count,level,when,value"]
    for row in range(240):
        size, count = rng.normal(), int(rng.integers(0, 9))
        level, month = rng.choice(list(LEVELS)), 1 + row % 12
        value = 4 * size + LEVELS[level] + 0.3 * count + 0.2 * rng.normal()
        text = "" if row % 10 == 3 else f"{size:.3f}"
        lines.append(f"{text},{count},{level},2024-{month:02}-15,{value:.4f}")
    path.write_text("\n".join(lines) + "\n")
    return path


def run_on(table: Path, folder: Path, **changes: object) -> Run:
    defaults = {
        "method": "RS-ES",
        "budget": 6,
        "workers": 1,
        "source": TableSource(path=str(table)),
    }
    path = folder / "work.studio"
    with Document.create(path) as document:
        settings = RunSettings(**{**defaults, **changes})  # type: ignore[arg-type]
        run_id = document.runs.add("run", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
    return path, run_id


@pytest.fixture(scope="module")
def of_numbers(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_on(table, tmp_path_factory.mktemp("numbers"))


@pytest.fixture(scope="module")
def of_classes(small_table: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_on(small_table, tmp_path_factory.mktemp("classes"))


def compute_all_reasons(run: Run, values: tuple[Value, ...], amount: float) -> RowReasons:
    reasons = explain_row(*run, values, amount)
    while not reasons.is_complete:
        reasons = explain_row(*run, values, amount)
    return reasons


def test_row_form_has_one_field_per_column(of_numbers: Run) -> None:
    form = make_row_form(*of_numbers)
    assert [each.name for each in form.columns] == ["size", "count", "level", "when"]
    assert [each.kind for each in form.columns] == ["number", "number", "category", "date"]
    size, count, level, when = form.columns
    assert size.low < -1.5
    assert not size.is_integer
    assert (count.low, count.high, count.is_integer) == (0.0, 8.0, True)
    assert (level.labels, level.has_rare_labels) == (("high", "low", "middle"), False)
    assert level.default_value in LEVELS
    assert when.labels == ("2024-01-15", "2024-12-15")
    assert form.rows == 240
    assert form.notable_change > 0


def test_row_form_reports_omitted_rare_labels(
    of_numbers: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.analysis.one_row.row_ensemble.MAX_LABELS", 2)
    with Document.open(of_numbers[0], writable=False) as document:
        prepared, _ = follow(document, of_numbers[1])
    level = make_fields(prepared, np.arange(240))[2].column
    assert (len(level.labels), level.has_rare_labels) == (2, True)


def test_whole_numbers_have_marks_of_columns_with_commas(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    rows = [f"{54000 + 7 * (i % 13)};{1 + i % 9}.{i:03d},50;{i % 7}.5;{i % 5}" for i in range(100)]
    path.write_text("\n".join(["postcode;cost;grade;y", *rows]) + "\n")
    form = make_row_form(*run_on(path, tmp_path, budget=1))
    marks = {each.name: (each.decimal, each.thousands) for each in form.columns}
    assert marks == {"postcode": (",", "."), "cost": (",", "."), "grade": (".", "")}


def test_row_prediction_agrees_with_command(of_numbers: Run, table: Path, tmp_path: Path) -> None:
    lines = table.read_text().splitlines()
    rows = tmp_path / "rows.csv"
    rows.write_text("\n".join([lines[0], *lines[1:6]]) + "\n")
    with Document.open(of_numbers[0]) as document:
        expected = predict_table(document, of_numbers[1], rows, interval=0.9)
    assert expected.intervals is not None
    for index, cells in enumerate(csv.reader(lines[1:6])):
        table_row = get_table_row(*of_numbers, index + 1)
        assert table_row.values[0] == (float(cells[0]) if cells[0] else None)
        assert table_row.values[1:3] == (float(cells[1]), cells[2])
        assert table_row.truth == float(cells[4])
        prediction = predict_row(*of_numbers, table_row.values)
        assert prediction.value == pytest.approx(expected.values[index], rel=1e-12)
        ends = expected.intervals.bounds[index]
        assert (prediction.low, prediction.high) == pytest.approx(tuple(ends), rel=1e-9)
    assert prediction.is_test
    assert 0.75 * prediction.n_similar < prediction.n_covered <= prediction.n_similar


def test_contributions_sum_to_prediction(of_numbers: Run) -> None:
    values: tuple[Value, ...] = (2.0, 4.0, "middle", "2024-06-15")
    prediction, reasons = (
        predict_row(*of_numbers, values),
        compute_all_reasons(of_numbers, values, 1.0),
    )
    assert reasons.base[0] + reasons.contributions.sum() == pytest.approx(
        prediction.value, abs=1e-9
    )
    assert np.argmax(np.abs(reasons.contributions[:, 0])) == 0
    assert (reasons.standard_errors >= 0).all()
    assert reasons.n_searched_fields == 4


def test_counterfactuals_change_prediction_within_training_range(of_numbers: Run) -> None:
    values: tuple[Value, ...] = (0.1, 4.0, "middle", None)
    form, before = make_row_form(*of_numbers), predict_row(*of_numbers, values).value
    reasons = compute_all_reasons(of_numbers, values, 2.0)
    assert {change.column for change in reasons.changes} >= {0}
    for change in reasons.changes:
        other = tuple(
            change.value if index == change.column else old for index, old in enumerate(values)
        )
        after = predict_row(*of_numbers, other).value
        assert after == pytest.approx(change.new_value)
        assert abs(after - before) >= 2.0
        about = form.columns[change.column]
        if isinstance(change.value, float):
            assert about.low <= change.value <= about.high
    first_column_change = next(change for change in reasons.changes if change.column == 0)
    assert isinstance(first_column_change.value, float)
    assert abs(first_column_change.value - 0.1) < 1.5, "a value about half a unit away suffices"


def test_absence_of_counterfactuals_is_reported(of_numbers: Run) -> None:
    reasons = compute_all_reasons(of_numbers, (0.1, 4.0, "middle", "2024-06-15"), 1e6)
    assert reasons.changes == ()
    assert reasons.n_searched_fields == 4


def test_calibration_record_does_not_depend_on_row_order(tmp_path: Path) -> None:
    table = tmp_path / "sorted.csv"
    counts = (("a", "yes", 100), ("a", "no", 300), ("b", "yes", 90), ("b", "no", 10))
    rows = (f"{colour},{answer}\n" * count for colour, answer, count in counts)
    table.write_text("colour,bought\n" + "".join(rows))
    run = run_on(table, tmp_path)
    with Document.open(run[0], writable=False) as document:
        prepared, _ = follow(document, run[1])
    test = prepared.split.test
    alike = prepared.problem.rows[test] < 400
    prediction = predict_row(*run, ("a",))
    assert prediction.class_code == 0 and prediction.is_test
    assert prediction.n_similar == alike.sum() > 50
    assert prediction.n_covered == (prepared.problem.y[test][alike] == 0).sum()


def test_calibration_record_uses_similar_probabilities_of_class(
    of_classes: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    values: tuple[Value, ...] = (1.5, 0.0, "red")
    chance = float(predict_row(*of_classes, values).probabilities[1])
    assert chance > 0.6, "the answer is yes"
    # Sixty rows have the same probability of "no" as this one has of "yes".
    near = chance - np.linspace(0.05, 0.09, 20)
    sure = np.array([*near, chance - 0.15, chance - 0.3, *[1 - chance] * 60])
    yes = np.array([False, *[True] * 21, *[False] * 60])

    def rank_by_judge(rows: slice) -> RowPrediction:
        checked = CalibrationRecord(
            np.column_stack([~yes[rows], yes[rows]]),
            np.column_stack([1 - sure[rows], sure[rows]]),
            is_test=True,
        )
        row_ensemble = dataclasses.replace(load_row_ensemble(*of_classes), calibration=checked)
        monkeypatch.setattr(helper_tasks, "load_row_ensemble", lambda *_: row_ensemble)
        return predict_row(*of_classes, values)

    prediction = rank_by_judge(slice(None))
    assert (prediction.class_code, prediction.n_covered, prediction.n_similar) == (1, 19, 20)
    # The range contains the prediction itself.
    assert prediction.probability_range == pytest.approx((chance - 0.09, chance))
    # With fewer rows, also less similar ones.
    wider = rank_by_judge(slice(1, None))
    assert (wider.n_covered, wider.n_similar) == (20, 20)
    assert wider.probability_range == pytest.approx((chance - 0.15, chance))
    assert rank_by_judge(slice(21, None)).n_similar == 0, "no row is near"


def test_classification_row_prediction_has_counterfactual(of_classes: Run) -> None:
    form = make_row_form(*of_classes)
    assert form.classes == ("no", "yes")
    with Document.open(of_classes[0]) as document:
        y = prepare(document, of_classes[1]).problem.y.astype(int)
    assert form.positive_code == np.bincount(y).argmin(), "the rarer class"
    values: tuple[Value, ...] = (1.5, 0.0, "red")
    prediction, reasons = (
        predict_row(*of_classes, values),
        compute_all_reasons(of_classes, values, 0.0),
    )
    assert prediction.class_code == 1
    assert prediction.probabilities.sum() == pytest.approx(1.0)
    assert 0 < prediction.n_covered <= prediction.n_similar
    assert np.allclose(reasons.base + reasons.contributions.sum(axis=0), prediction.probabilities)
    turned = next(change for change in reasons.changes if change.column == 0)
    assert turned.class_code == 0
    assert isinstance(turned.value, float)
    other = predict_row(*of_classes, (turned.value, 0.0, "red"))
    assert other.class_code == 0
    assert other.probabilities[0] == pytest.approx(turned.new_value)


def test_row_prediction_follows_decision(finished_run: Callable[..., Run]) -> None:
    run = finished_run()
    values: tuple[Value, ...] = (1.5, 0.0, "red")
    before = predict_row(*run, values)
    with Document.open(run[0]) as document:
        document.runs.decide(run[1], Decision("yes", 1.0))
    after = predict_row(*run, values)
    assert (before.class_code, after.class_code) == (1, 0)
    assert np.array_equal(after.probabilities, before.probabilities)
    assert "decision" in make_row_form(*run).decision
    assert make_row_form(*run).positive_code == 1


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        ((1.0, 2.0, "huge", None), "'huge' of 'level'"),
        ((1.0, 2.0, "low", "yesterday"), "'yesterday' of 'when'"),
        ((1.0, 2.0), "4 values; 2 were given"),
    ],
)
def test_invalid_row_is_rejected(of_numbers: Run, values: tuple[Value, ...], pattern: str) -> None:
    with pytest.raises(DataError, match=pattern):
        predict_row(*of_numbers, values)


def test_row_number_beyond_table_is_rejected(of_numbers: Run) -> None:
    with pytest.raises(DataError, match="1 to 240"):
        get_table_row(*of_numbers, 241)


def test_row_form_without_stored_models_gives_reason(finished_run: Callable[..., Run]) -> None:
    run = finished_run(keep=False)
    assert "does not contain" in make_row_form(*run).reason
    with pytest.raises(NoStoredModelError):
        predict_row(*run, (0.0, 0.0, "red"))


def test_row_prediction_accepts_missing_values(of_numbers: Run) -> None:
    prediction = predict_row(*of_numbers, (None, None, None, None))
    assert math.isfinite(prediction.value)


def test_row_explanations_cache_last_ensemble_only(of_numbers: Run, of_classes: Run) -> None:
    for run in (of_numbers, of_classes, of_numbers, of_classes):
        form = make_row_form(*run)
        for shift in (1.0, 2.0):
            explain_row(
                *run, tuple(each.default_value for each in form.columns), shift, seconds=0.0
            )
        ensemble_ids = {id(work.row_ensemble) for work in helper_tasks._CACHE.values()}
        assert len(ensemble_ids) == 1
        assert len(helper_tasks._CACHE) == 2, "both rows of it"
