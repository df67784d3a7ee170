"""Hits among chosen rows, and sums of them: against exact distributions and closed forms."""

import numpy as np
import pytest
from scipy.special import expit

from studio.arrays import Floats
from studio.data.intervals.pieces import MAX_PIECES, RowGroups, estimate_intra_unit_correlation
from studio.data.intervals.sums import CalibrationBasis, HitRates, TotalErrors, TotalEstimate


def poisson_binomial(rates: Floats) -> Floats:
    """Return the probability of each number of hits, by convolution."""
    probabilities = np.ones(1)
    for rate in rates:
        probabilities = np.convolve(probabilities, [1.0 - rate, rate])
    return probabilities


def make_calibrated_rates(bends: CalibrationBasis, weights: Floats) -> HitRates:
    """Return rates with a known correction."""
    return HitRates(bends, weights, 1e12 * np.eye(len(weights)))


@pytest.mark.parametrize("n_rows", [1, 7, MAX_PIECES, 3000])
def test_hits_with_known_rates_are_poisson_binomial(n_rows: int) -> None:
    scores = np.random.default_rng(1).beta(0.5, 3.0, n_rows)
    bends = CalibrationBasis.from_scores(np.linspace(-3.0, 3.0, 50))
    weights = np.array([-0.7, 0.3, *np.zeros(len(bends.knots))])
    logits = np.log((scores + 1e-3) / (1.0 - scores + 1e-3))
    exact = poisson_binomial(expit(logits - 0.7 + 0.3 * (logits - bends.median_score)))
    hit_totals = make_calibrated_rates(bends, weights).draw(RowGroups.from_predictions(scores))
    levels = np.cumsum(exact)
    for level in (0.05, 0.5, 0.95):
        # The level of the drawn quantile, minus the sampling error of 4,000 draws.
        at = int(np.quantile(hit_totals, level, method="inverted_cdf"))
        assert levels[at] >= level - 0.02
        assert at == 0 or levels[at - 1] <= level + 0.02
    assert hit_totals.mean() == pytest.approx(exact @ np.arange(n_rows + 1), rel=0.02, abs=0.03)


def test_miscalibrated_rates_are_corrected() -> None:
    rng = np.random.default_rng(2)
    true = expit(rng.normal(-1.0, 1.5, 5000))
    hits = rng.random(5000) < true
    scores = true**2 / (true**2 + (1.0 - true) ** 2)  # logits twice as large
    hit_rates = HitRates.learn(scores, hits)
    highest = np.argsort(-scores)[:500]
    assert hit_rates.draw(RowGroups.from_predictions(scores[highest])).mean() == pytest.approx(
        true[highest].sum(), rel=0.05
    )
    assert scores[highest].sum() > 1.15 * true[highest].sum()


def test_hit_interval_narrows_with_number_of_rows() -> None:
    rng = np.random.default_rng(3)
    fresh, spreads = rng.random(50), []
    for n_rows in (30, 300, 30_000):
        scores = rng.random(n_rows)
        hit_totals = HitRates.learn(scores, rng.random(n_rows) < scores).draw(
            RowGroups.from_predictions(fresh)
        )
        assert (
            TotalEstimate.from_draws(hit_totals).low
            < fresh.sum()
            < TotalEstimate.from_draws(hit_totals).high
        )
        spreads.append(hit_totals.std())
    least = np.sqrt((fresh * (1.0 - fresh)).sum())
    assert spreads[0] > spreads[1] > spreads[2]
    assert spreads[2] == pytest.approx(least, rel=0.03)


def test_hit_interval_is_defined_without_hits_or_misses() -> None:
    scores = np.linspace(0.0, 1.0, 40)
    for hits in (np.zeros(40, dtype=bool), np.ones(40, dtype=bool)):
        estimate = TotalEstimate.from_draws(
            HitRates.learn(scores, hits).draw(RowGroups.from_predictions(scores[-10:]))
        )
        assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 10


def test_duplicate_rows_do_not_narrow_interval() -> None:
    rng = np.random.default_rng(4)
    scores, fresh = rng.random(200), rng.random(40)
    hits = rng.random(200) < scores
    one = HitRates.learn(scores, hits)
    weighted = HitRates.learn(scores, hits, np.full(200, 7.0))
    assert np.array_equal(
        one.draw(RowGroups.from_predictions(fresh)),
        weighted.draw(RowGroups.from_predictions(fresh)),
    )
    twice = HitRates.learn(np.tile(scores, 2), np.tile(hits, 2), units=np.tile(np.arange(200), 2))
    wide, narrow = (
        TotalEstimate.from_draws(each.draw(RowGroups.from_predictions(fresh)))
        for each in (twice, one)
    )
    assert wide.high - wide.low >= 0.9 * (narrow.high - narrow.low)


def test_intra_unit_correlation_is_estimated() -> None:
    rng = np.random.default_rng(5)
    units = np.arange(20_000) // 20
    off = 0.5 * rng.normal(size=1000)[units] + rng.normal(size=20_000)
    square, factor = estimate_intra_unit_correlation(units, off, np.ones(20_000))
    assert square == pytest.approx(0.25, rel=0.15)
    assert factor == pytest.approx(1.0 + 0.25 * 20, rel=0.15)
    alone = rng.normal(size=20_000)
    assert estimate_intra_unit_correlation(units, alone, np.ones(20_000))[0] < 0.01


def test_chunks_partition_rows() -> None:
    rng = np.random.default_rng(6)
    for n_rows in (3, MAX_PIECES, MAX_PIECES + 1, 10_000):
        values = rng.normal(size=n_rows)
        pieces = RowGroups.from_predictions(values)
        assert pieces.counts.sum() == n_rows
        assert pieces.counts @ pieces.means == pytest.approx(values.sum(), abs=1e-8)
        assert len(pieces.means) == min(MAX_PIECES, n_rows)
    together = np.array([1, 0, 1, 0])
    assert RowGroups.from_predictions(np.arange(4.0), together).units == pytest.approx([0, 0, 1, 1])


@pytest.mark.slow
def test_expected_sum_is_corrected_by_residuals() -> None:
    rng = np.random.default_rng(7)
    middle = rng.normal(size=20_000)
    truth = middle + rng.normal(size=20_000)
    totals = TotalErrors.learn(2.0 * middle + 3.0, truth).draw(
        RowGroups.from_predictions(np.full(100, 2.0 * 1.5 + 3.0))
    )
    assert totals.mean() == pytest.approx(150.0, rel=0.02)
    totals = TotalErrors.learn(middle, truth).draw(RowGroups.from_predictions(np.full(100, 1.5)))
    assert totals.mean() == pytest.approx(150.0, rel=0.02)
    assert totals.std() == pytest.approx(10.0, rel=0.1)  # of 100 residuals with a deviation of 1


def test_sum_interval_widens_with_heteroscedastic_errors() -> None:
    rng = np.random.default_rng(8)
    predicted = rng.uniform(1.0, 10.0, 5000)
    total_errors = TotalErrors.learn(predicted, predicted * (1.0 + 0.2 * rng.normal(size=5000)))
    for at in (2.0, 9.0):
        assert total_errors.draw(
            RowGroups.from_predictions(np.full(25, at))
        ).std() == pytest.approx(0.2 * at * 5, rel=0.2)


def test_sum_interval_of_perfect_predictions_is_exact() -> None:
    predicted = np.arange(60.0)
    estimate = TotalEstimate.from_draws(
        TotalErrors.learn(predicted, predicted).draw(RowGroups.from_predictions(predicted[:10]))
    )
    assert estimate.low == pytest.approx(45.0)
    assert estimate.high == pytest.approx(45.0)


def test_sum_interval_of_equal_predictions_is_defined() -> None:
    truth = np.random.default_rng(9).normal(5.0, 1.0, 50)
    estimate = TotalEstimate.from_draws(
        TotalErrors.learn(np.full(50, 5.0), truth).draw(
            RowGroups.from_predictions(np.full(10, 5.0))
        )
    )
    assert estimate.low < 50.0 < estimate.high
