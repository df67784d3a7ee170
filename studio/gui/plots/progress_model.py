"""What the progress plot shows, as plain arrays in the shown unit."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.gui.plots.series import RunSeries

MOST_DOTS = 2000
"""Trial dots drawn at most; the newest are kept (a scatter of 10,000 costs a frame and a half)."""


@dataclass(frozen=True)
class Stairs:
    """A curve that holds each value until the next iteration; arrays of equal length."""

    x: Floats
    y: Floats


@dataclass(frozen=True)
class ProgressPicture:
    """The progress plot at one moment.

    Attributes
    ----------
    single_validation, single_test, ensemble_validation, ensemble_test : Stairs
        Losses in the shown unit by iteration.
    dots : Floats, shape (k, 2)
        Iteration and loss of the successful trials.
    failed : Integers, shape (f,)
        Iterations whose trial failed.
    last : int
        The last iteration there is.
    shown : int
        The iteration the window looks at; later ones are drawn faint.
    low, high : float
        The range of the y axis: all curves, without the first trials' outliers.
    has_test : bool
        Whether any test value is known.
    """

    single_validation: Stairs
    single_test: Stairs
    ensemble_validation: Stairs
    ensemble_test: Stairs
    dots: Floats
    failed: Integers
    last: int
    shown: int
    low: float
    high: float
    has_test: bool


def stairs(numbers: Integers, values: Floats) -> Stairs:
    """Return the stair curve through (number, value) pairs; both of shape (t,)."""
    if len(numbers) == 0:
        return Stairs(np.empty(0), np.empty(0))
    x = np.repeat(numbers.astype(float), 2)[1:]
    y = np.repeat(values, 2)[:-1]
    # Half an iteration more, so that the newest value can be seen.
    return Stairs(np.append(x, x[-1] + 0.5), np.append(y, values[-1]))


def progress_picture(series: RunSeries, chosen: int | None) -> ProgressPicture:
    """Make the picture of a run at the chosen iteration (None: live)."""
    curves, measure = series.curves, series.measure
    values = {
        name: measure.shown(getattr(curves, name))
        for name in ("single_validation", "single_test", "ensemble_validation", "ensemble_test")
    }
    good = np.flatnonzero(~series.failed)[-MOST_DOTS:]
    dots = np.column_stack([good + 1.0, measure.shown(series.losses[good])])
    low, high = _range(list(values.values()), dots[:, 1])
    return ProgressPicture(
        **{name: stairs(curves.numbers, value) for name, value in values.items()},
        dots=dots,
        failed=np.flatnonzero(series.failed) + 1,
        last=max(series.length, len(series.trials)),
        shown=series.at(chosen),
        low=low,
        high=high,
        has_test=bool(
            np.isfinite(values["single_test"]).any() or np.isfinite(values["ensemble_test"]).any()
        ),
    )


def _range(curves: list[Floats], dots: Floats) -> tuple[float, float]:
    """Frame the curves; the start of a run, before it has learnt anything, may leave the frame."""
    settled = [curve[len(curve) // 20 :] for curve in curves]
    finite = np.concatenate([curve[np.isfinite(curve)] for curve in settled])
    if len(finite) == 0:
        finite = dots if len(dots) else np.array([0.0, 1.0])
    low, high = float(finite.min()), float(finite.max())
    # Room above for the middle half of the trials, without letting them flatten the curves.
    near = dots[dots <= high + 2.0 * (high - low)]
    if len(near):
        high = max(high, float(np.quantile(near, 0.9)))
    room = 0.08 * (high - low) or 0.05 * abs(high) or 0.5
    return (max(0.0, low - room) if low >= 0 else low - room), high + room


def progress_words(series: RunSeries, iteration: int) -> str:
    """Say what held at an iteration, for the read-out; empty where there is no such iteration."""
    if not 1 <= iteration <= len(series.iterations):
        return ""
    record, write = series.iterations[iteration - 1], series.measure.text
    words = [
        f"iteration {record.number}",
        f"ensemble {write(record.ensemble_validation)} validation, "
        f"{write(record.ensemble_test)} test",
        f"best single {write(record.single_validation)} validation, "
        f"{write(record.single_test)} test",
    ]
    trial = series.trial(record.number)
    if trial is not None:
        ended = "failed: " + trial.cause if trial.loss is None else write(trial.loss)
        words.append(f"{series.name(record.number)} {ended}")
    return "  ·  ".join(words)
