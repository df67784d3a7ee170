"""What a learning curve says: its errors, its power law, and the sentence for people."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from studio.analysis.answers.learning_curve import LearningCurve, Outlook
from studio.analysis.learning_curve.power_law import Forecast, forecast
from studio.arrays import AnyArray, Integers
from studio.data.intervals.loss import losses_together
from studio.phrases import phrase
from studio.runs.prepare import Prepared
from studio.runs.uncertainty import interval_of
from studio.seeds import derive

MAX_DRAWS = 1000
"""Resamples of the judging rows through which power laws are fitted."""

MIN_POINTS = 5
"""Trainings without which no power law is fitted."""

_FEW = phrase("Too few fits succeeded to tell whether more rows would help.")


def judged(
    prepared: Prepared,
    rows: Integers,
    sizes: Integers,
    predictions: Sequence[AnyArray],
    notes: tuple[str, ...] = (),
) -> LearningCurve:
    """Return the curve of predictions that were made after learning from more and more rows.

    Args:
        prepared: The run.
        rows: Shape (k,). The rows that judge.
        sizes: Shape (p,). How many rows were learned from, ascending.
        predictions: Shape (k, C) or (k,). What was predicted each time.
        notes: What to know.
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
    resampled = losses_together(
        prepared.metric,
        prepared.problem.y[rows],
        predictions,
        prepared.weights_of(rows),
        units=prepared.units_of(rows),
    )
    if resampled is None or len(sizes) < MIN_POINTS:
        return curve
    rng = np.random.default_rng(derive(prepared.settings.seed, "power law"))
    return with_forecast(curve, forecast(sizes, losses, resampled[:MAX_DRAWS], rng))


def with_forecast(curve: LearningCurve, found: Forecast) -> LearningCurve:
    """Return the curve with what twice the rows would do.

    The forecast starts where the power law is, not at the last dot, which lies beside it by chance.
    """
    shares = [
        *np.geomspace(curve.rows[0] / curve.rows[-1], 1.0, 45).tolist(),
        *np.linspace(1.0, 2.0, 16)[1:].tolist(),
    ]
    fitted = [found.at(each) for each in shares]
    low, high = (max(0.0, found.now - each) for each in (found.most, found.least))
    return dataclasses.replace(
        curve,
        outlook=found.outlook,
        later=fitted[-1],
        later_low=low,
        later_high=high,
        fitted_rows=tuple(each * curve.rows[-1] for each in shares),
        fitted=tuple(fitted),
        sentence=_sentence(
            found.outlook,
            curve.unit,
            *(_fall(found.now - each, found.now, curve.unit) for each in (fitted[-1], high, low)),
        ),
    )


def _sentence(outlook: Outlook, unit: str, fall: str, least: str, most: str) -> str:
    if outlook == "flat":
        return phrase("The curve is flat: more rows of the same kind would hardly help.")
    in_points = unit == "%"
    if outlook == "lower":
        return phrase(
            "Twice the rows would probably lower the error by about {fall} "
            "(between {least} and {most}).",
            fall=_points(fall) if in_points else fall,
            least=least,
            most=most,
        )
    return phrase(
        "It is unclear whether more rows would help: twice the rows might hardly lower the "
        "error, or lower it by up to {most}.",
        most=_points(most) if in_points else most,
    )


def _points(fall: str) -> str:
    return phrase("{number} percentage points", number=fall)


def _fall(by: float, now: float, unit: str) -> str:
    """Write by how much an error falls: in percentage points, or as a share of what it is."""
    if unit == "%":
        return phrase("{points:.1f}", points=100 * by)
    return phrase("{percent:.0f} %", percent=100 * by / now if now else 0.0)
