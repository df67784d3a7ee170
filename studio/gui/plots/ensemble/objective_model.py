"""Each trial's loss alone and the ensemble's with it added, as they are drawn."""

from dataclasses import dataclass, replace

import numpy as np

from studio.analysis.answers.ensemble import EnsembleObjective
from studio.arrays import Floats
from studio.figures.compose import jitter
from studio.gui.plots.base.series import RunSeries
from studio.language import ntr, tr, translate
from studio.measure import Measure

_SPREAD = 0.5
"""Width over which the trials of one choice are spread, so that they do not hide one another."""

_ROOM, _NEAREST = 1.5, 0.25
"""f(γ) can be far worse than f(γ|E): it is drawn up to this many times the spread of f(γ|E) above
the worst of that; and, where there is one slot's only, at least up to this quantile."""


@dataclass(frozen=True)
class ObjectivePicture:
    """What the plot draws.

    Attributes:
        answer: What the helper has found of the trials that have the hyperparameter, losses in the
            shown unit.
        measure: How losses are named and written.
        x: Shape (t,). Where the trials lie: numbers, or values of the hyperparameter (log10 where
            the scale is log), those of one choice spread a little.
        line_x: Shape (g,). Where the surrogate's expectation of f(γ|E) is known, likewise.
        slot_x: Shape (k,). For each slot that is left out in turn, where its curve goes; empty for
            one slot only.
        slot_y: Shape (k,). The curves' heights.
        y_low, y_high: The part of the losses that is drawn.
    """

    answer: EnsembleObjective
    measure: Measure
    x: Floats
    line_x: Floats
    slot_x: tuple[Floats, ...]
    slot_y: tuple[Floats, ...]
    y_low: float
    y_high: float

    @property
    def above(self) -> int:
        """How many single trials are so bad that they lie above what is drawn."""
        return int((self.answer.own > self.y_high).sum())

    @property
    def edge(self) -> float:
        """Where those are marked: as near to the upper border as a ring is not cut."""
        return self.y_high - 0.06 * (self.y_high - self.y_low)

    def text(self, loss: float) -> str:
        """Write a loss with its unit."""
        return self.measure.text(loss / self.measure.factor)


def objective_picture(answer: EnsembleObjective, measure: Measure) -> ObjectivePicture:
    """Bring an answer into plot coordinates, and losses that are of it into the metric's unit."""
    if not answer.of_metric:
        measure = Measure(tr("loss: {loss}", loss=translate(answer.loss).lower()), unit="")
    there = np.isfinite(answer.places)
    shown = replace(
        answer,
        numbers=answer.numbers[there],
        own=measure.shown(answer.own[there]),
        together=measure.shown(answer.together[there]),
        members=answer.members[there],
        places=answer.places[there],
        each_slot=measure.shown(answer.each_slot[:, there]),
        whole=measure.factor * answer.whole,
        mean=measure.shown(answer.mean),
        sd=measure.shown(answer.sd),
        each_mean=measure.shown(answer.each_mean),
        choices=tuple(translate(choice) for choice in answer.choices),
    )
    x, line_x = (np.log10(each) if answer.log else each for each in (shown.places, shown.grid))
    if shown.choices:
        x = x + _SPREAD * jitter(shown.numbers)
    slot_x, slot_y = _slot_curves(shown, x, line_x)
    return ObjectivePicture(shown, measure, x, line_x, slot_x, slot_y, *_span(shown, slot_y))


def _slot_curves(
    answer: EnsembleObjective, x: Floats, line_x: Floats
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Return a curve for each slot: the surrogate's where there is one, else through the trials.

    From ``x`` (t,) and ``line_x`` (g,), x and y of each; shape (k,), where they are known.
    """
    if len(answer.each_mean):
        x, curves = line_x, list(answer.each_mean)
    else:
        order = np.argsort(x, kind="stable")
        x = x[order]
        curves = [each[order] for each in answer.each_slot]
    known = [np.isfinite(each) for each in curves]
    return (
        tuple(x[flags] for flags in known),
        tuple(each[flags] for each, flags in zip(curves, known, strict=True)),
    )


def _span(answer: EnsembleObjective, slots: tuple[Floats, ...]) -> tuple[float, float]:
    """Return between which losses is drawn: all f(γ|E), slots (k,) too, f(γ) unless far above."""
    own = answer.own
    core = np.concatenate([answer.together, [answer.whole], answer.mean, *slots])
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

    Args:
        picture: What is drawn.
        series: The run, for the trials' names.
        x, y: The point, in plot coordinates.
        reach: How far from a mark the pointer still means it, along x and y; both above 0.
    """
    best, place = np.inf, -1
    for heights in (np.minimum(picture.answer.own, picture.edge), picture.answer.together):
        away = np.hypot((picture.x - x) / reach[0], (heights - y) / reach[1])
        away = np.where(np.isfinite(away), away, np.inf)
        if away.size and away.min() < best:
            best, place = float(away.min()), int(away.argmin())
    if best > 1.0:
        return ""
    return trial_words(picture, series, place)


def trial_words(picture: ObjectivePicture, series: RunSeries, place: int) -> str:
    """Say what one trial is worth."""
    answer = picture.answer
    name = series.name(int(answer.numbers[place]))
    alone = tr("{trial}: alone {loss}", trial=name, loss=picture.text(float(answer.own[place])))
    together = float(answer.together[place])
    if not np.isfinite(together):
        return alone + "  ·  " + tr("it is already a member, so it is not added again")
    words = alone + "  ·  " + tr("ensemble with it {loss}", loss=picture.text(together))
    if np.isfinite(answer.whole):
        change = together - answer.whole
        sign = "+" if change > 0 else "−" if change < 0 else "±"
        words += f" ({sign}{picture.text(abs(change))})"
    if answer.members[place]:
        words += "  ·  " + tr("member now")
    return words


def rest_words(picture: ObjectivePicture) -> str:
    """Say which trial would help the ensemble most, and whether it is the best one alone."""
    answer = picture.answer
    if not np.isfinite(answer.together).any():
        return translate(answer.note)
    helps, alone = int(np.nanargmin(answer.together)), int(answer.own.argmin())
    best = float(answer.together[helps])
    words = tr("ensemble now {now}", now=picture.text(answer.whole)) + "  ·  "
    if best < answer.whole - 1e-9 * abs(answer.whole):
        number = int(answer.numbers[helps])
        words += tr("best with trial {number}: {loss}", number=number, loss=picture.text(best))
    else:
        words += tr("no finished trial would improve it")
    words += "  ·  " + tr("best alone: trial {number}", number=int(answer.numbers[alone]))
    if picture.above:
        words += "  ·  " + ntr(
            "{count} single trial is worse than drawn (▲)",
            "{count} single trials are worse than drawn (▲)",
            picture.above,
        )
    return words
