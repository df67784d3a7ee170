"""Rows above the progress plot's curves, and the trials' dots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from studio.arrays import Floats
from studio.figures.compose import clip_dots
from studio.figures.figure import LineEnd
from studio.figures.ink import BAD, MUTED, Ink
from studio.figures.marks import Band, Dots, LevelSpan, Line, Mark, Shape
from studio.gui.base import theme
from studio.gui.plots.quality.progress_model import ProgressData
from studio.language import group_digits, tr

_COPIED_OPACITY = 0.4
"""Opacity of the symbols of trials before a fork."""

_ROW, _AXIS_HEIGHT, _MIN_SCALE_HEIGHT = 18, 44, 80
"""Height of a row of the strip, of the axis below a plot's scale, and minimum height of a scale, in
pixels at a scale of 1."""


def make_strip(data: ProgressData, height: float, *, has_fork: bool) -> "Strip":
    """Return the rows above the curves, as high as their symbols on a canvas of this height."""
    pixels = max(theme.pixels(_MIN_SCALE_HEIGHT), height - theme.pixels(_AXIS_HEIGHT))
    row = (data.high - data.low) * theme.pixels(_ROW) / pixels
    kinds = {"failed": data.has_failed, "early": data.has_early, "late": data.has_late}
    rows = [kind for kind, is_present in kinds.items() if is_present]
    levels = {kind: (k + 0.5) * row for k, kind in enumerate(rows)}
    return Strip(data.high + row * data.has_outside, levels, row, has_fork=has_fork)


@dataclass(frozen=True)
class Strip:
    """Rows above the curves for trials beyond the scale, and for those without an error.

    Attributes:
        low: Start of the rows of trials without an error, which would seem best at the bottom.
        levels: Height of the middle of each row above ``low``, by its content.
        row: Height of a row, in the unit of the scale.
        has_fork: Whether a last row, without symbols, names the fork.
    """

    low: float
    levels: Mapping[str, float]
    row: float
    has_fork: bool = False

    @property
    def top(self) -> float:
        """The end of the strip."""
        return self.low + (len(self.levels) + self.has_fork) * self.row

    @property
    def outside(self) -> float:
        """The middle of the row of trials beyond the scale, if there are any."""
        return self.low - self.row / 2

    @property
    def fork(self) -> float:
        """The middle of the row that names a fork."""
        return self.top - self.row / 2

    def make_end_labels(self, data: ProgressData) -> list[LineEnd]:
        """Return the names of the rows that hold symbols of the run, placed beside them."""
        templates = {
            "failed": tr("failed: {count}"),
            "early": tr("ended early: {count}"),
            "late": tr("not finished: {count}"),
        }
        counts = {kind: int((getattr(data, kind) > data.fork).sum()) for kind in templates}
        return [
            LineEnd(
                self.low + level,
                templates[kind].format(count=group_digits(counts[kind])),
                BAD if kind == "failed" else MUTED,
            )
            for kind, level in self.levels.items()
            if counts[kind]
        ]

    def make_marks(self, data: ProgressData) -> Iterable[Mark]:
        """Yield the strip's background and symbols."""
        if not self.levels:
            return
        upper = self.low + len(self.levels) * self.row
        if not self.has_fork:
            upper += data.high - data.low  # fills the remaining space above the axis
        fill_colour = MUTED.with_opacity(0.1)
        name = tr("trials not fully trained")
        yield LevelSpan(low=self.low, high=upper, ink=fill_colour, depth=-4, name=name)
        kinds: list[tuple[str, Floats, Shape, Ink, str]] = [
            ("failed", data.failed, "triangle", BAD, tr("failed trials: {count}")),
            ("early", data.early, "cross", MUTED, tr("ended early: {count}")),
            ("late", data.late, "cross", MUTED, tr("not finished: {count}")),
        ]
        for kind, x, shape, ink, template in kinds:
            own_x, copied_x = x[x > data.fork], x[x <= data.fork]
            if len(own_x):
                legend_name = template.format(count=group_digits(len(own_x)))
                yield _make_symbols(own_x, self.low + self.levels[kind], shape, ink, legend_name)
            if len(copied_x):  # trials of the parent run are not counted
                faint = ink.with_opacity(_COPIED_OPACITY)
                yield _make_symbols(copied_x, self.low + self.levels[kind], shape, faint, "")


def _make_symbols(x: Floats, level: float, shape: Shape, ink: Ink, name: str) -> Dots:
    y = np.full(len(x), level)
    return Dots(x=x, y=y, shape=shape, size=9, outline=None, ink=ink, depth=8, name=name)


def make_trial_marks(data: ProgressData, strip: "Strip", ink: Ink) -> Iterable[Mark]:
    """Yield the run's trials in an ink; those beyond the scale are arrows above it."""
    x, y = data.dots.T
    is_outside = y > data.high
    name = tr("each trial")
    # Behind the curves, and without outlines, which would cut them where dots are dense.
    dots = Dots(
        x=x[~is_outside],
        y=y[~is_outside],
        size=7,
        ink=ink.with_opacity(0.7),
        outline=None,
        depth=1,
        name=name,
    )
    yield from clip_dots(dots, data.low, strip.low)
    if is_outside.any():
        levels = np.full(int(is_outside.sum()), strip.outside)
        yield replace(dots, x=x[is_outside], y=levels, shape="up", size=10, name="")


def end_at_scale(mark: Mark, high: float) -> Mark:
    """Return a curve or band clipped at the end of the scale, beyond which the rows are."""
    if isinstance(mark, Band):
        return replace(mark, low=np.minimum(mark.low, high), high=np.minimum(mark.high, high))
    if not isinstance(mark, Line):
        return mark
    is_above = mark.y > high
    is_drop = is_above & (np.append(~is_above[1:], False) | np.insert(~is_above[:-1], 0, False))
    y = np.where(is_drop, high, np.where(is_above, np.nan, mark.y))
    # Between a rise and a fall there is no line along the end of the scale.
    gaps = np.flatnonzero(is_drop[:-1] & is_drop[1:]) + 1
    return replace(mark, x=np.insert(mark.x, gaps, mark.x[gaps]), y=np.insert(y, gaps, np.nan))
