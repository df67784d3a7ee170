"""scikit-learn's names of metrics select the metric with the scorer's order of models."""

import inspect

import numpy as np
import pytest
import sklearn.metrics
from sklearn.metrics import get_scorer

from studio.data.metrics.registry import (
    METRICS_BY_FUNCTION,
    METRICS_BY_SCORER,
    find_metric,
    get_metric,
)
from studio.errors import UsageError
from tests.facts import about


@pytest.mark.parametrize("name", METRICS_BY_SCORER)
def test_scorer_metric_ranks_models_like_scorer(name):
    metric = find_metric(name)
    regression = "regression" in metric.tasks
    rng = np.random.default_rng(2)
    truth = rng.gamma(1.0, size=60) + 0.1 if regression else rng.integers(2, size=60)

    def make_predictions(seed):
        rng = np.random.default_rng(seed)
        if regression:
            predictions = truth * rng.gamma(4.0, 0.25, size=60)
            return metric().compute_loss(truth, predictions), scored(predictions, None)
        shares = rng.dirichlet([1, 1], 60) + 0.4 * np.eye(2)[truth]
        shares /= shares.sum(axis=1, keepdims=True)
        return metric().compute_loss(truth, shares), scored(shares.argmax(axis=1), shares)

    def scored(predictions, shares):
        scorer = get_scorer(name)
        scorer_input = predictions if scorer._response_method == "predict" else shares[:, 1]
        return scorer._sign * scorer._score_func(truth, scorer_input, **scorer._kwargs)

    losses, scores = np.transpose([make_predictions(seed) for seed in range(12)])
    assert list(np.argsort(losses)) == list(np.argsort(-scores))


@pytest.mark.parametrize("name", METRICS_BY_FUNCTION)
def test_function_has_metric_of_its_scorer(name):
    function = getattr(sklearn.metrics, name)
    assert "y_true" in inspect.signature(function).parameters
    scorers = [
        each for each in METRICS_BY_SCORER if get_scorer(each)._score_func is function
    ]  # fmt: skip
    assert name == "zero_one_loss" or scorers
    for scorer in scorers:
        assert find_metric(scorer) is find_metric(name)


@pytest.mark.parametrize(
    ("name", "task", "similar"),
    [
        ("logloss", "binary", "log_loss"),
        ("Log_Loss", "multiclass", "log_loss"),
        ("roc_auk", "binary", "roc_auc"),
        ("neg_mean_sqared_error", "regression", "neg_mean_squared_error"),
        ("rsme", "regression", "rmse"),
    ],
)
def test_unknown_metric_suggests_nearest_of_its_task(name, task, similar):
    with pytest.raises(UsageError, check=about(key=repr(name), similar=repr(similar))):
        get_metric(name, task)
    other = "regression" if task != "regression" else "binary"
    with pytest.raises(UsageError) as raised:
        get_metric(name, other)
    assert f"{similar!r}" not in str(raised.value)
