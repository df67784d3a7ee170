"""Resources plot: use of time and memory by a run."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import BAD, MUTED, Ink
from studio.figures.marks import Dots, Line, Mark, ThinBoxes, are_finite
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import WORK, Columns, PlotOf
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.session.learner_names import get_learner_inks, get_learner_name
from studio.language import N_, format_share, number, tr, translate
from studio.measure import format_duration
from studio.runs.utilisation import compute_shares

VIEWS = {"trials": N_("Time of each trial"), "workers": N_("Workers"), "memory": N_("Memory")}

MIN_SECONDS = 1e-3
"""Lower limit of the logarithmic axis, in seconds."""

MAX_TRIALS = 2000
"""Maximum number of trials drawn, the newest."""

MB = 1e6
"""Bytes in a megabyte."""


@dataclass(frozen=True)
class ResourcesData:
    """Resources used by trials, the newest up to an iteration.

    Attributes:
        numbers: Shape (t,). Trial numbers.
        fit_seconds, suggest_seconds: Shape (t,). Wall seconds of training; processor seconds of
            suggesting.
        peak_memory_mb: Shape (t,). Peak memory in MB; NaN if unknown.
        is_failed: Shape (t,). Whether the trial failed.
        branch: Shape (t,). Index of each trial's branch in ``branches``.
        branches: The tried branches, in the order of the space; only "" if there are none.
        fit_starts, fit_ends: Shape (t,). Start and end of its training, in the run's working
            seconds; NaN if unknown.
        suggest_starts, suggest_ends: Shape (t,). Request and arrival of its suggestion; NaN in
            documents of older versions.
        worker_indices: Shape (t,). The worker, from 0, as inferred from the times.
        elapsed: The run's working seconds; NaN if unknown.
        fit_total, suggest_total: Sums of ``fit_seconds`` and ``suggest_seconds`` over all trials up
            to the iteration.
        worker_time_shares: Use of the workers' time (:data:`studio.runs.utilisation.ACTIVITIES`),
            summing to 1; ``None`` in documents of older versions.
    """

    numbers: Integers
    fit_seconds: Floats
    suggest_seconds: Floats
    peak_memory_mb: Floats
    is_failed: Flags
    branch: Integers
    branches: tuple[str, ...]
    fit_starts: Floats
    fit_ends: Floats
    suggest_starts: Floats
    suggest_ends: Floats
    worker_indices: Integers
    n_workers: int
    elapsed: float
    fit_total: float
    suggest_total: float
    worker_time_shares: Mapping[str, float] | None = None


def assign_workers(begun: Floats, ended: Floats, workers: int) -> Integers:
    """Assign each trial to a worker, (t,), with as little overlap as possible.

    Args:
        begun, ended: Shape (t,). Times; NaN gets worker 0.
        workers: At least 1.
    """
    worker_indices = np.zeros(len(begun), dtype=np.int64)
    free_since = [0.0] * max(1, workers)
    starts, ends = begun.tolist(), ended.tolist()
    for trial in np.argsort(begun, kind="stable").tolist():
        if math.isnan(starts[trial]):
            continue
        idle = [since for since in free_since if since <= starts[trial] + 1e-9]
        # Choose the worker idle for the shortest time, so that gaps stay in one piece.
        worker = free_since.index(max(idle, default=min(free_since)))
        worker_indices[trial] = worker
        free_since[worker] = max(free_since[worker], ends[trial])
    return worker_indices


class ResourceRecords:
    """Resources used by a run's trials, as arrays that grow incrementally."""

    def __init__(self, series: RunSeries) -> None:
        self.series = series
        self._numbers: Floats = np.empty((0, 6))

    def _read_new_trials(self) -> None:
        n_known = len(self._numbers)
        trials, records = self.series.trials[n_known:], self.series.iterations[n_known:]
        numbers = []
        for trial, record in zip(trials, records, strict=False):
            timing = record.details.get("timing")
            pair = timing if isinstance(timing, list | tuple) and len(timing) == 2 else (None, None)
            resources = (trial.fit_seconds, trial.suggest_seconds, trial.peak_memory / MB or None)
            elapsed = record.details.get("elapsed")
            numbers.append(list(map(_to_float, (*resources, elapsed, *pair))))
        if numbers:
            self._numbers = np.concatenate([self._numbers, np.array(numbers)])

    def make_data(
        self, workers: int, iteration: int, whole_run: Mapping[str, float] | None = None
    ) -> ResourcesData:
        """Return resources and totals of the newest :data:`MAX_TRIALS` trials up to an iteration.

        ``whole_run`` gives the shares of the workers' time including the run's end, if shown;
        otherwise they are computed up to the iteration.

        Training lasts its fit seconds and begins when the trial is handed to a worker. If that is
        unknown (documents of older versions), or the workers were still starting, the recording of
        the result counts as its end.
        """
        self._read_new_trials()
        records = self._numbers[:iteration]
        first = max(0, len(records) - MAX_TRIALS)
        fit, suggest, memory, recorded_at, requested_at, suggested_at = records[first:].T
        suggest_times = records[:, 3][np.isfinite(records[:, 3])]
        has_times = suggested_at > suggest_times.min(initial=np.inf)
        started_at = np.where(has_times, suggested_at, np.maximum(recorded_at - fit, 0.0))
        ended_at = np.where(has_times, np.minimum(suggested_at + fit, recorded_at), recorded_at)
        # Only branches that were tried, in the order of the space.
        branch_ids, branch = np.unique(
            self.series.branch_indices[first : len(records)], return_inverse=True
        )
        return ResourcesData(
            numbers=np.arange(first + 1, len(records) + 1, dtype=np.int64),
            fit_seconds=fit,
            suggest_seconds=suggest,
            peak_memory_mb=memory,
            is_failed=self.series.failed[first : len(records)],
            branch=branch.astype(np.int64),
            branches=tuple(self.series.branch_names[row] for row in branch_ids),
            fit_starts=started_at,
            fit_ends=ended_at,
            suggest_starts=requested_at,
            suggest_ends=suggested_at,
            worker_indices=assign_workers(started_at, ended_at, workers),
            n_workers=workers,
            elapsed=float(suggest_times.max()) if len(suggest_times) else float("nan"),
            fit_total=float(records[:, 0].sum()),
            suggest_total=float(records[:, 1].sum()),
            worker_time_shares=whole_run or self._get_time_shares(iteration),
        )

    def _get_time_shares(self, iteration: int) -> Mapping[str, float] | None:
        if not 0 < iteration <= len(self.series.iterations):
            return None
        return compute_shares(self.series.iterations[iteration - 1].details.get("spent"))


def _to_float(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def to_log_seconds(seconds: Floats) -> Floats:
    """Return log10 of times, any shape, clipped at :data:`MIN_SECONDS`."""
    scaled: Floats = np.log10(np.maximum(seconds, MIN_SECONDS))
    return scaled


def make_time_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return ticks for log10 of seconds in a range: decades, or 1, 2 and 5 of each if few."""
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    values = [step * 10.0**power for power in powers for step in steps]
    return [(float(np.log10(v)), format_duration(v)) for v in values if low <= np.log10(v) <= high]


def describe_trial(data: ResourcesData, series: RunSeries, index: int) -> str:
    """Describe the resources used by one trial."""
    text = tr(
        "{trial}: trained in {fit}  ·  suggesting it took {suggest} of processor time",
        trial=series.get_name(int(data.numbers[index])),
        fit=format_duration(float(data.fit_seconds[index])),
        suggest=format_duration(float(data.suggest_seconds[index])),
    )
    if np.isfinite(data.peak_memory_mb[index]):
        memory = f"{number(data.peak_memory_mb[index], '.0f')} MB"
        text += "  ·  " + tr("at most {memory} of memory", memory=memory)
    if data.is_failed[index]:
        text += "  ·  " + tr("failed")
    trial = series.get_trial(int(data.numbers[index]))
    if trial is not None and trial.origin:
        text += "  ·  " + translate(trial.origin)
    return text


def summarise_plot(data: ResourcesData, series: RunSeries, view: str) -> str:
    """Summarise the use of time; for memory, its maximum."""
    if not len(data.numbers):
        return ""
    if view == "memory":
        if not np.isfinite(data.peak_memory_mb).any():
            return tr("The workers did not report their memory use.")
        largest = int(np.nanargmax(data.peak_memory_mb))
        return tr(
            "peak memory of a trial: {memory}  ·  {trial}",
            memory=f"{number(data.peak_memory_mb[largest], '.0f')} MB",
            trial=series.get_name(int(data.numbers[largest])),
        )
    return _describe_shares(data) if data.worker_time_shares else _summarise_time(data)


def _describe_shares(data: ResourcesData) -> str:
    shares = (data.worker_time_shares or {}).items()
    parts = {name: format_share(share, 0) for name, share in shares}
    return tr(
        "Of the workers' time, {training} went into training, {suggesting} into waiting for "
        "suggestions, {finishing} into the final training and {idle} into other work.",
        **parts,
    )


def _summarise_time(data: ResourcesData) -> str:
    """Summarise the use of time, for documents of older versions."""
    return tr(
        "Training took {fit}, suggesting {suggest} of processor time.",
        fit=format_duration(data.fit_total),
        suggest=format_duration(data.suggest_total),
    )


HALF_BAR_HEIGHT = 0.36
"""Half the height of a worker's bar, in rows."""


class ResourcesPlot(PlotOf[ResourcesData]):
    """Dots by trial, or bars by worker; in seconds or megabytes."""

    key = "resources"
    title = N_("Resources")
    search_terms = N_("time memory cpu cores usage speed workers")
    question = WORK
    summary = N_(
        "What the trials cost: seconds of training and of suggesting, how busy the workers "
        "were, and memory."
    )
    explanation = N_(
        "Time of each trial shows how long every model trained (dots) and how much processor "
        "time the search used to suggest it (line), on a logarithmic scale: each step is ten "
        "times as long. Workers shows which worker trained when: gaps are time in which a worker "
        "waited, mostly for the next suggestion, and the lowest row shows when the search "
        "computed suggestions. Memory shows the worker's peak memory during each trial. A search "
        "that takes as long for its suggestions as for training wastes workers: choose a faster "
        "surrogate, or fewer workers."
    )
    source = N_("Times and memory as the engine recorded them with each trial")
    needs_iteration = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._records = ResourceRecords(RunSeries())
        text = tr("Time by trial, the workers' use over time, or memory")
        self.view = self.add_view_choice(VIEWS, tr("Resource"), text)

    def prepare(self, subject: Subject) -> None:
        if self._records.series is not subject.series:
            self._records = ResourceRecords(subject.series)
        self.data = self._records.make_data(
            subject.settings.workers,
            subject.iteration,
            subject.utilisation if subject.iteration == subject.series.length else None,
        )

    def make_figure(self, data: ResourcesData, subject: Subject) -> Figure:
        branches = [*subject.series.branches, *filter(None, data.branches)]
        inks = get_learner_inks(list(dict.fromkeys(branches)))
        panel, marks = _FIGURES[self.view.key](data, [inks[each] for each in data.branches])
        if subject.side_by_side:
            panel = _extend_axis(panel, subject, self.view.key)
        summary = summarise_plot(data, subject.series, self.view.key)
        return Figure(panels=[panel], marks=marks, default_text=summary)

    def _find_trial(self, data: ResourcesData, pointer: Pointer) -> int | None:
        if self.view.key == "workers":
            tolerance = 2 * pointer.dx
            is_later = data.fit_ends >= pointer.x - tolerance
            is_at_x = (data.fit_starts <= pointer.x + tolerance) & is_later
            is_at_y = np.abs(data.worker_indices + 1.0 - pointer.y) <= HALF_BAR_HEIGHT
            row = np.where(is_at_x & is_at_y, 0.0, np.nan)
            middle = 0.5 * (data.fit_starts + data.fit_ends)
            return Pointer(0, pointer.x, 0.0).find_nearest(middle, row, np.inf)
        return pointer.find_nearest(*_get_positions(data, self.view.key))

    def describe_hovered(self, data: ResourcesData, subject: Subject, pointer: Pointer) -> str:
        index = self._find_trial(data, pointer)
        return "" if index is None else describe_trial(data, subject.series, index)

    def handle_click(self, data: ResourcesData, pointer: Pointer) -> None:
        """Select the clicked iteration, in views over iterations."""
        if self.view.key != "workers":
            self.pick(pointer.x)

    def get_table_columns(self, data: ResourcesData, subject: Subject) -> Columns:
        """Return the resources of each trial: seconds, megabytes and times."""
        return {
            "trial": data.numbers,
            "branch": [data.branches[row] for row in data.branch],
            "fit_seconds": data.fit_seconds,
            "suggest_processor_seconds": data.suggest_seconds,
            "peak_memory_mb": data.peak_memory_mb,
            "begun_seconds": data.fit_starts,
            "ended_seconds": data.fit_ends,
            "worker": data.worker_indices + 1,
        }


def _get_positions(data: ResourcesData, view: str) -> tuple[Floats, Floats]:
    """Return the positions of the trials' dots in a view, shape (t,) each."""
    heights = data.peak_memory_mb if view == "memory" else to_log_seconds(data.fit_seconds)
    return data.numbers.astype(float), heights


def _make_dots(data: ResourcesData, view: str, inks: Sequence[Ink]) -> Iterable[Mark]:
    """Yield a dot per trial, by branch, and a mark around failed ones."""
    x, y = _get_positions(data, view)
    for row, (branch, ink) in enumerate(zip(data.branches, inks, strict=True)):
        is_in_branch, name = data.branch == row, get_learner_name(branch) or tr("each trial")
        branch_x, branch_y, faded = x[is_in_branch], y[is_in_branch], ink.with_opacity(0.8)
        yield Dots(x=branch_x, y=branch_y, ink=faded, outline=None, depth=row, name=name)
    if data.is_failed.any():
        failed, name = data.is_failed, tr("failed (triangle)")
        yield Dots(x=x[failed], y=y[failed], shape="peak", size=10, ink=BAD, depth=51, name=name)


def _make_trial_panel(data: ResourcesData, y: Axis) -> Panel:
    first, last = float(data.numbers[0]), float(data.numbers[-1])
    title, high = tr("iteration (trials)"), max(last + 0.5, first + 9.5)
    return Panel(x=Axis(title, first - 0.5, high, has_integers=True), y=y)


def _extend_axis(panel: Panel, subject: Subject, view: str) -> Panel:
    """Extend an axis of iterations or time to match that of the adjacent run."""
    upper_limits = [panel.x.high]
    for each in subject.side_by_side:
        iteration = each.series.resolve_iteration(subject.selected_iteration)
        records = each.series.iterations[:iteration]
        if view != "workers":
            upper_limits.append(len(records) + 0.5)
        elif records:
            upper_limits.append(_to_float(records[-1].details.get("elapsed")))
    return replace(panel, x=replace(panel.x, high=float(np.nanmax(upper_limits))))


def _make_trials_figure(data: ResourcesData, inks: Sequence[Ink]) -> tuple[Panel, Sequence[Mark]]:
    x, fit = _get_positions(data, "trials")
    suggest = to_log_seconds(data.suggest_seconds)
    low, high = float(min(fit.min(), suggest.min())), float(max(fit.max(), suggest.max()))
    margin = 0.08 * (high - low) or 0.5
    ticks = make_time_ticks(low - 0.2, high + 0.2)
    axis = Axis(tr("time (log)"), low - margin, high + margin, ticks, is_fitted_to_labels=True)
    name = tr("suggesting (processor)")
    line = Line(x=x, y=suggest, ink=MUTED, depth=50, name=name)
    return _make_trial_panel(data, axis), [*_make_dots(data, "trials", inks), line]


def _make_workers_figure(data: ResourcesData, inks: Sequence[Ink]) -> tuple[Panel, Sequence[Mark]]:
    has_times = are_finite(data.fit_starts, data.fit_ends)
    marks = [
        _make_bars(
            data.fit_starts[is_in_branch],
            data.fit_ends[is_in_branch],
            data.worker_indices[is_in_branch] + 1.0,
            ink,
            branch,
        )
        for row, (branch, ink) in enumerate(zip(data.branches, inks, strict=True))
        for is_in_branch in [has_times & (data.branch == row)]
    ]
    names = [
        (index + 1, tr("worker {number}", number=index + 1)) for index in range(data.n_workers)
    ]
    has_requests = np.isfinite(data.suggest_starts)
    if has_requests.any():
        row = np.zeros(int(has_requests.sum()))
        request_times = data.suggest_starts[has_requests]
        suggested = data.suggest_ends[has_requests]
        marks.append(_make_bars(request_times, suggested, row, MUTED, tr("suggesting")))
        names.insert(0, (0, tr("suggesting")))
    elapsed = data.elapsed if data.elapsed > 0 else 1.0
    lowest = -0.6 if has_requests.any() else 0.4
    y = Axis("", lowest, data.n_workers + 0.6, names, tick_overlap="thin", is_fitted_to_labels=True)
    panel = Panel(x=Axis(tr("working time of the run (seconds)"), 0.0, elapsed), y=y)
    return panel, marks


def _make_bars(starts: Floats, ends: Floats, rows: Floats, ink: Ink, name: str) -> Mark:
    name = name or tr("each trial")
    low, high = rows - HALF_BAR_HEIGHT, rows + HALF_BAR_HEIGHT
    return ThinBoxes(x0=starts, x1=ends, y0=low, y1=high, ink=ink, name=name)


def _make_memory_figure(data: ResourcesData, inks: Sequence[Ink]) -> tuple[Panel, Sequence[Mark]]:
    finite_memory = data.peak_memory_mb[np.isfinite(data.peak_memory_mb)]
    high = float(finite_memory.max()) if len(finite_memory) else 1.0
    axis = Axis(tr("peak memory (MB)"), 0.0, 1.08 * high, is_fitted_to_labels=True)
    return _make_trial_panel(data, axis), list(_make_dots(data, "memory", inks))


_FIGURES = {
    "trials": _make_trials_figure,
    "workers": _make_workers_figure,
    "memory": _make_memory_figure,
}
