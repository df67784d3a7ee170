import numpy as np
import pytest

from studio.data.metrics.registry import REGISTRY, default_for, metric_for, metrics_for
from studio.errors import UsageError


def test_defaults_are_error_and_rmse():
    assert default_for("binary").key == "error"
    assert default_for("multiclass").key == "error"
    assert default_for("regression").key == "rmse"


def test_keys_are_unique_and_every_metric_declares_itself():
    assert len({metric.key for metric in REGISTRY}) == len(REGISTRY)
    for metric in REGISTRY:
        assert metric.title
        assert metric.summary.endswith(".")
        assert metric.reference
        assert metric.tasks
        assert metric.unit in {"", "%", "target"}


def test_a_metric_is_found_only_for_its_task():
    assert metric_for("auc", "binary").key == "auc"
    with pytest.raises(UsageError, match="'auc' does not judge a regression task; available: rmse"):
        metric_for("auc", "regression")
    with pytest.raises(UsageError, match="no metric called 'nope'"):
        metric_for("nope", "binary")


@pytest.mark.parametrize("metric", REGISTRY, ids=lambda metric: metric.key)
def test_perfect_predictions_lose_nothing(metric):
    if "regression" in metric.tasks:
        truth = np.array([1.0, 2.0, 4.0])
        predictions = truth.astype(np.float32)
    else:
        truth = np.array([0, 1, 2, 1])
        predictions = np.eye(3, dtype=np.float16)[truth]
    assert metric().loss(truth, predictions) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("metric", metrics_for("binary"), ids=lambda metric: metric.key)
@pytest.mark.parametrize("truth", [[0, 0, 0], [1, 1, 1], [0]])
def test_rows_of_one_class_give_a_finite_loss(metric, truth):
    predictions = np.tile(np.array([[0.25, 0.75]], dtype=np.float16), (len(truth), 1))
    assert np.isfinite(metric().loss(np.array(truth), predictions))


@pytest.mark.parametrize("metric", REGISTRY, ids=lambda metric: metric.key)
def test_losses_of_rows_make_up_the_loss(metric):
    rng = np.random.default_rng(3)
    if "regression" in metric.tasks:
        truth, predictions = rng.normal(size=50), rng.normal(size=50).astype(np.float32)
    else:
        truth, predictions = rng.integers(3, size=50), rng.random((50, 3)).astype(np.float16)
    rows = metric().row_losses(truth, predictions)
    made_of_rows = {"error", "log-loss", "brier", "rmse", "mae", "r2"}
    assert (rows is not None) == (metric.key in made_of_rows)
    if rows is not None:
        assert rows.shape == (50,)
        assert rows.min() >= 0
        assert metric().of_mean(rows.mean()) == pytest.approx(metric()(truth, predictions))


def test_with_a_constant_truth_the_unexplained_variance_is_not_made_of_rows():
    assert metric_for("r2", "regression").row_losses(np.ones(3), np.zeros(3)) is None
