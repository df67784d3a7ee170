"""Shifts of the hits' level between periods: against brute force, and in a small simulation."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit

from studio.arrays import Flags, Floats, Integers
from studio.data.intervals import sums
from studio.data.intervals.pieces import RowGroups
from studio.data.intervals.resampling import get_units
from studio.data.intervals.sums import SHIFT_GRID, HitRates, PeriodShift, TotalEstimate

pytestmark = pytest.mark.slow


def test_shift_distribution_equals_sum_over_all_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each path of three shifts by its prior and likelihood, and the next shift after it."""
    grid = np.array([-1.0, 0.0, 1.0])
    spreads, memories, steps = (0.0, 0.8), (0.0, 0.9), 2
    for name, value in (
        ("SHIFT_GRID", grid),
        ("SD_GRID", spreads),
        ("AUTOCORRELATION_GRID", memories),
    ):
        monkeypatch.setattr(sums, name, value)
    blocks = np.repeat([0, 1, 2], [4, 5, 6])
    hits = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1], dtype=np.float64)
    logits = np.linspace(-2.0, 1.0, 15)
    period_shift = PeriodShift.learn(logits, hits, np.ones(15), blocks, steps)

    def normal(at: Floats, deviation: float) -> Floats:
        weights = np.exp(-0.5 * (at / deviation) ** 2) if deviation else 1.0 - np.abs(grid)
        shares: Floats = weights / weights.sum()
        return shares

    future, past, total = np.zeros(3), np.zeros(3), 0.0
    for spread, memory in product(spreads, memories):
        step = spread * np.sqrt(1.0 - memory**2)
        moves = np.array([normal(grid - memory * each, step) for each in grid])
        for path in product(range(3), repeat=3):
            rates = expit(logits + grid[list(path)][blocks])
            chance = normal(grid, spread)[path[0]] * moves[path[0], path[1]]
            chance *= moves[path[1], path[2]] * np.where(hits, rates, 1.0 - rates).prod()
            future += chance * (moves @ moves)[path[2]]
            past += chance * grid[list(path)]
            total += chance
    assert period_shift.probabilities == pytest.approx(future / total, abs=1e-9)
    rates_of = [expit(logits + shift).mean() for shift in past / total]
    assert (period_shift.lowest, period_shift.highest) == pytest.approx(
        (min(rates_of), max(rates_of))
    )


def make_rows(
    levels: Floats, n_rows: int, rng: np.random.Generator
) -> tuple[Floats, Flags, Integers]:
    """Draw rows of consecutive periods with shifted logits: scores, hits, and blocks of time."""
    logits = -2.5 + rng.normal(size=len(levels) * n_rows)
    hits = rng.random(len(logits)) < expit(logits + np.repeat(levels, n_rows))
    places = np.arange(len(logits))
    units = get_units(places, times=places.astype(np.float64))
    assert units is not None
    return expit(logits), hits, units


def learn_range(levels: Floats) -> tuple[TotalEstimate, HitRates, HitRates]:
    scores, hits, units = make_rows(levels, 200, np.random.default_rng(1))
    steady = HitRates.learn(scores, hits)
    rates = HitRates.learn(scores, hits, units=units, n_later=200)
    return (
        TotalEstimate.from_draws(rates.draw(RowGroups.from_predictions(scores[:100]))),
        rates,
        steady,
    )


def test_interval_widens_only_with_variance_between_periods() -> None:
    pieces = RowGroups.from_predictions(
        make_rows(np.zeros(20), 200, np.random.default_rng(1))[0][:100]
    )
    ratios = {}
    for spread in (0.0, 0.8):
        _, rates, steady = learn_range(spread * np.random.default_rng(2).normal(size=20))
        assert rates.shift is not None
        ratios[spread] = rates.draw(pieces).std() / steady.draw(pieces).std()
        assert (rates.shift.highest > 1.5 * rates.shift.lowest) == (spread > 0)
    assert ratios[0.0] < 1.1
    assert ratios[0.8] > 1.5


def test_last_level_is_extrapolated() -> None:
    """A lasting change of the level is followed; an alternating level is averaged."""
    means = {}
    for name, levels in {
        "step": np.repeat([0.0, 1.0], 10),
        "turns": np.tile([0.0, 1.0], 10),
    }.items():
        estimate, _, steady = learn_range(levels)
        scores, _, _ = make_rows(levels, 200, np.random.default_rng(1))
        means[name] = estimate.mean / steady.draw(RowGroups.from_predictions(scores[:100])).mean()
    assert means["step"] > 1.25
    assert means["turns"] == pytest.approx(1.0, abs=0.1)


def test_many_rows_do_not_underflow() -> None:
    rng = np.random.default_rng(3)
    logits = rng.normal(size=40_000)
    blocks = np.arange(40_000) // 2000
    shifts = np.where(blocks % 2, 1.0, -1.0)
    hits = (rng.random(40_000) < expit(logits + shifts)).astype(np.float64)
    period_shift = PeriodShift.learn(logits, hits, np.ones(40_000), blocks, 1)
    assert period_shift.probabilities.sum() == pytest.approx(1.0)
    assert logit(period_shift.lowest) < logit(period_shift.highest) - 1.0
    assert abs(period_shift.probabilities @ SHIFT_GRID) < 1.5


@pytest.mark.parametrize(("step", "least"), [(0.0, 0.86), (0.15, 0.83)])
def test_interval_covers_hits_of_next_period(step: float, least: float) -> None:
    """90 % of 120 tables; at least 85 % for a random walk, minus one standard error."""
    is_covered = []
    for number in range(120):
        rng = np.random.default_rng([7, number])
        levels = np.cumsum(step * rng.normal(size=21))
        scores, hits, units = make_rows(levels[:20], 50, rng)
        rates = HitRates.learn(scores, hits, units=units, n_later=50)
        logits = -2.5 + rng.normal(size=50)
        true = rng.binomial(1, expit(logits + levels[20])).sum()
        estimate = TotalEstimate.from_draws(
            rates.draw(RowGroups.from_predictions(expit(logits)), 1000)
        )
        is_covered.append(estimate.low <= true <= estimate.high)
    assert np.mean(is_covered) >= least
