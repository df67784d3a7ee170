"""What a run spends: seconds of training and suggesting, the workers' use, and memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.gui.language import mark, tr
from studio.gui.plots.series import RunSeries

VIEWS = {
    "trials": mark("Time of each trial"),
    "branches": mark("Time by algorithm"),
    "workers": mark("Workers"),
    "memory": mark("Memory"),
}
"""The views, and their names."""

SHORTEST = 1e-3
"""Seconds: shorter times are drawn here, since the scale is logarithmic."""

MB = 1e6
"""Bytes in a megabyte."""


@dataclass(frozen=True)
class ResourcesPicture:
    """What the trials up to an iteration used; arrays have one element a trial.

    Attributes
    ----------
    numbers : Integers, shape (t,)
        Trial numbers.
    fit, suggest : Floats, shape (t,)
        Wall seconds of training; processor seconds of suggesting.
    memory : Floats, shape (t,)
        Highest memory in MB; NaN where unknown.
    failed : Flags, shape (t,)
        Whether the trial failed.
    branch : Integers, shape (t,)
        Place of each trial's branch in ``branches``.
    branches : tuple of str
        Those that were tried, in the order of the space; "" alone where the space has none.
    begun, ended : Floats, shape (t,)
        When its training began and ended, in seconds that the run had worked; NaN where the
        document does not tell.
    asked, suggested : Floats, shape (t,)
        When its suggestion was asked for and made; NaN in documents of older versions.
    lane : Integers, shape (t,)
        The worker, from 0, as far as it can be told from the times.
    workers : int
        How many there are.
    """

    numbers: Integers
    fit: Floats
    suggest: Floats
    memory: Floats
    failed: Flags
    branch: Integers
    branches: tuple[str, ...]
    begun: Floats
    ended: Floats
    asked: Floats
    suggested: Floats
    lane: Integers
    workers: int

    @property
    def elapsed(self) -> float:
        """Seconds that the run had worked; NaN where the document does not tell."""
        known = self.ended[np.isfinite(self.ended)]
        return float(known.max()) if len(known) else float("nan")

    @property
    def utilisation(self) -> float:
        """Share of the workers' time in which they trained, in [0, 1]; NaN where unknown."""
        elapsed = self.elapsed
        if not elapsed > 0:
            return float("nan")
        return min(1.0, float(self.fit.sum()) / (self.workers * elapsed))

    @property
    def overhead(self) -> float:
        """Share of the elapsed time in which the search suggested; NaN where unknown."""
        elapsed = self.elapsed
        spent = self.suggested - self.asked
        if not elapsed > 0 or not np.isfinite(spent).all():
            return float("nan")
        return min(1.0, float(spent.sum()) / elapsed)


def lanes(begun: Floats, ended: Floats, workers: int) -> Integers:
    """Give every trial a worker, so that the trials of one overlap as little as can be.

    Parameters
    ----------
    begun, ended : Floats, shape (t,)
        Times; NaN gets worker 0.
    workers : int
        How many there are, at least 1.
    """
    lane = np.zeros(len(begun), dtype=np.int64)
    free = np.zeros(max(1, workers))
    for trial in np.argsort(begun, kind="stable"):
        if not np.isfinite(begun[trial]):
            continue
        idle = np.flatnonzero(free <= begun[trial] + 1e-9)
        # Of the idle ones, the one that became so last: gaps stay whole.
        chosen = int(idle[free[idle].argmax()]) if len(idle) else int(free.argmin())
        lane[trial] = chosen
        free[chosen] = max(free[chosen], ended[trial])
    return lane


def resources_picture(
    series: RunSeries, settings: Mapping[str, Any], iteration: int
) -> ResourcesPicture:
    """Gather what the trials up to an iteration used.

    Training that began at a known time lasts its fit seconds; in documents of older versions,
    which tell only when a result was recorded, it ended then.
    """
    trials, records = series.trials[:iteration], series.iterations[:iteration]
    fit = np.array([trial.fit_seconds for trial in trials], dtype=float)
    recorded = _numbers([record.details.get("elapsed") for record in records])
    timing = [record.details.get("timing") for record in records]
    pairs = [each if isinstance(each, list | tuple) and len(each) == 2 else None for each in timing]
    asked = _numbers([None if pair is None else pair[0] for pair in pairs])
    suggested = _numbers([None if pair is None else pair[1] for pair in pairs])
    known = np.isfinite(suggested)
    begun = np.where(known, suggested, np.maximum(recorded - fit, 0.0))
    ended = np.where(known, np.minimum(suggested + fit, recorded), recorded)
    names = [series.branch(trial.number) for trial in trials]
    tried = set(names)
    branches = [branch for branch in series.branches if branch in tried]
    branches += [branch for branch in dict.fromkeys(names) if branch not in branches]
    place = {branch: row for row, branch in enumerate(branches)}
    given = settings.get("workers")
    workers = given if isinstance(given, int) and given > 0 else 1
    memory = np.array([trial.peak_memory / MB for trial in trials], dtype=float)
    memory[memory <= 0] = np.nan
    return ResourcesPicture(
        numbers=np.arange(1, len(trials) + 1, dtype=np.int64),
        fit=fit,
        suggest=np.array([trial.suggest_seconds for trial in trials], dtype=float),
        memory=memory,
        failed=series.failed[:iteration],
        branch=np.array([place[name] for name in names], dtype=np.int64),
        branches=tuple(branches),
        begun=begun,
        ended=ended,
        asked=asked,
        suggested=suggested,
        lane=lanes(begun, ended, workers),
        workers=workers,
    )


def _numbers(values: list[Any]) -> Floats:
    return np.array(
        [float(each) if isinstance(each, int | float) else np.nan for each in values], dtype=float
    )


def log_seconds(seconds: Floats) -> Floats:
    """Return log10 of times, none below :data:`SHORTEST`."""
    scaled: Floats = np.log10(np.maximum(seconds, SHORTEST))
    return scaled


def seconds_text(seconds: float) -> str:
    """Write a time with its unit: "12 ms", "3.4 s", "5 min 20 s", "2 h 5 min"."""
    if seconds < 0.9995:
        return tr("{ms} ms", ms=f"{1000 * seconds:.3g}")
    if seconds < 99.5:
        return tr("{s} s", s=f"{seconds:.3g}")
    minutes, left = divmod(round(seconds), 60)
    if minutes < 60:
        return tr("{min} min {s} s", min=minutes, s=left)
    return tr("{h} h {min} min", h=minutes // 60, min=minutes % 60)


def trial_words(picture: ResourcesPicture, series: RunSeries, place: int) -> str:
    """Say what one trial used."""
    words = tr(
        "{trial}: trained in {fit}  ·  suggesting it took {suggest} of processor time",
        trial=series.name(int(picture.numbers[place])),
        fit=seconds_text(float(picture.fit[place])),
        suggest=seconds_text(float(picture.suggest[place])),
    )
    if np.isfinite(picture.memory[place]):
        memory = f"{picture.memory[place]:.0f} MB"
        words += "  ·  " + tr("at most {memory} of memory", memory=memory)
    if picture.failed[place]:
        words += "  ·  " + tr("failed")
    return words


def branch_words(picture: ResourcesPicture, row: int) -> str:
    """Say what the trials of a branch used together."""
    if not 0 <= row < len(picture.branches):
        return ""
    own = picture.fit[picture.branch == row]
    share = float(own.sum()) / (float(picture.fit.sum()) or 1.0)
    return tr(
        "{branch}: {count} trials, half of them in less than {median}, {total} together "
        "({share} of all training)",
        branch=picture.branches[row] or tr("all trials"),
        count=len(own),
        median=seconds_text(float(np.median(own))),
        total=seconds_text(float(own.sum())),
        share=f"{share:.0%}",
    )


def rest_words(picture: ResourcesPicture, series: RunSeries, view: str) -> str:
    """Say where the time went; for the memory, how much was needed at most."""
    if not len(picture.numbers):
        return ""
    if view == "memory":
        if not np.isfinite(picture.memory).any():
            return tr("The workers did not tell how much memory they used.")
        most = int(np.nanargmax(picture.memory))
        return tr(
            "highest memory of a trial: {memory} ({trial})",
            memory=f"{picture.memory[most]:.0f} MB",
            trial=series.name(int(picture.numbers[most])),
        )
    spent = seconds_text(float(picture.suggest.sum()))
    elapsed = picture.elapsed
    if not np.isfinite(elapsed):
        return tr(
            "Training took {fit}, suggesting {suggest} of processor time.",
            fit=seconds_text(float(picture.fit.sum())),
            suggest=spent,
        )
    busy = f"{picture.utilisation:.0%}"
    if np.isfinite(picture.overhead):
        return tr(
            "In {elapsed}: suggesting took {overhead} of the time; workers were busy {busy}.",
            elapsed=seconds_text(elapsed),
            overhead=f"{picture.overhead:.0%}",
            busy=busy,
        )
    return tr(
        "In {elapsed}: suggesting used {suggest} of processor time; workers were busy {busy}.",
        elapsed=seconds_text(elapsed),
        suggest=spent,
        busy=busy,
    )
