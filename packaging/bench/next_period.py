"""Rows of a next period: tables with a date and a rare class, with drift or without.

A table has 24 months of rows; the new rows are those of the next three. What the program states is
compared with what happens, with the role "time" and without.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from bench.honesty.tables import table
from studio.analysis.answers.rows import PredictedRows, UnseenRows
from studio.analysis.selected_rows import (
    MIN_RATIO,
    OutcomeEstimator,
    make_row_groups,
    select_first_rows,
)
from studio.arrays import Flags, Floats, Integers
from studio.data.intervals.loss import compute_loss_interval
from studio.data.intervals.resampling import get_units
from studio.data.intervals.sums import HitRates
from studio.data.metrics.registry import get_metric
from studio.data.splits.splitter import assign_times_to_parts
from studio.seeds import derive

SIZES, RATES = (800, 2000, 4000), (0.03, 0.07, 0.15)
MONTHS, NEW_MONTHS, COLUMNS = 24, 3, 5
COUNTS = (10, 30, 50, 100)
ARMS = ("time", "time, folds", "no role")
"""With the role: a hold-out chosen by the program, or blocked folds."""

METRICS = ("log-loss", "auc")
_DRAWS = 4000
_LATER_ROWS = 5000
"""Rows for computing the true loss in the next period."""


def _none(m: Integers, rng: np.random.Generator) -> Floats:
    return np.zeros(len(m))


def _walk(size: float) -> Callable[[Integers, np.random.Generator], Floats]:
    return lambda m, rng: np.cumsum(size * rng.normal(size=len(m)))


@dataclass(frozen=True)
class World:
    """Differences of months: logits of the base rate, and means of the first column, by month."""

    group: str
    levels: Callable[[Integers, np.random.Generator], Floats]
    means: Callable[[Integers, np.random.Generator], Floats] = _none


WORLDS: Mapping[str, World] = {
    "none": World("a", _none),
    "rate: random walk, 0.1 a month": World("b", _walk(0.1)),
    "rate: random walk, 0.2 a month": World("b", _walk(0.2)),
    "rate: each month by itself, 0.3": World("b", lambda m, rng: 0.3 * rng.normal(size=len(m))),
    "rate: seasons, amplitude 0.5": World(
        "b", lambda m, rng: 0.5 * np.sin(2 * np.pi * (m / 12 + rng.random()))
    ),
    "column: random walk, 0.15 a month": World("c", _none, _walk(0.15)),
    "column: a step of 1.5 before the new rows": World(
        "c", _none, lambda m, rng: np.where(m >= MONTHS, 1.5, 0.0)
    ),
}


@dataclass
class Rows:
    """Columns X (n, d), months as fractions (n,), true probabilities and hits (n,)."""

    X: Floats
    months: Floats
    true: Floats
    hits: Flags


@dataclass
class Truth:
    """A drawn world."""

    levels: Floats
    means: Floats
    middle: float

    def draw(self, n: int, start: int, end: int, rng: np.random.Generator) -> Rows:
        """Draw n rows between two months, in order of time."""
        months = np.sort(rng.uniform(start, end, n))
        month = months.astype(np.int64)
        X = rng.normal(size=(n, COLUMNS))
        X[:, 0] += self.means[month]
        true = expit(self.middle + self.levels[month] + _signal(X))
        return Rows(X, months, true, rng.random(n) < true)


def _signal(X: Floats) -> Floats:
    signal: Floats = X[:, 0] + 0.7 * X[:, 1] + 0.5 * X[:, 2] + 0.3 * X[:, 0] * X[:, 1]
    return signal


def draw_world(world: World, rate: float, rng: np.random.Generator) -> Truth:
    """Draw a world whose base rate is ``rate`` but for the drift."""
    months = np.arange(MONTHS + NEW_MONTHS)
    signal = _signal(rng.normal(size=(20_000, COLUMNS)))
    middle = brentq(lambda each: expit(each + signal).mean() - rate, -12.0, 3.0)
    return Truth(world.levels(months, rng), world.means(months, rng), middle)


def make_model(number: int) -> Any:
    """Return a logistic regression or a small forest."""
    if number % 2:
        return RandomForestClassifier(40, min_samples_leaf=5, random_state=0)
    return LogisticRegression()


Predict = Callable[[Floats], Floats]


def fit(number: int, X: Floats, hits: Flags) -> Predict:
    """Fit a model; return its probabilities of hits."""
    if hits.all() or not hits.any():
        return lambda rows: np.full(len(rows), float(hits.mean()))
    model = make_model(number).fit(X, hits)
    return lambda rows: model.predict_proba(rows)[:, 1]


@dataclass
class Case:
    """Out-of-fold scores of validation rows, scores of test rows, and those of new rows."""

    validation: Integers
    scores: Floats
    test: Integers
    test_scores: Floats
    final: Predict
    times: Floats | None


def make_case(arm: str, number: int, rows: Rows, rng: np.random.Generator) -> Case:
    """Split, fit and predict as a run does."""
    n = len(rows.hits)
    X, places = _features(arm, rows), np.arange(n)
    if arm == "no role":
        order = rng.permutation(n)
        development, test = np.sort(order[n // 5 :]), np.sort(order[: n // 5])
        folds = [
            (development[one], development[other])
            for one, other in StratifiedKFold(5, shuffle=True, random_state=0).split(
                development, rows.hits[development]
            )
        ]
    else:
        part = assign_times_to_parts(rows.months, (0.6, 0.2, 0.2))
        test, development = places[part == 2], places[part < 2]
        folds = [(places[part == 0], places[part == 1])]
        if arm == "time, folds":
            fold = assign_times_to_parts(rows.months[development], (0.2,) * 5)
            folds = [(development[fold != k], development[fold == k]) for k in range(5)]
    validation = np.sort(np.concatenate([held for _, held in folds]))
    scores = np.empty(n)
    for training, held in folds:
        scores[held] = fit(number, X[training], rows.hits[training])(X[held])
    final = fit(number, X[development], rows.hits[development])
    times = None if arm == "no role" else rows.months
    return Case(validation, scores[validation], test, final(X[test]), final, times)


def _features(arm: str, rows: Rows) -> Floats:
    """Without the role the date is a column like others."""
    return np.column_stack([rows.X, rows.months / MONTHS]) if arm == "no role" else rows.X


def unseen_rows(case: Case, hits: Flags, *, steady: bool = False) -> UnseenRows:
    """Return a run's data for the estimate, as collected by ``studio.analysis.selected_rows``.

    ``steady``: without this, from the validation rows only, each block of time by itself.
    """
    rows, scores = case.validation, case.scores
    if case.times is not None and not steady:
        rows, scores = np.append(rows, case.test), np.append(scores, case.test_scores)
    units = get_units(rows, times=case.times)
    truth = hits[rows].astype(np.int64)
    by_time = units is not None and not steady
    return UnseenRows(_shares(scores), truth, None, units, by_time)


def _shares(scores: Floats) -> Floats:
    return np.column_stack([1.0 - scores, scores])


def measure(key: str, number: int) -> Iterator[dict[str, Any]]:
    """Draw a table of a world; yield statements and outcomes for each arm."""
    rng = np.random.default_rng(derive(0, "next period", key, number))
    n, rate = SIZES[number // 2 % 3], RATES[number // 6 % 3]
    truth = draw_world(WORLDS[key], rate, rng)
    rows = truth.draw(n, 0, MONTHS, rng)
    end = MONTHS + NEW_MONTHS
    new = truth.draw(n * NEW_MONTHS // MONTHS, MONTHS, end, rng)
    later = truth.draw(_LATER_ROWS, MONTHS, end, rng)
    for arm in ARMS:
        case = make_case(arm, number, rows, rng)
        yield {
            "world": key,
            "number": number,
            "arm": arm,
            "counts": _compare_hits(case, rows, new, _features(arm, new)),
            "steady": {}
            if case.times is None
            else _compare_hits(case, rows, new, _features(arm, new), steady=True),
            "losses": {name: _compare_losses(name, arm, case, rows, later) for name in METRICS},
        }


def _compare_hits(
    case: Case, rows: Rows, new: Rows, X: Floats, *, steady: bool = False
) -> dict[int, list[float]]:
    """Return for each N: held, its probability, expected, hits, width, exact held, ratio, beyond.

    The probability is where the truth lies in the stated distribution, ties drawn: it is uniform
    where that is right. Exact is the interval of the true probabilities.
    """
    shares = _shares(case.final(X))
    together = None if case.times is None else np.zeros(len(X), dtype=np.int64)
    predicted = PredictedRows(
        predictions=shares.argmax(axis=1),
        classes=("no", "yes"),
        probabilities=shares,
        unseen_rows=unseen_rows(case, rows.hits, steady=steady),
        unit_codes=together,
    )
    estimator, rng = OutcomeEstimator.learn(predicted, 1), np.random.default_rng(0)
    found = {}
    for count in COUNTS:
        chosen = select_first_rows(predicted, count, 1)
        pieces, hits = make_row_groups(predicted, chosen, 1), int(new.hits[chosen].sum())
        outcome, drawn = estimator.estimate_outcome(pieces), estimator.error_model.draw(pieces)
        below, equal = float((drawn < hits).mean()), float((drawn == hits).mean())
        exact = (rng.random((_DRAWS, len(chosen))) < new.true[chosen]).sum(axis=1)
        low, high = np.quantile(exact, [0.05, 0.95], method="inverted_cdf")
        found[count] = [
            float(outcome.low <= hits <= outcome.high),
            below + rng.random() * equal,
            outcome.mean,
            float(hits),
            outcome.high - outcome.low,
            float(low <= hits <= high),
            _get_ratio(estimator),
            float(outcome.beyond > 0),
        ]
    return found


def _get_ratio(estimator: OutcomeEstimator) -> float:
    """Return the ratio of the highest to the lowest past rate; 1 where none are estimated."""
    shift = estimator.error_model.shift if isinstance(estimator.error_model, HitRates) else None
    return 1.0 if shift is None else shift.highest / shift.lowest


def _compare_losses(
    name: str, arm: str, case: Case, rows: Rows, later: Rows
) -> tuple[float, float] | None:
    """Return whether the test error's interval holds the next period's, and the difference."""
    metric, truth = get_metric(name, "binary"), rows.hits[case.test].astype(np.int64)
    units = get_units(case.test, times=case.times)
    interval = compute_loss_interval(metric, truth, _shares(case.test_scores), units=units)
    if interval is None:
        return None
    future = metric.compute_loss(
        later.hits.astype(np.int64), _shares(case.final(_features(arm, later)))
    )
    past = metric.compute_loss(truth, _shares(case.test_scores))
    return float(interval[0] <= future <= interval[1]), future - past


def summarise(records: Iterable[Mapping[str, Any]]) -> str:
    """Return the tables of a study's records in Markdown."""
    cells: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in records:
        cells.setdefault((each["arm"], each["world"]), []).append(each)
    hits, losses = [], []
    for arm, world in ((arm, world) for arm in ARMS for world in WORLDS):
        found = cells.get((arm, world), [])
        if found:
            hits.append([arm, world, str(len(found)), *_summarise_hits(found)])
            if arm != "time, folds":  # same test rows as "time"
                losses.append([arm, world, *_summarise_losses(found)])
    counts = ", ".join(map(str, COUNTS))
    n = COUNTS[-1]
    heads = f"rows|drift|tables|exact: held, N = {counts}|before: held|level, N = {n}|bias|width"
    heads += f"|now: held|level, N = {n}|bias|width|reported|beyond"
    tests = "rows|drift|" + "|".join(f"{each}: held|rises by" for each in METRICS)
    return table(heads.split("|"), hits) + "\n\n" + table(tests.split("|"), losses)


def _summarise_hits(found: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the cells of a row: of the exact interval, the earlier one and the present one."""
    exact = [np.mean([each["counts"][str(n)][5] for each in found]) for n in COUNTS]
    yield _percentages(exact)
    for name in ("steady", "counts"):
        if not found[0][name]:
            yield from [""] * 4
            continue
        values = [np.array([each[name][str(n)] for each in found]) for n in COUNTS]
        yield _percentages([each[:, 0].mean() for each in values])
        last = values[-1]
        yield _share(np.abs(last[:, 1] - 0.5) <= 0.45)
        yield _describe_bias(last[:, 2], last[:, 3])
        yield f"{last[:, 4].mean():.1f}"
    yield f"{100 * (last[:, 6] >= MIN_RATIO).mean():.0f}"
    yield f"{100 * last[:, 7].mean():.0f}"


def _summarise_losses(found: list[Mapping[str, Any]]) -> Iterator[str]:
    for name in METRICS:
        pairs = np.array([pair for each in found if (pair := each["losses"][name])])
        yield _share(pairs[:, 0]) if pairs.size else ""
        yield f"{pairs[:, 1].mean():+.3f}" if pairs.size else ""


def _percentages(shares: Iterable[float]) -> str:
    return " ".join(f"{100 * each:.0f}" for each in shares)


def _share(flags: Any) -> str:
    """Return a percentage with Wilson's 95 % interval."""
    n, share, z = len(flags), float(np.mean(flags)), 1.96
    middle, half = (
        (share + z**2 / (2 * n)) / (1 + z**2 / n),
        z * (share * (1 - share) / n + z**2 / (4 * n**2)) ** 0.5 / (1 + z**2 / n),
    )
    return f"{100 * share:.0f} [{100 * (middle - half):.0f}, {100 * (middle + half):.0f}]"


def _describe_bias(means: Floats, hits: Floats) -> str:
    """Return the bias in percent of the hits, with its 95 % interval."""
    errors = means - hits
    middle, half = errors.mean(), 1.96 * errors.std(ddof=1) / len(errors) ** 0.5
    low, high = (100 * (middle + sign * half) / hits.mean() for sign in (-1, 1))
    return f"{100 * middle / hits.mean():+.0f} % [{low:+.0f}, {high:+.0f}]"


def load_records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, without a truncated last line."""
    records = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records
