"""Non-negative targets: predictions, and learning on a log scale."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.data.metrics.absolute_errors import Mape
from studio.document.store import Document
from studio.learners.choice import LearnerConfiguration
from studio.learners.operators.base import ChosenOperator
from studio.learners.operators.targets import LogTarget
from studio.learners.registry import REGISTRY
from studio.learners.targets import PredictionTarget
from studio.proposers.portfolio import list_starts
from studio.runs.evaluate import FittedPipeline, fit
from studio.runs.load import follow, select_ensemble
from studio.runs.margins import learn_margins, predict_unseen
from studio.runs.settings import RunSettings, TableSource
from studio.runs.staging import TrialData
from studio.serialization.codec import decode, encode
from studio.space.space import Space

LOG = (ChosenOperator("target", LogTarget(), {}),)

REGRESSORS = [
    learner()
    for learner in REGISTRY
    if "regression" in learner.tasks and not learner.get_missing_dependency()
]
QUANTILES = [
    each for each in REGRESSORS if each.key in {"boosted-trees-regressor", "real-mlp-regressor"}
]


def amounts(aim: PredictionTarget, noise: float = 0.3, n: int = 400) -> TrialData:
    """Return n rows of log-linear amounts with a long tail."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    rows = np.arange(n)
    learned = 3 * n // 4
    return TrialData(
        X=X,
        y=np.exp(2.0 * X[:, 0] + noise * rng.normal(size=n)),
        task="regression",
        n_classes=0,
        categorical=np.zeros(2, dtype=np.bool_),
        folds=((rows[:learned], rows[learned:]),),
        validation=rows[learned:],
        test=rows[:0],
        aim=aim,
    )


def fitted(
    data: TrialData, key: str, operators: Any = (), seed: int = 0, **values: Any
) -> FittedPipeline:
    learner = next(each for each in REGRESSORS if each.key == key)
    ((training, held_out),) = data.folds
    choice = LearnerConfiguration(key, values, operators=operators)
    return fit(data, learner, choice, seed, training, held_out=held_out)


def test_log_target_minimises_squared_log_errors():
    data = amounts(PredictionTarget(None, 0.0, 0.5))
    model = fitted(data, "ridge", LOG, alpha=1e-9).pipeline
    rows = data.folds[0][0]
    design = np.column_stack([np.ones(300), data.X[rows]])
    line = np.linalg.lstsq(design, np.log1p(data.y[rows] / 0.5), rcond=None)[0]
    new = np.array([[0.0, 0.0], [1.0, -1.0]])
    expected = 0.5 * np.expm1(np.column_stack([np.ones(2), new]) @ line)
    np.testing.assert_allclose(model.predict(new), expected, rtol=1e-6)
    assert model.predict([[-50.0, 0.0]])[0] == 0.0
    assert model.predict([[50.0, 0.0]])[0] < 11 * data.y[rows].max()


def test_predictions_are_clipped_at_lower_bound():
    low = [[-9.0, 0.0]]
    assert fitted(amounts(PredictionTarget(floor=0.0)), "ridge").pipeline.predict(low)[0] == 0.0
    assert fitted(amounts(PredictionTarget()), "ridge").pipeline.predict(low)[0] < 0.0


def test_negative_targets_disable_log_target_with_note():
    log_fit = fitted(amounts(PredictionTarget()), "ridge", LOG)
    plain = fitted(amounts(PredictionTarget()), "ridge")
    new = [[1.0, 2.0]]
    assert log_fit.pipeline.predict(new) == plain.pipeline.predict(new)
    assert "not on logarithms" in log_fit.note


@pytest.mark.slow
@pytest.mark.parametrize("learner", REGRESSORS, ids=lambda learner: learner.key)
def test_every_regressor_supports_log_target(learner: Any):
    data = amounts(PredictionTarget(None, 0.0, 1.0))
    model = fitted(data, learner.key, LOG).pipeline
    rows = data.validation
    apart = np.log1p(model.predict(data.X[rows])) - np.log1p(data.y[rows])
    assert apart.var() < 0.3 * np.log1p(data.y[rows]).var()
    if learner.key not in {"catboost-regressor", "tabicl-regressor"}:
        (decoded_model,) = decode(encode([model]))
        assert (
            decoded_model.predict(data.X[rows]).tobytes() == model.predict(data.X[rows]).tobytes()
        )


@pytest.mark.slow
@pytest.mark.parametrize("learner", QUANTILES, ids=lambda learner: learner.key)
@pytest.mark.parametrize("operators", [(), LOG])
def test_learner_predicts_quantile_of_metric(learner: Any, operators: Any):
    # A network on 300 rows with such a tail depends on its seed and on the processor's rounding.
    data = amounts(PredictionTarget(0.9, 0.0, 1.0), noise=1.0, n=1000)
    rows = data.validation
    models = [fitted(data, learner.key, operators, seed).pipeline for seed in range(3)]
    shares = [np.mean(data.y[rows] <= model.predict(data.X[rows])) for model in models]
    assert 0.8 <= np.median(shares) <= 0.97


def test_relative_errors_weight_rows_inversely():
    aim, y = PredictionTarget(0.5, relative=True), np.array([1.0, -2.0, 4.0])
    np.testing.assert_allclose(aim.compute_weights(None, y), np.array([4.0, 2.0, 1.0]) * 3 / 7)
    np.testing.assert_allclose(aim.compute_weights(np.array([1.0, 2.0, 0.0]), y), [1.5, 1.5, 0.0])
    assert PredictionTarget(0.5).compute_weights(None, y) is None
    data = amounts(PredictionTarget(0.5, 0.0, 1.0, relative=True), noise=1.0)
    flat = dataclasses.replace(data, X=np.zeros_like(data.X))
    pipeline = fitted(flat, "boosted-trees-regressor", rounds=50, learning_rate=0.3).pipeline
    rows = data.folds[0][0]
    best = Mape().compute_best_constant(data.y[rows], None, 0)
    assert pipeline.predict(flat.X[:1])[0] == pytest.approx(float(best), rel=0.15)


LOG_FIRST = ("log-target", "empty")


@pytest.fixture
def skewed_table(tmp_path: Path) -> TableSource:
    data = amounts(PredictionTarget())
    table = tmp_path / "amounts.csv"
    lines = [f"{a},{b},{y:.4f}" for (a, b), y in zip(data.X, data.y, strict=True)]
    table.write_text("\n".join(["a,b,amount", *lines]))
    return TableSource(path=str(table), target="amount", task="regression")


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "scales"), [("mae", LOG_FIRST), ("rmse", LOG_FIRST[::-1])])
def test_best_evaluates_starts_on_both_target_scales(
    skewed_table: TableSource,
    new_run: Callable[..., Any],
    run_inline: Callable[..., str],
    metric: str,
    scales: tuple[str, ...],
) -> None:
    path, run_id = new_run(
        source=skewed_table, method="best", budget=2, metric=metric, advised=True
    )
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        settings = RunSettings.from_row(document.runs.get(run_id))
        configurations = [each.configuration for each in document.trials.list_all(run_id)]
    assert (settings.aim.level, settings.aim.floor) == (0.5 if metric == "mae" else None, 0.0)
    assert settings.space is not None
    space = Space.from_json(settings.space)
    starts = [each.configuration for each in list_starts(space, 60, regression=True)]
    assert configurations == starts[:2]
    half = len(starts) // 2
    first, second = ([each for each in starts if each["target"] == scale] for scale in scales)
    assert [each for each in starts[: half + 1] if each not in first] == [
        each for each in second if each["algorithm"] == "ridge"
    ], "only the linear model does not wait for the others"
    assert sorted(str({**each, "target": ""}) for each in first) == sorted(
        str({**each, "target": ""}) for each in second
    )


@pytest.mark.slow
@pytest.mark.parametrize("amounts", [True, False])
def test_intervals_of_amounts_are_on_log_scale(
    skewed_table: TableSource,
    new_run: Callable[..., Any],
    run_inline: Callable[..., str],
    amounts: bool,
) -> None:
    path, run_id = new_run(
        source=skewed_table, method="best", budget=2, advised=True, amounts=amounts
    )
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        ensemble = select_ensemble(document.runs.get(run_id), prepared, history)
        rows, unseen = predict_unseen(document, run_id, prepared, history, ensemble)
        margins = learn_margins(prepared, rows, unseen)
    aim = prepared.settings.aim
    assert (aim.unit is not None) == amounts
    assert (margins.unit, margins.floor) == (aim.unit, aim.floor)
    assert margins.below != margins.above
    low, high = margins.compute_intervals(unseen).T
    truth = prepared.problem.y[rows]
    # As many as by order statistics, except for rows that are their own neighbours.
    n_missed = len(rows) * 0.05
    assert (truth < low).sum() == pytest.approx(n_missed, abs=0.4 * n_missed)
    assert (truth > high).sum() == pytest.approx(n_missed, abs=0.4 * n_missed)


@pytest.mark.slow
def test_log_target_can_be_disabled(
    skewed_table: TableSource, new_run: Callable[..., Any], run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(
        source=skewed_table, method="best", budget=1, advised=True, amounts=False
    )
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
        assert RunSettings.from_row(row).aim == PredictionTarget()
        assert "target" not in document.trials.list_all(run_id)[0].configuration
    older = {name: each for name, each in row.settings.items() if name not in {"aim", "amounts"}}
    assert RunSettings.from_json(older).aim == PredictionTarget()


def test_log_target_predictions_of_mean_are_unbiased():
    data = amounts(PredictionTarget(None, 0.0, 1.0, unbiased=True), noise=1.0)
    rows = data.folds[0][0]
    predictions = fitted(data, "ridge", LOG).pipeline.predict(data.X[rows])
    assert predictions.mean() == pytest.approx(data.y[rows].mean(), rel=1e-3)
    plain = fitted(amounts(PredictionTarget(None, 0.0, 1.0), noise=1.0), "ridge", LOG).pipeline
    before = plain.predict(data.X[rows])
    assert predictions.max() / before.max() > 1.3, "half the variance of the logarithms is missing"
    np.testing.assert_allclose(predictions, before * predictions.max() / before.max())
