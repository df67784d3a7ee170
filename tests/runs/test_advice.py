import dataclasses

import numpy as np
import pytest

from studio.data.dates import PARTS, DatePart
from studio.data.problem import Problem
from studio.data.recipe import ColumnRecipe, Recipe, TargetRecipe
from studio.data.splits import SplitPlan, make_split
from studio.document.store import Document
from studio.errors import UsageError
from studio.proposers.method import compose
from studio.runs.advice import (
    ASSUMED_SECONDS,
    FOLD_COUNTS,
    MAX_HELD_OUT_ROWS,
    advise,
    follow_advice,
    is_advised,
    list_notes,
)
from studio.runs.prepare import prepare
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load
from tests.facts import facts


def make_problem_of_shape(
    n_rows, n_columns, counts=2, categorical=0, levels=3, timed=False, groups=0
):
    """Make a problem of this shape; ``counts``: classes, rows by class, or 0 for regression."""
    if counts == 0:
        task, y, classes = "regression", np.arange(float(n_rows)), ()
    else:
        rows = [n_rows // counts] * counts if isinstance(counts, int) else list(counts)
        rows[0] += n_rows - sum(rows)
        y = np.repeat(np.arange(len(rows)), rows)
        classes = tuple(f"c{i}" for i in range(len(rows)))
        task = "binary" if len(rows) == 2 else "multiclass"
    categories_of_column = tuple(f"v{i}" for i in range(levels))
    return Problem(
        X=np.zeros((n_rows, n_columns)),
        y=y,
        task=task,
        classes=classes,
        target_name="y",
        feature_names=tuple(f"x{i}" for i in range(n_columns)),
        categorical=np.arange(n_columns) < categorical,
        categories=tuple(
            categories_of_column if i < categorical else None for i in range(n_columns)
        ),
        rows=np.arange(n_rows),
        notes=(),
        _recipe=Recipe(
            tuple(ColumnRecipe(f"x{i}") for i in range(n_columns)),
            TargetRecipe("y", task=task, classes=classes),
        ),
        times=np.arange(float(n_rows)) if timed else None,
        groups=np.arange(n_rows) % groups if groups else None,
    )


CASES = [
    # rows, columns, classes, changes; folds with ample time, and part of the note
    (60, 5, 2, {}, 10, "every row is needed"),
    (60, 900, 0, {}, 10, "every row is needed"),
    (768, 8, 2, {}, 8, "time allows"),
    (1599, 11, 0, {"categorical": 1, "levels": 500}, 8, "time allows"),
    (3000, 10, 2, {"groups": 40}, 5, "only 40 groups"),
    (3000, 10, 2, {"groups": 4}, 3, "only 4 groups"),
    (3000, 10, 2, {"groups": 2}, 2, "only 2 groups"),
    (3000, 10, 2, {"groups": 90}, 8, "time allows"),
    (500, 10, 2, {"timed": True}, None, "validated on later rows"),
    (60, 10, 2, {"timed": True}, None, "validated on later rows"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}x{case[1]}")
def test_advice_depends_on_table_shape(case):
    n_rows, n_columns, counts, more, folds, expected = case
    problem = make_problem_of_shape(n_rows, n_columns, counts, **more)
    advice = advise(problem, seconds=1e9)
    assert (advice.method, advice.plan.folds) == ("best", folds)
    assert advice == advise(problem, seconds=1e9)
    assert advice.sentence.startswith(f"For {n_rows:,} rows, {n_columns} columns and ")
    assert advice.sentence.endswith(f"{advice.division}.")
    assert expected in advice.division
    for earlier_plan in (SplitPlan(folds=8), SplitPlan(0.79, 0.01, 0.2)):
        assert advise(problem, earlier_plan, 1e9) == advice, "earlier advice does not count"


@pytest.mark.parametrize("counts", [2, 5, 0])
def test_advice_is_valid_for_task(counts):
    problem = make_problem_of_shape(300, 5, counts)
    advice = advise(problem)
    assert compose(advice.method, {}, problem.task).preset == advice.method
    assert problem.task in load(advice.space).tasks


@pytest.mark.slow
@pytest.mark.parametrize("counts", [2, 0])
def test_advice_uses_fewer_folds_with_less_time(counts):
    problem = make_problem_of_shape(20_000, 16, counts)
    folds = [advise(problem, seconds=each).plan.folds for each in np.geomspace(1e-2, 1e6, 60)]
    fold_counts = [0 if each is None else each for each in folds]
    assert fold_counts == sorted(fold_counts)
    assert set(folds) == {None, *FOLD_COUNTS}


def test_advice_without_time_limit_assumes_five_minutes():
    problem = make_problem_of_shape(20_000, 16, 2)
    assert advise(problem) == advise(problem, seconds=ASSUMED_SECONDS)


@pytest.mark.slow
def test_number_of_held_out_rows_is_limited():
    plan = SplitPlan(0.6, 0.2, 0.2, seed=5)
    few, many = (advise(make_problem_of_shape(n, 16), plan, 1e-3).plan for n in (2_000, 1_000_000))
    assert (few.train, few.validation, few.test) == pytest.approx((0.6, 0.2, 0.2))
    assert many.validation * 1_000_000 == pytest.approx(MAX_HELD_OUT_ROWS)
    assert many.test == 0.2
    assert (few.seed, many.seed) == (5, 5)


@pytest.mark.slow
def test_advice_respects_row_limit():
    problem = make_problem_of_shape(1_000_000, 16)
    capped = SplitPlan(cap=100)
    assert advise(problem, capped, 60.0).plan == dataclasses.replace(capped, folds=8)
    assert advise(problem, SplitPlan(), 60.0).plan.folds is None


@pytest.mark.parametrize("method", ["auto", "suggested", "best"])
def test_advised_run_uses_automatic_split(method):
    problem = make_problem_of_shape(300, 16, 4)
    settings, sentence = follow_advice(RunSettings(method=method, advised=True), problem)
    assert (settings.method, settings.plan.folds) == ("best", 8)
    assert sentence == advise(problem).sentence


def test_user_choices_override_advice():
    problem = make_problem_of_shape(20_000, 16, 4)
    for settings in (RunSettings(method="RS"), RunSettings(method="best", advised=False)):
        assert follow_advice(settings, problem) == (settings, "")
    settings, sentence = follow_advice(RunSettings(method="auto", plan=SplitPlan(folds=3)), problem)
    assert (settings.method, settings.plan, sentence) == ("best", SplitPlan(folds=3), "")


def test_only_default_method_uses_automatic_split():
    assert is_advised("auto")
    assert is_advised("best")
    assert not is_advised("EO-sqm")
    with pytest.raises(UsageError, match="no method called"):
        is_advised("EO-sqmm")


def test_notes_include_advice_and_warning_about_error_rate():
    problem = make_problem_of_shape(1500, 10, [1400, 100])
    sentence = advise(problem).sentence
    (note,) = list_notes(problem, "error", "")
    assert "log loss" in note
    assert list_notes(problem, "error", sentence) == (sentence, note)
    assert list_notes(problem, "auc", "") == ()
    assert list_notes(make_problem_of_shape(1500, 10, 0), "rmse", "") == ()


def test_small_table_uses_folds():
    assert advise(make_problem_of_shape(300, 5)).plan.folds == 8


@pytest.mark.slow
def test_advice_is_reported_once_and_sets_unspecified_options(new_run):
    path, run_id = new_run(method="auto", advised=True, refit=False)
    with Document.open(path) as document:
        first, second = (prepare(document, run_id, starts_run=True) for _ in range(2))
        name = document.runs.get(run_id).settings["method"]
    assert (first.settings.method, name, first.space.name) == ("best", "best", "best")
    assert first.settings.plan.folds == len(first.split.folds) == 10
    message_facts = facts(first.notes[-1])
    assert (message_facts["n_rows"], message_facts["count"], message_facts["n_classes"]) == (
        90,
        3,
        2,
    )
    assert second.settings == first.settings
    assert second.notes == first.problem.notes


def test_explicit_method_keeps_default_space(new_run):
    path, run_id = new_run(method="RS")
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id, starts_run=True)
    assert (prepared_run.settings.method, prepared_run.space.name) == ("RS", "sklearn-cash")
    assert prepared_run.notes == prepared_run.problem.notes


def test_row_roles_are_passed_to_split(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"g{i // 4},{i % 5},{'ab'[i // 2 % 2]}" for i in range(120)]
    path.write_text("\n".join(["g,x,y", *lines]) + "\n")
    source = TableSource(path=str(path), roles={"g": "group"})
    with Document.create(tmp_path / "d.studio") as document:
        run_id = document.runs.add("test", RunSettings(method="RS", source=source).to_json())
        first, second = (prepare(document, run_id, starts_run=True) for _ in range(2))
    groups = first.problem.groups
    parts = [first.split.train, first.split.validation, first.split.test]
    assert sum(len(set(groups[rows])) for rows in parts) == 30
    for name, rows in second.split.to_arrays().items():
        assert np.array_equal(rows, first.split.to_arrays()[name])


def test_date_column_is_counted_once():
    parts = [
        ColumnRecipe(f"when: {part}", ("when",), date=DatePart(part, "day-first")) for part in PARTS
    ]
    recipe = Recipe(
        (ColumnRecipe("age"), *parts), TargetRecipe("y", task="binary", classes=("c0", "c1"))
    )
    problem = dataclasses.replace(make_problem_of_shape(560, 1 + len(parts)), _recipe=recipe)
    sentence_facts = facts(advise(problem).sentence)
    assert (sentence_facts["n_rows"], sentence_facts["count"], sentence_facts["n_classes"]) == (
        560,
        2,
        2,
    )


@pytest.mark.parametrize(("different", "folds"), [(10, 5), (27, 10), (60, 10), (150, 8)])
@pytest.mark.parametrize("groups", [0, 30])
def test_advice_counts_duplicates_once(different, folds, groups):
    rows = np.tile(np.arange(different), 5)
    problem = dataclasses.replace(
        make_problem_of_shape(len(rows), 2, 0, groups=groups),
        X=np.random.default_rng(0).normal(size=(different, 2))[rows],
        y=rows * 1.0,
    )
    plan = advise(problem, SplitPlan(), 1e6).plan
    if not groups:
        assert plan.folds == folds
        apart = advise(problem, SplitPlan(equal_rows="apart"), 1e6).plan
        assert apart.folds == (10 if len(rows) < 100 else 8)
    split = make_split(problem, plan)
    assert len(split.folds) == plan.folds


def test_advice_splits_all_rows_with_separate_test_file() -> None:
    problem = make_problem_of_shape(20_000, 16)
    own = advise(problem, SplitPlan(), 1e-3).plan
    external = advise(problem, SplitPlan(), 1e-3, external_test=True).plan
    assert own.folds is None is external.folds
    assert external.test == own.test, "kept for the removal of the file"
    n_validation_rows = [
        round(each.validation / (each.train + each.validation) * rows)
        for each, rows in ((own, 16_000), (external, 20_000))
    ]
    assert n_validation_rows == [2_500, 2_500]
