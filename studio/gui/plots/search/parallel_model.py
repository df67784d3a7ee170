"""Model of the parallel coordinates: trials as lines across axes."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.figures.axes import choose_ticks
from studio.figures.compose import compute_jitter
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.learner_names import format_choice, format_named_value, get_parameter_name
from studio.gui.session.wording import describe_status
from studio.language import group_digits, localise_number, ntr, number, tr
from studio.measure import Measure
from studio.numerals import format_decade
from studio.space.encoding import encode
from studio.space.space import Space

ERROR = "\terror"
"""The name of the error's axis, distinct from all hyperparameters."""

INACTIVE, FAILED = -0.14, 1.12
"""Heights of trials without the hyperparameter, and of failed trials."""

_N_RECENT_TRIALS = 1000
"""Number of recent trials that decide which branch is shown."""

_MAX_TICKS = 5
_MIN_TICK_DISTANCE = 0.08
"""Minimum distance of a round number from the ends of the error's axis."""

_MAX_DEFAULT_AXES = 6
"""Maximum number of hyperparameters of that branch."""


@dataclass(frozen=True)
class ParallelAxis:
    """One vertical axis, from 0 (bottom) to 1.

    Attributes:
        name: The hyperparameter, or :data:`ERROR`.
        choices: Number of choices, at the middles of equal intervals; 0 for numbers.
        special: Height and name of the position for trials without a value; the name is empty if
            all have one.
    """

    name: str
    title: str
    ticks: tuple[tuple[float, str], ...]
    choices: int
    special: tuple[float, str]


def make_parameter_axis(space: Space, name: str, *, is_short: bool) -> ParallelAxis:
    """Return the axis of a hyperparameter with several values."""
    parameter = space.get_parameter(name)
    axis = parameter.make_axis()
    assert axis is not None, "only hyperparameters with several values have a column"
    title = name.rsplit(".", 1)[-1] if is_short else get_parameter_name(name)
    missing_position = (INACTIVE, tr("not active") if parameter.conditions else "")
    raw_choices = getattr(parameter, "choices", ())
    if raw_choices:
        choices = tuple(format_choice(name, choice) for choice in raw_choices)
        ticks = tuple(((k + 0.5) / len(choices), each) for k, each in enumerate(choices))
        return ParallelAxis(name, title, ticks, len(choices), missing_position)
    values = _choose_tick_values(axis.low, axis.high, axis.log)
    if axis.discrete:
        values = sorted({float(round(value)) for value in values})
    scaled = [(math.log(v) if axis.log else v) for v in values]
    ticks = tuple(
        ((position - axis.start) / axis.width, text)
        for position, text in zip(scaled, _format_values(values, log=axis.log), strict=True)
    )
    return ParallelAxis(
        name, tr("{name} (log)", name=title) if axis.log else title, ticks, 0, missing_position
    )


def _format_values(values: Sequence[float], *, log: bool) -> list[str]:
    """Format the values of an axis, powers of ten by one rule: "0.01", "250", "10⁻⁵"."""
    powers = [math.log10(value) for value in values] if log else []
    if powers and all(abs(power - round(power)) < 1e-9 for power in powers):
        low, high = round(powers[0]), round(powers[-1])
        return [localise_number(format_decade(round(power), low, high)) for power in powers]
    return [number(value, ".3g") for value in values]


def _choose_tick_values(low: float, high: float, log: bool) -> list[float]:
    """Return low, high and some round numbers between them."""
    if not log:
        return [float(value) for value in np.linspace(low, high, 3)]
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first < 1:
        middle = float(f"{math.sqrt(low * high):.1g}")
        return [low, middle, high] if low < middle < high else [low, high]
    step = -(-(last - first) // (_MAX_TICKS - 1))
    return [10.0**power for power in range(first, last + 1, step)]


def make_error_axis(
    measure: Measure, losses: Floats, scale_losses: Floats | None = None
) -> tuple[ParallelAxis, Floats]:
    """Return the error's axis and the trials' heights on it, (t,).

    It ranges from the best trial (0) to the ninth decile (1); the worst tenth is drawn at 1. Ticks
    between the ends are at round numbers.

    Args:
        losses: Shape (t,). NaN for failed trials.
        scale_losses: Shape (k,). The losses of all runs on one scale; by default only these.
    """
    scale_losses = losses if scale_losses is None else scale_losses
    finite_losses, (low, high) = scale_losses[np.isfinite(scale_losses)], (0.0, 1.0)
    if len(finite_losses):
        low, high = float(finite_losses.min()), float(np.quantile(finite_losses, 0.9))
    width = high - low
    ticks = [(0.0 if width > 0 else 0.5, measure.format_loss(low))]
    if width > 0:
        inner = [((value - low) / width, value) for value in choose_ticks(low, high, _MAX_TICKS)]
        ticks += [
            (height, measure.format_briefly(value))
            for height, value in inner
            if _MIN_TICK_DISTANCE <= height <= 1 - _MIN_TICK_DISTANCE
        ]
        text = measure.format_loss(high)
        ticks.append((1.0, f"≥ {text}" if finite_losses.max() > high else text))
    heights = np.clip((losses - low) / width, 0, 1) if width > 0 else 0.5 + 0 * losses
    heights[~np.isfinite(losses)] = FAILED
    return ParallelAxis(ERROR, measure.title, tuple(ticks), 0, (FAILED, tr("no result"))), heights


def choose_default_axes(
    space: Space, series: RunSeries, others: Sequence[RunSeries] = ()
) -> tuple[str, ...]:
    """Return the axes: root choice, the most tried branch, and the error.

    Args:
        others: The adjacent runs, with which the run shares its axes.
    """
    columns = [parameter.name for parameter in space.columns]
    root = series.branch_parameter
    if root is None:
        return (*columns[:_MAX_DEFAULT_AXES], ERROR)
    most_tried = _find_most_tried(series, others)
    child_names = {
        child.name
        for child in space.list_children(root)
        if any(most_tried in map(str, condition.values or ()) for condition in child.conditions)
    }
    root_names = [name for name in columns if name == root]
    branch_names = [name for name in columns if name in child_names]
    branch_names = branch_names or [name for name in columns if name != root]
    return (*root_names, *branch_names[:_MAX_DEFAULT_AXES], ERROR)


def _find_most_tried(series: RunSeries, others: Sequence[RunSeries]) -> str:
    """Return the branch tried most recently, if possible by all runs together; empty if none."""
    alike = [each for each in others if each.branch_parameter == series.branch_parameter]
    counts: Counter[str] = Counter()
    for each in (series, *alike):
        counts.update(each.count_branches(_N_RECENT_TRIALS))
    common = set(series.branches).intersection(*(each.branches for each in alike))
    shared = [name for name in sorted(counts) if name in common]
    if alike and shared:
        # The same in all columns, also where two branches are tied.
        return max(shared, key=lambda name: counts[name])
    return next(iter(series.get_most_tried(_N_RECENT_TRIALS)), "")


def find_unique_tails(names: Sequence[str]) -> dict[str, bool]:
    """Return for each name whether its last part is unique."""
    last = [name.rsplit(".", 1)[-1] for name in names]
    return {name: last.count(tail) == 1 for name, tail in zip(names, last, strict=True)}


MAX_TRIALS = 2000

ERROR_GROUPS = 8
"""Steps of the colour scale, with equal numbers of trials."""


@dataclass(frozen=True)
class ParallelData:
    """Lines of n trials across a axes.

    Attributes:
        axes: Length a. From left to right.
        numbers: Shape (n,). Trial numbers, ascending.
        crossings: Shape (n, a). Where each trial crosses each axis, jittered.
        losses: Shape (n,). NaN for failed trials.
    """

    axes: tuple[ParallelAxis, ...]
    numbers: Integers
    crossings: Floats
    losses: Floats


class UnitRows:
    """The unit rows of a run's trials, encoded incrementally."""

    def __init__(self, space: Space, series: RunSeries) -> None:
        self.space, self.series = space, series
        self.columns = {parameter.name: k for k, parameter in enumerate(space.columns)}
        self._n_skipped = 0
        self._rows: Floats = np.empty((0, space.dimensions))

    def get_rows(self, first: int, last: int) -> Floats:
        """Return the unit rows of trials first + 1 to last, shape (n, D), NaN where inactive."""
        if not self._n_skipped <= first <= self._n_skipped + len(self._rows):
            self._n_skipped, self._rows = first, self._rows[:0]
        new_trials = self.series.trials[self._n_skipped + len(self._rows) : last]
        if new_trials:
            new_rows = encode(self.space, [trial.configuration for trial in new_trials])
            self._rows = np.concatenate([self._rows, new_rows])
        if len(self._rows) > 3 * MAX_TRIALS:
            self._rows = self._rows[first - self._n_skipped :]
            self._n_skipped = first
        return self._rows[first - self._n_skipped : last - self._n_skipped]


def make_parallel_data(
    units: UnitRows, names: Sequence[str], iteration: int, others: Sequence[RunSeries] = ()
) -> ParallelData:
    """Build the lines of the newest :data:`MAX_TRIALS` trials over axes, from left to right.

    Args:
        others: The adjacent runs; with those of the same metric it shares the error's axis.
    """
    first = max(0, iteration - MAX_TRIALS)
    rows = units.get_rows(first, iteration)
    losses = units.series.losses[first:iteration]
    has_unique_tail = find_unique_tails([name for name in names if name != ERROR])
    axes, columns, spread = [], [], []
    for name in names:
        if name == ERROR:
            axis, heights = make_error_axis(
                units.series.measure, losses, _collect_losses(units.series, others)
            )
            half_width = 0.0
        else:
            axis = make_parameter_axis(units.space, name, is_short=has_unique_tail[name])
            heights = np.nan_to_num(rows[:, units.columns[name]], nan=INACTIVE)
            half_width = 0.5 / axis.choices if axis.choices else 0.0
        axes.append(axis)
        columns.append(heights)
        spread.append(half_width)
    heights = np.column_stack(columns) if columns else np.empty((len(rows), 0))
    numbers = np.arange(first + 1, first + len(rows) + 1, dtype=np.int64)
    width = np.where(heights == INACTIVE, 0.05, np.array(spread)[None, :])
    crossings = heights + compute_jitter(numbers)[:, None] * width
    return ParallelData(axes=tuple(axes), numbers=numbers, crossings=crossings, losses=losses)


def _collect_losses(series: RunSeries, others: Sequence[RunSeries]) -> Floats | None:
    """Return the losses of all runs with the same metric, (k,); ``None`` for a single run."""
    alike = [each.losses for each in others if each.measure == series.measure]
    return np.concatenate([series.losses, *alike]) if alike else None


def group_by_error(losses: Floats) -> Integers:
    """Return each trial's step of the colour scale, (t,): 0 for the best, -1 for failed ones."""
    groups = np.full(len(losses), -1, dtype=np.int64)
    succeeded = np.flatnonzero(np.isfinite(losses))
    if len(succeeded):
        # Equal losses get equal colours.
        _, ranks, counts = np.unique(losses[succeeded], return_inverse=True, return_counts=True)
        counts_before = np.append(0, counts.cumsum()[:-1])[ranks]
        groups[succeeded] = counts_before * ERROR_GROUPS // len(succeeded)
    return groups


def make_line_arrays(heights: Floats) -> tuple[Floats, Floats]:
    """Return x and y, (n (a + 1),), of a path of n lines with heights (n, a), NaN between lines."""
    count, width = heights.shape
    gap = np.full((count, 1), np.nan)
    x = np.tile(np.arange(width, dtype=float), (count, 1))
    return np.hstack([x, gap]).ravel(), np.hstack([heights, gap]).ravel()


def find_nearest_line(data: ParallelData, x: float, y: float, tolerance: float) -> int:
    """Return the index of the line within ``tolerance`` of a point; -1 for none."""
    axes = len(data.axes)
    if axes < 2 or not len(data.numbers) or not -0.1 <= x <= axes - 0.9:
        return -1
    left = min(max(int(x), 0), axes - 2)
    share = min(max(x - left, 0.0), 1.0)
    heights = (1 - share) * data.crossings[:, left] + share * data.crossings[:, left + 1]
    distances = np.abs(heights - y)
    index = int(distances.argmin())
    return index if distances[index] <= tolerance else -1


def describe_line(data: ParallelData, series: RunSeries, index: int) -> str:
    """Describe a trial: its error and its values on the axes."""
    number = int(data.numbers[index])
    trial = series.get_trial(number)
    if trial is None:
        return ""
    loss = describe_status(trial) if trial.loss is None else series.measure.format_loss(trial.loss)
    values = [
        f"{axis.title} = {format_named_value(axis.name, trial.configuration[axis.name])}"
        for axis in data.axes
        if axis.name in trial.configuration and axis.name != series.branch_parameter
    ]
    return "  ·  ".join([series.get_name(number), loss, *values])


def summarise_plot(count: int) -> str:
    """Return the number of drawn trials, in words."""
    if count == MAX_TRIALS:
        return tr("the newest {count} trials", count=group_digits(count))
    return ntr("{count} trial", "{count} trials", count)
