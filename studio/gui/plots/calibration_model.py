"""Predicted before it ran against observed: what the helper's answer means for the plot."""

from dataclasses import dataclass

import numpy as np

from studio.analysis.answers.calibration import OneStepAhead
from studio.arrays import Flags, Floats, Integers
from studio.gui.base import language
from studio.gui.base.language import mark, ntr, percent, said, tr
from studio.gui.plots.measure import Measure
from studio.gui.plots.series import RunSeries
from studio.gui.plots.slice_model import in_unit_of

LOSSES, TIME = "losses", "time"

VIEWS = {LOSSES: mark("Losses"), TIME: mark("Surprise")}
"""What can be drawn, and what it is called."""

NORMAL_SHARE = 0.6827
"""Share of a normal distribution within one standard deviation."""

MOST_SURPRISE = 4.0
"""Standard deviations beyond which a trial is drawn at the edge."""


@dataclass(frozen=True)
class CalibrationPicture:
    """One-step-ahead predictions and outcomes, in the shown unit.

    Attributes
    ----------
    numbers : Integers, shape (t,)
        The trials.
    predicted, sd, observed : Floats, shape (t,)
    surprise : Floats, shape (t,)
        (observed - predicted) / sd.
    within : Flags, shape (t,)
        Whether it lies within one standard deviation.
    low, high : float
        The span of both axes: from the ninth decile upwards trials are left outside.
    label : str
        What was predicted, with its unit.
    measure : Measure
    statement : str
        What share lies within one standard deviation, and what share should.
    left_out : str
        How many trials are not there, and why.
    """

    numbers: Integers
    predicted: Floats
    sd: Floats
    observed: Floats
    surprise: Floats
    within: Flags
    low: float
    high: float
    label: str
    measure: Measure
    statement: str
    left_out: str


def calibration_picture(answer: OneStepAhead, measure: Measure) -> CalibrationPicture:
    """Bring predictions and outcomes into the unit of the run's metric, if they are of it."""
    measure = in_unit_of(answer, measure)
    predicted, observed = measure.shown(answer.predicted), measure.shown(answer.observed)
    sd = measure.shown(answer.sd)
    within: Flags = np.asarray(np.abs(observed - predicted) <= sd)
    name = said(answer.objective)
    low, high = _span(predicted, observed)
    return CalibrationPicture(
        numbers=answer.numbers,
        predicted=predicted,
        sd=sd,
        observed=observed,
        surprise=(observed - predicted) / np.maximum(sd, 1e-12),
        within=within,
        low=low,
        high=high,
        label=f"{name} ({measure.unit})" if measure.unit else name,
        measure=measure,
        statement=_statement(within),
        left_out=_left_out(answer.unpredicted, answer.failed),
    )


def _span(predicted: Floats, observed: Floats) -> tuple[float, float]:
    both = np.concatenate([predicted, observed])
    if not both.size:
        return 0.0, 1.0
    low, high = float(both.min()), float(np.quantile(both, 0.95))
    room = 0.06 * (high - low) or 0.5
    return low - room, high + room


def _statement(within: Flags) -> str:
    if not within.size:
        return ""
    return tr(
        "{wanted} should lie within one standard deviation; {found} do (n = {count}).",
        wanted=percent(NORMAL_SHARE, 0),
        found=percent(within.mean(), 0),
        count=len(within),
    )


def _left_out(unpredicted: int, failed: int) -> str:
    parts = []
    if unpredicted:
        parts.append(
            ntr(
                "{count} trial was not predicted (drawn at random, or a proven start)",
                "{count} trials were not predicted (drawn at random, or a proven start)",
                unpredicted,
            )
        )
    if failed:
        parts.append(
            ntr("{count} predicted trial failed", "{count} predicted trials failed", failed)
        )
    return "; ".join(parts)


def calibration_rest(picture: CalibrationPicture) -> str:
    """Say which way the surrogate errs, and which trials are left out."""
    if not len(picture.numbers):
        return picture.left_out
    mean = float(np.clip(picture.surprise, -MOST_SURPRISE, MOST_SURPRISE).mean())
    way = tr("worse than predicted") if mean > 0 else tr("better than predicted")
    if abs(mean) < 0.05:
        said_so = tr("on average as predicted")
    else:
        said_so = tr(
            "on average {size} standard deviations {way}",
            size=language.number(abs(mean), ".1f"),
            way=way,
        )
    return "  ·  ".join(part for part in (said_so, picture.left_out) if part)


def calibration_words(picture: CalibrationPicture, series: RunSeries, at: int) -> str:
    """Say what was predicted of a trial, and the observed loss."""
    number = int(picture.numbers[at])
    unit = f" {picture.measure.unit}".rstrip()
    return tr(
        "{trial}  ·  predicted {mean} ± {sd}  ·  observed {observed}  ·  {surprise} standard "
        "deviations",
        trial=series.name(number),
        mean=language.number(picture.predicted[at], ".4g"),
        sd=language.number(picture.sd[at], ".2g") + unit,
        observed=language.number(picture.observed[at], ".4g") + unit,
        surprise=language.number(picture.surprise[at], "+.1f"),
    )
