"""Coverage of the interval around a predicted value."""

from collections.abc import Iterator

import numpy as np

from bench.honesty import ends
from bench.honesty.populations import Population, sample
from bench.honesty.tables import table
from studio.arrays import AnyArray, Floats
from studio.data.intervals.prediction import SHARE, PredictionMargins
from studio.data.metrics.registry import get_metric
from studio.ensembles.base import EnsembleBuilder, combine
from studio.ensembles.greedy import GreedySelection
from studio.ensembles.single_model import Stacking
from studio.runs.margins import compute_cross_fitted_predictions
from studio.seeds import derive
from studio.trial import History, Trial

SIZES = (50, 200, 1000)
KINDS = (
    ("rows alone", "alone", False),
    ("weights", "alone", True),
    ("groups", "groups", False),
    ("groups, weights", "groups", True),
    ("time", "times", False),
)
BUILDERS: tuple[tuple[str, EnsembleBuilder], ...] = (
    ("guided selection (`best`)", GreedySelection(loss="guided")),
    ("selection of 25 (DivBO)", GreedySelection(loss="metric")),
    ("stacking of 5", Stacking()),
    ("stacking of 40", Stacking(size=40)),
)
REPEATS = 200
MODELS = 60
FRESH = 2000
RATE = 0.3

_METRIC = get_metric("rmse", "regression")

WORDS = """\
The interval of a predicted number, {share} % unless another is asked for
(`studio/data/intervals/prediction.py`): split conformal, from the errors of the validation rows
(out-of-fold, with folds). Percent of new rows whose true value lies within, means of {repeats}
samples; residuals, groups, time and weights are those of the first section.
"""

CHOSEN = """
The ensemble was chosen by the very rows whose errors the margins are learned from. *As chosen*:
with the errors of that ensemble; *corrected*: with those of an ensemble selected again without each
fifth of the rows, as in the program (`studio/runs/margins.py`); *wider*: the increase of the width
in percent. {models} models, half of the variance of their errors in common, the worst with twice
the error of the best. The correction leaves the ensemble itself as it is.
"""

FEW = """
The units are groups and blocks of time, not rows, so few of them make intervals wide: 50 rows in
time are seven blocks, too few for a 90 % interval (the program then shows none; here it counts as
covering).
"""


def coverage(population: Population, n_rows: int, repeats: int) -> float:
    """Return the coverage of intervals for new rows, of other groups or times."""
    rng = np.random.default_rng(derive(0, "predictions", f"{population} {n_rows}"))
    held = []
    for _ in range(repeats):
        known = sample(population, _METRIC, n_rows, rng)
        fresh = sample(population, _METRIC, FRESH, rng)
        margins = PredictionMargins.learn(
            known.predictions[0], known.truth, weights=known.weights, units=known.units
        )
        held.append(float(margins.find_covered(fresh.predictions[0], fresh.truth).mean()))
    return float(np.mean(held))


def measure_coverage(
    builder: EnsembleBuilder, n_rows: int, repeats: int
) -> tuple[float, float, float]:
    """Return uncorrected and corrected coverage, and the ratio of their mean widths."""
    rng = np.random.default_rng(derive(0, "chosen", f"{builder.key} {builder} {n_rows}"))
    found = [_measure_coverage_once(builder, n_rows, rng) for _ in range(repeats)]
    plain, corrected, wider = np.mean(found, axis=0)
    return float(plain), float(corrected), float(wider)


def _measure_coverage_once(
    builder: EnsembleBuilder, n_rows: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    truth, models = _models(n_rows + FRESH, rng)
    history = History(truth[:n_rows], 0)
    for number, said in enumerate(models, start=1):
        loss = float(_METRIC(history.truth, said[:n_rows]))
        history.append(Trial(number, {}, 0, loss), said[:n_rows])
    ensemble = builder.build(history, _METRIC, 0)
    fresh = combine(lambda number: models[number - 1][n_rows:], ensemble)
    whole = combine(history.get_predictions, ensemble)
    parts = compute_cross_fitted_predictions(builder, history, lambda _truth, _weights: _METRIC, 0)
    coverages, widths = [], []
    for unseen in (whole, parts):
        margins = PredictionMargins.learn(unseen, history.truth)
        low, high = margins.compute_intervals(fresh).T
        coverages.append(float(margins.find_covered(fresh, truth[n_rows:]).mean()))
        widths.append(float((high - low).mean()))
    return coverages[0], coverages[1], widths[1] / widths[0]


def _models(n_rows: int, rng: np.random.Generator) -> tuple[Floats, list[AnyArray]]:
    """Draw true values and each model's predictions, shape (n_rows,) each."""
    truth, common = rng.normal(size=(2, n_rows))
    sizes = np.sqrt(RATE / 2) * rng.uniform(1, 2, MODELS)
    models = [truth + size * (common + rng.normal(size=n_rows)) for size in sizes]
    return truth, [each.astype(np.float32) for each in models]


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section: margins alone, their ends, and after ensemble selection."""
    yield WORDS.format(share=round(100 * SHARE), repeats=repeats)
    rows = [
        ["single model", title]
        + [f"{100 * coverage(Population(RATE, which, weighted), n, repeats):.1f}" for n in SIZES]
        for title, which, weighted in KINDS
    ]
    yield table(["predictions", "rows", *(f"{n:,} rows" for n in SIZES)], rows)
    yield from ends.section(repeats)
    yield CHOSEN.format(models=MODELS)
    heads = ["ensemble", "models"]
    for n_rows in SIZES:
        heads += [f"{n_rows:,} rows: as chosen", "corrected", "wider"]
    lines = []
    for title, builder in BUILDERS:
        cells = [title, str(MODELS)]
        for n_rows in SIZES:
            plain, corrected, wider = measure_coverage(builder, n_rows, repeats)
            cells += [f"{100 * plain:.1f}", f"{100 * corrected:.1f}", f"{100 * (wider - 1):.0f}"]
        lines.append(cells)
    yield table(heads, lines)
    yield FEW
