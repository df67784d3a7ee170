"""What a learning curve says: its errors, its power law, and the sentence for people."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from studio.analysis.answers.learning_curve import LearningCurve, Outlook
from studio.analysis.learning_curve.power_law import Forecast, forecast
from studio.arrays import AnyArray, Integers
from studio.data.intervals.together import losses_together
from studio.data.intervals.units import units_of
from studio.phrases import phrase
from studio.runs.prepare import Prepared
from studio.runs.uncertainty import interval_of
from studio.seeds import derive

MOST_DRAWS = 1000
"""Resamples of the judging rows through which power laws are fitted."""

LEAST_POINTS = 5
"""Trainings without which no power law is fitted."""

_FEW = phrase("Too few trainings succeeded to say whether more rows would help.")


def judged(
    prepared: Prepared,
    rows: Integers,
    sizes: Integers,
    predictions: Sequence[AnyArray],
    notes: tuple[str, ...] = (),
) -> LearningCurve:
    """Return the curve of predictions that were made after learning from more and more rows.

    Parameters
    ----------
    prepared : Prepared
        The run.
    rows : array, shape (k,)
        The rows that judge.
    sizes : array, shape (p,)
        How many rows were learned from, ascending.
    predictions : sequence of arrays, shape (k, C) or (k,)
        What was predicted each time.
    notes : tuple of str
        What to know.
    """
    losses = np.array([prepared.loss(rows, each) for each in predictions])
    intervals = [interval_of(prepared, rows, each) for each in predictions]
    low, high = zip(*(each or (None, None) for each in intervals), strict=True)
    curve = LearningCurve(
        rows=tuple(sizes.tolist()),
        losses=tuple(losses.tolist()),
        low=tuple(low),
        high=tuple(high),
        on="test" if prepared.split.test.size else "validation",
        metric=prepared.metric.key,
        unit=prepared.metric.unit,
        sentence=_FEW,
        notes=notes,
    )
    problem = prepared.problem
    resampled = losses_together(
        prepared.metric,
        problem.y[rows],
        predictions,
        prepared.weights_of(rows),
        units=units_of(rows, problem.groups, problem.times),
    )
    if resampled is None or len(sizes) < LEAST_POINTS:
        return curve
    rng = np.random.default_rng(derive(prepared.settings.seed, "power law"))
    return _with_forecast(curve, forecast(sizes, losses, resampled[:MOST_DRAWS], rng))


def _with_forecast(curve: LearningCurve, found: Forecast) -> LearningCurve:
    """Return the curve with what twice the rows would do."""
    now = curve.losses[-1]
    later, low, high = (max(0.0, now - each) for each in (found.fall, found.most, found.least))
    shares = np.geomspace(curve.rows[0] / curve.rows[-1], 2.0, 60)
    fitted = found.fit.a[0] + found.fit.b[0] * shares ** -found.fit.c[0]
    return dataclasses.replace(
        curve,
        outlook=found.outlook,
        later=later,
        later_low=low,
        later_high=high,
        fitted_rows=tuple((shares * curve.rows[-1]).tolist()),
        fitted=tuple(fitted.tolist()),
        sentence=_sentence(
            found.outlook, *(_written(each, curve.unit) for each in (now, later, low, high))
        ),
    )


def _sentence(outlook: Outlook, now: str, later: str, low: str, high: str) -> str:
    if outlook == "flat":
        return phrase("The curve is flat: more rows of the same kind would hardly help.")
    if outlook == "lower":
        return phrase(
            "Twice the rows would probably lower the error from {now} to about {later} "
            "(between {low} and {high}).",
            now=now,
            later=later,
            low=low,
            high=high,
        )
    return phrase(
        "Whether more rows would help cannot be said: with twice the rows the error may be "
        "anywhere between {low} and {high} (now {now}).",
        now=now,
        low=low,
        high=high,
    )


def _written(loss: float, unit: str) -> str:
    """Write a loss for people: as a percentage, or with three digits."""
    if unit == "%":
        return phrase("{percent:.1f} %", percent=100 * loss)
    if loss >= 100:
        return phrase("{number:,.0f}", number=loss)
    return phrase("{number:.3g}", number=loss)
