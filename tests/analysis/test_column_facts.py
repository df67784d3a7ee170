"""Statistics of a column, compared with pandas."""

import numpy as np
import pandas as pd
import pytest

from studio.analysis.column_facts import compute_column_facts
from studio.data.distinct import DistinctCells
from studio.data.treatments import ValueLimits
from studio.gui.pages.data.column_figure import list_facts


def cells(values: list[str]) -> DistinctCells:
    return DistinctCells.from_cells(np.array(values, dtype=object))


def test_column_facts_count_numbers_by_class() -> None:
    rng = np.random.default_rng(0)
    x = [f"{each:.1f}" for each in rng.normal(50, 9, 300)]
    x[3], x[4] = "", "oops"
    y = ["abc"[each] for each in rng.integers(0, 3, 300)]
    column_facts = compute_column_facts(
        "x", cells(x), "number", None, cells(y), is_classification=True
    )
    numbers = pd.to_numeric(pd.Series(x), errors="coerce").dropna()
    summary = numbers.describe()
    spots = summary[["min", "25%", "50%", "75%", "max"]].to_list()
    np.testing.assert_allclose(column_facts.quantiles, spots)
    assert column_facts.mean == pytest.approx(summary["mean"])
    assert (column_facts.n_filled, column_facts.n_missing, column_facts.distinct) == (
        298,
        2,
        numbers.nunique(),
    )
    assert dict(column_facts.frequent)[f"{numbers.mode()[0]:g}"] == numbers.value_counts().iloc[0]
    against = column_facts.target_statistics
    assert against.rows.sum() == against.counts.sum() == 298
    assert against.classes == tuple(pd.Series(y).value_counts().index)
    of_first = numbers[pd.Series(y)[numbers.index] == against.classes[0]]
    edges = against.edges
    expected_counts, _ = np.histogram(np.clip(of_first, edges[0], edges[-1]), edges)
    np.testing.assert_array_equal(against.counts[:, 0], expected_counts)


def test_column_facts_exclude_rows_without_target() -> None:
    kind = ["p" if i % 2 else "q" for i in range(60)]
    y = ["" if i % 10 == 0 else "abcdefgh"[i % 8] for i in range(60)]
    target_statistics = compute_column_facts(
        "kind", cells(kind), "category", None, cells(y), is_classification=True
    ).target_statistics
    rows = dict(zip(target_statistics.labels, target_statistics.n_unknown.tolist(), strict=True))
    assert rows == {"p": 0, "q": 6}
    others = (
        target_statistics.rows - target_statistics.counts.sum(axis=1) - target_statistics.n_unknown
    )
    n_others = sum(each != "" and each not in target_statistics.classes for each in y)
    assert 0 < others.sum() == n_others


def test_column_facts_compare_columns_with_numeric_target() -> None:
    rng = np.random.default_rng(1)
    kind = [f"k{each}" for each in rng.integers(0, 12, 400)]
    x = rng.exponential(5, 400)
    y = [f"{each:.3f}" for each in x + rng.normal(size=400)]
    y[0] = "?"
    frame = pd.DataFrame({"kind": kind, "x": x, "y": pd.to_numeric(pd.Series(y), errors="coerce")})
    word_facts = compute_column_facts(
        "kind", cells(kind), "category", None, cells(y), is_classification=False
    )
    assert not word_facts.quantiles and word_facts.distinct == 12
    means = frame.groupby("kind")["y"]
    for index, label in enumerate(word_facts.target_statistics.labels):
        assert word_facts.target_statistics.middle[index] == pytest.approx(means.mean()[label])
        assert word_facts.target_statistics.low[index] == pytest.approx(means.quantile(0.25)[label])
    number_texts = [repr(each) for each in x.tolist()]
    limits = ValueLimits("limit", high=9.0)
    numbers = compute_column_facts(
        "x", cells(number_texts), "number", limits, cells(y), is_classification=False
    )
    assert numbers.quantiles[-1] == 9.0
    assert numbers.target_statistics.rows.sum() == 399
    assert (np.diff(numbers.target_statistics.middle) > 0).all()


@pytest.mark.parametrize("kind", ["number", "category", "date"])
@pytest.mark.parametrize(
    "values", [["", "?"], ["7"] * 9, ["2024-02-30", "2024-01-31"], ["1e308", "x"]]
)
@pytest.mark.parametrize("classes", [True, False])
def test_column_facts_accept_degenerate_columns(
    kind: str, values: list[str], classes: bool
) -> None:
    column = cells(values)
    for target in (None, cells(["1"] * len(values)), cells([""] * len(values))):
        column_facts = compute_column_facts(
            "c", column, kind, None, target, is_classification=classes
        )
        assert column_facts.n_filled + column_facts.n_missing == len(values)
        assert len(column_facts.target_statistics.rows) == len(
            column_facts.target_statistics.counts
        )


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([16, 92, 36.2151], "48.1"),  # ages
        ([2019, 2025, 2020], "2,021.33"),
        ([2.5, 2.9, 2.8], "2.733"),
        ([7, 7, 7], "7"),
        ([1e8, 3e8, 3e8], "233,333,333"),
    ],
)
def test_mean_has_digits_of_range(values: list[float], mean: str) -> None:
    texts = cells([f"{each:g}" for each in values] * 10)
    y = cells([str(i) for i in range(30)])
    column_facts = compute_column_facts("x", texts, "number", None, y, is_classification=False)
    assert dict(list_facts(column_facts))["Mean"] == mean
