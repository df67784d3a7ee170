"""Learners with monotonic constraints."""

import re
from typing import Any

import numpy as np
import pytest

from studio.arrays import Floats
from studio.errors import LearnerError, UsageError
from studio.learners.base import convert_signs
from studio.learners.choice import ALGORITHM, LearnerConfiguration
from studio.learners.monotone import select_monotone_part
from studio.learners.operators.base import STAGES, ChosenOperator
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY
from studio.learners.space_problems import list_learner_titles
from studio.learners.targets import PredictionTarget
from studio.parts import find_part
from studio.runs.evaluate import fit
from studio.runs.staging import TrialData
from studio.serialization.codec import decode, encode
from studio.space.choices import Categorical, Constant, get_values
from studio.space.library import load
from studio.space.space import Space

SIGNS = np.array([1, -1, 0, 1, 0])
"""Of the columns of :func:`make_noisy`."""


def make_noisy(task: str, seed: int, rows: int = 300) -> TrialData:
    """Return rows with noisy relations to the target, one column categorical."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    X[:, 4] = rng.integers(0, 4, rows)
    answer = 2 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2] + X[:, 0] * X[:, 3]
    answer += rng.normal(size=rows) * 1.5
    X[rng.random(rows) < 0.15, 1] = np.nan
    X[rng.random(rows) < 0.1, 4] = np.nan
    number = np.arange(rows)
    classes = 0 if task == "regression" else 2
    return TrialData(
        X=X,
        y=(answer > 0.5).astype(np.int64) if classes else answer,
        task="binary" if classes else "regression",
        n_classes=classes,
        categorical=np.arange(5) == 4,
        folds=((number[: rows * 3 // 4], number[rows * 3 // 4 :]),),
        validation=number[rows * 3 // 4 :],
        test=number[:0],
        monotone=SIGNS,
    )


def answers(model: Any, X: Floats) -> Floats:
    sure = hasattr(model, "predict_proba")
    predictions: Floats = model.predict_proba(X)[:, 1] if sure else model.predict(X)
    return predictions


def max_violation(model: Any, data: TrialData, column: int, sign: int) -> float:
    """Return the largest violation of monotonicity along a column in 30 rows."""
    column_values = data.X[~np.isnan(data.X[:, column]), column]
    grid = np.sort(np.concatenate([np.linspace(-4.0, 4.0, 80), column_values]))
    rows = np.repeat(data.X[:30], len(grid), axis=0)
    rows[:, column] = np.tile(grid, 30)
    steps = sign * np.diff(answers(model, rows).reshape(30, -1), axis=1)
    return -float(steps.min())


def cases() -> Any:
    for part in REGISTRY:
        missing_dependency = part.get_missing_dependency()
        marks = pytest.mark.skip(reason=missing_dependency) if missing_dependency else ()
        task = "regression" if "regression" in part.tasks else "binary"
        if part.monotone:
            yield pytest.param(part(), task, id=part.key, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "categories"), [(0, "one-hot"), (1, "native")])
@pytest.mark.parametrize(("learner", "task"), list(cases()))
def test_constrained_prediction_is_monotone(learner: Any, task: str, seed: int, categories: str):
    data = make_noisy(task, seed)
    ((training, held_out),) = data.folds
    encoder = find_part(OPERATORS, categories, "encoder")()
    values = {"n_estimators": 40} if "n_estimators" in learner.hyperparameters else {}
    choice = LearnerConfiguration(
        learner.key, values, operators=(ChosenOperator("encoder", encoder, {}),)
    )
    model = fit(data, learner, choice, seed, training, held_out=held_out).pipeline
    places = np.flatnonzero(SIGNS)
    back = [max_violation(model, data, at, SIGNS[at]) for at in places]
    assert max(back) <= 0.0
    free = fit(
        TrialData(**{**vars(data), "monotone": None}),
        learner,
        choice,
        seed,
        training,
        held_out=held_out,
    ).pipeline
    assert max(max_violation(free, data, at, SIGNS[at]) for at in places) > 0.01
    # CatBoost's trees, and those that split codes, are not stored but retrained.
    if categories == "one-hot" and learner.key not in {"catboost", "catboost-regressor"}:
        (decoded_model,) = decode(encode([model]))
        assert answers(decoded_model, data.X).tobytes() == answers(model, data.X).tobytes()


@pytest.mark.parametrize("part", [each for each in REGISTRY if not each.monotone])
def test_learners_without_constraints_reject_them(part: Any):
    data = make_noisy("regression" if "regression" in part.tasks else "binary", 0)
    if part.get_missing_dependency():
        pytest.skip(part.get_missing_dependency())
    with pytest.raises(LearnerError, match=f"^{re.escape(part.get_short_title())} does"):
        fit(data, part(), LearnerConfiguration(part.key, {}), 0, data.validation)


def test_column_mixing_operator_is_rejected():
    data, forest = make_noisy("binary", 0), find_part(REGISTRY, "forest", "learner")()
    pca = ChosenOperator("preprocessor", find_part(OPERATORS, "pca", "preprocessor")(), {})
    with pytest.raises(LearnerError, match="Principal components"):
        fit(data, forest, LearnerConfiguration("forest", {}, operators=(pca,)), 0, data.validation)


SCALERS = [each for each in OPERATORS if each.stage == "rescaler"]


@pytest.mark.parametrize("part", SCALERS, ids=lambda part: part.key)
def test_rescaler_is_monotone_if_increasing_per_column(part: Any):
    data, learner = make_noisy("regression", 1), find_part(REGISTRY, "tree-regressor", "learner")()
    rescaler = ChosenOperator("rescaler", part(), {})
    choice = LearnerConfiguration("tree-regressor", {}, operators=(rescaler,))
    free = TrialData(**{**vars(data), "monotone": None})
    front = fit(free, learner, choice, 0, data.folds[0][0]).pipeline[:-1]
    rows = np.repeat(np.nan_to_num(data.X[:5]), 60, axis=0)
    rows[:, 0] = np.tile(np.linspace(-3, 3, 60), 5)
    rescaled_rows = front.transform(rows).reshape(5, 60, -1)
    rising = bool((np.diff(rescaled_rows[:, :, 0], axis=1) >= 0).all())
    apart = np.allclose(np.ptp(rescaled_rows[:, :, 1:], axis=1), 0.0)
    assert part.monotone is (rising and apart)


def test_constraints_follow_columns_through_preprocessing():
    categorical = np.array([True, False, False, False])
    keeps_missing = np.array([False, True, False, False])
    # Complete columns come first, then columns with missing values, then encoded categories.
    assert convert_signs(np.array([0, 1, -1, 0]), categorical, 6, keeps_missing) == (
        -1,
        0,
        1,
        0,
        0,
        0,
    )
    assert convert_signs(np.array([0, 1, -1, 0]), categorical, 6, None) == (1, -1, 0, 0, 0, 0)


def test_quantile_target_with_constraints_is_rejected():
    # LightGBM rejects constraints with a quantile objective, so such runs have no quantile target.
    data = TrialData(**{**vars(make_noisy("regression", 0)), "aim": PredictionTarget(0.5)})
    learner = find_part(REGISTRY, "boosted-trees-regressor", "learner")()
    with pytest.raises(Exception, match="monotone_constraints"):
        fit(data, learner, LearnerConfiguration(learner.key, {"rounds": 3}), 0, data.validation)


@pytest.mark.parametrize("name", ["best", "best-regression", "sklearn-cash", "large-cash"])
def test_learners_without_constraints_are_removed_from_space(name: str):
    full_space = load(name)
    space = select_monotone_part(full_space, full_space.tasks[0])
    for parameter in space.parameters:
        if parameter.sets == ALGORITHM:
            learner_keys = set(get_values(parameter))
            assert learner_keys == {each.key for each in REGISTRY if each.monotone} & set(
                get_values(full_space.get_parameter(parameter.name))
            )
        elif parameter.sets in STAGES:
            assert all(
                value == "empty" or find_part(OPERATORS, str(value), "operator").monotone
                for value in get_values(parameter)
            )
    assert space.get_default().items() <= full_space.validate(space.get_default()).items()
    assert select_monotone_part(space, full_space.tasks[0]) == space


def test_space_without_monotone_learners_error_lists_them():
    with pytest.raises(UsageError, match=r": SVM with RBF.*: Decision tree, Random forest"):
        select_monotone_part(load("svm-rbf"), "binary")
    assert list_learner_titles(select_monotone_part(load("forest-thesis"), "binary")) == (
        "Random forest",
    )


@pytest.mark.parametrize("setting", ["linear_tree", "linear_trees", "zero_as_missing"])
def test_settings_violating_constraints_are_rejected(setting: str):
    data, learner = (
        make_noisy("regression", 0),
        find_part(REGISTRY, "lightgbm-regressor", "learner")(),
    )
    with pytest.raises(LearnerError, match=setting):
        fit(data, learner, LearnerConfiguration(learner.key, {setting: True}), 0, data.validation)
    fit(data, learner, LearnerConfiguration(learner.key, {setting: False}), 0, data.validation)
    algorithm = Categorical(ALGORITHM, choices=(learner.key,))
    space = Space("lines", (algorithm, Constant(f"{learner.key}.{setting}", value=True)))
    with pytest.raises(UsageError, match=setting):
        select_monotone_part(space, "regression")
