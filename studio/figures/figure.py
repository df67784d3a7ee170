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
"""Treatment of overlapping ticks: all drawn, every n-th only, or elided."""


@dataclass(frozen=True)
class Axis:
    """One side of a panel.

    Attributes:
        ticks: Labelled positions; None: round numbers; empty: none.
        tick_overlap: Treatment of labelled positions that are too close together.
        is_log: Whether coordinates are decimal logarithms, labelled with the values themselves.
        is_visible: Whether the line and its ticks are drawn.
        has_grid: Whether there are hairlines at the ticks.
        has_integers: Whether values are counts: no labels between integers.
        is_fitted_to_labels: Whether the width of a left axis is that of its labels, not that of all
            plots.
        max_tick: The largest labelled value; ``None`` for no limit.
        tick_scale: Type size of labelled positions of a left axis, relative to the usual one.
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
        row, column: Its position in the grid of panels.
        fixed_width: Width of its column in pixels at the usual type size; 0: a share of the
            remaining space.
        right_ticks: Names at the right edge; None for no such edge.
        end_labels: Labels at the ends of lines, replacing ``right_ticks`` and moved apart if close.
        square: Whether its drawing area is square; only in a single column.
        fills_width: Whether a square area is stretched if it would leave most of the width empty.
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
    fills_width: bool = False


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
        panels: Panels of one column share the x-axis.
        marks: From back to front.
        lead: What the figure shows, in plain words; above the figure, if it is tall.
        summary: The description for the header's “?”; empty for the plot's summary.
        default_text: The read-out while nothing is hovered.
    """

    panels: Sequence[Panel]
    marks: Sequence[Mark]
    lead: str = ""
    summary: str = ""
    default_text: str = ""
    scale: ColourScale | None = None


@dataclass(frozen=True)
class Pointer:
    """A hovered position in a figure.

    Attributes:
        x, y: In units of its axes.
        dx, dy: Size of a pixel in these units.
    """

    panel: int
    x: float
    y: float
    dx: float = field(default=1e-9)
    dy: float = field(default=1e-9)

    def find_nearest(self, x: Floats, y: Floats, max_pixels: float = 8.0) -> int | None:
        """Return the index of the nearest point, (n,), if within ``max_pixels``."""
        if not len(x):
            return None
        distances = np.hypot((x - self.x) / self.dx, (y - self.y) / self.dy)
        distances = np.where(np.isfinite(distances), distances, np.inf)
        index = int(distances.argmin())
        return index if distances[index] <= max_pixels else None
