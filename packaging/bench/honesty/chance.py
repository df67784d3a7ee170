"""Error rate and power of "more than chance"."""

from collections.abc import Iterator

import numpy as np

from bench.honesty.populations import METRICS, Population, sample
from bench.honesty.tables import table
from studio.analysis.loss_difference import (
    ENSEMBLE_IS_BETTER,
    SINGLE_IS_BETTER,
    describe_loss_difference,
)
from studio.data.intervals.loss import compute_difference_interval
from studio.data.metrics.base import Metric
from studio.seeds import derive

SIZES = (20, 200, 2000)
RATES = (0.05, 0.3)
KINDS = (
    ("rows alone", "alone", False),
    ("groups, weights", "groups", True),
    ("time", "times", False),
)
HALF_THE_RATE = 0.5
REPEATS = 200

WORDS = """\
The sentence on whether the ensemble is better than the best single model "by more than chance
would explain" (`studio/analysis/loss_difference.py`), from the interval of the difference on the
same rows; for the error rate that is McNemar's exact test. Two models that agree on half of the
rows (or groups).

*False*: both have the same true error; percent of {repeats} samples in which one is called better
(at most 5 are allowed; the standard error is {error:.1f} there). *Seen*: on the rows where they
differ, one has half of the other's error rate; percentage of samples in which it is called better.
Error rates are as above.
{most}
"""


def decisions(
    metric: Metric, population: Population, n_rows: int, repeats: int, *, better: float = 1.0
) -> tuple[float, float]:
    """Return the rates at which the first and the second model are reported as better.

    Args:
        better: Rate of the first model where it differs from the second, in relation to that one's.
    """
    rng = np.random.default_rng(derive(0, "chance", f"{metric.key} {population} {n_rows} {better}"))
    said = []
    for _ in range(repeats):
        drawn = sample(population, metric, n_rows, rng, (better, 1.0))
        one, other = drawn.predictions
        found = compute_difference_interval(
            metric, drawn.truth, one, other, drawn.weights, units=drawn.units
        )
        said.append(describe_loss_difference(found, is_same_model=False))
    return said.count(ENSEMBLE_IS_BETTER) / repeats, said.count(SINGLE_IS_BETTER) / repeats


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section, with a table row per metric."""
    rows: list[list[str]] = []
    most: list[tuple[float, str]] = []
    for metric in METRICS:
        for title, which, weighted in KINDS:
            cells = [metric.title, title]
            for n_rows in SIZES:
                populations = [Population(rate, which, weighted) for rate in RATES]
                false = [sum(decisions(metric, each, n_rows, repeats)) for each in populations]
                seen = [
                    decisions(metric, each, n_rows, repeats, better=HALF_THE_RATE)[0]
                    for each in populations
                ]
                cells += [
                    " ".join(f"{100 * each:.0f}" for each in found) for found in (false, seen)
                ]
                most.append((max(false), f"{metric.title}, {title}, {n_rows} rows"))
            rows.append(cells)
    highest, where = max(most)
    yield WORDS.format(
        repeats=repeats,
        error=100 * np.sqrt(0.05 * 0.95 / repeats),
        most=f"The highest of {2 * len(most)} cells: {100 * highest:.1f} % false ({where}).",
    )
    rates = ", ".join(f"{100 * rate:g}" for rate in RATES)
    heads = ["metric", "rows"]
    for n_rows in SIZES:
        heads += [f"{n_rows:,} rows: false (rates {rates} %)", "seen"]
    yield table(heads, rows)
