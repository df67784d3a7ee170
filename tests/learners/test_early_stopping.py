"""Learners with early stopping on held-out rows."""

import dataclasses

import numpy as np
import pytest

from studio.learners.choice import LearnerConfiguration
from studio.learners.facts import TableFacts
from studio.learners.operators.rescalers import StandardScaling
from studio.learners.registry import REGISTRY
from studio.learners.self_replacing_steps import (
    ValidationData,
    extract_trained,
    fit_with_early_stopping,
)
from studio.learners.watched_rounds import PROBED_ROWS
from studio.runs.evaluate import evaluate, refit
from studio.runs.staging import TrialData

pytestmark = pytest.mark.slow

WATCHING = [part for part in REGISTRY if part.self_tuned_hyperparameters]
PREDICTING = {"tabicl", "tabicl-regressor"}
"""They spend all their time on predictions, so they are rejected if it is too short."""


def data_for(task, rows=400, folds=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 6))
    signal = X[:, 0] + np.sin(2 * X[:, 1]) + 0.5 * rng.normal(size=rows)
    classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    if classes:
        edges = np.quantile(signal, np.linspace(0, 1, classes + 1)[1:-1])
        y = np.searchsorted(edges, signal).astype(np.int64)
    else:
        y = signal
    number = np.arange(rows) % folds
    test = np.arange(rows - 50, rows)
    inside = np.arange(rows - 50)
    parts = tuple(
        (inside[number[inside] != fold], inside[number[inside] == fold]) for fold in range(folds)
    )
    return TrialData(
        X=X, y=y, task=task, n_classes=classes, categorical=np.zeros(6, bool),
        folds=parts, validation=inside, test=test,
    )  # fmt: skip


def cases(apart=frozenset()):
    for part in WATCHING:
        if part.key in apart:
            continue
        missing_dependency = part.get_missing_dependency()
        marks = pytest.mark.skip(reason=missing_dependency) if missing_dependency else ()
        for task in part.tasks:
            yield pytest.param(part, task, id=f"{part.key}-{task}", marks=marks)


@pytest.mark.parametrize(("part", "task"), list(cases()))
def test_self_tuned_values_of_folds_are_reused(part, task, tmp_path):
    data = data_for(task)
    learner, choice = part(), LearnerConfiguration(part.key, {})
    outcome = evaluate(data, learner, choice, 3)
    names = {f"{part.key}.{name}" for name in part.self_tuned_hyperparameters}
    assert names <= set(outcome.used)
    later = choice.with_fixed_values(outcome.used, part.self_tuned_hyperparameters)
    assert {name: later.values[name] for name in part.self_tuned_hyperparameters} == {
        name: outcome.used[f"{part.key}.{name}"] for name in part.self_tuned_hyperparameters
    }
    repeated = refit(
        data,
        learner,
        later,
        3,
        rows=data.validation,
        destination=None,
        matrices=[data.X[data.test]],
    )
    assert np.isfinite(repeated.predictions[0]).all()


@pytest.mark.parametrize(("part", "task"), list(cases()))
def test_validation_rows_of_any_weight_are_used(part, task):
    data = dataclasses.replace(
        data_for(task), weights=np.random.default_rng(1).gamma(1.0, size=400)
    )
    outcome = evaluate(data, part(), LearnerConfiguration(part.key, {}), 3)
    assert np.isfinite(outcome.validation).all()


class TickingClock:
    """A clock that advances a hundredth of a second per reading."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.01
        return self.now


CLOCKED = ("watched_rounds", "real_mlp")


@pytest.mark.parametrize(("part", "task"), list(cases(PREDICTING)))
def test_training_stops_in_time_with_best_model(part, task, monkeypatch):
    data = data_for(task, rows=2000, folds=2)
    training, held_out = data.folds[0]
    ended = []
    for seconds in (0.2, 1.0):
        clock = TickingClock()
        for name in CLOCKED:
            monkeypatch.setattr(f"studio.learners.{name}.read_awake_seconds", clock)
        pipeline = part().build({}, make_facts(data), ())
        fit_with_early_stopping(
            pipeline.estimator, data.X[training], data.y[training], None,
            ValidationData(data.X[held_out], data.y[held_out], None, seconds),
        )  # fmt: skip
        model = extract_trained(pipeline.estimator)
        assert np.isfinite(model.predict(data.X[:5])).all()
        ended.append(clock.now)
    assert ended[0] < 0.22
    assert ended[0] < ended[1] < 1.02


def test_boosting_stops_earlier_for_many_prediction_rows(monkeypatch):
    data = data_for("regression", rows=1000, folds=2)
    training, held_out = data.folds[0]
    part = next(part for part in WATCHING if part.key == "boosted-trees-regressor")
    rounds = []
    for to_predict in (0, 100 * PROBED_ROWS):
        monkeypatch.setattr("studio.learners.watched_rounds.read_awake_seconds", TickingClock())
        estimator = part().build({"learning_rate": 0.001}, make_facts(data), ()).estimator
        watched = ValidationData(data.X[held_out], data.y[held_out], None, 1.0, to_predict)
        fit_with_early_stopping(estimator, data.X[training], data.y[training], None, watched)
        rounds.append(estimator[-1].self_tuned_values["rounds"])
    assert rounds[1] < rounds[0] / 2


def make_facts(data):
    training = data.folds[0][0]
    return TableFacts.from_rows(
        data.X[training], data.y[training], task=data.task, n_classes=data.n_classes,
        categorical=data.categorical, seed=1,
    )  # fmt: skip


def test_arithmetic_operator_transforms_validation_rows(behind_arithmetic):
    X, pipeline = behind_arithmetic
    assert pipeline[:-1].transform(X).shape[1] > X.shape[1]
    assert np.isfinite(pipeline.predict(X)).all()


@pytest.fixture
def behind_arithmetic():
    from studio.learners.operators.arithmetic import Arithmetic
    from studio.learners.operators.base import ChosenOperator

    data = data_for("regression")
    part = next(part for part in WATCHING if part.key == "boosted-trees-regressor")
    y = data.X[:, 0] / (3 + data.X[:, 1])
    pipeline = part().build(
        {}, make_facts(data), (ChosenOperator("preprocessor", Arithmetic(), {}),)
    )
    training, held_out = data.folds[0]
    watched = ValidationData(data.X[held_out], y[held_out], None, None)
    fit_with_early_stopping(pipeline.estimator, data.X[training], y[training], None, watched)
    return data.X, extract_trained(pipeline.estimator)


def test_boosted_trees_get_missing_values_and_categorical_columns():
    from studio.learners.operators.base import ChosenOperator
    from studio.learners.operators.encoders import NativeEncoding

    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(300, 2)), rng.integers(0, 9, 300)])
    X[:50, 1] = np.nan
    y = rng.normal(size=300)
    flags = np.array([False, False, True])
    facts = TableFacts.from_rows(X, y, task="regression", n_classes=0, categorical=flags, seed=1)
    part = next(part for part in WATCHING if part.key == "boosted-trees-regressor")
    native = (ChosenOperator("encoder", NativeEncoding(), {}),)
    pipeline = part().build({"rounds": 5}, facts, native)
    fit_with_early_stopping(pipeline.estimator, X, y, None, ValidationData())
    model = extract_trained(pipeline.estimator)
    assert np.isnan(model[:-1].transform(X)[:, 1]).sum() == 50
    assert model[-1].get_params()["categorical_feature"] == [2]
    scaled = (*native, ChosenOperator("rescaler", StandardScaling(), {}))
    pipeline = part().build({"rounds": 5}, facts, scaled)
    fit_with_early_stopping(pipeline.estimator, X, y, None, ValidationData())
    model = extract_trained(pipeline.estimator)
    assert np.isfinite(model[:-1].transform(X)).all()
    assert "categorical_feature" not in model[-1].get_params()
