"""Parallel coordinates: each trial as a line over its hyperparameters and its error."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtGui import QFontMetrics

from studio.errors import StudioError
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import BAD, MUTED, SURFACE, TEXT, Ink, make_series_ink
from studio.figures.marks import Line, Mark, Rule, WordMarks
from studio.gui.base import theme
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import SEARCH, Columns, PlotOf
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.parallel_model import (
    ERROR,
    ERROR_GROUPS,
    FAILED,
    INACTIVE,
    ParallelAxis,
    ParallelData,
    UnitRows,
    choose_default_axes,
    describe_line,
    find_nearest_line,
    group_by_error,
    make_line_arrays,
    make_parallel_data,
    summarise_plot,
)
from studio.language import N_, tr, translate

_HOVER_PIXELS = 8
"""Hover distance of a line in pixels."""

_MIN_OPACITY = 0.12
"""Opacity of the worst trials' lines; the best are opaque."""

_LABEL_OFFSET, _LABEL_BACKGROUND_OPACITY = 0.03, 0.85
"""Distance of labels from their axis, in axes, and the opacity of their background."""

_LABEL_SHARE = 1.0 - _LABEL_OFFSET - 0.01
"""Width of the labels between two axes, in axes."""

_MAX_LABEL_SHARE = 0.3
"""Maximum shares of the width before the first axis, and after the last axis."""

_LINE_SPACING, _HEIGHT_RANGE, _AXIS_HEIGHT = 1.25, FAILED - INACTIVE + 0.12, 30
"""Height of a label relative to its type size, range of the heights, and pixels below it."""

_LEVEL_TOLERANCE = 0.03
"""Vertical spread of lines without a value."""


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

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._units: UnitRows | None = None

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
        if self._units is None or self._units.series is not subject.series:
            self._units = UnitRows(subject.space, subject.series)
        others = [each.series for each in subject.side_by_side]
        names = choose_default_axes(subject.space, subject.series, others)
        try:
            self.data = make_parallel_data(self._units, names, subject.iteration, others)
        except StudioError as error:
            self.data = None
            return translate(str(error))
        return ""

    def clear(self) -> None:
        self._units = None

    def make_figure(self, data: ParallelData, subject: Subject) -> Figure:
        """Return the lines, the best on top, with axes and ticks."""
        last = max(len(data.axes) - 1, 1)
        data = _drop_wide_numbers(data, self.canvas.width())
        data, level_name = _name_level_once(data, self.canvas.width())
        left, right = _compute_label_margins(data, self.canvas.width(), level_name)
        ticks = [(float(index), axis.title) for index, axis in enumerate(data.axes)]
        panel = Panel(
            x=Axis(low=-left, high=last + right, ticks=ticks, tick_overlap="cut", has_grid=False),
            y=Axis(
                low=INACTIVE - 0.06, high=FAILED + 0.06, ticks=(), is_visible=False, has_grid=False
            ),
        )
        line_height = _LINE_SPACING * theme.pixels(theme.SMALL)
        min_distance = line_height * _HEIGHT_RANGE / max(1, self.canvas.height() - _AXIS_HEIGHT)
        marks = [*_make_lines(data), *_make_axes(data, min_distance, left, level_name)]
        return Figure(panels=[panel], marks=marks, default_text=summarise_plot(len(data.numbers)))

    def describe_hovered(self, data: ParallelData, subject: Subject, pointer: Pointer) -> str:
        index = find_nearest_line(data, pointer.x, pointer.y, _HOVER_PIXELS * pointer.dy)
        return "" if index < 0 else describe_line(data, subject.series, index)

    def get_table_columns(self, data: ParallelData, subject: Subject) -> Columns:
        """Return the drawn trials with their values on the axes."""
        trials = [subject.series.trials[number - 1] for number in data.numbers.tolist()]
        names = [axis.name for axis in data.axes if axis.name != ERROR]
        return {
            "trial": data.numbers,
            **{name: [trial.configuration.get(name, "") for trial in trials] for name in names},
            "loss": ["" if trial.loss is None else trial.loss for trial in trials],
        }


def _make_lines(data: ParallelData) -> Iterator[Mark]:
    """Yield a path for each group of trials of similar error, the best last."""
    groups = group_by_error(data.losses)
    names = {0: tr("lowest error"), ERROR_GROUPS - 1: tr("highest error"), -1: tr("no result")}
    for depth, group in enumerate((-1, *reversed(range(ERROR_GROUPS)))):
        in_group = groups == group
        if in_group.any():
            x, y = make_line_arrays(data.crossings[in_group])
            ink, name = _get_group_ink(group), names.get(group, "")
            yield Line(x=x, y=y, ink=ink, name=name, weight="hair", depth=depth)


def _get_group_ink(group: int) -> Ink:
    """Return the ink of a group of errors, from 0, the best; -1: failed."""
    if group < 0:
        return BAD.with_opacity(0.4)
    return make_series_ink(0, float(np.linspace(1.0, _MIN_OPACITY, ERROR_GROUPS)[group]))


def _compute_room(data: ParallelData, width: int) -> float:
    """Return the pixels for a label between two axes on a canvas of this width."""
    left, right = _compute_label_margins(data, width)
    return width / (len(data.axes) - 1 + left + right) * _LABEL_SHARE - theme.GRID


def _drop_wide_numbers(data: ParallelData, width: int) -> ParallelData:
    """Return data without the numbers that do not fit beside inner axes: a part tells nothing."""
    room, measure = _compute_room(data, width), QFontMetrics(theme.font(theme.SMALL))
    axes = [
        axis
        if axis.choices or not 0 < index < len(data.axes) - 1
        else replace(
            axis,
            ticks=tuple(each for each in axis.ticks if measure.horizontalAdvance(each[1]) <= room),
        )
        for index, axis in enumerate(data.axes)
    ]
    return replace(data, axes=tuple(axes))


def _name_level_once(data: ParallelData, width: int) -> tuple[ParallelData, str]:
    """Return data whose axes do not name the level without a value, and its name.

    The name is then written before the first axis; it is empty, and the data are unchanged, if it
    fits beside all axes. A shortened name at each axis would tell nothing.
    """
    last = len(data.axes) - 1
    room = _compute_room(data, width)
    measure = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance
    names = [
        axis.special[1]
        for index, axis in enumerate(data.axes[1:last], 1)
        if _uses_level(data, index)
    ]
    if all(measure(each) <= room for each in names):
        return data, ""
    axes = tuple(
        replace(axis, special=(axis.special[0], "")) if 0 < index < last else axis
        for index, axis in enumerate(data.axes)
    )
    return replace(data, axes=axes), names[0]


def _uses_level(data: ParallelData, index: int) -> bool:
    """Return whether a line crosses an axis at its named level for trials without a value."""
    level, name = data.axes[index].special
    heights = data.crossings[:, index]
    return bool(name) and bool((np.abs(heights - level) <= _LEVEL_TOLERANCE).any())


def _compute_label_margins(
    data: ParallelData, width: int, level_name: str = ""
) -> tuple[float, float]:
    """Return the margins for labels before the first and after the last axis, in axes."""
    metrics = QFontMetrics(theme.font(theme.SMALL))

    def compute_needed_width(axis: ParallelAxis) -> float:
        texts = [text for _, text in (*axis.ticks, axis.special)]
        widest = max(map(metrics.horizontalAdvance, texts), default=0)
        half_width = max(widest, metrics.horizontalAdvance(axis.title) / 2)
        return min(half_width + theme.pixels(2 * theme.GRID), _MAX_LABEL_SHARE * width)

    left, right = compute_needed_width(data.axes[0]), compute_needed_width(data.axes[-1])
    if level_name:
        left = max(left, metrics.horizontalAdvance(level_name) + theme.pixels(2 * theme.GRID))
    gap = max(1.0, width - left - right) / max(len(data.axes) - 1, 1)
    return left / gap + _LABEL_OFFSET, right / gap + _LABEL_OFFSET


def _make_axes(
    data: ParallelData, min_distance: float, before: float, level_name: str = ""
) -> Iterator[Mark]:
    """Yield the axes and their labels: before the first axis, over the lines at other axes.

    Args:
        min_distance: Minimum vertical distance of labels, in heights of the axes.
        before: Margin before the first axis, in axes.
        level_name: The name of the level without a value before the first axis, if not beside each.
    """
    last = len(data.axes) - 1
    for index, axis in enumerate(data.axes):
        yield Rule(position=float(index), dashed=False, ink=TEXT, depth=ERROR_GROUPS + 1)
        named_level = [(INACTIVE, level_name)] if level_name and not index else []
        for ink, labels in _make_labels(data, index, axis, min_distance, named_level):
            if labels:
                heights, texts = zip(*labels, strict=True)
                label_x = index + (_LABEL_OFFSET if index else -_LABEL_OFFSET)
                x, y = np.full(len(labels), label_x), np.array(heights)
                max_width = math.inf if index == last else _LABEL_SHARE
                if not index:
                    max_width = before - _LABEL_OFFSET
                yield WordMarks(
                    x=x,
                    y=y,
                    texts=texts,
                    ink=ink,
                    depth=ERROR_GROUPS + 2,
                    is_right_aligned=not index,
                    max_width=max_width,
                    background=SURFACE.with_opacity(_LABEL_BACKGROUND_OPACITY),
                )


def _make_labels(
    data: ParallelData,
    index: int,
    axis: ParallelAxis,
    min_distance: float,
    named_level: Sequence[tuple[float, str]] = (),
) -> Iterator[tuple[Ink, list[tuple[float, str]]]]:
    """Yield the labels of an axis by ink: of its values, and of the position for no value.

    The latter is labelled only if a line passes there. Of overlapping labels, those at the ends are
    kept.
    """
    levels = [*named_level, *([axis.special] if _uses_level(data, index) else [])]
    used_heights = [height for height, _ in levels]
    ordered = sorted(axis.ticks)
    visible: list[tuple[float, str]] = []
    for height, text in (*ordered[:1], *ordered[:0:-1]):
        if text and all(abs(height - other) >= min_distance for other in used_heights):
            used_heights.append(height)
            visible.append((height, text))
    yield TEXT, visible
    yield MUTED, levels
