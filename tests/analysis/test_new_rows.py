"""Comparison of new rows with training rows: reported and unreported changes."""

import math
import re

import numpy as np
import pytest
from scipy.stats import false_discovery_control, hypergeom, ks_2samp

from bench.honesty.new_rows import CHANGES, count_called_unlike
from studio.analysis.answers.rows import TrainingComparison
from studio.analysis.new_rows import (
    MIN_ROWS,
    _compare_missing,
    _test_kolmogorov_smirnov,
    compare_labels,
    compare_numbers,
    compare_rows,
    select_significant,
)
from studio.arrays import Floats
from studio.data.dates import DatePart
from studio.data.recipe import EncodedTable
from tests.facts import contains_facts


def compare_two_columns(new: Floats) -> TrainingComparison:
    """Compare with 400 rows of a normal column and one of three labels."""
    rng = np.random.default_rng(0)
    old = np.column_stack([rng.normal(50, 10, 400), rng.integers(0, 3, 400)])
    columns = {"age": None, "shop": ("north", "south", "west")}
    return compare_rows(columns, old, EncodedTable(new, ()))


def alike(n_rows: int) -> Floats:
    rng = np.random.default_rng(1)
    return np.column_stack([rng.normal(50, 10, n_rows), rng.integers(0, 3, n_rows)])


def test_similar_rows_raise_no_finding() -> None:
    comparison = compare_two_columns(alike(200))
    assert comparison.sentences == ()
    assert comparison.low < 0.5 < comparison.high
    assert not comparison.reason


def test_shifted_column_is_reported_with_effect_size() -> None:
    new = alike(200)
    new[:, 0] += 22
    comparison = compare_two_columns(new)
    assert [each.name for each in comparison.changed_columns] == ["age"]
    assert contains_facts(comparison.changed_columns[0].description, "age: mean 49.6", "71.3")
    assert comparison.auc > 0.85
    assert comparison.sentences[0] == comparison.conclusion
    assert "of 100 cases" in comparison.sentences[-1]


def test_new_labels_and_missing_cells_are_reported() -> None:
    new = alike(200)
    new[:80, 0] = np.nan
    new[:60, 1] = np.nan
    unseen = {1: np.where(np.arange(200) < 60, 7, 0)}
    rng = np.random.default_rng(0)
    old = np.column_stack([rng.normal(50, 10, 400), rng.integers(0, 3, 400)])
    columns = {"age": None, "shop": ("north", "south", "west")}
    text = " ".join(compare_rows(columns, old, EncodedTable(new, (), unseen)).sentences)
    assert contains_facts(text, "age: 0 % missing", "40 % now")
    assert contains_facts(text, "shop: 30 %", "not occur")


@pytest.mark.parametrize("share", [0.04, 0.3])
def test_fewer_missing_cells_are_no_difference(share: float) -> None:
    rng = np.random.default_rng(0)
    columns = {"hours": None, "shop": ("north", "south", "west"), "age": None}

    def draw(n_rows: int, n_missing: int) -> Floats:
        rows = np.column_stack(
            [rng.normal(50, 10, n_rows), rng.integers(0, 3, n_rows), rng.normal(size=n_rows)]
        )
        for column in (0, 1):
            rows[rng.permutation(n_rows)[:n_missing], column] = np.nan
        return rows

    old, complete = draw(1600, round(1600 * share)), draw(1600, 0)
    comparison = compare_rows(columns, old, EncodedTable(complete, ()))
    assert comparison.sentences == ()
    assert comparison.low < 0.5
    reversed_ = compare_rows(columns, complete, EncodedTable(old, ()))
    assert {each.name for each in reversed_.changed_columns} == {"hours", "shop"}, "more missing"
    shifted = complete + np.array([15.0, 0.0, 0.0])
    assert compare_rows(columns, old, EncodedTable(shifted, ())).conclusion
    related = complete.copy()
    related[:, 2] = (related[:, 0] - 50) / 10
    assert compare_rows(columns, old, EncodedTable(related, ())).low > 0.5, "known cells count"


def test_changed_correlation_is_detected_by_overall_test() -> None:
    rng = np.random.default_rng(2)
    old = rng.normal(size=(1000, 2))
    new = rng.normal(size=(1000, 2))
    new[:, 1] = 0.9 * new[:, 0] + math.sqrt(1 - 0.81) * new[:, 1]
    comparison = compare_rows({"x": None, "y": None}, old, EncodedTable(new, ()))
    assert not comparison.changed_columns
    assert comparison.low > 0.5
    assert comparison.conclusion


def test_unique_labels_raise_no_finding() -> None:
    old = np.arange(300.0)[:, None]
    new = np.full((100, 1), np.nan)
    names = tuple(map(str, range(300)))
    comparison = compare_rows({"id": names}, old, EncodedTable(new, (), {0: np.arange(1, 101)}))
    assert comparison.sentences == ()


def test_few_new_rows_raise_no_finding() -> None:
    new = alike(MIN_ROWS - 1)
    new[:, 0] += 100
    comparison = compare_two_columns(new)
    assert comparison.sentences == ()
    assert str(MIN_ROWS) in comparison.reason


def test_range_test_is_hypergeometric() -> None:
    old, new = np.arange(30.0), np.append(np.arange(9.0) * 3 + 0.5, [40.0])
    new = np.append(new, [41.0])
    change = compare_numbers("x", old, new, np.random.default_rng(0))
    chance = math.comb(11, 2) / math.comb(41, 2)
    assert change.p <= 3 * chance + 1e-12
    assert "above all training" in change.description or change.p < 3 * chance


@pytest.mark.slow
@pytest.mark.parametrize("rare", [False, True])
def test_label_test_has_nominal_false_positive_rate(rare: bool) -> None:
    rng = np.random.default_rng(3)
    shares = np.array([0.9, 0.06, 0.04]) if rare else np.array([0.5, 0.3, 0.2])
    p_values = [
        compare_labels(
            "x", rng.choice(3, 60, p=shares), rng.choice(3, 20, p=shares), ("a", "b", "c")
        ).p
        for _ in range(400)
    ]
    assert np.mean(np.array(p_values) <= 0.05) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


def test_simulated_changes_are_detected() -> None:
    assert count_called_unlike(1000, 5, CHANGES[1], 3) == 1.0


def test_drift_of_date_column_is_reported_once_with_dates() -> None:
    rng = np.random.default_rng(0)
    old = np.column_stack([rng.integers(19_000, 19_400, 300), rng.integers(0, 7, 300)]).astype(
        float
    )
    new = old + np.array([800.0, 0.0])
    columns = {"when: days": None, "when: weekday": None}
    dates = {"when: days": "when", "when: weekday": ""}
    comparison = compare_rows(columns, old, EncodedTable(new, ()), parts=dates)
    (change,) = comparison.changed_columns
    assert change.name == "when"
    assert "20" in change.description and "19," not in change.description
    date_parts = {"when: days": DatePart("days", "day-first", mark=".")}
    comparison = compare_rows(columns, old, EncodedTable(new, ()), parts=dates, dates=date_parts)
    assert re.search(
        r"[0-9]{2}\.[0-9]{2}\.20[0-9]{2}", comparison.changed_columns[0].description
    ), "as in its file"


@pytest.mark.parametrize(("n_old", "n_new"), [(20, 20), (300, 80), (5_000, 5_000)])
def test_p_value_of_numbers_agrees_with_scipy(n_old: int, n_new: int) -> None:
    rng = np.random.default_rng(3)
    for shift in (0.0, 0.5 / math.sqrt(n_new), 2.0 / math.sqrt(n_new)):
        old, new = rng.normal(size=n_old), rng.normal(shift, size=n_new)
        distance, p = _test_kolmogorov_smirnov(old, new)
        other = ks_2samp(old, new, method="asymp")
        assert distance == pytest.approx(other.statistic)
        assert p == pytest.approx(other.pvalue, rel=0.05)


@pytest.mark.parametrize("counts", [(3, 100, 9, 60), (0, 50, 4, 30), (90, 100, 1, 40)])
def test_p_value_of_missing_cells_is_fisher_exact(counts: tuple[int, int, int, int]) -> None:
    n_missing_old, n_old, missing_now, n_new = counts
    chance = hypergeom(n_old + n_new, n_missing_old + missing_now, n_new)
    exact = min(1.0, 2 * min(chance.cdf(missing_now), chance.sf(missing_now - 1)))
    tables = (
        np.arange(size) < count for count, size in ((n_missing_old, n_old), (missing_now, n_new))
    )
    assert _compare_missing("x", *tables).p == pytest.approx(exact)


def test_discoveries_follow_benjamini_hochberg() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 40):
        p = rng.random(size) ** 4
        assert list(select_significant(p, 0.05)) == list(false_discovery_control(p) <= 0.05)
