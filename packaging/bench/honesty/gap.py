"""Error rate and power of the optimism gap."""

from collections.abc import Iterator

import numpy as np

from bench.honesty.populations import METRICS, Population, sample
from bench.honesty.tables import table
from studio.data.intervals.loss import compute_gap_interval, compute_loss_interval
from studio.data.metrics.base import Metric
from studio.seeds import derive

SIZES = (50, 200, 2000)
RATE = 0.05
FLATTERED = 2.0
KINDS = (("rows alone", "alone", False), ("groups, weights", "groups", True))
REPEATS = 200

WORDS = """\
The gap between an ensemble's test and validation error, which the window names only where its 95 %
interval excludes zero (`studio/data/intervals/loss.py`). There are as many validation rows as test
rows, with an error rate of {rate:g} %. *False*: nothing was selected on the validation rows;
percentage of {repeats} samples in which a gap is reported. *Seen*: the error rate on the test rows
is twice as high.
{most}
"""


def count_named_gaps(
    metric: Metric, population: Population, n_rows: int, repeats: int, *, test: float = 1.0
) -> float:
    """Return the rate of reported gaps; ``test``: error rate of test rows relative to others."""
    rng = np.random.default_rng(derive(0, "gap", f"{metric.key} {population} {n_rows} {test}"))
    count = 0
    for _ in range(repeats):
        sides = []
        for better in (1.0, test):
            drawn = sample(population, metric, n_rows, rng, (better,))
            given = drawn.predictions[0]
            found = compute_loss_interval(
                metric, drawn.truth, given, drawn.weights, units=drawn.units
            )
            sides.append((metric.compute_loss(drawn.truth, given, drawn.weights), found))
        (loss, known), (other, fresh) = sides
        if known is not None and fresh is not None:
            low, high = compute_gap_interval(loss, known, other, fresh)
            count += low > 0 or high < 0
    return count / repeats


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section, with a table row per metric."""
    rows: list[list[str]] = []
    most: list[tuple[float, str]] = []
    for metric in METRICS:
        for title, which, weighted in KINDS:
            cells = [metric.title, title]
            for n_rows in SIZES:
                population = Population(RATE, which, weighted)
                false = count_named_gaps(metric, population, n_rows, repeats)
                seen = count_named_gaps(metric, population, n_rows, repeats, test=FLATTERED)
                cells += [f"{100 * false:.1f}", f"{100 * seen:.0f}"]
                most.append((false, f"{metric.title}, {title}, {n_rows} rows"))
            rows.append(cells)
    highest, where = max(most)
    yield WORDS.format(
        rate=100 * RATE,
        repeats=repeats,
        most=f"The highest of {len(most)} cells: {100 * highest:.1f} % false ({where}).",
    )
    heads = ["metric", "rows"]
    for n_rows in SIZES:
        heads += [f"{n_rows:,} rows: false", "seen"]
    yield table(heads, rows)
