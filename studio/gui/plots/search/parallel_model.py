"""Trials as lines across parallel axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.figures.compose import jitter
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.search.parallel_axes_model import (
    ERROR,
    INACTIVE,
    ParallelAxis,
    error_axis,
    parameter_axis,
    short_titles,
)
from studio.gui.session.wording import status_word
from studio.language import grouped, ntr, setting, tr
from studio.space.encoding import encode
from studio.space.space import Space

MAX_TRIALS = 2000
"""Lines drawn at most."""

ERROR_GROUPS = 8
"""Steps of the colour scale: as many trials in each."""


@dataclass(frozen=True)
class ParallelPicture:
    """Lines of n trials across a axes.

    Attributes:
        axes: Length a. From left to right.
        numbers: Shape (n,). Trial numbers, ascending.
        drawn: Shape (n, a). Where each trial crosses each axis, spread a little where many lie at
            one place.
        losses: Shape (n,). NaN where a trial failed.
    """

    axes: tuple[ParallelAxis, ...]
    numbers: Integers
    drawn: Floats
    losses: Floats


class Units:
    """The unit rows of a run's trials; only what was not asked for before is encoded.

    Args:
        space: The run's space.
        series: The run.
    """

    def __init__(self, space: Space, series: RunSeries) -> None:
        self.space, self.series = space, series
        self.columns = {parameter.name: k for k, parameter in enumerate(space.columns)}
        self._first = 0
        self._rows: Floats = np.empty((0, space.dimensions))

    def rows(self, first: int, last: int) -> Floats:
        """Return the unit rows of trials first + 1 to last, shape (n, D), NaN where inactive."""
        if not self._first <= first <= self._first + len(self._rows):
            self._first, self._rows = first, self._rows[:0]
        new = self.series.trials[self._first + len(self._rows) : last]
        if new:
            more = encode(self.space, [trial.configuration for trial in new])
            self._rows = np.concatenate([self._rows, more])
        if len(self._rows) > 3 * MAX_TRIALS:
            self._rows = self._rows[first - self._first :]
            self._first = first
        return self._rows[first - self._first : last - self._first]


def parallel_picture(units: Units, names: Sequence[str], iteration: int) -> ParallelPicture:
    """Make the lines of the newest :data:`MAX_TRIALS` trials up to an iteration.

    Args:
        units: The run.
        names: Its axes, from left to right; :data:`ERROR` among them for the error.
        iteration: The last trial drawn.
    """
    first = max(0, iteration - MAX_TRIALS)
    rows = units.rows(first, iteration)
    losses = units.series.losses[first:iteration]
    short = short_titles([name for name in names if name != ERROR])
    axes, columns, spread = [], [], []
    for name in names:
        if name == ERROR:
            axis, heights = error_axis(units.series.measure, losses)
            room = 0.0
        else:
            axis = parameter_axis(units.space, name, short=short[name])
            heights = np.nan_to_num(rows[:, units.columns[name]], nan=INACTIVE)
            room = 0.5 / axis.choices if axis.choices else 0.0
        axes.append(axis)
        columns.append(heights)
        spread.append(room)
    heights = np.column_stack(columns) if columns else np.empty((len(rows), 0))
    numbers = np.arange(first + 1, first + len(rows) + 1, dtype=np.int64)
    width = np.where(heights == INACTIVE, 0.05, np.array(spread)[None, :])
    return ParallelPicture(
        axes=tuple(axes),
        numbers=numbers,
        drawn=heights + jitter(numbers)[:, None] * width,
        losses=losses,
    )


def error_groups(losses: Floats) -> Integers:
    """Return each trial's step of the colour scale, (t,): 0 for the best, -1 for failed ones."""
    groups = np.full(len(losses), -1, dtype=np.int64)
    good = np.flatnonzero(np.isfinite(losses))
    if len(good):
        # Equal losses get equal colours.
        _, ranks, counts = np.unique(losses[good], return_inverse=True, return_counts=True)
        before = np.append(0, counts.cumsum()[:-1])[ranks]
        groups[good] = before * ERROR_GROUPS // len(good)
    return groups


def line_arrays(drawn: Floats) -> tuple[Floats, Floats]:
    """Return x and y of one path that draws n lines over a axes, NaN between lines.

    Args:
        drawn: Shape (n, a). Heights at x = 0, 1, …, a - 1.

    Returns:
        x, y: Shape (n (a + 1),).
    """
    count, width = drawn.shape
    gap = np.full((count, 1), np.nan)
    places = np.tile(np.arange(width, dtype=float), (count, 1))
    return np.hstack([places, gap]).ravel(), np.hstack([drawn, gap]).ravel()


def nearest_line(picture: ParallelPicture, x: float, y: float, reach: float) -> int:
    """Return the place of the line within ``reach`` of a point; -1 for none."""
    axes = len(picture.axes)
    if axes < 2 or not len(picture.numbers) or not -0.1 <= x <= axes - 0.9:
        return -1
    left = min(max(int(x), 0), axes - 2)
    share = min(max(x - left, 0.0), 1.0)
    heights = (1 - share) * picture.drawn[:, left] + share * picture.drawn[:, left + 1]
    away = np.abs(heights - y)
    place = int(away.argmin())
    return place if away[place] <= reach else -1


def line_words(picture: ParallelPicture, series: RunSeries, place: int) -> str:
    """Say which trial a line is, its error and its values on the axes."""
    number = int(picture.numbers[place])
    trial = series.trial(number)
    if trial is None:
        return ""
    loss = status_word(trial) if trial.loss is None else series.measure.text(trial.loss)
    values = [
        f"{axis.title} = {setting(trial.configuration[axis.name])}"
        for axis in picture.axes
        if axis.name in trial.configuration and axis.name != series.branch_parameter
    ]
    return "  ·  ".join([series.name(number), loss, *values])


def rest_words(count: int) -> str:
    """Say how many trials are drawn."""
    if count == MAX_TRIALS:
        return tr("the newest {count} trials", count=grouped(count))
    return ntr("{count} trial", "{count} trials", count)
