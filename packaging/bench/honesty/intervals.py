"""Coverage of the 95 % interval of a test error."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.honesty.populations import METRICS, SIZES, Population, compute_true_losses, sample
from bench.honesty.tables import table
from studio.data.intervals.loss import compute_loss_interval
from studio.data.metrics.base import Metric
from studio.seeds import derive

RATES = (0.0, 0.01, 0.05, 0.3)
KINDS = (
    ("rows alone", "alone", False),
    ("weights", "alone", True),
    ("groups", "groups", False),
    ("groups, weights", "groups", True),
    ("time", "times", False),
)
REPEATS = 250

_SLACK = 1e-9

WORDS = """\
The interval that a run, its report and the window show beside a test error
(`studio/data/intervals`). Rows, groups or blocks of time get exponential weights (Bayesian
bootstrap), with one additional unseen unit; for a share of rows this is the interval of Clopper and
Pearson. Cells are the percentage of {repeats} samples whose interval contains the true loss:
nominal 95, with a standard error of {error:.1f}.

Rates are the share of wrong labels or, for numbers, the share of variance that is left unexplained.
All rows of a group are wrong together (labels), or share half of the variance of their residuals;
there are 10, 10, 20 and 40 groups. In time each row depends on the one before (correlation 0.8).
Weights lie between 1 and 10. Classes have 60, 30 and 10 % of the rows; residuals are Laplace's.

{lowest}
"""

LIMITS = """\
Twenty rows with this correlation in time have the information of two independent ones, fifty that
of six: an interval from so few cannot be reliable, and those in the table cover too rarely.

Nor can an interval account for a rare kind of row that is missing in the sample and has unbounded
errors (with 5 % of residuals five times as large, the interval of the RMSE from 20 rows covers in
91 of 100 samples). A row of weight 2 counts twice, but is a single observation.
"""


@dataclass(frozen=True)
class CoverageResult:
    """Results of a cell.

    Attributes:
        below, above: Shares of intervals that lie wholly below, and above, the true loss.
        width: The median width.
    """

    below: float
    above: float
    width: float

    @property
    def coverage(self) -> float:
        """The share of intervals with the true loss."""
        return 1.0 - self.below - self.above


def coverage(metric: Metric, population: Population, n_rows: int, repeats: int) -> CoverageResult:
    """Return the coverage of intervals over samples, cached by arguments."""
    place = f"{metric.key} {population} {n_rows}"
    rng = np.random.default_rng(derive(0, "coverage", place))
    true = compute_true_losses(population.rate)[metric.key]
    ends = []
    for _ in range(repeats):
        drawn = sample(population, metric, n_rows, rng)
        found = compute_loss_interval(
            metric, drawn.truth, drawn.predictions[0], drawn.weights, units=drawn.units
        )
        if found is not None:
            ends.append(found)
    low, high = np.array(ends).T
    return CoverageResult(
        below=float(np.mean(high < true - _SLACK)),
        above=float(np.mean(low > true + _SLACK)),
        width=float(np.median(high - low)),
    )


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section, with a table row per metric."""
    rows: list[list[str]] = []
    lowest: list[tuple[float, str]] = []
    for metric in METRICS:
        for title, which, weighted in KINDS:
            cells = [metric.title, title]
            for n_rows in SIZES:
                found = [
                    coverage(metric, Population(rate, which, weighted), n_rows, repeats).coverage
                    for rate in RATES
                ]
                cells.append(" ".join(f"{100 * each:.0f}" for each in found))
                if which != "times":
                    lowest.append((min(found), f"{metric.title}, {title}, {n_rows} rows"))
            rows.append(cells)
    least, where = min(lowest)
    yield WORDS.format(
        repeats=repeats,
        error=100 * np.sqrt(0.95 * 0.05 / repeats),
        lowest=f"The lowest of the {4 * len(lowest)} cells, apart from those of dependence in "
        f"time: {100 * least:.1f} % ({where}).",
    )
    rates = ", ".join(f"{100 * rate:g}" for rate in RATES)
    heads = ["metric", "rows", *(f"{n:,} rows (rates {rates} %)" for n in SIZES)]
    yield table(heads, rows)
    yield LIMITS
