"""Margins of predictions: exact quantiles, weights, groups, and coverage of a known law."""

import numpy as np
import pytest

from studio.data.intervals.prediction import PredictionMargins, compute_quantile


def test_quantile_equals_split_conformal_order_statistic() -> None:
    scores = np.random.default_rng(0).permutation(np.arange(1.0, 100.0))  # 1 … 99
    assert compute_quantile(scores, 0.9) == 90.0
    assert compute_quantile(scores, 0.905) == 91.0
    assert compute_quantile(scores[:9], 0.9) == scores[:9].max()


@pytest.mark.parametrize(("units", "finite"), [(None, True), (8, False), (9, True)])
def test_prediction_margin_of_few_rows_is_undefined(units: int | None, finite: bool) -> None:
    scores = np.arange(90.0)
    codes = None if units is None else np.arange(90) % units
    assert np.isfinite(compute_quantile(scores, 0.9, units=codes)) == finite
    assert not np.isfinite(compute_quantile(scores[:8], 0.9))


def test_prediction_margin_uses_row_weights() -> None:
    rng = np.random.default_rng(1)
    scores, weights = rng.random(60), rng.integers(0, 4, 60).astype(np.float64)
    has_weight = weights > 0
    quantile = compute_quantile(scores, 0.8, weights)
    assert quantile == compute_quantile(scores[has_weight], 0.8, 7.5 * weights[has_weight])
    # Rows of one unit are one witness, however often each stands there.
    repeated = np.repeat(scores, weights.astype(np.int64))
    units = np.repeat(np.arange(60), weights.astype(np.int64))
    units = np.unique(units, return_inverse=True)[1]
    assert quantile == compute_quantile(repeated, 0.8, units=units)


def test_margins_adapt_to_error_size_with_nominal_coverage() -> None:
    rng = np.random.default_rng(2)

    def draw_sample(count: int) -> tuple[np.ndarray, np.ndarray]:
        predicted = rng.uniform(1.0, 10.0, count)
        return predicted, predicted + predicted * rng.normal(size=count)

    coverages = []
    for _ in range(40):
        margins = PredictionMargins.learn(*draw_sample(300))
        predicted, truth = draw_sample(3000)
        inside = np.abs(truth - predicted) <= margins.get_margins(predicted)
        coverages.append(
            [inside.mean(), inside[predicted < 4].mean(), inside[predicted > 7].mean()]
        )
    whole, low, high = np.mean(coverages, axis=0)
    assert abs(whole - 0.9) < 0.012
    # One margin for all rows would hold 99 % of the low ones and 80 % of the high ones.
    assert low < 0.955
    assert high > 0.865
    assert margins.get_margins(np.array([9.0]))[0] > 2.5 * margins.get_margins(np.array([2.0]))[0]


def test_perfect_predictions_have_zero_margin() -> None:
    values = np.arange(50.0)
    assert PredictionMargins.learn(values, values).get_margins(np.array([3.0, 70.0])).tolist() == [
        0.0,
        0.0,
    ]


def test_prediction_interval_stays_in_possible_range() -> None:
    predicted, truth = np.random.default_rng(3).exponential(size=(2, 300))
    free, above = (PredictionMargins.learn(predicted, truth, floor=each) for each in (None, 0.0))
    low, high = free.compute_intervals(predicted).T
    assert (low < 0).any()
    assert np.array_equal(
        above.compute_intervals(predicted), np.column_stack([np.maximum(low, 0.0), high])
    )
