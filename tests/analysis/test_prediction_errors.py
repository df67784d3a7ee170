"""Errors of ensembles on real runs, compared with the run's figures and scikit-learn."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from sklearn import metrics

from studio.analysis.decision import compute_decision_figures
from studio.analysis.prediction_errors import (
    ALL_CLASSES,
    MAX_DOTS,
    NO_TEST,
    _find_guessing_members,
    compute_prediction_errors,
    list_identifiers,
)
from studio.analysis.what_if import NO_ENSEMBLE, get_actual_ensemble
from studio.data.column import Column
from studio.data.metrics.base import find_argmax_labels
from studio.data.read_options import ReadOptions
from studio.data.table import Table
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.load import follow
from studio.runs.settings import RunSettings, TableSource

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
CLASSES: dict[str, Any] = {"method": "RS-ES", "budget": 8}


@pytest.fixture(scope="module")
def classes_run(small_table: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    settings = RunSettings(workers=1, source=TableSource(path=str(small_table)), **CLASSES)
    path = tmp_path_factory.mktemp("run") / "work.studio"
    with Document.create(path) as document:
        run_id = document.runs.add("run", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
    return path, run_id


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    path = tmp_path / "numbers.csv"
    lines = [f"{a:.4f},{b:.4f},{3 * a + b + 0.2 * e:.4f}" for a, b, e in rng.normal(size=(90, 3))]
    path.write_text("a,b,target\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("rows", ["validation", "test"])
def test_prediction_errors_agree_with_run(classes_run: tuple[Path, int], rows: str) -> None:
    path, run_id = classes_run
    for iteration in (3, 8):
        errors = compute_prediction_errors(path, run_id, iteration, rows, None)  # type: ignore[arg-type]
        with Document.open(path, writable=False) as document:
            stored_iteration = document.trials.list_iterations(run_id)[iteration - 1]
            prepared, _ = follow(document, run_id)
        n_wrong = errors.confusion.sum() - np.trace(errors.confusion)
        expected = (
            stored_iteration.ensemble_validation
            if rows == "validation"
            else stored_iteration.ensemble_test
        )
        assert prepared.metric.key == "error"
        assert n_wrong / errors.count == pytest.approx(expected)
        assert errors.members == len(stored_iteration.members)


def test_prediction_error_curves_agree_with_scikit_learn(classes_run: tuple[Path, int]) -> None:
    path, run_id = classes_run
    errors = compute_prediction_errors(path, run_id, 8, "validation", None)
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        ensemble = get_actual_ensemble(prepared, history, 8)
        shares = combine(history.get_predictions, ensemble)
    rarer = int(np.bincount(prepared.problem.y).argmin())
    assert errors.curve_class == rarer, "the rarer class is looked for"
    positive, chances = history.truth == rarer, shares[:, rarer]
    area = metrics.roc_auc_score(positive, chances)
    assert errors.roc[0].area == pytest.approx(area)
    precision = metrics.average_precision_score(positive, chances)
    assert errors.precision[0].area == pytest.approx(precision)
    every = compute_prediction_errors(path, run_id, 8, "validation", ALL_CLASSES)
    assert every.roc[0].area == pytest.approx(area), "with two classes both curves are one"
    votes = np.array([history.get_predictions(n).argmax(axis=1) for n in ensemble.members])
    agree = np.array(ensemble.weights) @ (votes == find_argmax_labels(shares))
    assert len(errors.listed_rows) == (agree.round(9) < 1).sum()
    np.testing.assert_allclose(errors.listed_spread, np.sort(agree[agree.round(9) < 1]))
    index_by_row = {number: index for index, number in enumerate(prepared.problem.rows[
        prepared.split.validation] + 1)}  # fmt: skip
    for number, truth in zip(errors.listed_rows, errors.listed_truth, strict=True):
        assert history.truth[index_by_row[number]] == truth
    right = find_argmax_labels(shares) == history.truth
    is_wrong = errors.worst_truth != errors.worst_predicted
    assert is_wrong.sum() == (~right).sum() and len(errors.worst_rows) == len(right)
    of_truth = shares[np.arange(len(shares)), history.truth] / shares.sum(axis=1)
    np.testing.assert_allclose(errors.worst_share[is_wrong], np.sort(of_truth[~right]))
    for number, truth in zip(errors.worst_rows, errors.worst_truth, strict=True):
        assert history.truth[index_by_row[number]] == truth


def test_guessing_members_are_detected() -> None:
    truth = np.array([0, 0, 0, 0, 1, 2])
    votes = np.array([[0] * 6, [0, 0, 0, 1, 1, 2], [0, 0, 2, 2, 0, 2], [2] * 6])
    assert _find_guessing_members(truth, votes).tolist() == [True, False, False, True]


def test_predicted_labels_follow_decision(classes_run: tuple[Path, int]) -> None:
    path, run_id = classes_run
    label = str(compute_prediction_errors(path, run_id, 8, "test", None).classes[0])
    for threshold in (0.2, 0.8):
        errors = compute_prediction_errors(
            path, run_id, 8, "test", None, decision=(label, threshold)
        )
        figures = compute_decision_figures(path, run_id, positive_class=label, threshold=threshold)
        cells = figures.threshold_confusion
        assert errors.confusion.tolist() == [
            [cells.true_positives, cells.false_negatives],
            [cells.false_positives, cells.true_negatives],
        ]
        assert (errors.decision_class, errors.threshold) == (label, threshold)


def test_worst_rows_have_identifier_and_requested_columns(
    finished_run: Make, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    lines = [
        f"C-{100 + i};{f'{a:.3f}'.replace('.', ',')} €;{'yes' if a + e > 0 else 'no'}"
        for i, (a, e) in enumerate(rng.normal(size=(120, 2)))
    ]
    table = tmp_path / "customers.csv"
    table.write_text("customer;fee;left\n" + "\n".join(lines) + "\n")
    path, run_id = finished_run(**CLASSES, source=TableSource(path=str(table), target="left"))
    errors = compute_prediction_errors(path, run_id, 8, "test", None, columns=("fee",))
    customers, fees = errors.worst_columns
    assert errors.has_identifier and (customers.name, fees.name, fees.unit) == (
        "customer", "fee", "€"
    )  # fmt: skip
    assert (fees.decimal, fees.thousands) == (",", "")
    for number, customer, fee in zip(errors.worst_rows, customers.values, fees.values, strict=True):
        assert lines[number - 1].startswith(f"{customer};{f'{fee:.3f}'.replace('.', ',')} €")
    telling = compute_prediction_errors(path, run_id, 8, "test", None, n_informative=3)
    assert telling.worst_columns == errors.worst_columns, "the fee is the most informative column"
    for number, customer in zip(telling.listed_rows, telling.listed_columns[0].values, strict=True):
        assert lines[number - 1].startswith(f"{customer};")


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("claim no", [*range(100), 5, 5], True),
        ("claim no", [*range(50)] * 2, False),
        ("claim no", [math.nan, *range(100)], False),
        ("paid", [*range(100), 5, 5], False),
        ("paid", [*range(100)], True),
        ("words", [*range(100), 3], True),
        ("words", [0, 1] * 50, False),
    ],
)
def test_copies_of_rows_share_identifier(name: str, values: list[float], expected: bool) -> None:
    labels = tuple(f"K-{each}" for each in range(100)) if name == "words" else ()
    kind: Literal["category", "number"] = "category" if labels else "number"
    numbers = np.array(values, dtype=np.int32 if labels else np.float64)
    table = Table((Column(name, kind, "ignore", numbers, labels),), ReadOptions(), "", "")
    assert bool(list_identifiers(table, np.array([0, 1]))) is expected


def test_column_named_as_key_is_first_identifier() -> None:
    numbers = np.arange(100.0)
    columns = [Column(name, "number", "ignore", numbers) for name in ("paid", "claim no")]
    table = Table(tuple(columns), ReadOptions(), "", "")
    listed = list_identifiers(table, np.array([0, 1]))
    assert [each.name for each in listed] == ["claim no", "paid"]


def test_prediction_error_values_agree_with_scikit_learn(finished_run: Make, numbers: Path) -> None:
    path, run_id = finished_run(**CLASSES, source=TableSource(path=str(numbers)))
    errors = compute_prediction_errors(path, run_id, 8, "test", None)
    assert errors.classes == ()
    truth, predictions = errors.dots_truth, errors.dots_predicted
    assert errors.rmse[0] == pytest.approx(metrics.root_mean_squared_error(truth, predictions))
    assert errors.mae[0] == pytest.approx(metrics.mean_absolute_error(truth, predictions))
    assert errors.r2[0] == pytest.approx(metrics.r2_score(truth, predictions))
    assert errors.count == len(errors.dot_rows) <= MAX_DOTS
    assert (np.diff(errors.listed_spread) <= 0).all()
    off = np.abs(errors.worst_predicted - errors.worst_truth)
    np.testing.assert_allclose(off, np.sort(np.abs(predictions - truth))[::-1][: len(off)])


def test_prediction_errors_of_reshuffled_run_use_single_model(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS-best", budget=4, overrides={"evaluation": "reshuffle"})
    with Document.open(path, writable=False) as document:
        best = document.trials.list_iterations(run_id)[-1]
    errors = compute_prediction_errors(path, run_id, 4, "validation", None)
    n_wrong = errors.confusion.sum() - np.trace(errors.confusion)
    assert errors.members == 1
    assert n_wrong / errors.count == pytest.approx(best.ensemble_validation)


def test_prediction_errors_without_result_give_reason(classes_run: tuple[Path, int]) -> None:
    path, run_id = classes_run
    assert compute_prediction_errors(path, run_id, 0, "validation", None).reason == NO_ENSEMBLE


def test_prediction_errors_without_test_rows_give_reason(finished_run: Make) -> None:
    from studio.data.splits import SplitPlan

    plan = SplitPlan(train=0.7, validation=0.3, test=0.0)
    path, run_id = finished_run(**CLASSES, plan=plan)
    assert compute_prediction_errors(path, run_id, 8, "test", None).reason == NO_TEST


def test_curves_use_requested_class(classes_run: tuple[Path, int]) -> None:
    assert compute_prediction_errors(*classes_run, 8, "test", 0).curve_class == 0


def test_pixel_rows_are_listed_as_images(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 17, size=(80, 25))
    X[:, 0] = 0  # a pixel that is always empty is not a feature
    y = np.where(X[:, 7] + 4 * rng.normal(size=80) > 8, "a", "b")
    names = [f"row {i} column {j}" for i in range(1, 6) for j in range(1, 6)]
    lines = [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), y, strict=True)]
    table = tmp_path / "pictures.csv"
    table.write_text("\n".join([",".join([*names, "target"]), *lines]) + "\n")
    settings = RunSettings(workers=1, source=TableSource(path=str(table)), **CLASSES)
    with Document.create(tmp_path / "work.studio") as document:
        run_id = document.runs.add("run", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
    errors = compute_prediction_errors(tmp_path / "work.studio", run_id, 8, "validation", None)
    assert len(errors.listed_rows)
    expected = np.round(255 * X[errors.listed_rows - 1].reshape(-1, 5, 5) / 16)
    np.testing.assert_array_equal(errors.listed_pixels, expected)
