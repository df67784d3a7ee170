import numpy as np
import pytest

from studio.data.metrics.registry import REGISTRY, get_default, get_metric, get_metrics
from studio.errors import DataError, UsageError
from tests.facts import about


def test_defaults_are_error_and_rmse():
    assert get_default("binary").key == "error"
    assert get_default("multiclass").key == "error"
    assert get_default("regression").key == "rmse"


def test_metrics_have_unique_keys_and_descriptions():
    assert len({metric.key for metric in REGISTRY}) == len(REGISTRY)
    for metric in REGISTRY:
        assert metric.title
        assert metric.summary.endswith(".")
        assert metric.reference
        assert metric.tasks
        assert metric.unit in {"", "%", "target"}


def test_earlier_documents_keep_macro_f1():
    assert get_metric("f1", "binary").key == get_metric("f1_macro", "binary").key == "f1-macro"


def test_metric_lookup_rejects_other_tasks():
    assert get_metric("auc", "binary").key == "auc"
    with pytest.raises(UsageError, match="available: rmse", check=about(key="'auc'")):
        get_metric("auc", "regression")
    with pytest.raises(UsageError, match="no metric", check=about(key="'nope'")):
        get_metric("nope", "binary")


@pytest.mark.parametrize("metric", REGISTRY, ids=lambda metric: metric.key)
def test_perfect_predictions_have_zero_loss(metric):
    if "regression" in metric.tasks:
        truth = np.array([1.0, 2.0, 4.0])
        predictions = truth.astype(np.float32)
    else:
        truth = np.array([0, 1, 1]) if metric.tasks == ("binary",) else np.array([0, 1, 2, 1])
        predictions = np.eye(truth.max() + 1, dtype=np.float16)[truth]
    assert metric().compute_loss(truth, predictions) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("metric", get_metrics("binary"), ids=lambda metric: metric.key)
@pytest.mark.parametrize("truth", [[0, 0, 0], [1, 1, 1], [0]])
def test_rows_of_one_class_give_finite_loss(metric, truth):
    predictions = np.tile(np.array([[0.25, 0.75]], dtype=np.float16), (len(truth), 1))
    assert np.isfinite(metric().compute_loss(np.array(truth), predictions))


@pytest.mark.parametrize("metric", REGISTRY, ids=lambda metric: metric.key)
def test_row_losses_average_to_loss(metric):
    rng = np.random.default_rng(3)
    if "regression" in metric.tasks:
        truth, predictions = rng.gamma(1.0, size=50), rng.normal(size=50).astype(np.float32)
    else:
        truth, predictions = rng.integers(3, size=50), rng.random((50, 3)).astype(np.float16)
    rows = metric().compute_row_losses(truth, predictions)
    made_of_rows = {"error", "log-loss", "brier", "rmse", "mae", "r2", "mape", "rmsle"}
    assert (rows is not None) == (metric.key in made_of_rows or "pinball" in metric.key)
    if rows is not None:
        assert rows.shape == (50,)
        assert rows.min() >= 0
        assert metric().transform_mean(rows.mean()) == pytest.approx(metric()(truth, predictions))


def test_r2_of_constant_truth_has_no_row_losses():
    assert get_metric("r2", "regression").compute_row_losses(np.ones(3), np.zeros(3)) is None


def test_pinball_loss_exists_for_every_quantile():
    assert get_metric("pinball-0.75", "regression").level == 0.75
    assert get_metric("pinball-0.75", "regression").title == "Pinball loss (75 % quantile)"
    for key in ("pinball-1", "pinball-0", "pinball-", "pinball-nan", "pinball"):
        with pytest.raises(UsageError, match="no metric called"):
            get_metric(key, "regression")


SKEWED = np.random.default_rng(5).gamma(0.8, 10.0, size=41).round(2) + 0.01


@pytest.mark.parametrize("metric", get_metrics("regression"), ids=lambda metric: metric.key)
@pytest.mark.parametrize("weighted", [True, False])
def test_best_constant_has_minimum_loss(metric, weighted):
    weights = np.random.default_rng(6).gamma(1.0, size=41) if weighted else None

    def loss(value):
        return metric().compute_loss(SKEWED, np.full(41, value), weights)

    best = metric().compute_best_constant(SKEWED, weights, 0)
    constants = np.concatenate([np.linspace(0, SKEWED.max(), 2000), SKEWED])
    # The median of an even number of rows averages two; that of the shortest half is close to it.
    slack = 0.02 if metric.key == "median-absolute-error" else 1e-12
    assert loss(float(best)) <= min(map(loss, constants)) * (1 + slack)


@pytest.mark.parametrize("metric", get_metrics("multiclass"), ids=lambda metric: metric.key)
def test_class_shares_are_best_constant_prediction(metric):
    truth = np.repeat([0, 1, 2], [5, 30, 12])
    best = metric().compute_best_constant(truth, None, 3)
    rng = np.random.default_rng(1)
    losses = [
        metric().compute_loss(truth, np.tile(each, (47, 1)))
        for each in rng.dirichlet(np.ones(3), 200)
    ]
    assert metric().compute_loss(truth, np.tile(best, (47, 1))) <= min(losses) + 1e-12


def test_unsuitable_targets_are_rejected_with_remedy():
    mape, rmsle = get_metric("mape", "regression"), get_metric("rmsle", "regression")
    assert " 2 rows" in mape.find_problem(np.array([0.0, 1.0, 0.0]))
    assert "one row" in rmsle.find_problem(np.array([-0.5, 0.0]))
    assert (
        mape.find_problem(np.array([-1.0, 2.0])) == rmsle.find_problem(np.array([0.0, 2.0])) == ""
    )
    with pytest.raises(DataError, match=r"\(mae\)"):
        rmsle.compute_loss(np.array([-0.5]), np.array([1.0]))
    assert rmsle.compute_loss(np.array([0.0]), np.array([-3.0])) == 0.0


def test_average_precision_requires_positive_rows():
    metric = get_metric("average-precision", "binary")
    assert not metric.is_defined(np.zeros(3, dtype=int))
    assert metric.is_defined(np.ones(3, dtype=int))
    assert metric.compute_ratios(np.zeros(3, dtype=int), np.full((3, 2), 0.5), np.ones(3)) is None
