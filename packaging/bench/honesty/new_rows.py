"""Error rate and power of the comparison of new rows."""

from collections.abc import Iterator

import numpy as np

from bench.honesty.tables import table
from studio.analysis.answers.rows import TrainingComparison
from studio.analysis.new_rows import FALSE_ALARM_RATE, MIN_ROWS, compare_rows
from studio.arrays import Floats
from studio.data.recipe import EncodedTable
from studio.seeds import derive

REPEATS = 200
SIZES = (20, 100, 1000, 5000)
COLUMNS = (5, 25, 100)
LEARNED_FROM = 2000

CHANGES = (
    "none",
    "mean of one column, by half its spread",
    "one label from 5 to 25 %",
    "missing cells of one column from 10 to 30 %",
    "how two columns go together (correlation 0 to 0.8)",
)

WORDS = """\
Warnings that new rows differ from the training rows (`studio/analysis/new_rows.py`): each column by
the test of Kolmogorov and Smirnov, by how many values lie beyond all others, by missing cells where
they are more (Fisher's exact test), or by labels (Pearson's statistic, its distribution drawn where
few rows are expected); all columns together by Benjamini and Hochberg; and jointly by a model
trained to distinguish new rows from old ones, evaluated on unseen rows. Below {least} rows there is
no test. {old:,} rows were learned from; half of the columns are numbers that go together
(correlation 0.5), some of them rounded or with long tails, half are labels, of which many are rare;
one column in five has missing cells. Percent of {repeats} tables that are called unlike (of half as
many where something has changed); where nothing has changed at most {level:g} are allowed (the
standard error is {error:.1f} there). {most}
"""


def compare_once(
    n_new: int, n_columns: int, change: str, rng: np.random.Generator
) -> TrainingComparison:
    """Draw training rows and new ones, which may differ in one respect, and compare them."""
    old = _rows(LEARNED_FROM, n_columns, CHANGES[0], rng)
    new = _rows(n_new, n_columns, change, rng)
    columns: dict[str, tuple[str, ...] | None] = {}
    unseen = {}
    for place in range(n_columns):
        columns[f"c{place}"] = None
        if place < _numbers(n_columns):
            continue
        labels = np.unique(old[:, place][~np.isnan(old[:, place])])
        columns[f"c{place}"] = tuple(f"{each:g}" for each in labels)
        fresh = ~np.isnan(new[:, place]) & ~np.isin(new[:, place], labels)
        unseen[place] = np.where(fresh, np.nan_to_num(new[:, place]) + 1, 0).astype(np.int64)
        for side in (old, new):
            known = np.isin(side[:, place], labels)
            side[:, place] = np.where(known, np.searchsorted(labels, side[:, place]), np.nan)
    return compare_rows(columns, old, EncodedTable(new, (), unseen))


def _numbers(n_columns: int) -> int:
    """Return the number of numeric columns."""
    return (n_columns + 1) // 2


def _rows(n_rows: int, n_columns: int, change: str, rng: np.random.Generator) -> Floats:
    half = _numbers(n_columns)
    X: Floats = np.sqrt(0.5) * (rng.normal(size=(n_rows, n_columns)) + rng.normal(size=(n_rows, 1)))
    X[:, :2] = rng.normal(size=(n_rows, 2))
    if change == CHANGES[4]:
        X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    if change == CHANGES[1]:
        X[:, 0] += 0.5
    X[:, 2:half:3] = np.round(X[:, 2:half:3])
    X[:, 3:half:3] = np.exp(2 * X[:, 3:half:3])
    for place in range(half, n_columns):
        label = np.floor(rng.pareto(1.0, n_rows) * (1 + place % 4)) + 1
        X[:, place] = np.where(rng.random(n_rows) < 0.05, 0, label)
    if change == CHANGES[2]:
        X[rng.random(n_rows) < 0.2 / 0.95, half] = 0
    missing = 0.3 if change == CHANGES[3] else 0.1
    X[rng.random(n_rows) < missing, n_columns - 1] = np.nan
    for place in range(4, n_columns - 1, 5):
        X[rng.random(n_rows) < 0.1, place] = np.nan
    return X


def count_called_unlike(n_new: int, n_columns: int, change: str, repeats: int) -> float:
    """Return the rate at which new rows are reported as different from training rows."""
    rng = np.random.default_rng(derive(0, "new rows", f"{n_new} {n_columns} {change}"))
    said = [bool(compare_once(n_new, n_columns, change, rng).conclusion) for _ in range(repeats)]
    return sum(said) / repeats


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section, with table rows per change."""
    rows: list[list[str]] = []
    most: list[tuple[float, str]] = []
    for change in CHANGES:
        for n_columns in COLUMNS if change == CHANGES[0] else COLUMNS[1:2]:
            times = repeats if change == CHANGES[0] else repeats // 2
            found = [count_called_unlike(n_new, n_columns, change, times) for n_new in SIZES]
            rows.append([change, str(n_columns), *(f"{100 * each:.1f}" for each in found)])
            if change == CHANGES[0]:
                most += [
                    (each, f"{n_new:,} rows, {n_columns} columns")
                    for each, n_new in zip(found, SIZES, strict=True)
                ]
    highest, where = max(most)
    yield WORDS.format(
        least=MIN_ROWS,
        old=LEARNED_FROM,
        repeats=repeats,
        level=100 * FALSE_ALARM_RATE,
        error=100 * np.sqrt(FALSE_ALARM_RATE * (1 - FALSE_ALARM_RATE) / repeats),
        most=f"The highest of {len(most)} cells without a change: {100 * highest:.1f} % ({where}).",
    )
    yield table(["what has changed", "columns", *(f"{each:,} rows" for each in SIZES)], rows)
