"""Both ends of the interval around a predicted value: misses below and above, and widths."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from bench.honesty.tables import table
from studio.arrays import Floats
from studio.data.amounts import compute_log_unit
from studio.data.intervals.prediction import (
    SHARE,
    PredictionMargins,
    compute_quantile,
    score_errors,
)
from studio.seeds import derive

SIZES = (30, 100, 300, 1000)
FRESH = 2000

_SPREAD = 0.7
"""Standard deviation of the logarithms of mean amounts."""

Drawn = tuple[Floats, Floats]
"""Predictions and truth of some rows, shape (n,) each."""


def _draw_log_normal(sigma: float) -> Callable[[Floats, Floats, np.random.Generator], Drawn]:
    def draw(z: Floats, e: Floats, rng: np.random.Generator) -> Drawn:
        return (
            np.exp(_SPREAD * z + sigma**2 / 2 + 0.2 * e),
            np.exp(_SPREAD * z + sigma * rng.normal(size=len(z))),
        )

    return draw


def _draw_counts(z: Floats, e: Floats, rng: np.random.Generator) -> Drawn:
    means = np.exp(_SPREAD * z + 0.5)
    counts = np.where(rng.random(len(z)) < 0.5, 0, rng.poisson(means))
    return 0.5 * means * np.exp(0.2 * e), counts.astype(np.float64)


ERRORS: Mapping[str, Callable[[Floats, Floats, np.random.Generator], Drawn]] = {
    "normal": lambda z, e, rng: (z + 0.3 * e, z + rng.normal(size=len(z))),
    "normal, larger for high values": lambda z, e, rng: (
        z + 0.1 * e * np.exp(z / 2),
        z + rng.normal(size=len(z)) * np.exp(z / 2),
    ),
    "exponential": lambda z, e, rng: (z + 0.3 * e, z + rng.exponential(size=len(z)) - 1.0),
    "log-normal, σ = 0.5": _draw_log_normal(0.5),
    "log-normal, σ = 1": _draw_log_normal(1.0),
    "log-normal, σ = 1.5": _draw_log_normal(1.5),
    "counts, half of them 0": _draw_counts,
}
"""Predictions and truth from a row's known part and the model's error, standard normal.

Predictions are means.
"""

WORDS = """
Both ends of an interval are learned separately, of amounts on a logarithmic scale. *Symmetric*:
the same margin on both sides, learned from absolute errors. *Below*, *above*: percent of {fresh:,}
new rows whose true value is there, means of {repeats} samples; 5 each are nominal. *Width* and
*score* (interval score: Gneiting and Raftery 2007, section 6.2; lower is better) are means of those
shown in relation to symmetric ones.
"""


def measure_ends(kind: str, n_rows: int, repeats: int) -> tuple[Floats, Floats]:
    """Return the misses below and above, width, and score of intervals, shown and symmetric.

    Returns:
        Shapes (4,). The means over samples.
    """
    rng = np.random.default_rng(derive(0, "ends", f"{kind} {n_rows}"))

    def draw(count: int) -> Drawn:
        known, unknown = rng.normal(size=(2, count))
        return ERRORS[kind](known, unknown, rng)

    measured = []
    for _ in range(repeats):
        (predictions, truth), fresh = draw(n_rows), draw(FRESH)
        is_amount = kind.startswith(("log-normal", "counts"))
        floor, unit = (0.0, compute_log_unit(truth)) if is_amount else (None, None)
        shown = PredictionMargins.learn(predictions, truth, floor=floor, unit=unit)
        scores, known, local_errors = score_errors(predictions, truth)
        factor = compute_quantile(np.abs(scores), SHARE)
        symmetric = PredictionMargins(factor, factor, known, local_errors, floor)
        measured.append([_measure_interval(each, *fresh) for each in (shown, symmetric)])
    means = np.mean(measured, axis=0)
    return means[0], means[1]


def _measure_interval(margins: PredictionMargins, predictions: Floats, truth: Floats) -> Floats:
    low, high = margins.compute_intervals(predictions).T
    below, above = np.maximum(low - truth, 0.0), np.maximum(truth - high, 0.0)
    scores = high - low + 2 / (1 - SHARE) * (below + above)
    return np.array([(below > 0).mean(), (above > 0).mean(), (high - low).mean(), scores.mean()])


def section(repeats: int) -> Iterator[str]:
    """Yield the parts about both ends."""
    yield WORDS.format(fresh=FRESH, repeats=repeats)
    heads = ["errors", "rows", "symmetric: below", "above", "shown: below", "above", "width"]
    lines = []
    for kind in ERRORS:
        for n_rows in SIZES:
            shown, symmetric = measure_ends(kind, n_rows, repeats)
            misses = [f"{100 * each:.1f}" for each in (*symmetric[:2], *shown[:2])]
            ratios = [f"{each:.2f}" for each in shown[2:] / symmetric[2:]]
            lines.append([kind, f"{n_rows:,}", *misses, *ratios])
    yield table([*heads, "score"], lines)
