"""Accuracy of forecasts for twice the rows, for known true curves."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy.spatial import KDTree

from bench.honesty.tables import table
from studio.analysis.learning_curve.curve import (
    CONFIDENCE,
    MAX_DRAWS,
    MIN_REDUCTION,
    MIN_WORTHWHILE_REDUCTION,
    Forecast,
    make_forecast,
    make_nested_rows,
)
from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.loss import resample_losses
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import get_metric
from studio.data.splits.splitter import RowSplitter
from studio.seeds import derive

REPEATS = 200
SIZES = (200, 1000)
TEST_ROWS = (200, 1000)
_TRUTH = (40, 4000)
"""Tables, and rows of each, for true errors without a formula."""

Population = Callable[[int, np.random.Generator], tuple[Floats, AnyArray]]
Learner = Callable[[Floats, AnyArray, Floats], AnyArray]

WORDS = """\
Forecasts of the learning curve for twice the rows (`studio/analysis/learning_curve`), where the
true effect is known. *Holds*: percentage of {repeats} tables whose {confidence:.0f} % interval of
the decrease contains the true one. *Lower*, *flat*: percentage in which twice the rows are reported
to lower the error, or the curve to be flat (here without the program's further condition of a small
gain relative to guessing); otherwise only the interval is reported. *Wrong*: percent with "lower"
where the error falls by less than {some:.0f} %, or "flat" where it falls by more than
{little:.0f} %. The true errors of least squares are exact (normal columns), those of neighbours
from {tables} tables of {rows:,} rows.

Wrong at most: {wrong:.0f} %. The interval holds least often where the curve is no power law at
these sizes: {holds:.0f} % ({where}).
"""


def _make_linear(n_columns: int) -> Population:
    def drawn(n_rows: int, rng: np.random.Generator) -> tuple[Floats, AnyArray]:
        X = rng.normal(size=(n_rows, n_columns))
        return X, X.sum(axis=1) / np.sqrt(n_columns) + rng.normal(size=n_rows)

    return drawn


def _make_waves(noise: float) -> Population:
    def drawn(n_rows: int, rng: np.random.Generator) -> tuple[Floats, AnyArray]:
        X = rng.normal(size=(n_rows, 3))
        return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + noise * rng.normal(size=n_rows)

    return drawn


def _draw_classes(n_rows: int, rng: np.random.Generator) -> tuple[Floats, AnyArray]:
    X, y = _make_waves(0.5)(n_rows, rng)
    return X, (y > 0).astype(np.int64)


def _fit_least_squares(X: Floats, y: AnyArray, asked: Floats) -> AnyArray:
    found: AnyArray = asked @ np.linalg.lstsq(X, y, rcond=None)[0]
    return found


def _predict_mean(X: Floats, y: AnyArray, asked: Floats) -> AnyArray:
    return np.full(len(asked), y.mean())


def _predict_by_neighbours(X: Floats, y: AnyArray, asked: Floats) -> AnyArray:
    found: AnyArray = y[KDTree(X).query(asked, 5)[1]].mean(axis=1)
    return found


def _predict_by_votes(X: Floats, y: AnyArray, asked: Floats) -> AnyArray:
    share = _predict_by_neighbours(X, y, asked)
    return np.column_stack([1 - share, share])


def _make_squares(n_columns: int) -> Callable[[int], float]:
    """Return the root mean squared error of least squares after n rows, noise of variance 1."""
    return lambda n_rows: float(np.sqrt(1 + n_columns / (n_rows - n_columns - 1)))


Kind = tuple[Population, Learner, Metric, Callable[[int], float] | None]

KINDS: Mapping[str, Kind] = {
    "least squares, 4 columns": (
        _make_linear(4), _fit_least_squares, get_metric("rmse", "regression"), _make_squares(4)
    ),
    "least squares, 20 columns": (
        _make_linear(20), _fit_least_squares, get_metric("rmse", "regression"), _make_squares(20)
    ),
    "the mean": (
        _make_linear(4), _predict_mean, get_metric("rmse", "regression"),
        lambda n_rows: float(np.sqrt(2 * (1 + 1 / n_rows))),
    ),
    "neighbours, noise": (
        _make_waves(0.5), _predict_by_neighbours, get_metric("rmse", "regression"), None,
    ),
    "neighbours, no noise": (
        _make_waves(0.0), _predict_by_neighbours, get_metric("rmse", "regression"), None,
    ),
    "neighbours, two classes": (
        _draw_classes, _predict_by_votes, get_metric("error", "binary"), None,
    ),
}  # fmt: skip
"""Learning problems: source of the rows, learner, metric, and true curve."""


def compute_true_errors(kind: str, sizes: tuple[int, ...]) -> list[float]:
    """Return the true errors by number of training rows."""
    population, learner, metric, curve = KINDS[kind]
    if curve is not None:
        return [curve(each) for each in sizes]
    rng = np.random.default_rng(derive(0, "true errors", kind))
    found = np.zeros((_TRUTH[0], len(sizes)))
    for line in found:
        X, y = population(max(sizes), rng)
        asked, truth = population(_TRUTH[1], rng)
        line[:] = [metric.compute_loss(truth, learner(X[:n], y[:n], asked)) for n in sizes]
    return [float(each) for each in found.mean(axis=0)]


def forecast_error(kind: str, n_rows: int, n_test: int, rng: np.random.Generator) -> Forecast:
    """Return the forecast for twice the rows of one table."""
    population, learner, metric, _ = KINDS[kind]
    X, y = population(n_rows, rng)
    asked, truth = population(n_test, rng)
    strata: Integers = y if y.dtype == np.int64 else np.zeros(n_rows, dtype=np.int64)
    parts = make_nested_rows(np.arange(n_rows), RowSplitter(strata), rng)
    predictions = [learner(X[rows], y[rows], asked) for rows in parts]
    losses = np.array([metric.compute_loss(truth, each) for each in predictions])
    resampled = resample_losses(metric, truth, predictions)
    assert resampled is not None
    sizes = np.array([len(rows) for rows in parts])
    return make_forecast(sizes, losses, resampled[:MAX_DRAWS], rng)


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section, with table rows per kind."""
    rows: list[list[str]] = []
    most_wrong, least_held = 0.0, (1.0, "")
    for kind in KINDS:
        for n_rows in SIZES:
            now, later = compute_true_errors(kind, (n_rows, 2 * n_rows))
            fall = (now - later) / now
            for n_test in TEST_ROWS:
                rng = np.random.default_rng(
                    derive(0, "learning curve", f"{kind} {n_rows} {n_test}")
                )
                found = [forecast_error(kind, n_rows, n_test, rng) for _ in range(repeats)]
                holds = sum(each.min_decrease <= now - later <= each.max_decrease for each in found)
                lower = sum(each.outlook == "lower" for each in found)
                flat = sum(each.outlook == "flat" for each in found)
                wrong = (lower if fall < MIN_REDUCTION else 0) + (
                    flat if fall > MIN_WORTHWHILE_REDUCTION else 0
                )
                most_wrong = max(most_wrong, wrong / repeats)
                where = f"{kind}, {n_rows:,} rows, {n_test:,} test rows"
                least_held = min(least_held, (holds / repeats, where))
                rows.append(
                    [kind, f"{n_rows:,}", f"{n_test:,}", f"{100 * fall:.1f} %"]
                    + [f"{100 * each / repeats:.0f}" for each in (holds, lower, flat, wrong)]
                )
    yield WORDS.format(
        repeats=repeats,
        confidence=100 * CONFIDENCE,
        some=100 * MIN_REDUCTION,
        little=100 * MIN_WORTHWHILE_REDUCTION,
        tables=_TRUTH[0],
        rows=_TRUTH[1],
        wrong=100 * most_wrong,
        holds=100 * least_held[0],
        where=least_held[1],
    )
    heads = ["what is learned", "rows", "test rows", "true fall", "holds", "lower", "flat", "wrong"]
    yield table(heads, rows)
