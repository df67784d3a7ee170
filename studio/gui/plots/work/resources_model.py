"""What a run spends: seconds of training and suggesting, the workers' use, and memory."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.learner_names import learner_name
from studio.language import N_, ntr, number, percent, tr, translate
from studio.measure import duration
from studio.runs.utilisation import shares

VIEWS = {
    "trials": N_("Time of each trial"),
    "branches": N_("Time by algorithm"),
    "workers": N_("Workers"),
    "memory": N_("Memory"),
}
"""The views, and their names."""

SHORTEST = 1e-3
"""Seconds: shorter times are drawn here, since the scale is logarithmic."""

MAX_TRIALS = 2000
"""Trials drawn at most, the newest."""

MB = 1e6
"""Bytes in a megabyte."""


@dataclass(frozen=True)
class ResourcesPicture:
    """What trials used; arrays have one element for each of the newest up to an iteration.

    Attributes:
        numbers: Shape (t,). Trial numbers.
        fit, suggest: Shape (t,). Wall seconds of training; processor seconds of suggesting.
        memory: Shape (t,). Highest memory in MB; NaN where unknown.
        failed: Shape (t,). Whether the trial failed.
        branch: Shape (t,). Place of each trial's branch in ``branches``.
        branches: Those that were tried, in the order of the space; "" alone where the space has
            none.
        begun, ended: Shape (t,). When its training began and ended, in seconds that the run had
            worked; NaN where the document does not say.
        asked, suggested: Shape (t,). When its suggestion was asked for and made; NaN in documents
            of older versions.
        lane: Shape (t,). The worker, from 0, as far as the times show it.
        workers: How many there are.
        elapsed: Seconds that the run had worked; NaN where the document does not say.
        fit_total, suggest_total: Sums of ``fit`` and ``suggest`` over all trials up to the
            iteration.
        thinking_total: Sum of the wall seconds of suggesting; NaN where the document does not say.
        shares: What the workers' time went into (:data:`studio.runs.utilisation.SHARES`), summing
            to 1; ``None`` in documents of older versions.
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
    elapsed: float
    fit_total: float
    suggest_total: float
    thinking_total: float
    shares: Mapping[str, float] | None = None

    @property
    def utilisation(self) -> float:
        """Share of the workers' time in which they trained, in [0, 1]; NaN where unknown."""
        if not self.elapsed > 0:
            return float("nan")
        return min(1.0, self.fit_total / (self.workers * self.elapsed))

    @property
    def overhead(self) -> float:
        """Share of the elapsed time in which the search suggested; NaN where unknown."""
        if not self.elapsed > 0 or math.isnan(self.thinking_total):
            return float("nan")
        return min(1.0, self.thinking_total / self.elapsed)


def lanes(begun: Floats, ended: Floats, workers: int) -> Integers:
    """Give every trial a worker, so that the trials of one overlap as little as can be.

    Args:
        begun, ended: Shape (t,). Times; NaN gets worker 0.
        workers: How many there are, at least 1.

    Returns:
        Shape (t,).
    """
    lane = np.zeros(len(begun), dtype=np.int64)
    free = [0.0] * max(1, workers)
    starts, ends = begun.tolist(), ended.tolist()
    for trial in np.argsort(begun, kind="stable").tolist():
        if math.isnan(starts[trial]):
            continue
        idle = [row for row, since in enumerate(free) if since <= starts[trial] + 1e-9]
        # Of the idle ones, the one that became so last: gaps stay whole.
        chosen = max(idle, key=lambda row: free[row]) if idle else free.index(min(free))
        lane[trial] = chosen
        free[chosen] = max(free[chosen], ends[trial])
    return lane


class Records:
    """What the trials of a run used, as arrays that grow; only new trials are looked at.

    Args:
        series: The run.
    """

    def __init__(self, series: RunSeries) -> None:
        self.series = series
        self._numbers: Floats = np.empty((0, 6))

    def _extend(self) -> None:
        known = len(self._numbers)
        trials, records = self.series.trials[known:], self.series.iterations[known:]
        numbers = []
        for trial, record in zip(trials, records, strict=False):
            timing = record.details.get("timing")
            pair = timing if isinstance(timing, list | tuple) and len(timing) == 2 else (None, None)
            found = (trial.fit_seconds, trial.suggest_seconds, trial.peak_memory / MB or None)
            numbers.append(
                [_number(each) for each in (*found, record.details.get("elapsed"), *pair)]
            )
        if numbers:
            self._numbers = np.concatenate([self._numbers, np.array(numbers)])

    def picture(
        self,
        workers: int,
        iteration: int,
        whole_run: Mapping[str, float] | None = None,
    ) -> ResourcesPicture:
        """Return what the newest :data:`MAX_TRIALS` trials up to an iteration used, and sums.

        ``whole_run`` are the shares of the workers' time with the run's end, where that is looked
        at; else they are those up to the iteration.

        Training lasts its fit seconds and begins when the trial is handed to a worker. Where that
        is not known (documents of older versions), or the workers were still starting, it ended
        when the result was recorded.
        """
        self._extend()
        whole = self._numbers[:iteration]
        first = max(0, len(whole) - MAX_TRIALS)
        fit, suggest, memory, recorded, asked, suggested = whole[first:].T
        every = whole[:, 3][np.isfinite(whole[:, 3])]
        known = suggested > every.min(initial=np.inf)
        begun = np.where(known, suggested, np.maximum(recorded - fit, 0.0))
        ended = np.where(known, np.minimum(suggested + fit, recorded), recorded)
        # Only branches that were tried, in the order of the space.
        tried, branch = np.unique(self.series.branch_of[first : len(whole)], return_inverse=True)
        return ResourcesPicture(
            numbers=np.arange(first + 1, len(whole) + 1, dtype=np.int64),
            fit=fit,
            suggest=suggest,
            memory=memory,
            failed=self.series.failed[first : len(whole)],
            branch=branch.astype(np.int64),
            branches=tuple(self.series.branch_names[row] for row in tried),
            begun=begun,
            ended=ended,
            asked=asked,
            suggested=suggested,
            lane=lanes(begun, ended, workers),
            workers=workers,
            elapsed=float(every.max()) if len(every) else float("nan"),
            fit_total=float(whole[:, 0].sum()),
            suggest_total=float(whole[:, 1].sum()),
            thinking_total=float((whole[:, 5] - whole[:, 4]).sum()),
            shares=whole_run or self._shares(iteration),
        )

    def _shares(self, iteration: int) -> Mapping[str, float] | None:
        if not 0 < iteration <= len(self.series.iterations):
            return None
        return shares(self.series.iterations[iteration - 1].details.get("spent"))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def log_seconds(seconds: Floats) -> Floats:
    """Return log10 of times, any shape, none below :data:`SHORTEST`."""
    scaled: Floats = np.log10(np.maximum(seconds, SHORTEST))
    return scaled


def time_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return ticks for log10 of seconds in a range: decades, or 1, 2 and 5 of each where few."""
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    values = [step * 10.0**power for power in powers for step in steps]
    return [(float(np.log10(v)), duration(v)) for v in values if low <= np.log10(v) <= high]


def trial_words(picture: ResourcesPicture, series: RunSeries, place: int) -> str:
    """Say what one trial used."""
    words = tr(
        "{trial}: trained in {fit}  ·  suggesting it took {suggest} of processor time",
        trial=series.name(int(picture.numbers[place])),
        fit=duration(float(picture.fit[place])),
        suggest=duration(float(picture.suggest[place])),
    )
    if np.isfinite(picture.memory[place]):
        memory = f"{number(picture.memory[place], '.0f')} MB"
        words += "  ·  " + tr("at most {memory} of memory", memory=memory)
    if picture.failed[place]:
        words += "  ·  " + tr("failed")
    trial = series.trial(int(picture.numbers[place]))
    if trial is not None and trial.origin:
        words += "  ·  " + translate(trial.origin)
    return words


def branch_words(picture: ResourcesPicture, row: int) -> str:
    """Say what the trials of a branch used together."""
    if not 0 <= row < len(picture.branches):
        return ""
    own = picture.fit[picture.branch == row]
    share = float(own.sum()) / (float(picture.fit.sum()) or 1.0)
    return ntr(
        "{branch}: {count} trial in {total} ({share} of all training)",
        "{branch}: {count} trials, half of them in less than {median}, {total} together "
        "({share} of all training)",
        len(own),
        branch=learner_name(picture.branches[row]) or tr("all trials"),
        median=duration(float(np.median(own))),
        total=duration(float(own.sum())),
        share=percent(share, 0),
    )


def rest_words(picture: ResourcesPicture, series: RunSeries, view: str) -> str:
    """Say where the time went; for the memory, how much was needed at most."""
    if not len(picture.numbers):
        return ""
    if view == "memory":
        if not np.isfinite(picture.memory).any():
            return tr("The workers did not report how much memory they used.")
        most = int(np.nanargmax(picture.memory))
        return tr(
            "highest memory of a trial: {memory}  ·  {trial}",
            memory=f"{number(picture.memory[most], '.0f')} MB",
            trial=series.name(int(picture.numbers[most])),
        )
    return _shares_words(picture) if picture.shares else _sums_words(picture)


def _shares_words(picture: ResourcesPicture) -> str:
    parts = {name: percent(share, 0) for name, share in (picture.shares or {}).items()}
    return tr(
        "Of the workers' time, {training} went into training, {suggesting} into waiting for "
        "suggestions, {finishing} into the final training and {idle} into anything else.",
        **parts,
    )


def _sums_words(picture: ResourcesPicture) -> str:
    """Say it for documents of older versions."""
    spent = duration(picture.suggest_total)
    elapsed = picture.elapsed
    if not np.isfinite(elapsed):
        return tr(
            "Training took {fit}, suggesting {suggest} of processor time.",
            fit=duration(picture.fit_total),
            suggest=spent,
        )
    busy = percent(picture.utilisation, 0)
    if np.isfinite(picture.overhead):
        return tr(
            "In {elapsed}: suggesting took {overhead} of the time; workers were busy {busy}.",
            elapsed=duration(elapsed),
            overhead=percent(picture.overhead, 0),
            busy=busy,
        )
    return tr(
        "In {elapsed}: suggesting used {suggest} of processor time; workers were busy {busy}.",
        elapsed=duration(elapsed),
        suggest=spent,
        busy=busy,
    )
