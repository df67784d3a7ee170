"""Coverage of the interval of hits among selected rows, or of their sum."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from bench.honesty.tables import table
from studio.arrays import Flags, Floats, Integers
from studio.data.intervals.pieces import RowGroups
from studio.data.intervals.resampling import get_units
from studio.data.intervals.sums import HitRates, TotalErrors, TotalEstimate
from studio.seeds import derive

SIZES = (50, 200, 1000)
CHOSEN = (10, 50, 200)
FRESH = 1000
REPEATS = 200
SPREAD = 0.5
GROUP_ROWS = 10

_DRAWS = 1000
_MEMBERS, _CEILING = 10, 0.4

_Found = tuple[list[float], float]
"""Coverage of intervals, and their mean width."""

Drawn = tuple[Floats, Floats]
"""Predictions and truth of some rows, shape (n,) each."""

HITS: Mapping[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "right": lambda q, rng: q,
    "too sure (logits doubled)": lambda q, rng: expit(2 * logit(q)),
    "not sure enough (logits halved)": lambda q, rng: expit(logit(q) / 2),
    "odds three times too high": lambda q, rng: expit(logit(q) + np.log(3)),
    "votes of ten members": lambda q, rng: rng.binomial(_MEMBERS, q) / _MEMBERS,
    "no row is above 40 %": lambda q, rng: q,
}
"""The model's distortion of the true probabilities, shape (n,)."""

RATES = (("30 %", -1.25), ("4 %", -4.0))
"""Frequency of hits, and its mean logit; the standard deviation of logits is 1.5."""

SUMS: Mapping[str, Callable[[Floats, Floats], Drawn]] = {
    "right": lambda z, e: (z, z + e / 2),
    "half as far again from the mean": lambda z, e: (1.5 * z, z + e / 2),
    "too near to the mean": lambda z, e: (0.6 * z, z + e / 2),
    "never above a ceiling": lambda z, e: (z, np.minimum(z, 1.0) + e / 2),
    "amounts with a long tail": lambda z, e: (np.exp(z + 0.08), np.exp(z + 0.4 * e)),
    "the same, a fifth too low": lambda z, e: (0.8 * np.exp(z + 0.08), np.exp(z + 0.4 * e)),
    "seven of ten amounts are 0": lambda z, e: (0.3 * np.exp(z), np.exp(z) * (e > 0.524)),
}
"""Predictions and truth from a row's known and unknown part, both standard normal."""

WORDS = """\
Expected outcome of the first rows in "Who first?": the number of hits, or the sum
(`studio/data/intervals/sums.py`), each with a 90 % interval. {fresh:,} new rows are sorted by their
prediction and the first {chosen} are chosen; calibration errors are estimated from {sizes} unseen
rows. *Held*: percent of {repeats} tables in which the true number lies in the interval, for
{chosen} chosen rows (the standard error is {error:.1f} at 90 %; since hits are whole numbers,
intervals of few cover more). *Width*: of the interval for {middle} chosen rows, on average.

{least}
"""

TOGETHER = """
Rows that are hits more often together: the logits of a group of {rows} rows, or of a time, move by
{spread:g} (one standard deviation). New rows are of other groups, and all of one other time.
"""

TOTALS = """
Sums of predicted numbers, with widths in relation to the true sum, in percent.
"""

BY_SCORE = """
Where few amounts are most of a sum, its interval holds it a little too seldom.

All this applies to rows selected by their prediction. For rows selected by another criterion, such
as a region, the model may have a different bias; the window then adds a caution.
"""


@dataclass
class _HeldCounts:
    """Coverage and width of intervals by the number of selected rows."""

    held: dict[int, int]
    width: float = 0.0

    def add(self, count: int, found: TotalEstimate, true: float, unit: float = 1.0) -> None:
        self.held[count] += found.low <= true <= found.high
        if count == CHOSEN[1]:
            self.width += (found.high - found.low) / unit

    def shares(self, repeats: int) -> list[float]:
        return [self.held[count] / repeats for count in CHOSEN]


def hits(
    kind: str, middle: float, n_rows: int, repeats: int, rows: str = "alone"
) -> tuple[list[float], float]:
    """Return coverage and mean width of the interval of hits for each of :data:`CHOSEN`.

    Args:
        kind: The model's distortion of the true probabilities (:data:`HITS`).
        middle: The mean logit of these.
        n_rows: Rows from which the correction is learned.
        rows: Which rows have correlated hits.
    """
    rng = np.random.default_rng(derive(0, "hits", f"{kind} {middle} {n_rows} {rows}"))
    found = _HeldCounts(dict.fromkeys(CHOSEN, 0))
    for _ in range(repeats):
        known, fresh = (
            _make_unit_codes(n_rows, rows, new=False),
            _make_unit_codes(FRESH, rows, new=True),
        )
        scores, true = _draw_rows(kind, middle, n_rows, known, rng)
        n_later = FRESH if rows == "times" else 0
        rates = HitRates.learn(scores, true, units=known, n_later=n_later)
        scores, true = _draw_rows(kind, middle, FRESH, fresh, rng)
        order = np.argsort(-scores, kind="stable")
        for count in CHOSEN:
            chosen = order[:count]
            units = None if fresh is None else np.unique(fresh[chosen], return_inverse=True)[1]
            drawn = rates.draw(RowGroups.from_predictions(scores[chosen], units), _DRAWS)
            found.add(count, TotalEstimate.from_draws(drawn), float(true[chosen].sum()))
    return found.shares(repeats), found.width / repeats


def _make_unit_codes(n_rows: int, rows: str, *, new: bool) -> Integers | None:
    places = np.arange(n_rows)
    if rows == "groups":
        return places // GROUP_ROWS
    if rows == "times":
        return np.zeros_like(places) if new else get_units(places, times=places.astype(np.float64))
    return None


def _draw_rows(
    kind: str, middle: float, n_rows: int, units: Integers | None, rng: np.random.Generator
) -> tuple[Floats, Flags]:
    """Return scores, and whether rows are hits, shape (n_rows,) each."""
    logits = rng.normal(middle, 1.5, n_rows)
    true = expit(logits)
    scores = HITS[kind](true, rng)
    if kind == "no row is above 40 %":
        true = np.minimum(true, _CEILING)
    if units is not None:
        true = expit(logit(true) + SPREAD * rng.normal(size=int(units.max()) + 1)[units])
    return scores, rng.random(n_rows) < true


def sums(kind: str, n_rows: int, repeats: int) -> tuple[list[float], float]:
    """Return coverage and relative width of the interval of a sum, as :func:`hits` does."""
    rng = np.random.default_rng(derive(0, "sums", f"{kind} {n_rows}"))
    found = _HeldCounts(dict.fromkeys(CHOSEN, 0))
    for _ in range(repeats):
        totals = TotalErrors.learn(*SUMS[kind](*rng.normal(size=(2, n_rows))))
        predicted, true = SUMS[kind](*rng.normal(size=(2, FRESH)))
        order = np.argsort(-predicted)
        for count in CHOSEN:
            chosen, sum_ = order[:count], float(true[order[:count]].sum())
            drawn = totals.draw(RowGroups.from_predictions(predicted[chosen]), _DRAWS)
            found.add(count, TotalEstimate.from_draws(drawn), sum_, sum_)
    return found.shares(repeats), found.width / repeats


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section: hits of independent rows, of grouped rows, and sums."""
    least: list[tuple[float, str]] = []

    def line(
        labels: tuple[str, str], results: list[tuple[list[float], float]], unit: str
    ) -> list[str]:
        cells = [*labels]
        for size, (shares, width) in zip(SIZES, results, strict=True):
            least.append((min(shares), f"{', '.join(labels)}, {size:,} rows"))
            cells += [" ".join(f"{100 * each:.0f}" for each in shares), format(width, unit)]
        return cells

    independent_lines = [
        line((kind, f"hits {share}"), [hits(kind, middle, n, repeats) for n in SIZES], ".1f")
        for share, middle in RATES
        for kind in HITS
    ]
    grouped_lines = [
        line(("right", rows), [hits("right", RATES[0][1], n, repeats, rows) for n in SIZES], ".1f")
        for rows in ("groups", "times")
    ]
    amounts = [line((kind, "sum"), [sums(kind, n, repeats) for n in SIZES], ".0%") for kind in SUMS]
    lowest, where = min(least)
    yield WORDS.format(
        fresh=FRESH,
        chosen=", ".join(map(str, CHOSEN)),
        sizes=", ".join(f"{each:,}" for each in SIZES),
        repeats=repeats,
        middle=CHOSEN[1],
        error=100 * np.sqrt(0.09 / repeats),
        least=f"The lowest of {len(least) * len(CHOSEN)} cells: {100 * lowest:.1f} % ({where}).",
    )
    heads = ["what the model says", "of what"]
    for size in SIZES:
        heads += [f"{size:,} rows: held", "width"]
    yield table(heads, independent_lines)
    yield TOGETHER.format(rows=GROUP_ROWS, spread=SPREAD)
    yield table(heads, grouped_lines)
    yield TOTALS
    yield table(heads, amounts)
    yield BY_SCORE
