"""Cells of the simulation in which the percentile bootstrap of rows failed."""

import numpy as np
import pytest

from bench.honesty import ends, headline, predictions
from bench.honesty.chance import decisions
from bench.honesty.chosen_rows import CHOSEN, RATES, hits, sums
from bench.honesty.gap import count_named_gaps
from bench.honesty.intervals import coverage
from bench.honesty.learning_curve import compute_true_errors, forecast_error
from bench.honesty.page import HEAD, page
from bench.honesty.populations import METRICS, Population
from bench.honesty.registry import SECTIONS
from studio.data.metrics.base import Metric
from studio.ensembles.single_model import Stacking

pytestmark = pytest.mark.slow

METRIC = {each.key: each for each in METRICS}
REPEATS = 60
EVERY = pytest.mark.parametrize("metric", METRICS, ids=lambda each: each.key)


@EVERY
@pytest.mark.parametrize(
    ("population", "n_rows"),
    [
        (Population(0.0), 20),
        (Population(0.01, weighted=True), 20),
        (Population(0.05, "groups"), 200),
        (Population(0.3, "groups", weighted=True), 50),
        (Population(0.05, "times"), 200),
    ],
    ids=str,
)
def test_intervals_have_nominal_coverage(
    metric: Metric, population: Population, n_rows: int
) -> None:
    # 95 % of 60 samples, minus twice the standard error.
    assert coverage(metric, population, n_rows, REPEATS).coverage >= 0.89


def test_intervals_have_theoretical_width() -> None:
    plain = coverage(METRIC["error"], Population(0.3), 2000, 20)
    assert plain.width == pytest.approx(2 * 1.96 * (0.3 * 0.7 / 2000) ** 0.5, rel=0.05)


def test_unseen_group_is_at_most_twice_as_bad_as_the_worst_of_many() -> None:
    grouped = coverage(METRIC["auc"], Population(0.05, "groups"), 2000, 20)
    assert grouped.width < 0.1, "0.19 if the unseen group is entirely wrong"


@pytest.mark.parametrize("key", ["error", "f1-macro", "log-loss", "rmse"])
def test_correlated_groups_have_nominal_false_positive_rate(key: str) -> None:
    for better in (Population(0.3, "groups"), Population(0.3, "groups", weighted=True)):
        assert sum(decisions(METRIC[key], better, 200, REPEATS)) <= 0.1


@pytest.mark.parametrize("key", ["error", "auc", "mae"])
def test_true_difference_is_detected(key: str) -> None:
    first, second = decisions(METRIC[key], Population(0.3), 2000, 20, better=0.5)
    assert (first, second) == (1.0, 0.0)


def test_gap_is_reported_only_if_significant() -> None:
    assert count_named_gaps(METRIC["error"], Population(0.05), 200, REPEATS) <= 0.1
    assert count_named_gaps(METRIC["error"], Population(0.05), 2000, 20, test=2.0) >= 0.9


def test_headline_hits_are_unbiased_and_rarely_significant_by_chance() -> None:
    clear, _ = headline.count_cells(300, -1.5, 0.0, 400)
    assert float(clear.split()[0]) <= 2.5
    for signal in (0.0, 0.6):
        bias, error = map(float, headline.count_cells(300, -1.5, signal, 400)[1].split(" ± "))
        assert abs(bias) < 3 * error
    assert float(headline.count_cells(1000, -1.5, 1.2, 20)[0].split()[0]) == 100


def test_corrected_prediction_intervals_cover_after_selection() -> None:
    assert predictions.coverage(Population(0.3, "groups", weighted=True), 200, 20) >= 0.9
    plain, corrected, wider = predictions.measure_coverage(Stacking(size=40), 50, 4)
    assert plain < 0.7
    assert corrected > 0.84
    assert wider > 1.5


@pytest.mark.parametrize(
    ("kind", "n_rows", "is_separate"),
    [
        ("normal", 300, True),
        ("exponential", 300, True),
        ("log-normal, σ = 1", 300, True),
        ("log-normal, σ = 1", 30, False),
        ("counts, half of them 0", 300, False),
    ],
)
def test_prediction_intervals_miss_equally_often_on_both_sides(
    kind: str, n_rows: int, is_separate: bool
) -> None:
    shown, symmetric = ends.measure_ends(kind, n_rows, 40)
    assert symmetric[:2].sum() < 0.11
    if not is_separate:
        assert shown.tolist() == symmetric.tolist()
        return
    np.testing.assert_allclose(shown[:2], 0.05, atol=0.01)
    ratio = shown[3] / symmetric[3]
    assert ratio < 1.02 if kind == "normal" else ratio < 0.97


def test_section_update_keeps_other_sections() -> None:
    first, second = list(SECTIONS)[:2]
    before = page({first: "## A\n\nold\n", second: "## B\n\nkept\n"})
    after = page({first: "## A\n\nnew\n"}, before)
    assert after == page({first: "## A\n\nnew\n", second: "## B\n\nkept\n"})
    assert after.startswith(HEAD)
    assert page({}, after) == after


def test_section_update_keeps_manual_additions() -> None:
    first, second = list(SECTIONS)[:2]
    before = page({first: "## A\n\nold\n", second: "## B\n"})
    mark = f"<!-- section {first}, by hand -->\nfrom real tables\n\n<!-- section {second} -->"
    edited_page = before.replace(f"<!-- section {second} -->", mark)
    assert page({first: "## A\n\nnew\n"}, edited_page) == edited_page.replace("\nold\n", "\nnew\n")


def test_simulated_learning_curve_is_forecast() -> None:
    now, later = compute_true_errors("least squares, 4 columns", (1000, 2000))
    forecast = forecast_error("least squares, 4 columns", 1000, 300, np.random.default_rng(0))
    assert forecast.outlook == "flat"
    assert forecast.min_decrease <= now - later <= forecast.max_decrease
    assert (
        forecast_error("neighbours, no noise", 1000, 300, np.random.default_rng(0)).outlook
        == "lower"
    )


@pytest.mark.parametrize(
    ("kind", "n_rows", "rows"),
    [
        ("right", 50, "alone"),
        ("votes of ten members", 200, "alone"),
        ("no row is above 40 %", 1000, "alone"),
        ("right", 200, "groups"),
        ("right", 200, "times"),
    ],
)
def test_hit_intervals_have_nominal_coverage(kind: str, n_rows: int, rows: str) -> None:
    coverages, width = hits(kind, RATES[0][1], n_rows, REPEATS, rows)
    # 90 % of 60 tables, minus three times the standard error.
    assert min(coverages) >= 0.78
    assert width < 0.75 * CHOSEN[1]


@pytest.mark.parametrize(("kind", "n_rows"), [("right", 50), ("amounts with a long tail", 1000)])
def test_sum_intervals_have_nominal_coverage(kind: str, n_rows: int) -> None:
    coverages, width = sums(kind, n_rows, REPEATS)
    assert min(coverages) >= 0.78
    assert width < 0.6
