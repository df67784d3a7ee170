"""Trials as lines across parallel axes, and which of them are selected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.figures.compose import jitter
from studio.gui.base.language import mark, ntr, setting, tr
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
from studio.space.encoding import encode
from studio.space.space import Space

COLOURS = {
    "error": mark("Colour: error"),
    "branch": mark("Colour: algorithm"),
}
"""What the lines' colours may mean."""

MOST_TRIALS = 2000
"""Lines drawn at most."""

ERROR_GROUPS = 8
"""Steps of the colour scale: as many trials in each."""

Brushes = Mapping[str, tuple[float, float]]
"""The interval of heights that is selected on an axis, by the axis's name."""


@dataclass(frozen=True)
class ParallelPicture:
    """Lines of n trials across a axes.

    Attributes
    ----------
    axes : tuple of ParallelAxis, length a
        From left to right.
    numbers : Integers, shape (n,)
        Trial numbers, ascending.
    heights : Floats, shape (n, a)
        Where each trial crosses each axis.
    drawn : Floats, shape (n, a)
        The same, spread a little where many lie at one place (choices, not active).
    selected : Flags, shape (n,)
        Whether each trial lies in all brushes.
    losses : Floats, shape (n,)
        NaN where a trial failed.
    """

    axes: tuple[ParallelAxis, ...]
    numbers: Integers
    heights: Floats
    drawn: Floats
    selected: Flags
    losses: Floats


class Units:
    """The unit rows of a run's trials; only what was not asked for before is encoded.

    Parameters
    ----------
    space : Space
        The run's space.
    series : RunSeries
        The run.
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
        if len(self._rows) > 3 * MOST_TRIALS:
            self._rows = self._rows[first - self._first :]
            self._first = first
        return self._rows[first - self._first : last - self._first]


def parallel_picture(
    units: Units, names: Sequence[str], iteration: int, brushes: Brushes
) -> ParallelPicture:
    """Make the lines of the newest :data:`MOST_TRIALS` trials up to an iteration.

    Parameters
    ----------
    units : Units
        The run.
    names : sequence of str
        Its axes, from left to right; :data:`ERROR` among them for the error.
    iteration : int
        The last trial drawn.
    brushes : Mapping
        Selected intervals; those of axes that are not shown do not count.
    """
    first = max(0, iteration - MOST_TRIALS)
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
            room = 0.5 / len(axis.choices) if axis.choices else 0.0
        axes.append(axis)
        columns.append(heights)
        spread.append(room)
    heights = np.column_stack(columns) if columns else np.empty((len(rows), 0))
    numbers = np.arange(first + 1, first + len(rows) + 1, dtype=np.int64)
    width = np.where(heights == INACTIVE, 0.05, np.array(spread)[None, :])
    selected = np.ones(len(rows), dtype=bool)
    for place, name in enumerate(names):
        if name in brushes:
            low, high = brushes[name]
            selected &= (heights[:, place] >= low) & (heights[:, place] <= high)
    return ParallelPicture(
        axes=tuple(axes),
        numbers=numbers,
        heights=heights,
        drawn=heights + jitter(numbers)[:, None] * width,
        selected=selected,
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


def line_arrays(drawn: Floats) -> tuple[Floats, Floats, Integers]:
    """Return x, y and connect of one path that draws n lines over a axes.

    Parameters
    ----------
    drawn : Floats, shape (n, a)
        Heights at x = 0, 1, …, a - 1.

    Returns
    -------
    x, y, connect : arrays, shape (n a,)
    """
    count, width = drawn.shape
    x = np.tile(np.arange(width, dtype=float), count)
    connect = np.ones((count, width), dtype=np.int32)
    connect[:, -1:] = 0
    return x, drawn.ravel(), connect.ravel().astype(np.int32)


def nearest_line(picture: ParallelPicture, x: float, y: float, reach: float) -> int:
    """Return the place of the selected line within ``reach`` of a point; -1 for none."""
    axes = len(picture.axes)
    if axes < 2 or not len(picture.numbers) or not -0.1 <= x <= axes - 0.9:
        return -1
    left = min(max(int(x), 0), axes - 2)
    share = min(max(x - left, 0.0), 1.0)
    heights = (1 - share) * picture.drawn[:, left] + share * picture.drawn[:, left + 1]
    away = np.where(picture.selected, np.abs(heights - y), np.inf)
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


def rest_words(picture: ParallelPicture, series: RunSeries, *, brushed: bool) -> str:
    """Say how many trials are selected and which is the best of them."""
    count = len(picture.numbers)
    if not brushed:
        if count == MOST_TRIALS:
            return tr("the newest {count} trials  ·  drag along an axis to select", count=count)
        trials = ntr("{count} trial", "{count} trials", count)
        return tr("{trials}  ·  drag along an axis to select trials", trials=trials)
    chosen = picture.selected
    words = tr(
        "{selected} of {trials} selected",
        selected=int(chosen.sum()),
        trials=ntr("{count} trial", "{count} trials", count),
    )
    losses = np.where(chosen, picture.losses, np.nan)
    if np.isfinite(losses).any():
        best = int(np.nanargmin(losses))
        words += "  ·  " + tr(
            "best of them: {trial}, {loss}",
            trial=series.name(int(picture.numbers[best])),
            loss=series.measure.text(float(losses[best])),
        )
    return words
