"""Runs with monotonic constraints."""

import dataclasses
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.cli.entry import main
from studio.data.column import Direction
from studio.document.store import Document
from studio.errors import DataError, UsageError
from studio.export import predict
from studio.export.estimator import train
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.questions.columns import make_column_plan
from studio.runs.compatible import check_settings, find_incompatible_parts
from studio.runs.create import create_run, fork_run
from studio.runs.inline import InlinePool
from studio.runs.prepare import PreparedRun, prepare
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load
from tests.facts import facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]

MONOTONE: dict[str, Direction] = {"income": "up", "age": "down", "since": "up"}

GRIDS: dict[str, list[Any]] = {
    "income": np.linspace(-20, 120, 60).round(2).tolist(),
    "age": list(range(10, 95)),
    "since": pd.date_range("2018-06-01", "2025-01-01", freq="37D").strftime("%Y-%m-%d").tolist(),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table with noisy columns related to both targets."""
    rng = np.random.default_rng(3)
    rows = 220
    days = rng.integers(0, 1800, rows)
    income, age = rng.normal(50, 20, rows).round(2), rng.integers(18, 80, rows)
    score = np.sin(income / 5) - np.cos(age / 6) + np.sin(days / 60) + 0.02 * income
    score += rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "income": np.where(rng.random(rows) < 0.1, np.nan, income),
            "age": age,
            "region": rng.choice(["north", "south", "east"], rows),
            "since": (pd.Timestamp("2019-01-01") + pd.to_timedelta(days, "D")).strftime("%Y-%m-%d"),
            "price": (20 * np.exp(score)).round(2),
            # The rarer class is the first one.
            "outcome": np.where(score > 1.8, "approved", "refused"),
        }
    )
    path = tmp_path_factory.mktemp("monotone") / "table.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(autouse=True)
def trained_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    here = partial(train, make_pool=InlinePool)
    monkeypatch.setattr(predict, "train", here)
    monkeypatch.setattr(ExportJob, "train", lambda job: here(job.document, job.run_id))


def source(table: Path, target: str, monotone: dict[str, Direction] = MONOTONE) -> TableSource:
    other = {"price": "outcome", "outcome": "price"}[target]
    return TableSource(str(table), target=target, roles={other: "ignore"}, monotone=monotone)


def export_model(path: Path, run_id: int, folder: Path) -> Any:
    with Document.open(path, writable=False) as document:
        export_check = get_format("pickle").export(
            ExportJob(document, run_id, folder / "model.pkl")
        )
    assert export_check.rows
    return pickle.loads((folder / "model.pkl").read_bytes())


def prepared(path: Path, run_id: int) -> PreparedRun:
    with Document.open(path, writable=False) as document:
        return prepare(document, run_id)


def answers(model: Any, frame: pd.DataFrame) -> Any:
    """Return the probability of the rarer class, or the value."""
    if hasattr(model, "classes_"):
        return model.predict_proba(frame)[:, list(model.classes_).index("approved")]
    return model.predict(frame)


def max_violation_of_run(path: Path, table: Path, folder: Path, model: Any) -> dict[str, float]:
    """Return the largest violation of monotonicity along each constrained column."""
    first = pd.read_csv(table, dtype=str).drop(columns=["price", "outcome"]).head(25)
    grids = []
    for name in MONOTONE:
        grid = first.loc[first.index.repeat(len(GRIDS[name]))].reset_index(drop=True)
        grid[name] = [str(each) for each in GRIDS[name]] * len(first)
        grids.append(grid)
    rows = pd.concat(grids, ignore_index=True)
    rows.to_csv(folder / "rows.csv", index=False)
    with Document.open(path) as document:
        table_predictions = predict.predict_table(document, 1, folder / "rows.csv")
    predictions = (
        table_predictions.values
        if table_predictions.probabilities is None
        else table_predictions.probabilities[:, 0]
    )
    if model is not None:
        np.testing.assert_allclose(answers(model, rows), predictions, atol=1e-9)
    worst = {}
    ends = np.cumsum([len(grid) for grid in grids])[:-1]
    for (name, way), values in zip(
        MONOTONE.items(), np.split(np.asarray(predictions, dtype=float), ends), strict=True
    ):
        differences = np.diff(values.reshape(len(first), -1), axis=1)
        worst[name] = float(-(differences if way == "up" else -differences).min())
    return worst


@pytest.mark.parametrize(
    ("target", "method", "more"),
    [
        ("outcome", "best", {"advised": True, "refit": False}),
        ("outcome", "EO-sqm", {}),
        ("outcome", "ERS", {"metric": "log-loss"}),
        ("price", "best", {"advised": True, "refit": False}),
        ("price", "best", {"advised": True, "refit": False, "metric": "mae"}),
        ("price", "RS-post", {"class_weights": "none"}),
    ],
)
def test_final_ensemble_and_pickle_are_monotone(
    target: str, method: str, more: dict[str, Any], table: Path, tmp_path: Path, finished_run: Make
) -> None:
    budget = 3 if method == "best" else 5
    path, run_id = finished_run(method=method, budget=budget, source=source(table, target), **more)
    # One pickle per task; tests/export/test_combinations.py tests the pickles of all methods.
    plain = more == {"advised": True, "refit": False}
    model = export_model(path, run_id, tmp_path) if plain else None
    back = max_violation_of_run(path, table, tmp_path, model)
    assert max(back.values()) <= 1e-9, back
    with Document.open(path, writable=False) as document:
        assert not [each for each in document.trials.list_all(run_id) if each.status == "failed"]
        result = document.runs.get(run_id).result
        assert result is not None
        assert result.kept_bytes, result.kept_reason


@pytest.mark.parametrize("target", ["outcome", "price"])
def test_ensemble_without_constraints_is_not_monotone(
    target: str, table: Path, tmp_path: Path, finished_run: Make
) -> None:
    table_source = source(table, target, {})
    path, _ = finished_run(method="best", budget=2, source=table_source, advised=True, refit=False)
    back = max_violation_of_run(path, table, tmp_path, None)
    assert min(back.values()) > 0.01, back


def test_constrained_run_drops_unsuitable_learners_with_note(table: Path, new_run: Make) -> None:
    path, run_id = new_run(method="best", source=source(table, "outcome"), advised=True)
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id, starts_run=True)
    root = prepared_run.space.find_root_choice()
    assert root is not None
    assert set(root.choices) == {"boosted-trees", "extra-trees", "forest"}
    ways = {"income": "lowers", "age": "raises", "since": "lowers"}
    assert {*prepared_run.constraints} == {*ways}
    for name, explanation in prepared_run.constraints.items():
        assert facts(explanation) == {"column": repr(name), "name": "'approved'"}
        assert f"never {ways[name]} " in explanation
    assert {*prepared_run.constraints.values()} < {*prepared_run.notes}
    only = "Random forest, Extra trees, Boosted trees"
    assert any(only in note for note in prepared_run.notes)
    repeated = prepared(path, run_id)
    assert repeated.space == prepared_run.space
    assert set(repeated.notes) <= set(prepared_run.notes)


def test_constrained_dates_use_monotone_parts_only(table: Path, new_run: Make) -> None:
    path, run_id = new_run(method="RS", source=source(table, "outcome"))
    with Document.open(path) as document:
        problem = prepare(document, run_id, starts_run=True).problem
    assert problem.feature_names == ("income", "age", "region", "since: days", "since: year")
    # The probability of the second class is that of "refused", the more common one.
    assert problem.monotone is not None
    assert problem.monotone.tolist() == [-1, 1, 0, -1, -1]
    assert problem.make_recipe().table_columns == ("income", "age", "region", "since")


def test_regression_constraint_refers_to_prediction(table: Path, new_run: Make) -> None:
    path, run_id = new_run(method="RS", source=source(table, "price"), metric="mae")
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id, starts_run=True)
    assert prepared_run.problem.monotone is not None
    assert prepared_run.problem.monotone.tolist() == [1, -1, 0, 1, 1]
    explanation = prepared_run.constraints["income"]
    assert facts(explanation) == {"column": "'income'"}, "no class is mentioned"
    assert "never lowers" in explanation
    # Leaves would be set to the median only after a tree has grown.
    assert prepared_run.settings.aim.level is None
    assert any("the mean" in note for note in prepared_run.notes)


@pytest.mark.parametrize(
    ("monotone", "roles", "kind", "error_type", "pattern"),
    [
        ({"region": "up"}, {}, "binary", DataError, "'region': it holds words"),
        ({"age": "up"}, {"age": "ignore"}, "binary", DataError, "'age'"),
        ({"outcome": "up"}, {}, "binary", DataError, "'outcome'"),
        ({"wage": "up"}, {}, "binary", UsageError, "no column 'wage'"),
        ({"age": "up"}, {}, "multiclass", UsageError, "With more than two classes"),
    ],
)
def test_unconstrainable_columns_are_rejected(
    monotone: Any, roles: Any, kind: Any, error_type: Any, pattern: str, table: Path, new_run: Make
) -> None:
    table_source = source(table, "outcome", monotone)
    table_source = dataclasses.replace(
        table_source, roles={**table_source.roles, **roles}, task=kind
    )
    path, run_id = new_run(method="RS", source=table_source)
    with Document.open(path) as document, pytest.raises(error_type, match=pattern):
        prepare(document, run_id, starts_run=True)


def test_ensemble_with_negative_weights_is_rejected(table: Path) -> None:
    table_source = TableSource(str(table), target="outcome", task="binary", monotone={"age": "up"})
    settings = RunSettings(method="RS-post", source=table_source)
    check_settings(settings)
    assert set(find_incompatible_parts(settings)["ensemble"]) >= {"stacking"}
    stacked = dataclasses.replace(settings, overrides={"ensemble": "stacking"})
    with pytest.raises(UsageError, match=r"Stacking.* negative weight"):
        check_settings(stacked)
    free = dataclasses.replace(table_source, monotone={})
    check_settings(dataclasses.replace(stacked, source=free))


def test_space_without_monotone_learners_is_rejected_before_run(
    table: Path, tmp_path: Path
) -> None:
    table_source = TableSource(str(table), target="outcome", task="binary", monotone={"age": "up"})
    settings = RunSettings(method="RS", source=table_source, space=dict(load("svm-rbf").to_json()))
    with (
        Document.create(tmp_path / "work.studio") as document,
        pytest.raises(UsageError, match="RBF"),
    ):
        create_run(document, None, settings)


def test_fork_keeps_constraints_of_parent_run(table: Path, finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", budget=2, source=source(table, "outcome"))
    space_json = dict(load("sklearn-cash").to_json())
    with Document.open(path) as document:
        fork = fork_run(document, run_id, 0, {"space": space_json, "budget": 4})
        with pytest.raises(UsageError, match="negative weight"):
            fork_run(document, run_id, 0, {"overrides": {"ensemble": "stacking"}})
    root = prepared(path, fork).space.find_root_choice()
    assert root is not None
    assert set(root.choices) == {"tree", "forest", "adaboost"}


def test_older_run_has_no_constraints() -> None:
    content = RunSettings(source=TableSource("t.csv")).to_json()
    del content["source"]["monotone"]
    assert RunSettings.from_json(content).source.monotone == {}
    content["source"]["monotone"] = {"age": "sideways"}
    with pytest.raises(Exception, match="monotone"):
        RunSettings.from_json(content)


def test_command_line_accepts_and_prints_constraints(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "work.studio"
    argv = ["run", str(table), "--target", "price", "--role", "outcome=ignore", "--method", "RS"]
    argv += ["--monotone", "income=up", "--monotone", "since=down"]
    assert main([*argv, "--budget", "2", "--workers", "1", "-o", str(path)]) == 0
    assert "'since' never raises" in capsys.readouterr().out
    assert main(["show", str(path)]) == 0
    assert "income=up, since=down" in capsys.readouterr().out
    constraints = make_column_plan(path, 1, 1_000_000).constraints
    income, *none, year, month = constraints
    assert none == ["", ""]
    assert "'income' never lowers" in income
    assert year == month and "'since' never raises" in year
    report = tmp_path / "report.html"
    assert main(["export", str(path), "--format", "report", "-o", str(report)]) == 0
    page = report.read_text(encoding="utf-8")
    assert "--monotone income=up" in page and "--monotone since=down" in page
    assert "never raises" in page
    assert main([*argv[:4], "--monotone", "income=right", "-o", str(path)]) == 2
    assert "up, down" in capsys.readouterr().err
