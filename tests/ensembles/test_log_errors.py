"""Selection by the errors of logarithms where they are normal."""

import numpy as np
import pytest
from scipy.stats import norm

from studio.data.metrics.absolute_errors import Mae
from studio.ensembles.greedy import GreedySelection
from studio.ensembles.log_errors import MIN_P_VALUE, make_log_error_loss
from studio.trial import History, Trial

ROWS = 700


def make_amounts(rng, noise):
    """Return predictions of a line on logarithms, and amounts around it."""
    line = rng.normal(4.0, 1.0, len(noise))
    return np.expm1(line), np.expm1(np.maximum(line + noise, 0.0))


def test_log_error_loss_equals_negative_log_likelihood():
    rng = np.random.default_rng(0)
    predictions, truth = make_amounts(rng, rng.normal(0.0, 0.8, ROWS))
    worse = np.expm1(np.log1p(predictions) + rng.normal(0.0, 0.1, ROWS))
    loss = make_log_error_loss(truth, [predictions, predictions, worse])
    assert loss is not None
    offset = np.mean(np.log1p(truth) - np.log1p(predictions))
    for each in (predictions, worse):
        errors = np.log1p(truth) - np.log1p(each) - offset
        likelihood = norm(0.0, 1.0).logpdf(errors).mean()
        assert loss(truth, each) == pytest.approx(-2.0 * likelihood - np.log(2.0 * np.pi))
    assert loss(truth, predictions) < loss(truth, worse)


@pytest.mark.slow
def test_log_error_loss_is_accepted_at_nominal_level():
    rng = np.random.default_rng(1)
    n_losses = 0
    for _ in range(200):
        predictions, truth = make_amounts(rng, rng.normal(0.0, 0.8, ROWS))
        n_losses += make_log_error_loss(truth, [predictions]) is not None
    # Two tests, so at most twice the level are rejected; 4 standard errors.
    assert n_losses >= 200 * (1.0 - 2.0 * MIN_P_VALUE) - 4.0 * np.sqrt(200 * 2.0 * MIN_P_VALUE)


@pytest.mark.parametrize(
    ("draw", "rows"),
    [
        pytest.param(lambda rng, n: rng.standard_t(4, n) * 0.6, ROWS, id="heavy tails"),
        pytest.param(lambda rng, n: np.log(rng.gamma(1.0, 1.0, n)), ROWS, id="gamma"),
        pytest.param(lambda rng, n: rng.normal(0.0, 0.2, n), ROWS, id="nearly linear"),
        pytest.param(lambda rng, n: rng.normal(0.0, 0.8, n), 300, id="few rows"),
    ],
)
def test_log_error_loss_is_rejected_for_other_distributions(draw, rows):
    n_losses = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        predictions, truth = make_amounts(rng, draw(rng, rows))
        n_losses += make_log_error_loss(truth, [predictions]) is not None
    assert n_losses <= 2


def test_log_error_loss_requires_constant_spread_and_nonnegative_targets():
    rng = np.random.default_rng(2)
    line = rng.normal(4.0, 1.0, ROWS)
    growing = np.expm1(line + rng.normal(0.0, 0.3 + 0.2 * np.abs(line - 2.0)))
    assert make_log_error_loss(growing, [np.expm1(line)]) is None
    predictions, truth = make_amounts(rng, rng.normal(0.0, 0.8, ROWS))
    assert make_log_error_loss(truth, [predictions]) is not None
    truth[0] = -1.0
    assert make_log_error_loss(truth, [predictions]) is None


class CallersMae(Mae):
    """A metric like that of a caller's function."""

    key = "callers-mae"
    local = True


def make_misleading_history(metric):
    """Return the true line, and a worse model that fits the largest rows."""
    rng = np.random.default_rng(3)
    line, truth = make_amounts(rng, rng.normal(0.0, 0.8, ROWS))
    misleading = np.expm1(np.log1p(line) + rng.normal(0.0, 0.3, ROWS))
    largest = np.argsort(truth)[-10:]
    misleading[largest] = truth[largest]
    history = History(truth, 0)
    for number, each in enumerate((line, misleading), start=1):
        history.append(Trial(number, {}, 0, metric.compute_loss(truth, each)), each)
    return history


def test_guided_selection_is_robust_to_largest_rows():
    metric = Mae()
    history = make_misleading_history(metric)
    assert history.trials[1].loss < history.trials[0].loss
    by_metric = GreedySelection(loss="metric").build(history, metric, 0)
    guided = GreedySelection(loss="guided").build(history, metric, 0)
    assert dict(zip(guided.members, guided.weights, strict=True))[1] >= 0.75
    assert dict(zip(by_metric.members, by_metric.weights, strict=True)).get(1, 0.0) < 0.5


def test_custom_metric_is_not_replaced_by_log_errors():
    metric = CallersMae()
    history = make_misleading_history(metric)
    guided = GreedySelection(loss="guided").build(history, metric, 0)
    assert guided == GreedySelection(loss="metric").build(history, metric, 0)
