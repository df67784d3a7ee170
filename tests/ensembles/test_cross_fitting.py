"""Predictions of ensembles for rows unused in their selection."""

import numpy as np

from studio.data.metrics.base import WeightedMetric
from studio.data.metrics.registry import get_metric
from studio.ensembles.base import combine
from studio.ensembles.single_model import SingleBest, Stacking
from studio.runs.margins import compute_cross_fitted_predictions
from studio.trial import History, LostTrial, Trial

RMSE = get_metric("rmse", "regression")


def pool(truth: np.ndarray, models: list[np.ndarray]) -> History:
    history = History(truth, 0)
    for number, predictions in enumerate(models, start=1):
        history.append(Trial(number, {}, 0, float(RMSE(truth, predictions))), predictions)
    return history


def test_cross_fitting_removes_selection_optimism() -> None:
    """The luckiest of many models of pure noise looks better than it is, except on unseen rows."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    history = pool(truth, [truth + rng.normal(size=200) for _ in range(40)])
    ensemble_predictions = combine(
        history.get_predictions, Stacking(size=40).build(history, RMSE, 0)
    )
    cross_fitted_predictions = compute_cross_fitted_predictions(
        Stacking(size=40), history, lambda _truth, _weights: RMSE, 0
    )
    assert RMSE(truth, cross_fitted_predictions) > 1.2 * RMSE(truth, ensemble_predictions)


def test_cross_fitting_does_not_split_groups() -> None:
    """The first model is right on unit 0 only; without its rows, the second one is selected."""
    truth = np.zeros(20)
    units = np.repeat(np.arange(10), 2)
    models = [np.where(units == 0, 0.0, 5.0), np.where(units == 0, 5.0, 1.0)]
    cross_fitted_predictions = compute_cross_fitted_predictions(
        SingleBest(), pool(truth, models), lambda _t, _w: RMSE, 3, units
    )
    # Nine units prefer the second model, regardless of their part; it is chosen for unit 0 as well.
    assert cross_fitted_predictions.tolist() == models[1].tolist()


def test_cross_fitting_uses_weights_and_successful_trials() -> None:
    rng = np.random.default_rng(1)
    truth, weights = rng.normal(size=50), np.ones(50)
    weights[10:] = 1e-6
    history = History(truth, 0, weights=weights)
    right_where_heavy = np.where(weights == 1.0, truth, truth + 3.0)
    history.append(Trial(1, {}, 0, None, cause="too slow"), None)
    history.append(LostTrial(2, {}, 0, None, record="trial 1 2"), None)
    history.append(Trial(3, {}, 0, 1.0), right_where_heavy)
    history.append(Trial(4, {}, 0, 1.0), truth + 1.0)
    cross_fitted_predictions = compute_cross_fitted_predictions(
        SingleBest(),
        history,
        lambda part, each: RMSE if each is None else WeightedMetric(RMSE, part, each),
        0,
    )
    assert cross_fitted_predictions.tolist() == right_where_heavy.tolist()
