"""A study's statistics from outcomes small enough for manual calculation."""

from dataclasses import replace

import numpy as np
import pytest

from studio.compare.analysis import compare
from studio.compare.conclusions import list_conclusions
from studio.compare.diagrams import draw_diagrams
from studio.compare.outcomes import CellOutcome
from studio.compare.pair_comparisons import (
    _compute_better_probability,
    _compute_row_losses,
    _PairComparison,
    _TestLosses,
)
from studio.compare.results import StudyResults, render_report
from studio.compare.statistics.two_methods import compare_on_labels, compare_on_values
from studio.compare.study import Study
from studio.compare.study_notes import StudyMethod
from studio.compare.tables.registry import make_tables
from studio.data.metrics.registry import get_metrics
from studio.document.store import Document
from studio.errors import ExportError
from studio.figures.shapes import render_svg

METHODS = ("A", "B", "C")
# Block → repetition → errors of A, B, C; C never finished the second repetition of "two".
ERRORS = {
    "one": [(0.10, 0.20, 0.30), (0.20, 0.20, 0.10)],
    "two": [(0.50, 0.40, 0.60), (0.10, 0.20, None)],
}
SLOW = "It was too slow."


def outcome(block, repetition, method, error, curve=(0.5, 0.4), **measures):
    return CellOutcome(
        run_id=1, method=method, dataset=block, repetition=repetition, metric="error", unit="%",
        error=error, curve=curve, trials=len(curve),
        failed=0, seconds=60.0, suggest_seconds=2.0, fit_seconds=1.0, measures=measures,
    )  # fmt: skip


@pytest.fixture
def outcomes():
    return [
        outcome(block, repetition, method, error, (0.5, error), diversity=0.25)
        for block, rows in ERRORS.items()
        for repetition, errors in enumerate(rows, start=1)
        for method, error in zip(METHODS, errors, strict=True)
        if error is not None
    ]


def test_means_use_repetitions_finished_by_all_methods(outcomes) -> None:
    comparison = compare(outcomes, METHODS, shared=0.2)
    assert comparison.errors["one"]["A"].mean == pytest.approx(0.15)
    # A's second repetition, with a far smaller error, is one that C has not finished.
    assert comparison.errors["two"]["A"].mean == 0.50
    assert comparison.errors["two"]["C"].mean == 0.60
    assert comparison.finished["two"] == {"A": 2, "B": 2, "C": 1}
    assert comparison.n_common_repetitions == {"one": 2, "two": 1}
    # Intervals need three repetitions.
    assert not any(
        each.has_known_spread for row in comparison.errors.values() for each in row.values()
    )


def test_runs_with_time_limit_are_compared_over_time() -> None:
    slow = replace(outcome("one", 1, "A", 0.2, (0.5, 0.2)), times=(6.0, 19.5))
    quick = replace(outcome("one", 1, "B", 0.4, (0.6, 0.5, 0.4)), times=(1.5, 2.0, 10.0))
    comparison = compare([slow, quick], ("A", "B"), shared=0.2)
    assert comparison.is_timed
    assert max(comparison.curve) == 20
    assert 1 not in comparison.error_curve, "neither has a model yet"
    assert comparison.error_curve[6].tolist() == [0.5, 0.5]
    assert comparison.error_curve[20].tolist() == [0.2, 0.4]
    assert comparison.curve[2].tolist() == [2.0, 1.0]
    assert comparison.late_ranks == ()
    diagram = next(d for d in draw_diagrams(comparison) if d.key == "rank-over-iterations")
    assert "time (s)" in render_svg(diagram)
    table = next(
        t for t in make_tables(comparison, [slow, quick]) if t.key == "rank-over-iterations"
    )
    assert table.headers[-1] == "20 s"


def test_ranks_use_repetitions_finished_by_all_methods(outcomes) -> None:
    comparison = compare(outcomes, METHODS, shared=0.2)
    assert [len(matrix) for matrix in comparison.complete.values()] == [2, 1]
    # one: (1, 2, 3), (2.5, 2.5, 1) → 1.75, 2.25, 2; two: 2, 1, 3; data sets have equal weights.
    assert [each.mean for each in comparison.ranks] == [1.875, 1.625, 2.5]
    assert comparison.win_rates[0] == pytest.approx((3 - 1.875) / 2)
    # Means one: .15, .20, .20 (a tie); two: .5, .4, .6.
    assert comparison.net_wins == (2 + 0, -1 + 2, -1 - 2)
    assert comparison.friedman is None, "two data sets are too few"
    first = comparison.pairs[0]
    assert (first.first, first.second, first.sign.wins, first.sign.losses) == ("A", "B", 1, 1)
    # A against B: one .75 (a win and a tie), two 0.
    assert first.win_rate == 0.375
    assert first.difference["one"].interval.mean == pytest.approx(-0.05)
    assert comparison.curve[1] == pytest.approx([2, 2, 2])
    assert comparison.curve[2] == pytest.approx([1.875, 1.625, 2.5])


def test_unfinished_method_is_omitted(outcomes) -> None:
    comparison = compare(outcomes, (*METHODS, "D"), shared=0.2)
    assert comparison.methods == METHODS
    only = compare(outcomes[:1], METHODS, shared=0.2)
    assert only.ranks[0].mean == 1
    assert only.friedman is None
    assert only.pairs == ()


def test_poisson_binomial_test_uses_one_probability_per_block(outcomes) -> None:
    sure = np.full((3, 3), 0.5)
    sure[0, 1] = 1.0
    comparison = compare(outcomes, METHODS, {3: {"one": sure, "two": sure}}, shared=0.2)
    # Two certain wins of two: I_½(1, 3) = 1 - (1/2)^3.
    assert comparison.pairs[0].probability_better == pytest.approx(0.875)


def test_contests_average_rows_over_repetitions() -> None:
    right, wrong = np.zeros(10), np.zeros(10)
    wrong[:4] = 1
    once = [_PairComparison.compare(_TestLosses(right, True), _TestLosses(wrong, True))]
    assert _compute_better_probability(once) == pytest.approx(compare_on_labels(0, 4))
    even = [*once, _PairComparison.compare(_TestLosses(wrong, True), _TestLosses(right, True))]
    assert _compute_better_probability(even) == 0.5
    # Repetitions on the same test rows are no additional evidence.
    assert _compute_better_probability(once * 5) == _compute_better_probability(once)
    values = np.random.default_rng(0).random((2, 30))
    d = values[0] - values[1]
    expected = compare_on_values(d.mean(), d.std(ddof=1) / np.sqrt(30))
    pair = _PairComparison.compare(_TestLosses(values[0], False), _TestLosses(values[1], False))
    assert _compute_better_probability([pair]) == pytest.approx(expected)


@pytest.mark.parametrize("metric", get_metrics("regression"), ids=lambda each: each.key)
def test_contests_weight_rows_by_metric(metric) -> None:
    truth, predicted = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 6.0])
    rows = _compute_row_losses(metric(), truth, predicted).rows
    expected = metric().compute_row_losses(truth, predicted)
    np.testing.assert_array_equal(rows, [0.5, 0.0, 3.0] if expected is None else expected)


@pytest.mark.slow
def test_study_report_shows_table_and_failures(outcomes, tmp_path) -> None:
    methods = tuple(StudyMethod(name, "RS") for name in METHODS)
    study = Study(data=tuple(ERRORS), methods=methods, budget=2, repetitions=2, title="Manually")
    failures, comparison = {"two · C · 2": SLOW}, compare(outcomes, METHODS, shared=0.2)
    conclusions = list_conclusions(study, comparison, failures, is_finished=True)
    results = StudyResults(study, failures, tuple(outcomes), comparison, conclusions)
    results.write_tables(tmp_path / "figures")
    results.write_report(tmp_path / "r.md", tmp_path / "figures")
    report_text = (tmp_path / "r.md").read_text("utf-8")
    assert "](figures/rank-over-iterations.svg)" in report_text
    assert (tmp_path / "figures" / "rank-over-iterations.svg").is_file()
    results.write_report(tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text()
    assert text == render_report(
        study, make_tables(results.comparison, outcomes), failures, conclusions=conclusions
    )
    Document.create(tmp_path / "w.studio").close()
    with pytest.raises(ExportError, match="it is a document"):
        results.write_report(tmp_path / "w.studio")
    lines = text.splitlines()
    row = next(line for line in lines if line.startswith("| one (%)"))
    assert row.split("|")[3].split()[0] == "**15.0**"
    assert row.split("|")[4].split()[0] == "20.0"
    assert "| A | **+2** | 56 % | 1.50 | 1.88 | " in text
    assert "at least 3" in text
    assert f"- two · C · 2: {SLOW}" in lines
    assert "A and B, C" in text
    content = results.to_json()
    # one: .15, .20, .20 → 1, 2.5, 2.5; two: .5, .4, .6 → 2, 1, 3.
    assert content["mean_rank"] == {"A": 1.5, "B": 1.75, "C": 2.75}
    assert content["repetition_rank"] == {"A": 1.875, "B": 1.625, "C": 2.5}
    assert content["errors"]["one"]["A"] == pytest.approx(0.15)
    assert content["measures"]["A"] == {"diversity": 0.25}
    assert content["failed"] == {"two · C · 2": SLOW}
