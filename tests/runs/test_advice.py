import numpy as np
import pytest

from studio.data.codec import Codec, Target
from studio.data.problem import Problem
from studio.document.store import Document
from studio.proposers.method import compose
from studio.runs.advice import advise, followed, notes_on
from studio.runs.prepare import prepare
from studio.runs.settings import RunSettings, Source
from studio.space.library import load


def shaped(n_rows, n_columns, counts=2, categorical=0, levels=3, timed=False, groups=0):
    """Make a problem of a shape: counts is a number of classes, rows by class, or 0 for values."""
    if counts == 0:
        task, y, classes = "regression", np.arange(float(n_rows)), ()
    else:
        rows = [n_rows // counts] * counts if isinstance(counts, int) else list(counts)
        rows[0] += n_rows - sum(rows)
        y = np.repeat(np.arange(len(rows)), rows)
        classes = tuple(f"c{i}" for i in range(len(rows)))
        task = "binary" if len(rows) == 2 else "multiclass"
    words = tuple(f"v{i}" for i in range(levels))
    return Problem(
        X=np.zeros((n_rows, n_columns)),
        y=y,
        task=task,
        classes=classes,
        target_name="y",
        feature_names=tuple(f"x{i}" for i in range(n_columns)),
        categorical=np.arange(n_columns) < categorical,
        categories=tuple(words if i < categorical else None for i in range(n_columns)),
        rows=np.arange(n_rows),
        notes=(),
        _codec=Codec((), Target("y", (), task, classes)),
        times=np.arange(float(n_rows)) if timed else None,
        groups=np.arange(n_rows) % groups if groups else None,
    )


CASES = [
    # rows, columns, classes, more; method, space, folds, metric
    (60, 5, 2, {}, "EO-sqm", "svm-rbf", 10, "error"),
    (60, 5, 0, {}, "EO-mse", "svr", 10, "rmse"),
    (60, 900, 3, {}, "EO-sqm", "svm-rbf", 10, "error"),
    (300, 900, 3, {}, "EO-sqm", "svm-kernels", 5, "error"),
    (300, 900, 0, {}, "EO-mse", "svr", 5, "rmse"),
    (768, 8, 2, {}, "EO-sqm", "sklearn-cash", 5, "error"),
    (1728, 6, [1210, 384, 69, 65], {"categorical": 6}, "EO-sqm", "compact-boosted", None, None),
    (1599, 11, 0, {}, "EO-mse", "sklearn-cash-regression", None, "rmse"),
    (4601, 57, 2, {}, "DivBO", "sklearn-cash", None, "error"),
    (4177, 8, 0, {}, "EO-mse", "sklearn-cash-regression", None, "rmse"),
    (
        4177,
        8,
        0,
        {"categorical": 1, "levels": 500},
        "EO-mse",
        "compact-boosted-regression",
        None,
        0,
    ),
    (20_000, 16, 26, {}, "DivBO", "compact-boosted", None, "error"),
    (20_000, 16, 60, {}, "DivBO", "forest-thesis", None, "error"),
    (20_000, 16, 0, {}, "EO-mse", "compact-boosted-regression", None, "rmse"),
    (1500, 10, [1475, 25], {}, "EO-sqm", "sklearn-cash", 5, "auc"),
    (1500, 10, [1300, 200], {}, "EO-sqm", "sklearn-cash", None, "balanced-error"),
    (3000, 10, 2, {"groups": 40}, "DivBO", "sklearn-cash", 5, "error"),
    (3000, 10, 2, {"groups": 4}, "DivBO", "sklearn-cash", 3, "error"),
    (3000, 10, 2, {"groups": 90}, "DivBO", "sklearn-cash", None, "error"),
    (500, 10, 2, {"timed": True}, "EO-sqm", "sklearn-cash", None, "error"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}x{case[1]}")
def test_the_shape_of_a_table_decides(case):
    n_rows, n_columns, counts, more, method, space, folds, metric = case
    problem = shaped(n_rows, n_columns, counts, **more)
    advice = advise(problem)
    assert (advice.method, advice.space, advice.plan.folds) == (method, space, folds)
    assert not metric or advice.metric == metric
    assert advice == advise(problem)
    assert advice.sentence.count(". ") == 0
    assert advice.sentence.endswith(".")
    for word in (method, f"({space})", f"{n_rows:,} rows", "because"):
        assert word in advice.sentence


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}x{case[1]}")
def test_what_is_advised_exists_for_the_task(case):
    problem = shaped(*case[:3], **case[3])
    advice = advise(problem)
    assert compose(advice.method, {}, problem.task).preset == advice.method
    space = load(advice.space)
    assert problem.task in space.tasks


def test_a_suggested_method_follows_the_advice():
    problem = shaped(20_000, 16, 4)
    settings, sentence = followed(RunSettings(method="suggested"), problem)
    assert (settings.method, settings.space["name"]) == ("DivBO", "compact-boosted")
    assert sentence == advise(problem).sentence
    named = load("svm-rbf").to_json()
    settings, _ = followed(RunSettings(method="suggested", space=named), problem)
    assert settings.space == named


def test_whoever_chooses_gets_what_was_chosen():
    settings = RunSettings(method="RS")
    assert followed(settings, shaped(20_000, 16, 4)) == (settings, "")


def test_an_auto_method_stays_the_default_and_tells_of_the_advice():
    problem = shaped(20_000, 16, 4)
    settings, sentence = followed(RunSettings(), problem)
    assert settings == RunSettings()
    assert advise(problem).sentence in sentence
    assert "--method suggested" in sentence


def test_a_run_begins_with_the_advice_or_with_what_the_error_would_hide():
    problem = shaped(1500, 10, [1400, 100])
    sentence = advise(problem).sentence
    assert notes_on(problem, "error", sentence) == (sentence,)
    (note,) = notes_on(problem, "error", "")
    assert "balanced-error" in note
    assert notes_on(problem, "auc", "") == ()
    assert notes_on(shaped(1500, 10, 0), "rmse", "") == ()


def test_advice_is_plain_json():
    plain = advise(shaped(300, 5)).to_json()
    assert plain["plan"]["folds"] == 5
    assert set(plain) == {"method", "space", "metric", "plan", "sentence"}


def test_the_advice_is_said_once_and_decides_what_was_left_open(new_run):
    path, run_id = new_run(method="suggested")
    with Document.open(path) as document:
        first, again = (prepare(document, run_id) for _ in range(2))
    assert (first.settings.method, first.space.name) == ("EO-sqm", "svm-rbf")
    assert first.notes[-1].startswith("For 90 rows, 3 columns and 2 classes, take EO-sqm")
    assert again.settings == first.settings
    assert again.notes == first.problem.notes


def test_a_named_method_keeps_the_default_space(new_run):
    path, run_id = new_run(method="RS")
    with Document.open(path) as document:
        prepared = prepare(document, run_id)
    assert (prepared.settings.method, prepared.space.name) == ("RS", "sklearn-cash")
    assert prepared.notes == prepared.problem.notes


def test_roles_of_rows_reach_the_split(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"g{i // 4},{i % 5},{'ab'[i // 2 % 2]}" for i in range(120)]
    path.write_text("\n".join(["g,x,y", *lines]) + "\n")
    source = Source(path=str(path), roles={"g": "group"})
    with Document.create(tmp_path / "d.studio") as document:
        run_id = document.add_run("test", RunSettings(method="RS", source=source).to_json())
        first, again = (prepare(document, run_id) for _ in range(2))
    groups = first.problem.groups
    parts = [first.split.train, first.split.validation, first.split.test]
    assert sum(len(set(groups[rows])) for rows in parts) == 30
    for name, rows in again.split.arrays().items():
        assert np.array_equal(rows, first.split.arrays()[name])
