"""Predicted before it ran against observed: what the helper's answer means for the plot."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from studio import language
from studio.analysis.answers.surrogate import OneStepAhead
from studio.arrays import Flags, Floats
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.search.slice_model import in_unit_of
from studio.language import N_, ntr, percent, tr
from studio.measure import Measure

LOSSES, TIME = "losses", "time"

VIEWS = {LOSSES: N_("Losses"), TIME: N_("Surprise")}
"""What can be drawn, and what it is called."""

NORMAL_SHARE = 0.6827
"""Share of a normal distribution within one standard deviation."""

_INSIDE = 0.015
"""Of an axis: how far from its edge those are drawn that lie beyond it."""

MAX_SURPRISE = 4.0
"""Standard deviations beyond which a trial is drawn at the edge."""


@dataclass(frozen=True)
class CalibrationPicture:
    """One-step-ahead predictions and outcomes, in the shown unit.

    Attributes:
        answer: The trials, with predictions and outcomes as they are shown.
        measure: How they are written.
    """

    answer: OneStepAhead
    measure: Measure

    @cached_property
    def surprise(self) -> Floats:
        """How many standard deviations each trial was worse than predicted, shape (t,)."""
        found: Floats = self._off / np.maximum(self.answer.sd, 1e-12)
        return found

    @cached_property
    def within(self) -> Flags:
        """Whether each trial lies within one standard deviation, shape (t,)."""
        return np.asarray(np.abs(self._off) <= self.answer.sd)

    @property
    def _off(self) -> Floats:
        return self.answer.observed - self.answer.predicted

    def span(self) -> tuple[float, float]:
        """Return the span of both axes: the highest twentieth of the losses is left outside."""
        both = np.concatenate([self.answer.predicted, self.answer.observed])
        if not both.size:
            return 0.0, 1.0
        low, high = float(both.min()), float(np.quantile(both, 0.95))
        room = 0.06 * (high - low) or 0.5
        return low - room, high + room

    @cached_property
    def at_edge(self) -> Flags:
        """Whether each trial lies beyond the span of the axes, shape (t,)."""
        high = self.span()[1]
        return np.asarray((self.answer.predicted > high) | (self.answer.observed > high))

    def points(self) -> tuple[Floats, Floats]:
        """Return where each trial is drawn, those beyond the axes at their edge, shapes (t,)."""
        low, high = self.span()
        edge = high - _INSIDE * (high - low)
        found = (self.answer.predicted, self.answer.observed)
        x, y = (np.where(each > high, edge, each) for each in found)
        return x, y


def calibration_picture(answer: OneStepAhead, measure: Measure) -> CalibrationPicture:
    """Bring predictions and outcomes into the unit of the run's metric, if they are of it."""
    measure = in_unit_of(answer, measure)
    shown = replace(
        answer,
        predicted=measure.shown(answer.predicted),
        sd=measure.shown(answer.sd),
        observed=measure.shown(answer.observed),
    )
    return CalibrationPicture(shown, measure)


def calibration_statement(picture: CalibrationPicture) -> str:
    """Say what share lies within one standard deviation, and what share should."""
    within = picture.within
    if not within.size:
        return ""
    return tr(
        "{wanted} should lie within one standard deviation; {found} do (n = {count}).",
        wanted=percent(NORMAL_SHARE, 0),
        found=percent(within.mean(), 0),
        count=len(within),
    )


def _left_out(answer: OneStepAhead) -> str:
    """Say how many trials are not there, and why."""
    unpredicted, failed = answer.unpredicted, answer.failed
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


def calibration_rest(picture: CalibrationPicture, *, losses: bool = False) -> str:
    """Say which way the surrogate errs, and which trials are left out or drawn at the edge."""
    left_out = _left_out(picture.answer)
    edge = int(picture.at_edge.sum()) if losses else 0
    if edge:
        words = ntr(
            "{count} trial lies beyond the axes, drawn at their edge",
            "{count} trials lie beyond the axes, drawn at their edge",
            edge,
        )
        left_out = "; ".join(filter(None, (words, left_out)))
    if not len(picture.answer.numbers):
        return left_out
    mean = float(np.clip(picture.surprise, -MAX_SURPRISE, MAX_SURPRISE).mean())
    way = tr("worse than predicted") if mean > 0 else tr("better than predicted")
    if abs(mean) < 0.05:
        said_so = tr("on average as predicted")
    else:
        said_so = tr(
            "on average {size} standard deviations {way}",
            size=language.number(abs(mean), ".1f"),
            way=way,
        )
    return "  ·  ".join(part for part in (said_so, left_out) if part)


def calibration_words(picture: CalibrationPicture, series: RunSeries, at: int) -> str:
    """Say what was predicted of a trial, and the observed loss."""
    answer = picture.answer
    unit = f" {picture.measure.unit}".rstrip()
    return tr(
        "{trial}  ·  predicted {mean} ± {sd}  ·  observed {observed}  ·  {surprise} standard "
        "deviations",
        trial=series.name(int(answer.numbers[at])),
        mean=language.number(answer.predicted[at], ".4g"),
        sd=language.number(answer.sd[at], ".2g") + unit,
        observed=language.number(answer.observed[at], ".4g") + unit,
        surprise=language.number(picture.surprise[at], "+.1f"),
    )
