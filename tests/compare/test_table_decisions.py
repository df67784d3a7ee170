"""Decisions about a study's tables: stored, exported, and applied in each run."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.compare import study_notes
from studio.compare.cells import StudyCell, add_run, enumerate_cells, find_run
from studio.compare.datasets import load_dataset
from studio.compare.helper_tasks import store_study
from studio.compare.study import Study, load_study, parse_study
from studio.compare.study_notes import load_stored_study
from studio.compare.study_runner import get_search_key
from studio.data.table import Table
from studio.document.store import Document
from studio.errors import DataError, UsageError
from studio.learners.space_problems import list_learner_titles
from studio.runs.prepare import prepare
from studio.runs.settings import TableChoices
from studio.space.space import Space
from tests.facts import about
from tests.small_runs import execute_inline

LEFT_OUT = {"roles": {"leak": "ignore"}}
EVERYTHING = {
    **LEFT_OUT,
    "kinds": {"region": "category"},
    "treatments": {"age": "limit ..90"},
    "monotone": {"age": "up"},
    "reading": {"missing": ["none"], "columns": {"age": "decimal:point"}},
    "task": "binary",
}


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """Return a table with a "leak" column and weak other columns."""
    rng = np.random.default_rng(5)
    lines = ["age,region,leak,fraud"]
    for _ in range(150):
        age, fraud = rng.integers(20, 80), rng.random() < 0.4
        lines.append(f"{age},{rng.integers(1, 4)},{5 if fraud else 0},{'yes' if fraud else 'no'}")
    path = tmp_path / "claims.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def make_study_with(claims: Path, choices: dict[str, Any] | None, **more: Any) -> Study:
    defaults = {
        "data": ["claims.csv"],
        "target": "fraud",
        "methods": ["RS", "RS-post"],
        "budget": 3,
    }
    tables = {} if choices is None else {"tables": {"claims": choices}}
    path = claims.with_name("study.json")
    content = {**defaults, "spaces": ["svm-rbf"], "repetitions": 1, **tables, **more}
    path.write_text(json.dumps(content), encoding="utf-8")
    return load_study(path)


def run_study(study: Study, path: Path) -> dict[str, float]:
    """Return the test error of every method of a study, in percent."""
    test_errors = {}
    with Document.create(path) as document:
        cells = enumerate_cells(study, [load_dataset(document, study, each) for each in study.data])
        runs = {cell.method.name: add_run(document, cell) for cell in cells}
    for name, run_id in runs.items():
        assert execute_inline(path, run_id) == "finished"
        with Document.open(path, writable=False) as document:
            result = document.runs.get(run_id).result
            assert result is not None
            error = result.test_error_ensemble
            test_errors[name] = float(error if error is not None else result.test_error_single)
    return test_errors


@pytest.mark.slow
def test_excluded_column_is_excluded_from_all_runs(claims: Path, tmp_path: Path) -> None:
    forest = ["forest-thesis"]
    with_leak = run_study(make_study_with(claims, None, spaces=forest), tmp_path / "leak.studio")
    without = run_study(make_study_with(claims, LEFT_OUT, spaces=forest), tmp_path / "none.studio")
    assert max(with_leak.values()) <= 0.05
    assert min(without.values()) >= 0.2


def prepare_first_run(study: Study, path: Path) -> tuple[Table, Space, StudyCell]:
    """Return data and space of a study's first run."""
    with Document.create(path) as document:
        cells = enumerate_cells(study, [load_dataset(document, study, each) for each in study.data])
        prepared_run = prepare(document, add_run(document, cells[0]))
        return prepared_run.table, prepared_run.space, cells[0]


def test_table_decisions_are_passed_to_runs(claims: Path, tmp_path: Path) -> None:
    study = make_study_with(claims, EVERYTHING, spaces=["sklearn-cash"])
    table, space, cell = prepare_first_run(study, tmp_path / "one.studio")
    assert {each.name: (each.role, each.kind) for each in table.columns} == {
        "age": ("feature", "number"),
        "region": ("feature", "category"),
        "leak": ("ignore", "number"),
        "fraud": ("target", "category"),
    }
    assert cell.settings.source.choices == TableChoices(**EVERYTHING)
    assert list_learner_titles(space)


@pytest.mark.slow
def test_constraints_restrict_space_as_in_single_run(claims: Path, tmp_path: Path) -> None:
    free = make_study_with(claims, LEFT_OUT, spaces=["sklearn-cash"])
    bound = make_study_with(claims, {"monotone": {"age": "up"}}, spaces=["sklearn-cash"])
    every = list_learner_titles(prepare_first_run(free, tmp_path / "free.studio")[1])
    able = list_learner_titles(prepare_first_run(bound, tmp_path / "bound.studio")[1])
    assert set(able) < set(every)
    with pytest.raises(UsageError, match="RBF"):
        prepare_first_run(
            make_study_with(claims, {"monotone": {"age": "up"}}), tmp_path / "svm.studio"
        )


def test_study_round_trips_through_file_and_document(claims: Path, tmp_path: Path) -> None:
    study = make_study_with(claims, EVERYTHING)
    restored = parse_study(json.loads(json.dumps(study.to_json())))
    assert restored == dataclasses.replace(study, folder=None, split=restored.split)
    path = tmp_path / "kept.studio"
    Document.create(path).close()
    store_study(path, study.to_json())
    with Document.open(path) as document:
        stored_study = load_stored_study(document)
        assert stored_study is not None
        assert stored_study.tables == {"claims": TableChoices(**EVERYTHING)}
    assert load_study(path).tables == study.tables


def test_table_decisions_belong_to_data_set(claims: Path, tmp_path: Path) -> None:
    study = make_study_with(claims, LEFT_OUT)
    with Document.create(tmp_path / "one.studio") as document:
        dataset = load_dataset(document, study, "claims.csv")
        assert load_dataset(document, study, "claims.csv") == dataset
        other = make_study_with(claims, None)
        for each in (other, dataclasses.replace(other, folder=None)):
            with pytest.raises(DataError, match="its columns", check=about(name="'claims'")):
                load_dataset(document, each, "claims.csv")
        claims.unlink()
        assert load_dataset(document, study, "claims.csv") == dataset
        with pytest.raises(DataError, match="its columns", check=about(name="'claims'")):
            load_dataset(document, other, "claims.csv")


def test_old_documents_have_no_table_decisions(claims: Path, tmp_path: Path) -> None:
    study = make_study_with(claims, None)
    with Document.create(tmp_path / "old.studio") as document:
        dataset = load_dataset(document, study, "claims.csv")
        before = dict(document.notes.get(study_notes.get_dataset_note_name("claims")))
        del before["choices"]
        document.notes.set(study_notes.get_dataset_note_name("claims"), before)
        study_json = study.to_json()
        del study_json["tables"]
        document.notes.set(study_notes.STUDY, study_json)
        (cell, _) = enumerate_cells(study, [dataset])
        run_id = add_run(document, cell)
    restored = load_study(tmp_path / "old.studio")
    with Document.open(tmp_path / "old.studio") as document:
        assert load_dataset(document, restored, "claims.csv") == dataset
        assert find_run(document, enumerate_cells(restored, [dataset])[0]) == run_id


def test_methods_share_trials_only_with_equal_decisions(claims: Path, tmp_path: Path) -> None:
    free, bound = (
        make_study_with(claims, choices, spaces=["sklearn-cash"])
        for choices in (None, {"monotone": {"age": "up"}})
    )
    with Document.create(tmp_path / "one.studio") as document:
        dataset = load_dataset(document, free, "claims.csv")
    keys = [
        [get_search_key(cell) for cell in enumerate_cells(each, [dataset])]
        for each in (free, bound)
    ]
    assert keys[0][0] == keys[0][1]
    assert keys[1][0] == keys[1][1] != keys[0][0]


@pytest.mark.parametrize(
    ("tables", "pattern"),
    [
        ({"claim": LEFT_OUT}, "'claim'.*claims"),
        ({"claims": {"rolls": {"leak": "ignore"}}}, "'rolls'.*roles"),
        ({"claims": {"roles": {"leak": "out"}}}, "roles"),
        ({"claims": {"monotone": {"age": "north"}}}, "monotone"),
        ({"claims": {"treatments": {"age": "cut"}}}, "cut"),
        ({"claims": {"reading": {"header_row": 0}}}, "counted from 1"),
        ({"claims": ["leak"]}, "object"),
        (["claims"], "object"),
    ],
)
def test_invalid_table_decisions_are_rejected(claims: Path, tables: Any, pattern: str) -> None:
    with pytest.raises(UsageError, match=pattern):
        make_study_with(claims, None, tables=tables)


def test_missing_column_of_decision_is_reported(claims: Path, tmp_path: Path) -> None:
    study = make_study_with(claims, {"roles": {"siu": "ignore"}})
    with (
        Document.create(tmp_path / "one.studio") as document,
        pytest.raises(UsageError, match="siu"),
    ):
        load_dataset(document, study, "claims.csv")
