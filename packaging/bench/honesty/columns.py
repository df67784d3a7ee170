"""Error rate and power of column importance."""

from collections.abc import Iterator

import numpy as np
from scipy.signal import lfilter
from scipy.special import expit

from bench.honesty.tables import table
from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.loss import (
    MIN_SAMPLED_UNITS,
    compute_importance_intervals,
    compute_row_contributions,
    find_significant_columns,
)
from studio.data.intervals.resampling import get_units
from studio.data.metrics.absolute_errors import Mae
from studio.data.metrics.base import Metric
from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import BrierScore, LogLoss
from studio.data.metrics.squared_errors import Rmse
from studio.seeds import derive

SIZES = (30, 100, 300)
SHUFFLES = 5
STRONG, WEAK = 2.0, 0.5
"""Increase of the score, or the number, with an important column, and with an unimportant one; the
model treats a useless column like the latter.
"""

LOSSES: tuple[Metric, ...] = (LogLoss(), BrierScore(), ErrorRate(), Rmse(), Mae())
KINDS = ("normal", "heavy tails", "two values")
REPEATS = 400

WORDS = """\
Which columns the window reports as important (`studio/data/intervals/loss.py`): rows are predicted
with the column's values of {shuffles} other rows, and the loss with their own value is compared
with its distribution if each of the {values} values were equally likely. *False*: the column has
nothing to do with the target, but the model follows its noise; percent of {repeats} tables in which
it is said to matter (2.5 are intended; the standard error is 0.8 there). *Seen*: the same of a
column of little use. *Interval*: how often the lower end of the bar's 95 % interval is above zero
there; this was the previous criterion. Three columns, logistic classes or numbers with errors of
Student's distribution with 3 degrees of freedom. The error rate is there for comparison: columns
are judged by the smooth losses.
{most}
"""

GROUPS = (8, 16, 27, 60)
"""Numbers of groups of 20 rows on average."""

TIMES = (100, 300, 1000)
"""Numbers of rows in order of time."""

UNIT_WORDS = """\

For dependent rows only the interval of the bar is used. Contributions of rows to the importance
(standard deviation 1, or zero but for one row in 20) are shifted to a true mean of 0 (*false*:
lower limit above 0), 0.15 and 0.4 (*seen*); *within*: the true mean is in the interval (95 are
intended). Groups share an effect with a standard deviation of 0.3; uneven ones have an exponential
distribution of sizes. In time, a part with a standard deviation of 0.3 has the correlation 0.9 with
the row before. A dominant group has half of the rows. Units whose effective number is below {units}
keep a wider interval. Percent of {repeats} tables.
"""


def _draw_columns(kind: str, n_rows: int, rng: np.random.Generator) -> Floats:
    """Return a strong column, one of little use, and a useless one: shape (n, 3)."""
    X: Floats = rng.normal(size=(n_rows, 3))
    if kind == "heavy tails":
        X[:, 1:] = rng.standard_t(2, (n_rows, 2))
    elif kind == "two values":
        X[:, 1:] = 2.0 * (rng.random((n_rows, 2)) < 0.3)
    return X


def _predict(X: Floats, *, classes: bool) -> AnyArray:
    """Return predictions for X, (n, 3), that follow the useless column: (n, 2) or (n,)."""
    score = X @ np.array([STRONG, WEAK, WEAK])
    return np.column_stack([expit(-score), expit(score)]) if classes else score


def _parts(metric: Metric, truth: AnyArray, given: AnyArray) -> Floats:
    found = compute_row_contributions(metric, truth, given, None)
    assert found is not None, "these losses are defined for any rows"
    return found


def judged(metric: Metric, kind: str, n_rows: int, rng: np.random.Generator) -> AnyArray:
    """Return whether the weak and the useless column are significant, shape (2, 2).

    First by the test, then by the interval.
    """
    classes = metric.prediction_type != "values"
    X = _draw_columns(kind, n_rows, rng)
    true = X @ np.array([STRONG, WEAK, 0.0])
    if classes:
        truth: AnyArray = (rng.random(n_rows) < expit(true)).astype(np.int64)
    else:
        truth = true + rng.standard_t(3, n_rows)
    usual = _predict(X, classes=classes)
    before = _parts(metric, truth, usual)
    lost, parts = np.empty((1 + SHUFFLES, n_rows, 2)), np.zeros((n_rows, 2))
    lost[0] = np.transpose([metric.compute_row_losses(truth, usual)] * 2)
    for shuffle in range(SHUFFLES):
        order = rng.permutation(n_rows)
        for place in range(2):
            other = X.copy()
            other[:, 1 + place] = X[order, 1 + place]
            given = _predict(other, classes=classes)
            lost[1 + shuffle, :, place] = metric.compute_row_losses(truth, given)
            apart = _parts(metric, truth, given) - before
            parts[:, place] += apart
            parts[order, place] += apart
    parts = parts / SHUFFLES
    low, _ = compute_importance_intervals(parts - parts.mean(axis=0) / 2)
    return np.stack([find_significant_columns(lost), low > 0])


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section, with table rows per loss."""
    rows: list[list[str]] = []
    most: list[tuple[float, str]] = []
    for metric in LOSSES:
        for kind in KINDS:
            cells = [metric.title, kind]
            for n_rows in SIZES:
                rng = np.random.default_rng(derive(0, "columns", metric.key, kind, n_rows))
                found = [judged(metric, kind, n_rows, rng) for _ in range(repeats)]
                (seen, false), (interval, _) = 100 * np.mean(found, axis=0)
                cells += [f"{false:.1f}", f"{seen:.0f}", f"{interval:.0f}"]
                most.append((float(false), f"{metric.title}, {kind}, {n_rows} rows"))
            rows.append(cells)
    highest, where = max(most)
    yield WORDS.format(
        shuffles=SHUFFLES,
        values=1 + SHUFFLES,
        repeats=repeats,
        most=f"The highest of {len(most)} cells: {highest:.1f} % false ({where}).",
    )
    heads = ["loss", "column"]
    for n_rows in SIZES:
        heads += [f"{n_rows} rows: false", "seen", "interval"]
    yield table(heads, rows)
    yield UNIT_WORDS.format(repeats=repeats, units=MIN_SAMPLED_UNITS)
    yield table(
        ["rows", "units", "contributions", "false", "within", "seen, 0.15", "0.4"],
        list(_make_unit_rows(repeats)),
    )


def _make_unit_rows(repeats: int) -> Iterator[list[str]]:
    for kind in ("normal", "one row in 20"):
        for n_groups in GROUPS:
            for title in ("groups", "uneven groups", "groups, one dominant"):
                rng = np.random.default_rng(derive(0, "dependent", kind, title, n_groups))
                sizes = np.full(n_groups, 20.0)
                if title == "uneven groups":
                    sizes = 1 + rng.exponential(19, n_groups)
                elif title != "groups":
                    sizes[0] = sizes[1:].sum()
                units = np.repeat(np.arange(n_groups), sizes.astype(np.int64))
                shared = 0.3 * rng.normal(size=(n_groups, repeats))[units]
                yield _measure_units(title, kind, units, shared, rng)
        for n_rows in TIMES:
            rng = np.random.default_rng(derive(0, "dependent", kind, "time", n_rows))
            blocks = get_units(np.arange(n_rows), times=np.arange(n_rows, dtype=np.float64))
            assert blocks is not None, "the rows have times"
            innovations = rng.normal(size=(n_rows, repeats))
            innovations[1:] *= (1 - 0.9**2) ** 0.5
            shared = 0.3 * lfilter([1.0], [1.0, -0.9], innovations, axis=0)
            yield _measure_units("time", kind, blocks, shared, rng)


def _measure_units(
    title: str, kind: str, units: Integers, shared: Floats, rng: np.random.Generator
) -> list[str]:
    """Return a row of the table; ``shared``: shape (n, repeats), dependent contributions."""
    if kind == "normal":
        parts = rng.normal(size=shared.shape)
    else:
        parts = (rng.random(shared.shape) < 0.05) * rng.exponential(4.0, shared.shape) - 0.2
    means = (0.0, 0.15, 0.4)
    limits = [compute_importance_intervals(parts + shared + mean, units) for mean in means]
    is_above = [100 * float((low > 0).mean()) for low, _ in limits]
    low, high = limits[1]
    is_within = (low <= means[1]) & (means[1] <= high)
    return [
        f"{len(units):,}",
        f"{units.max() + 1} {title}",
        kind,
        f"{is_above[0]:.1f}",
        f"{100 * float(is_within.mean()):.0f}",
        f"{is_above[1]:.0f}",
        f"{is_above[2]:.0f}",
    ]
