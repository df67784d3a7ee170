"""A figure: panels with axes, marks on them, and texts beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from studio.arrays import Floats
from studio.figures.ink import Ink
from studio.figures.marks import Mark

Ticks = Sequence[tuple[float, str]]
TickOverlap = Literal["all", "thin", "cut"]
"""Treatment of overlapping ticks: drawn anyway, only every n-th, or elided."""


@dataclass(frozen=True)
class Axis:
    """One side of a panel.

    Attributes:
        ticks: Named places; None: round numbers; empty: none.
        tick_overlap: Treatment of named places that are too close together.
        is_log: Whether coordinates are decimal logarithms, to be written as the values.
        is_visible: Whether there is a line with ticks at all.
        has_grid: Whether there are hairlines at the ticks.
        has_integers: Whether it counts: no labels between whole numbers.
        is_fitted_to_labels: Whether a left axis is as wide as its names, instead of all plots'
            width.
        max_tick: The largest labelled value; ``None`` for no limit.
        tick_scale: Size of the type of named places of a left axis, as a share of the usual one.
    """

    label: str = ""
    low: float = 0.0
    high: float = 1.0
    ticks: Ticks | None = None
    tick_overlap: TickOverlap = "all"
    is_log: bool = False
    has_tick_labels: bool = True
    is_visible: bool = True
    is_flipped: bool = False
    has_grid: bool = True
    has_integers: bool = False
    is_fitted_to_labels: bool = False
    max_tick: float | None = None
    tick_scale: float = 1.0


@dataclass(frozen=True)
class LineEnd:
    """The end of a line: its last value, and a label in its ink."""

    y: float
    text: str
    ink: Ink


@dataclass(frozen=True)
class Panel:
    """A pair of axes.

    Attributes:
        row, column: Its place among the others.
        fixed_width: Width of its column in pixels at the usual size of letters; 0: its share of the
            room.
        right_ticks: Names at the right edge; None for no such edge.
        end_labels: Labels at the ends of lines, used instead of such names and moved apart if
            close.
        square: Whether its drawing is as wide as high, if that takes most of the room; only in a
            single column.
    """

    x: Axis
    y: Axis
    height_share: int = 1
    row: int = 0
    column: int = 0
    fixed_width: int = 0
    title: str = ""
    right_ticks: Ticks | None = None
    end_labels: Sequence[LineEnd] = ()
    is_zoomable: bool = False
    square: bool = False


@dataclass(frozen=True)
class ColourScale:
    """The colour scale of a heat map: a name, and texts at both ends."""

    name: str
    low: str
    high: str


@dataclass(frozen=True)
class Figure:
    """A figure with its texts.

    Attributes:
        panels: Those of one column have the same x.
        marks: From the farthest to the nearest.
        summary: One line above; empty for the plot's own.
        default_text: The read-out's text without a pointer.
    """

    panels: Sequence[Panel]
    marks: Sequence[Mark]
    summary: str = ""
    default_text: str = ""
    scale: ColourScale | None = None


@dataclass(frozen=True)
class Pointer:
    """A hovered position in a figure.

    Attributes:
        x, y: In units of its axes.
        dx, dy: Size of a pixel there.
    """

    panel: int
    x: float
    y: float
    dx: float = field(default=1e-9)
    dy: float = field(default=1e-9)

    def find_nearest(self, x: Floats, y: Floats, pixels: float = 8.0) -> int | None:
        """Return the nearest of points, shape (n,), if near enough."""
        if not len(x):
            return None
        distances = np.hypot((x - self.x) / self.dx, (y - self.y) / self.dy)
        distances = np.where(np.isfinite(distances), distances, np.inf)
        index = int(distances.argmin())
        return index if distances[index] <= pixels else None
