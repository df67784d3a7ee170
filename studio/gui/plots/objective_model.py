"""Each trial's loss alone and the ensemble's with it added, as they are drawn."""

from dataclasses import dataclass

import numpy as np

from studio.analysis.answers.ensemble_objective import EnsembleObjective
from studio.arrays import Flags, Floats, Integers
from studio.figures.compose import jitter
from studio.gui.base.language import ntr, number, percent, said, tr
from studio.gui.plots.measure import Measure
from studio.gui.plots.series import RunSeries

_SPREAD = 0.5
"""Width over which the trials of one choice are spread, so that they do not hide one another."""

_ROOM, _NEAREST = 1.5, 0.25
"""f(γ) can be far worse than f(γ|E): it is drawn up to this many times the spread of f(γ|E) above
the worst of that; and, where there is one slot's only, at least up to this quantile."""


@dataclass(frozen=True)
class ObjectivePicture:
    """What the plot draws, in plot coordinates (log10 where the scale is log).

    Attributes
    ----------
    numbers : Integers, shape (t,)
        The trials drawn: those that have the hyperparameter.
    x : Floats, shape (t,)
        Trial numbers, or values of the hyperparameter.
    own, together : Floats, shape (t,)
        f(γ) and f(γ|E) in the shown unit; ``together`` is NaN for members that stay.
    members : Flags, shape (t,)
        Which are in the ensemble.
    slot_x : tuple of Floats, shape (k,)
        For each slot that is left out in turn, where its curve goes; empty for one slot only.
    slot_y : tuple of Floats, shape (k,)
        The curves' heights.
    answer : EnsembleObjective
        What the helper has found; its slots are counted from 0.
    line_x, mean, low, high : Floats, shape (g,)
        The surrogate's expectation of f(γ|E); empty where there is none.
    whole : float
        The ensemble as it is; NaN where not known.
    y_low, y_high : float
        The part of the losses that is drawn.
    choices : tuple of str
        Names of the choices along x.
    loss : str
        The losses' name with unit.
    unit : str
        What follows a loss in a read-out.
    """

    numbers: Integers
    x: Floats
    own: Floats
    together: Floats
    members: Flags
    slot_x: tuple[Floats, ...]
    slot_y: tuple[Floats, ...]
    line_x: Floats
    mean: Floats
    low: Floats
    high: Floats
    whole: float
    y_low: float
    y_high: float
    choices: tuple[str, ...]
    loss: str
    unit: str
    answer: EnsembleObjective

    @property
    def above(self) -> int:
        """How many single trials are so bad that they lie above what is drawn."""
        return int((self.own > self.y_high).sum())

    @property
    def edge(self) -> float:
        """Where those are marked: as near to the upper border as a ring is not cut."""
        return self.y_high - 0.06 * (self.y_high - self.y_low)

    def text(self, loss: float) -> str:
        """Write a loss with its unit."""
        if not np.isfinite(loss):
            return "—"
        if self.unit == "%":
            return percent(loss / 100, 2)
        return f"{number(loss, '.4g')} {self.unit}".rstrip()


def objective_picture(answer: EnsembleObjective, measure: Measure) -> ObjectivePicture:
    """Bring an answer into plot coordinates, and losses that are of it into the metric's unit."""
    of_metric, log = answer.of_metric, answer.log
    factor = measure.factor if of_metric else 1.0
    choices = tuple(said(choice) for choice in answer.choices)
    places = answer.places
    there = np.isfinite(places)
    numbers = answer.numbers[there]
    x = np.log10(places[there]) if log else places[there]
    if choices:
        x = x + _SPREAD * jitter(numbers)
    own, together = factor * answer.own[there], factor * answer.together[there]
    line_x = np.log10(answer.grid) if log else answer.grid
    mean, sd = factor * answer.mean, factor * answer.sd
    slot_x, slot_y = _slot_curves(answer, there, x, line_x)
    whole = factor * answer.whole
    low, high = _span(own, together, whole, mean, slot_y)
    unit = measure.unit if of_metric else ""
    return ObjectivePicture(
        numbers=numbers,
        x=x,
        own=own,
        together=together,
        members=answer.members[there],
        slot_x=slot_x,
        slot_y=slot_y,
        line_x=line_x,
        mean=mean,
        low=mean - sd,
        high=mean + sd,
        whole=whole,
        y_low=low,
        y_high=high,
        choices=choices,
        loss=measure.label if of_metric else tr("loss: {loss}", loss=said(answer.loss).lower()),
        unit=unit,
        answer=answer,
    )


def _slot_curves(
    answer: EnsembleObjective, there: Flags, x: Floats, line_x: Floats
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Return a curve for each slot: the surrogate's where there is one, else through the trials."""
    if len(answer.each_mean):
        x, curves = line_x, list(answer.each_mean)
    else:
        order = np.argsort(x, kind="stable")
        x = x[order]
        curves = [each[there][order] for each in answer.each_slot]
    known = [np.isfinite(each) for each in curves]
    return (
        tuple(x[flags] for flags in known),
        tuple(each[flags] for each, flags in zip(curves, known, strict=True)),
    )


def _span(
    own: Floats, together: Floats, whole: float, mean: Floats, slots: tuple[Floats, ...]
) -> tuple[float, float]:
    """Return the losses between which is drawn: all of f(γ|E), and f(γ) unless far above it."""
    core = np.concatenate([together, [whole], mean, *slots])
    core = core[np.isfinite(core)]
    if not own.size:
        return 0.0, 1.0
    if not core.size:
        core = own
    low = min(float(core.min()), float(own.min(initial=np.inf)))
    spread = float(core.max()) - low
    far = float(core.max()) + _ROOM * spread
    if not slots:
        far = max(far, float(np.quantile(own, _NEAREST)))
    near = own[own <= far]
    high = max(float(core.max()), float(near.max(initial=-np.inf)))
    room = 0.1 * (high - low) or 0.05 * abs(high) or 0.5
    return low - room, high + room


def objective_words(
    picture: ObjectivePicture,
    series: RunSeries,
    x: float,
    y: float,
    reach: tuple[float, float],
) -> str:
    """Say what lies within reach of a point: a trial alone and with the ensemble; else nothing.

    Parameters
    ----------
    picture : ObjectivePicture
        What is drawn.
    series : RunSeries
        The run, for the trials' names.
    x, y : float
        The point, in plot coordinates.
    reach : (float, float)
        How far from a mark the pointer still means it, along x and y; both above 0.
    """
    best, place = np.inf, -1
    for heights in (np.minimum(picture.own, picture.edge), picture.together):
        away = np.hypot((picture.x - x) / reach[0], (heights - y) / reach[1])
        away = np.where(np.isfinite(away), away, np.inf)
        if away.size and away.min() < best:
            best, place = float(away.min()), int(away.argmin())
    if best > 1.0:
        return ""
    return trial_words(picture, series, place)


def trial_words(picture: ObjectivePicture, series: RunSeries, place: int) -> str:
    """Say what one trial is worth."""
    name = series.name(int(picture.numbers[place]))
    alone = tr("{trial}: alone {loss}", trial=name, loss=picture.text(float(picture.own[place])))
    together = float(picture.together[place])
    if not np.isfinite(together):
        return alone + "  ·  " + tr("it is a member and stays, so it is not added again")
    words = alone + "  ·  " + tr("ensemble with it {loss}", loss=picture.text(together))
    if np.isfinite(picture.whole):
        change = together - picture.whole
        sign = "+" if change > 0 else "−" if change < 0 else "±"
        words += f" ({sign}{picture.text(abs(change))})"
    if picture.members[place]:
        words += "  ·  " + tr("member now")
    return words


def rest_words(picture: ObjectivePicture) -> str:
    """Say which trial would help the ensemble most, and whether it is the best one alone."""
    if not np.isfinite(picture.together).any():
        return said(picture.answer.note)
    helps, alone = int(np.nanargmin(picture.together)), int(picture.own.argmin())
    best = float(picture.together[helps])
    words = tr("ensemble now {now}", now=picture.text(picture.whole)) + "  ·  "
    if best < picture.whole - 1e-9 * abs(picture.whole):
        number = int(picture.numbers[helps])
        words += tr("best with trial {number}: {loss}", number=number, loss=picture.text(best))
    else:
        words += tr("no finished trial would improve it")
    words += "  ·  " + tr("best alone: trial {number}", number=int(picture.numbers[alone]))
    if picture.above:
        words += "  ·  " + ntr(
            "{count} single trial is worse than drawn (▲)",
            "{count} single trials are worse than drawn (▲)",
            picture.above,
        )
    return words
