"""Parallel coordinates: each trial as a line over its hyperparameters and its error."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QFontMetrics

from studio.arrays import Floats, Integers
from studio.errors import StudioError
from studio.figures.axes import choose_ticks
from studio.figures.compose import compute_jitter
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import BAD, SURFACE, TEXT, make_series_ink
from studio.figures.marks import Line, Mark, Rule, WordMarks
from studio.gui.base import theme
from studio.gui.plots.base.plot import SEARCH, Columns, PlotOf
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.parameter_ticks import make_parameter_ticks
from studio.gui.session.learner_names import (
    format_named_value,
    get_bare_parameter_name,
    get_parameter_name,
)
from studio.gui.session.wording import describe_status
from studio.language import N_, group_digits, ntr, tr, translate
from studio.measure import Measure
from studio.space.encoding import encode
from studio.space.space import Space

INACTIVE, FAILED = -0.14, 1.12
"""Heights of trials without the hyperparameter, and of failed trials."""

MAX_TRIALS = 1000
"""Number of newest trials drawn, which decide which branch is shown."""

ERROR_GROUPS = 8
"""Steps of the colour scale, with equal numbers of trials."""

_MAX_AXES, _MAX_TICKS = 6, 5
"""Maximum numbers of hyperparameters of that branch, and of round errors."""

_FRONT = ERROR_GROUPS + 1
"""Depth of the axes, in front of the lines."""

_HOVER_PIXELS = 8
"""Hover distance of a line in pixels."""

_MIN_OPACITY = 0.12
"""Opacity of the worst trials' lines; the best are opaque."""

_LABEL_OFFSET, _MAX_LABEL_WIDTH = 0.03, 0.96
"""Distance of labels from their axis, and their width between two axes, in axes."""

_MAX_MARGIN = 0.3
"""Maximum shares of the width before the first axis, and after the last axis."""

_LINE_SPACING, _HEIGHT_RANGE, _AXIS_HEIGHT = 1.25, FAILED - INACTIVE + 0.12, 30
"""Height of a label relative to its type size, range of the heights, and pixels below it."""


@dataclass(frozen=True)
class ParallelAxis:
    """One vertical axis, from 0 (bottom) to 1.

    Attributes:
        name: The hyperparameter; empty for the error.
        is_numeric: Whether its ticks are numbers; choices are at the middles of equal intervals.
    """

    name: str
    title: str
    ticks: tuple[tuple[float, str], ...]
    is_numeric: bool = True


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


class ParallelPlot(PlotOf[ParallelData]):
    """Lines over the axes of the most tried branch, coloured by error."""

    key = "parallel"
    title = N_("Parallel coordinates")
    search_terms = N_("all trials lines axes")
    question = SEARCH
    summary = N_(
        "Every line is a trial: follow it from axis to axis to see what was tried and how good "
        "it was."
    )
    explanation = N_(
        "Each upright axis is a hyperparameter of the algorithm tried most, the last one is the "
        "error (low is good), and each trial is one line that crosses every axis at its value. "
        "A trial that does not use a hyperparameter crosses it below, at the place called not "
        "active. "
        "Where the lines of the best trials come together on an axis, that range of values is "
        "good; where they spread over it, that hyperparameter matters little."
    )
    source = N_("Inselberg 1985, The plane with parallel coordinates")
    needs_iteration = True

    def explain_empty(self, subject: Subject) -> str:
        """Return a message if the space is unreadable, or no trial has finished."""
        reason = super().explain_empty(subject)
        if reason:
            return reason
        if subject.space is None:
            return tr(
                "This run's space cannot be read, so there are no axes to draw. "
                "Its losses and members are in the other plots."
            )
        others = [each.series for each in subject.side_by_side]
        series, iteration = subject.series, subject.iteration
        self.data = None
        try:
            self.data = make_parallel_data(subject.space, series, iteration, others)
        except StudioError as error:
            return translate(str(error))
        return ""

    def make_figure(self, data: ParallelData, subject: Subject) -> Figure:
        """Return the lines, the best on top, with axes and ticks."""
        width, last = self.canvas.width(), max(len(data.axes) - 1, 1)
        labels = [_list_labels(data, index) for index in range(len(data.axes))]
        measure = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance
        padding = theme.pixels(2 * theme.GRID)
        left, right = (
            min(max(measure(text) for _, text in labels[end]) + padding, _MAX_MARGIN * width)
            for end in (0, -1)
        )
        gap = max(1.0, width - left - right) / last
        line_height = _LINE_SPACING * theme.pixels(theme.SMALL)
        min_distance = line_height * _HEIGHT_RANGE / max(1, self.canvas.height() - _AXIS_HEIGHT)
        marks = list(_make_lines(data))
        for index, axis in enumerate(data.axes):
            is_inner = 0 < index < last
            if is_inner and axis.is_numeric:  # a part of a number tells nothing
                room = _MAX_LABEL_WIDTH * gap - theme.GRID
                labels[index] = [each for each in labels[index] if measure(each[1]) <= room]
            marks.append(Rule(position=float(index), dashed=False, ink=TEXT, depth=_FRONT))
            max_width = left / gap if index == 0 else _MAX_LABEL_WIDTH if is_inner else math.inf
            marks.append(_make_label_mark(index, labels[index], min_distance, max_width))
        ticks = [(float(index), axis.title) for index, axis in enumerate(data.axes)]
        low, high = -left / gap - _LABEL_OFFSET, last + right / gap + _LABEL_OFFSET
        x = Axis(low=low, high=high, ticks=ticks, tick_overlap="cut", has_grid=False)
        low, high = INACTIVE - 0.06, FAILED + 0.06
        y = Axis(low=low, high=high, ticks=(), is_visible=False, has_grid=False)
        count = len(data.numbers)
        text = ntr("{count} trial", "{count} trials", count)
        if count == MAX_TRIALS:
            text = tr("the newest {count} trials", count=group_digits(count))
        return Figure(panels=[Panel(x=x, y=y)], marks=marks, default_text=text)

    def describe_hovered(self, data: ParallelData, subject: Subject, pointer: Pointer) -> str:
        index = find_nearest_line(data, pointer.x, pointer.y, _HOVER_PIXELS * pointer.dy)
        if index < 0:
            return ""
        series, trial = subject.series, subject.series.trials[data.numbers[index] - 1]
        texts = [series.get_name(trial.number), describe_status(trial)]
        if trial.loss is not None:
            texts[1] = series.measure.format_loss(trial.loss)
        for axis in data.axes:
            if axis.name in trial.configuration and axis.name != series.branch_parameter:
                value = format_named_value(axis.name, trial.configuration[axis.name])
                texts.append(f"{axis.title} = {value}")
        return "  ·  ".join(texts)

    def get_table_columns(self, data: ParallelData, subject: Subject) -> Columns:
        """Return the drawn trials with their values on the axes."""
        trials = [subject.series.trials[number - 1] for number in data.numbers.tolist()]
        names = [axis.name for axis in data.axes[:-1]]
        return {
            "trial": data.numbers,
            **{name: [trial.configuration.get(name, "") for trial in trials] for name in names},
            "loss": ["" if trial.loss is None else trial.loss for trial in trials],
        }


def make_error_axis(
    measure: Measure, losses: Floats, scale_losses: Floats
) -> tuple[ParallelAxis, Floats]:
    """Return the error's axis and the trials' heights on it, (t,).

    It ranges from the best trial (0) to the ninth decile (1); the worst tenth is drawn at 1.

    Args:
        losses: Shape (t,). NaN for failed trials.
        scale_losses: Shape (k,). The losses of all runs on one scale.
    """
    finite = scale_losses[np.isfinite(scale_losses)]
    low, high = np.quantile(finite, (0, 0.9)).tolist() if len(finite) else (0.0, 1.0)
    width = high - low
    best, worst = map(measure.format_loss, (low, high))
    if width > 0:
        inner = [
            ((value - low) / width, measure.format_briefly(value))
            for value in choose_ticks(low, high, _MAX_TICKS)
            if 0.08 <= (value - low) / width <= 0.92
        ]
        worst = f"≥ {worst}" if finite.max() > high else worst
        ticks, heights = [(0.0, best), *inner, (1.0, worst)], np.clip((losses - low) / width, 0, 1)
    else:
        ticks, heights = [(0.5, best)], 0.5 + 0 * losses
    heights[~np.isfinite(losses)] = FAILED
    return ParallelAxis("", measure.title, tuple(ticks)), heights


def choose_axes(space: Space, series: RunSeries, others: Sequence[RunSeries] = ()) -> list[str]:
    """Return the hyperparameters of the axes, shared with other runs: root choice, a branch."""
    columns = [parameter.name for parameter in space.columns]
    root = series.branch_parameter
    if root is None:
        return columns[:_MAX_AXES]
    alike = [series, *(each for each in others if each.branch_parameter == root)]
    counts = sum((each.count_branches(MAX_TRIALS) for each in alike), Counter[str]())
    common = set(series.branches).intersection(*(each.branches for each in alike))
    most_tried = max(sorted(common), key=lambda name: counts[name], default="")
    children = {
        child.name
        for child in space.list_children(root)
        if any(most_tried in map(str, condition.values or ()) for condition in child.conditions)
    }
    branch = [name for name in columns if name in children]
    branch = branch or [name for name in columns if name != root]
    return [*(name for name in columns if name == root), *branch[:_MAX_AXES]]


def make_parallel_data(
    space: Space, series: RunSeries, iteration: int, others: Sequence[RunSeries] = ()
) -> ParallelData:
    """Build the lines of the newest :data:`MAX_TRIALS` trials over hyperparameters and error.

    Args:
        others: The adjacent runs, whose axes are the same: that of the error for the same metric.

    Raises:
        SpaceError: If a trial is not of this space.
    """
    first = max(0, iteration - MAX_TRIALS)
    numbers = np.arange(first + 1, iteration + 1, dtype=np.int64)
    losses = series.losses[first:iteration]
    rows = encode(space, [trial.configuration for trial in series.trials[first:iteration]])
    positions = {parameter.name: index for index, parameter in enumerate(space.columns)}
    names = choose_axes(space, series, others)
    tails = Counter(map(get_bare_parameter_name, names))
    jitter = compute_jitter(numbers)
    axes, columns = [], []
    for name in names:
        parameter, tail = space.get_parameter(name), get_bare_parameter_name(name)
        ticks, axis = make_parameter_ticks(space, name), parameter.make_axis()
        title = tail if tails[tail] == 1 else get_parameter_name(name)
        if axis is not None and axis.log:
            title = tr("{name} (log)", name=title)
        is_numeric = not getattr(parameter, "choices", ())
        axes.append(ParallelAxis(name, title, ticks, is_numeric))
        heights = rows[:, positions[name]] + jitter * (0.0 if is_numeric else 0.5 / len(ticks))
        columns.append(np.where(np.isnan(heights), INACTIVE + 0.05 * jitter, heights))
    alike = [each.losses for each in others if each.measure == series.measure]
    scale = np.concatenate([series.losses, *alike]) if alike else losses
    error_axis, heights = make_error_axis(series.measure, losses, scale)
    crossings = np.column_stack([*columns, heights])
    return ParallelData((*axes, error_axis), numbers, crossings, losses)


def _make_lines(data: ParallelData) -> Iterator[Mark]:
    """Yield a path for each group of trials of similar error, the best last."""
    groups, opacities = group_by_error(data.losses), np.linspace(1.0, _MIN_OPACITY, ERROR_GROUPS)
    names = {0: tr("lowest error"), ERROR_GROUPS - 1: tr("highest error"), -1: tr("no result")}
    for depth, group in enumerate((-1, *reversed(range(ERROR_GROUPS)))):
        in_group = groups == group
        if in_group.any():
            # Lines are separated by NaN.
            y = np.pad(data.crossings[in_group], ((0, 0), (0, 1)), constant_values=np.nan)
            x = np.broadcast_to(np.arange(y.shape[1]), y.shape).astype(float)
            ink, name = BAD.with_opacity(0.4), names.get(group, "")
            if group >= 0:
                ink = make_series_ink(0, float(opacities[group]))
            yield Line(x=x.ravel(), y=y.ravel(), ink=ink, name=name, weight="hair", depth=depth)


def _list_labels(data: ParallelData, index: int) -> list[tuple[float, str]]:
    """Return the heights and texts of an axis' labels, those first that others must not cover.

    The levels of trials without a value or result are named once, if a line passes there.
    """
    (lowest, *others), labels = data.axes[index].ticks, []
    if index == 0 and (data.crossings < 0).any():
        labels.append((INACTIVE, tr("not active")))
    if index == len(data.axes) - 1 and (data.crossings[:, -1] > 1).any():
        labels.append((FAILED, tr("no result")))
    return [*labels, lowest, *reversed(others)]


def _make_label_mark(
    index: int, labels: Sequence[tuple[float, str]], min_distance: float, max_width: float
) -> WordMarks:
    """Return the labels of an axis: before the first one, over the lines at others.

    Args:
        min_distance: Minimum vertical distance of labels, in heights of the axes.
    """
    visible: list[tuple[float, str]] = []
    for height, text in labels:
        if all(abs(height - other) >= min_distance for other, _ in visible):
            visible.append((height, text))
    return WordMarks(
        x=np.full(len(visible), index + (_LABEL_OFFSET if index else -_LABEL_OFFSET)),
        y=np.array([height for height, _ in visible]),
        texts=[text for _, text in visible],
        depth=_FRONT + 1,
        is_right_aligned=not index,
        max_width=max_width,
        background=SURFACE.with_opacity(0.85),
    )


def group_by_error(losses: Floats) -> Integers:
    """Return each trial's step of the colour scale, (t,): 0 for the best, -1 for failed ones."""
    groups = np.full(len(losses), -1, dtype=np.int64)
    succeeded = np.flatnonzero(np.isfinite(losses))
    # The number of lower losses, so that equal losses get equal colours.
    ranks = np.searchsorted(np.sort(losses[succeeded]), losses[succeeded])
    groups[succeeded] = ranks * ERROR_GROUPS // max(1, len(succeeded))
    return groups


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
