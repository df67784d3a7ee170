"""Margins of predictions: exact quantiles, weights, groups, and coverage in simulations."""

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
    # Rows of one unit count as one observation, however many there are.
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
        inside = margins.find_covered(predicted, truth)
        coverages.append(
            [inside.mean(), inside[predicted < 4].mean(), inside[predicted > 7].mean()]
        )
    coverage, low, high = np.mean(coverages, axis=0)
    assert abs(coverage - 0.9) < 0.012
    # A common margin for all rows would cover 99 % of the low ones and 80 % of the high ones.
    assert low < 0.955
    assert high > 0.865
    narrow, wide = np.diff(margins.compute_intervals(np.array([2.0, 9.0])))[:, 0]
    assert wide > 2.5 * narrow


@pytest.mark.parametrize("unit", [None, 0.7])
def test_interval_of_exact_predictions_is_a_point(unit: float | None) -> None:
    values = np.arange(1.0, 101.0)
    margins = PredictionMargins.learn(values, values, floor=0.0, unit=unit)
    assert margins.find_covered(values, values).all()
    np.testing.assert_allclose(
        margins.compute_intervals(np.array([3.0, 70.0])), [[3.0, 3.0], [70.0, 70.0]]
    )


def test_interval_ends_are_order_statistics_of_signed_errors() -> None:
    """With one prediction for all rows, a window of all rows scores each by the others' errors."""
    n_rows, share = 99, 0.8
    errors = np.random.default_rng(4).gamma(1.0, size=n_rows) - 1.0
    predicted = np.full(n_rows, 5.0)
    # Twenty neighbours: the first 20 rows of equal predictions, and so on.
    margins = PredictionMargins.learn(predicted, predicted + errors, share)
    scores = []
    for row, error in enumerate(errors):
        start = min(max(row - 10, 0), n_rows - 20)
        others = [abs(errors[each]) for each in range(start, start + 20) if each != row]
        scores.append(error / ((sum(others) + 5 * np.abs(errors).mean()) / (19 + 5)))
    # The 10th smallest and the 90th smallest of 99.
    smallest, largest = np.sort(scores)[[9, 89]]
    assert (-margins.below, margins.above) == pytest.approx((smallest, largest))
    assert margins.above > 1.5 * margins.below
    ((low, high),) = margins.compute_intervals(np.array([5.0]))
    assert (5.0 - low) / (high - 5.0) == pytest.approx(margins.below / margins.above)


def test_interval_bounds_of_weighted_rows_equal_repeated_rows() -> None:
    rng = np.random.default_rng(5)
    scores, weights = rng.normal(size=300), rng.integers(1, 4, 300)
    rows = np.repeat(np.arange(300), weights)
    for sign in (-1, 1):
        assert compute_quantile(sign * scores, 0.95, weights * 1.0) == compute_quantile(
            sign * scores[rows], 0.95, units=rows
        )
    predicted = rng.uniform(1.0, 2.0, 300)
    truth = predicted + rng.gamma(1.0, size=300)
    equal, weighted, few_units = (
        PredictionMargins.learn(predicted, truth, weights=each, units=units)
        for each, units in (
            (None, None),
            (np.where(truth > 3.5, 0.0, 1.0), None),
            (None, np.arange(300) % 58),
        )
    )
    assert weighted.above < equal.above
    assert (equal.has_few_rows, few_units.has_few_rows) == (False, True)


@pytest.mark.parametrize(
    ("n_rows", "share", "are_few"), [(58, 0.9, True), (59, 0.9, False), (58, 0.8, False)]
)
def test_few_rows_have_symmetric_margins(n_rows: int, share: float, are_few: bool) -> None:
    predicted, errors = np.random.default_rng(6).exponential(size=(2, n_rows))
    truth = predicted * errors
    margins = PredictionMargins.learn(predicted, truth, share, floor=0.0, unit=0.1)
    assert margins.has_few_rows == (margins.below == margins.above) == are_few
    assert (margins.unit is None) == are_few
    if are_few:
        low, high = margins.compute_intervals(predicted).T
        np.testing.assert_allclose((high - predicted)[low > 0], (predicted - low)[low > 0])
        expected = int(np.ceil(share * (n_rows + 1))) / n_rows  # except for the row's own error
        assert margins.find_covered(predicted, truth).mean() == pytest.approx(expected, abs=0.04)


def test_interval_of_amounts_is_a_range_of_ratios() -> None:
    """If errors are factors of one distribution, the bounds are predictions times its quantiles."""
    rng = np.random.default_rng(7)
    predicted = np.exp(rng.normal(size=20_000)) * 1000
    truth = predicted * np.exp(0.5 * rng.normal(size=20_000))
    margins = PredictionMargins.learn(predicted, truth, floor=0.0, unit=1e-3)
    for ends in margins.compute_intervals(np.array([300.0, 1000.0, 3000.0])) / [
        [300.0],
        [1000.0],
        [3000.0],
    ]:
        np.testing.assert_allclose(ends, np.exp([-0.5 * 1.645, 0.5 * 1.645]), rtol=0.12)


def test_skewed_errors_are_missed_equally_often_on_both_sides() -> None:
    rng = np.random.default_rng(8)

    def draw_sample(count: int) -> tuple[np.ndarray, np.ndarray]:
        predicted = np.exp(rng.normal(size=count))
        return predicted, predicted * np.exp(rng.normal(size=count))

    missed = []
    for _ in range(60):
        margins = PredictionMargins.learn(*draw_sample(300), floor=0.0, unit=0.2)
        predicted, truth = draw_sample(2000)
        low, high = margins.compute_intervals(predicted).T
        missed.append([(truth < low).mean(), (truth > high).mean()])
    # 15 of 301 on each side; the standard error is 0.0016.
    np.testing.assert_allclose(np.mean(missed, axis=0), 15 / 301, atol=0.005)


@pytest.mark.parametrize(("share_of_zeros", "is_symmetric"), [(0.03, False), (0.3, True)])
def test_amounts_with_many_zeros_keep_symmetric_margins(
    share_of_zeros: float, is_symmetric: bool
) -> None:
    rng = np.random.default_rng(9)
    predicted, truth = rng.uniform(1.0, 5.0, 400), rng.exponential(3.0, 400)
    truth[: round(400 * share_of_zeros)] = 0.0
    margins = PredictionMargins.learn(predicted, truth, floor=0.0, unit=1.0)
    assert (margins.below == margins.above) == (margins.unit is None) == is_symmetric
    assert not margins.has_few_rows
    # Without a bound, zeros are ordinary values.
    assert PredictionMargins.learn(predicted, truth).below != margins.below


def test_interval_contains_its_prediction() -> None:
    predicted = np.full(200, 10.0)
    truth = 20.0 + np.random.default_rng(10).exponential(size=200)
    margins = PredictionMargins.learn(predicted, truth)
    assert margins.below < 0
    low, high = margins.compute_intervals(np.array([10.0]))[0]
    assert low == 10.0
    assert high > 20.0


def test_largest_amounts_have_finite_intervals() -> None:
    predicted = np.exp(np.linspace(0.0, 69.0, 300))
    truth = predicted[::-1]
    margins = PredictionMargins.learn(predicted, truth, floor=0.0, unit=1.0)
    assert np.isfinite(margins.compute_intervals(np.array([1.0, 1e30]))).all()


def test_prediction_interval_stays_in_possible_range() -> None:
    predicted, truth = np.random.default_rng(3).exponential(size=(2, 300))
    free, above = (PredictionMargins.learn(predicted, truth, floor=each) for each in (None, 0.0))
    low, high = free.compute_intervals(predicted).T
    assert (low < 0).any()
    assert np.array_equal(
        above.compute_intervals(predicted), np.column_stack([np.maximum(low, 0.0), high])
    )
