"""A figure: panels with axes, marks on them, and texts beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from studio.arrays import Floats
from studio.figures.ink import Ink
from studio.figures.marks import Mark

Ticks = Sequence[tuple[float, str]]
Crowd = Literal["all", "thin", "cut"]
"""Treatment of overlapping ticks: drawn anyway, only every n-th, or elided."""


@dataclass(frozen=True)
class Axis:
    """One side of a panel.

    Attributes:
        label: What it measures, with its unit.
        low, high: The range to begin with.
        ticks: Named places; None: round numbers; empty: none.
        crowd: How named places that are too close together are treated.
        log: Whether coordinates are decimal logarithms, to be written as the values.
        values: Whether the ticks are written.
        shown: Whether there is a line with ticks at all.
        flipped: Whether the lowest is on top.
        grid: Whether hairlines go through the panel at the ticks.
        whole: Whether it counts: nothing is written between two whole numbers.
        fitted: Whether a left axis is as wide as its names need, and not as all plots have it.
        top: Above it are no values, so no numbers are written there; None: the axis ends with
            its values.
    """

    label: str = ""
    low: float = 0.0
    high: float = 1.0
    ticks: Ticks | None = None
    crowd: Crowd = "all"
    log: bool = False
    values: bool = True
    shown: bool = True
    flipped: bool = False
    grid: bool = True
    whole: bool = False
    fitted: bool = False
    top: float | None = None


@dataclass(frozen=True)
class End:
    """The end of a line: its last value, and a label in its ink."""

    y: float
    text: str
    ink: Ink


@dataclass(frozen=True)
class Panel:
    """A pair of axes.

    Attributes:
        share: Of the figure's height.
        row, column: Its place among the others.
        wide: Pixels that its column has, at the usual size of letters; 0: its part of what there
            is.
        title: Above it; mostly empty.
        right: Names at the right edge; None: there is no such edge.
        ends: In place of such names, what lines end in; those that are close are moved apart.
        zooms: Whether the wheel and dragging show less or more of it.
    """

    x: Axis
    y: Axis
    share: int = 1
    row: int = 0
    column: int = 0
    wide: int = 0
    title: str = ""
    right: Ticks | None = None
    ends: Sequence[End] = ()
    zooms: bool = False


@dataclass(frozen=True)
class Scale:
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
        summary: One line above: what is seen; empty: the plot's own.
        rest: What the read-out says while nothing is pointed at.
        scale: Of heat maps.
    """

    panels: Sequence[Panel]
    marks: Sequence[Mark]
    summary: str = ""
    rest: str = ""
    scale: Scale | None = None


@dataclass(frozen=True)
class Pointer:
    """A hovered position in a figure.

    Attributes:
        panel: The panel's number.
        x, y: In units of its axes.
        dx, dy: What a pixel is worth there.
    """

    panel: int
    x: float
    y: float
    dx: float = field(default=1e-9)
    dy: float = field(default=1e-9)

    def nearest(self, x: Floats, y: Floats, pixels: float = 8.0) -> int | None:
        """Return the nearest of points, shape (n,), if near enough."""
        if not len(x):
            return None
        apart = np.hypot((x - self.x) / self.dx, (y - self.y) / self.dy)
        apart = np.where(np.isfinite(apart), apart, np.inf)
        found = int(apart.argmin())
        return found if apart[found] <= pixels else None
