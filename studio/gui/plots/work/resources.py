"""Resources: where the time and the memory of a run go."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.figures.compose import jitter
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import BAD, MUTED, Ink
from studio.figures.marks import Dots, Line, Mark, SlimBoxes, finite, strokes
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.plot import Columns, PlotOf
from studio.gui.plots.base.questions import WORK
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.work.resources_model import (
    VIEWS,
    Records,
    ResourcesPicture,
    branch_words,
    log_seconds,
    rest_words,
    time_ticks,
    trial_words,
)
from studio.gui.session.learner_names import learner_inks, learner_name
from studio.language import N_, tr

HALF_BAR = 0.36
"""Half the height of a worker's bar; rows are 1 apart."""


class ResourcesPlot(PlotOf[ResourcesPicture]):
    """Dots by trial or by branch, or bars by worker; in seconds or megabytes."""

    key: ClassVar[str] = "resources"
    title: ClassVar[str] = N_("Resources")
    also: ClassVar[str] = N_("time memory cpu cores usage speed workers")
    question: ClassVar[str] = WORK
    summary: ClassVar[str] = N_(
        "What the trials cost: seconds of training and of suggesting, how busy the workers "
        "were, and memory."
    )
    explanation: ClassVar[str] = N_(
        "Time of each trial shows how long every model trained (dots) and how much processor "
        "time the search used to suggest it (line), on a logarithmic scale: each step is ten "
        "times as long. Time by algorithm shows the same by algorithm, with a mark at the "
        "median. Workers shows which worker trained when: gaps are time in which a worker "
        "waited, mostly for the next suggestion, and the lowest row shows when the search "
        "computed suggestions. Memory shows the highest memory of the worker while each trial "
        "ran. A search that takes as long for its suggestions as for training wastes workers: "
        "choose a faster surrogate, or fewer workers."
    )
    source: ClassVar[str] = N_("Times and memory as the engine recorded them with each trial")
    from_first: ClassVar[bool] = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._records = Records(RunSeries())
        self.view = self.offer(
            VIEWS,
            tr("Which resource is shown"),
            tr("Time of each trial or algorithm, the workers' use over time, or memory"),
        )

    def prepare(self, subject: Subject) -> None:
        """Take what the trials up to the iteration looked at have used."""
        if self._records.series is not subject.series:
            self._records = Records(subject.series)
        self.picture = self._records.picture(
            subject.settings.workers,
            subject.iteration,
            subject.utilisation if subject.iteration == subject.series.length else None,
        )

    def figure(self, picture: ResourcesPicture, subject: Subject) -> Figure:
        """Return the view chosen."""
        known = [*subject.series.branches, *filter(None, picture.branches)]
        inks = learner_inks(list(dict.fromkeys(known)))
        panel, marks = _FIGURES[self.view.key](picture, [inks[each] for each in picture.branches])
        rest = rest_words(picture, subject.series, self.view.key)
        return Figure(panels=[panel], marks=marks, rest=rest)

    def _trial_at(self, picture: ResourcesPicture, at: Pointer) -> int | None:
        """Return the place of the trial pointed at."""
        if self.view.key == "workers":
            reach = 2 * at.dx
            inside = (picture.begun <= at.x + reach) & (picture.ended >= at.x - reach)
            row = np.where(inside & (np.abs(picture.lane + 1.0 - at.y) <= HALF_BAR), 0.0, np.nan)
            return Pointer(0, at.x, 0.0).nearest(0.5 * (picture.begun + picture.ended), row, np.inf)
        return at.nearest(*_places(picture, self.view.key))

    def words(self, picture: ResourcesPicture, subject: Subject, at: Pointer) -> str:
        """Say what the trial pointed at used, or all of a branch."""
        place = self._trial_at(picture, at)
        if place is not None:
            return trial_words(picture, subject.series, place)
        return branch_words(picture, round(at.y)) if self.view.key == "branches" else ""

    def pressed(self, picture: ResourcesPicture, at: Pointer) -> None:
        """Look at the iteration clicked on, where iterations are drawn."""
        if self.view.key in ("trials", "memory"):
            self.pick(at.x)

    def columns(self, picture: ResourcesPicture, subject: Subject) -> Columns:
        """Return what each trial used: seconds, megabytes and times."""
        return {
            "trial": picture.numbers,
            "branch": [picture.branches[row] for row in picture.branch],
            "fit_seconds": picture.fit,
            "suggest_processor_seconds": picture.suggest,
            "peak_memory_mb": picture.memory,
            "begun_seconds": picture.begun,
            "ended_seconds": picture.ended,
            "worker": picture.lane + 1,
        }


def _places(picture: ResourcesPicture, view: str) -> tuple[Floats, Floats]:
    """Return where the trials' dots are in a view, shape (t,) each."""
    if view == "branches":
        return log_seconds(picture.fit), picture.branch + 0.5 * jitter(picture.numbers)
    used = picture.memory if view == "memory" else log_seconds(picture.fit)
    return picture.numbers.astype(float), used


def _dots(picture: ResourcesPicture, view: str, inks: Sequence[Ink]) -> Iterable[Mark]:
    """Yield a dot for each trial, by branch, and a mark around those that failed."""
    x, y = _places(picture, view)
    for row, (branch, ink) in enumerate(zip(picture.branches, inks, strict=True)):
        own, name = picture.branch == row, learner_name(branch) or tr("each trial")
        yield Dots(x=x[own], y=y[own], ink=ink.faint(0.8), outline=None, depth=row, name=name)
    if picture.failed.any():
        failed, name = picture.failed, tr("failed (triangle)")
        yield Dots(x=x[failed], y=y[failed], shape="peak", size=10, ink=BAD, depth=51, name=name)


def _by_trial(picture: ResourcesPicture, y: Axis) -> Panel:
    first, last = float(picture.numbers[0]), float(picture.numbers[-1])
    across = Axis(tr("iteration (finished trials)"), first - 0.5, max(last + 0.5, first + 9.5))
    return Panel(x=across, y=y)


def _trials(picture: ResourcesPicture, inks: Sequence[Ink]) -> tuple[Panel, Sequence[Mark]]:
    x, fit = _places(picture, "trials")
    suggest = log_seconds(picture.suggest)
    low, high = float(min(fit.min(), suggest.min())), float(max(fit.max(), suggest.max()))
    room = 0.08 * (high - low) or 0.5
    ticks = time_ticks(low - 0.2, high + 0.2)
    name = tr("suggesting (processor)")
    return (
        _by_trial(picture, Axis(tr("time (log)"), low - room, high + room, ticks, fitted=True)),
        [*_dots(picture, "trials", inks), Line(x=x, y=suggest, ink=MUTED, depth=50, name=name)],
    )


def _branches(picture: ResourcesPicture, inks: Sequence[Ink]) -> tuple[Panel, Sequence[Mark]]:
    x, _ = _places(picture, "branches")
    rows = np.arange(float(len(inks)))
    medians = np.array([np.median(x[picture.branch == row]) for row in rows])
    along, up = strokes(rows - 0.38, rows + 0.38, medians, level=False)
    low, high = float(x.min()), float(x.max())
    room = 0.05 * (high - low) or 0.5
    names = [
        (row, learner_name(branch) or tr("all trials"))
        for row, branch in enumerate(picture.branches)
    ]
    ticks = time_ticks(low - 0.2, high + 0.2)
    panel = Panel(
        x=Axis(tr("time of training (log)"), low - room, high + room, ticks),
        y=Axis("", -0.6, len(inks) - 0.4, names, fitted=True),
    )
    line = Line(x=along, y=up, pairs=True, depth=52, name=tr("median"), sample="tick")
    return panel, [*_dots(picture, "branches", inks), line]


def _workers(picture: ResourcesPicture, inks: Sequence[Ink]) -> tuple[Panel, Sequence[Mark]]:
    there = finite(picture.begun, picture.ended)
    marks = [
        _bars(picture.begun[own], picture.ended[own], picture.lane[own] + 1.0, ink, branch)
        for row, (branch, ink) in enumerate(zip(picture.branches, inks, strict=True))
        for own in [there & (picture.branch == row)]
    ]
    names = [(lane + 1, tr("worker {number}", number=lane + 1)) for lane in range(picture.workers)]
    known = np.isfinite(picture.asked)
    if known.any():
        row = np.zeros(int(known.sum()))
        asked, suggested = picture.asked[known], picture.suggested[known]
        marks.append(_bars(asked, suggested, row, MUTED, tr("suggesting")))
        names.insert(0, (0, tr("suggesting")))
    elapsed = picture.elapsed if picture.elapsed > 0 else 1.0
    lowest = -0.6 if known.any() else 0.4
    panel = Panel(
        x=Axis(tr("working time of the run (seconds)"), 0.0, elapsed),
        y=Axis("", lowest, picture.workers + 0.6, names, crowd="thin", fitted=True),
    )
    return panel, marks


def _bars(begun: Floats, ended: Floats, rows: Floats, ink: Ink, name: str) -> Mark:
    name = name or tr("each trial")
    low, high = rows - HALF_BAR, rows + HALF_BAR
    return SlimBoxes(x0=begun, x1=ended, y0=low, y1=high, ink=ink, name=name)


def _memory(picture: ResourcesPicture, inks: Sequence[Ink]) -> tuple[Panel, Sequence[Mark]]:
    known = picture.memory[np.isfinite(picture.memory)]
    high = float(known.max()) if len(known) else 1.0
    axis = Axis(tr("highest memory (MB)"), 0.0, 1.08 * high, fitted=True)
    return _by_trial(picture, axis), list(_dots(picture, "memory", inks))


_FIGURES = {"trials": _trials, "branches": _branches, "workers": _workers, "memory": _memory}
"""What makes the figure of each view."""
