"""Table: mean test errors, data set by data set."""

from collections.abc import Sequence

from studio.compare.comparison import Comparison
from studio.compare.outcomes import Outcome
from studio.compare.statistics.bootstrap import CONFIDENCE, RESAMPLES
from studio.compare.tables.numbers import shown
from studio.compare.tables.table import Cell, Table

LEVEL = 0.05
"""An error is underlined where Wilcoxon's test against the best one has a p below this."""


def errors(comparison: Comparison, outcomes: Sequence[Outcome]) -> Table:
    """Return the table, the best of a row marked, and what is significantly worse."""
    del outcomes
    rows, remarks = [], []
    for block, row in comparison.errors.items():
        unit = comparison.units[block]
        best = min(row, key=lambda name: row[name].mean)
        least = shown(row[best].mean, unit)
        cells = [
            Cell(f"{block} (%)" if unit == "%" else block),
            Cell(str(max(comparison.counts[block].values()))),
        ]
        for name in comparison.methods:
            if name not in row:
                cells.append(Cell("–"))
                continue
            mean = shown(row[name].mean, unit)
            p = comparison.against_best.get(block, {}).get(name, 1.0)
            low, high = shown(row[name].low, unit), shown(row[name].high, unit)
            # What is printed alike is equally good to whoever reads it.
            cells.append(Cell(mean, best=mean == least, worse=p < LEVEL, note=f"[{low}, {high}]"))
        rows.append(tuple(cells))
        level = [name for name in row if name != best and row[name].overlaps(row[best])]
        if level:
            remarks.append(
                f"{block}: undecided between {best} and {', '.join(level)} (intervals overlap)."
            )
    return Table(
        "errors",
        "Mean test errors",
        f"Mean over repetitions with its {CONFIDENCE:.0%} bootstrap interval ({RESAMPLES} samples; "
        "of a single repetition, over its test rows where the models were fitted again). The best "
        "is bold; underlined: significantly worse than the best by Wilcoxon's signed-rank test "
        f"over the repetitions (p below {LEVEL:g}; of fewer than 6 repetitions no p can be that "
        "small). Intervals of few repetitions are narrow by nature.",
        ("data set", "n", *comparison.methods),
        tuple(rows),
        tuple(remarks),
    )
