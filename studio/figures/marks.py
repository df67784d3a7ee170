"""Marks: lines, dots, bands, bars, matrices, with their data, ink and legend entry.

All coordinates are in the units of the panel's axes. Marks are painted in the order of the list,
unless they declare a ``depth``; those with a ``name`` appear in the legend in that order.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.figures.ink import SURFACE, TEXT, Ink

Shape = Literal[
    "dot", "ring", "cross", "plus", "triangle", "up", "right", "diamond", "star", "square", "peak"
]
"""Symbols of dots: a triangle points down ("up": up, "right": right); rings, crosses, pluses and
peaks (hollow triangles) are outlines.
"""

Weight = Literal["hair", "line", "thick"]
Sample = Literal[
    "line",
    "dash",
    "dot",
    "ring",
    "cross",
    "plus",
    "triangle",
    "down",
    "right",
    "peak",
    "tick",
    "square",
    "band",
]
"""A mark's symbol in the legend; a triangle points up unless named otherwise."""


_SAMPLES: Mapping[str, Sample] = {
    "ring": "ring", "cross": "cross", "plus": "plus", "triangle": "down", "up": "triangle",
    "right": "right", "peak": "peak",
}  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Mark:
    """Common base of marks.

    Attributes:
        name: In the legend; empty for no entry.
        sample: Its symbol in the legend; by default that of its type.
        depth: Marks with a higher depth are in front; by default the index in the list.
    """

    ink: Ink = TEXT
    name: str = ""
    sample: Sample | None = None
    panel: int = 0
    depth: float | None = None

    @property
    def legend_sample(self) -> Sample:
        """The mark's sample in the legend."""
        return self.sample or self._get_default_sample()

    @property
    def legend_ink(self) -> Ink:
        """The ink of its sample in the legend."""
        return self.ink

    def _get_default_sample(self) -> Sample:
        return "square"


@dataclass(frozen=True, eq=False, kw_only=True)
class LegendItem(Mark):
    """An additional entry of the legend; nothing is painted."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Line(Mark):
    """A line through points; NaN breaks it.

    Attributes:
        x, y: Shape (n,).
        is_segments: Whether every two points form a separate stroke.
        dotted: Whether its points are marked by dots.
    """

    x: Floats
    y: Floats
    dotted: bool = False
    dashed: bool = False
    weight: Weight = "line"
    is_segments: bool = False

    def _get_default_sample(self) -> Sample:
        return "dash" if self.dashed else "line"


@dataclass(frozen=True, eq=False, kw_only=True)
class Area(Mark):
    """The area between a line (``x``, ``y``, shape (n,)) and a floor."""

    x: Floats
    y: Floats
    floor: float = 0.0
    edge: Ink | None = None

    @property
    def legend_ink(self) -> Ink:
        return self.edge or self.ink


@dataclass(frozen=True, eq=False, kw_only=True)
class Band(Mark):
    """The area between two lines.

    Attributes:
        x, low: Shape (n,). The lower line.
        high: Shape (n,). The upper line; shape (m,) with ``high_x``.
        high_x: Shape (m,). The vertices of the upper line.
    """

    x: Floats
    low: Floats
    high: Floats
    high_x: Floats | None = None

    def _get_default_sample(self) -> Sample:
        return "band"


@dataclass(frozen=True, eq=False, kw_only=True)
class Dots(Mark):
    """Symbols at points; non-finite points are skipped.

    Attributes:
        x, y: Shape (n,).
        size: Shape (n,). Diameter in pixels at a scale of 1.
        outline: Whether they have a hairline border.
        weight: Weight of the pen, if any.
        inks: Length n. Inks of the dots; empty: ``ink`` for all.
    """

    x: Floats
    y: Floats
    shape: Shape = "dot"
    size: float | Floats = 6.0
    outline: Ink | None = SURFACE
    weight: Weight = "line"
    inks: Sequence[Ink] = ()

    def _get_default_sample(self) -> Sample:
        return _SAMPLES.get(self.shape, "dot")


@dataclass(frozen=True, eq=False, kw_only=True)
class Boxes(Mark):
    """Rectangles from (``x0``, ``y0``) to (``x1``, ``y1``), shape (n,) each."""

    x0: Floats
    x1: Floats
    y0: Floats
    y1: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class ThinBoxes(Boxes):
    """Rectangles, many narrower than a pixel; each is painted at least one pixel wide."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rule(Mark):
    """A line through the whole panel, vertical unless ``is_horizontal``; NaN: none."""

    position: float
    is_horizontal: bool = False
    dashed: bool = True
    weight: Weight = "hair"

    def _get_default_sample(self) -> Sample:
        return "dash" if self.dashed else "line"


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelSpan(Mark):
    """A horizontal region through the whole panel, from one y to another."""

    low: float
    high: float

    def _get_default_sample(self) -> Sample:
        return "band"


@dataclass(frozen=True, eq=False, kw_only=True)
class Heatmap(Mark):
    """A matrix in the colours of a scale, higher values in stronger contrast; NaN cells are empty.

    Attributes:
        values: Shape (rows, columns). In [0, 1] of the scale; the first row has the lowest y.
        texts: The cells' texts, shown if they fit; empty: none.
        has_off_diagonal_hue: Whether off-diagonal cells have another hue.
    """

    values: Floats
    left: float = 0.0
    bottom: float = 0.0
    width: float = 1.0
    height: float = 1.0
    texts: Sequence[Sequence[str]] = ()
    has_off_diagonal_hue: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class CellMatrix(Mark):
    """A matrix of cells, each with an ink and an opacity.

    Attributes:
        ink_indices: Shape (rows, columns) or (rows, 1). Index in ``inks`` for each cell or row.
        alphas: Shape (rows, columns). In [0, 1].
    """

    ink_indices: Integers
    alphas: Floats
    inks: Sequence[Ink]
    left: float = 0.0
    bottom: float = 0.0
    width: float = 1.0
    height: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class WordMarks(Mark):
    """Short texts starting at points (``x``, ``y``, shape (n,)), vertically centred.

    Attributes:
        is_right_aligned: Whether they end at the points instead.
        max_width: Maximum width of each text, in units of x; longer texts are elided.
        background: Background ink of each text; ``None`` for no background.
        short_texts: Shown where one of the texts would take most of the width; empty for none.
    """

    x: Floats
    y: Floats
    texts: Sequence[str]
    short_texts: Sequence[str] = ()
    is_right_aligned: bool = False
    max_width: float = math.inf
    background: Ink | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class EmptyPanelText(Mark):
    """A sentence in the centre of its panel, in place of missing content."""

    text: str


def make_strokes(
    low: Floats, high: Floats, positions: Floats, *, is_horizontal: bool
) -> tuple[Floats, Floats]:
    """Return x and y of vertical strokes in pairs, from low to high; shape (2n,) each."""
    ends = np.stack([low, high], axis=1).ravel()
    doubled_positions = np.repeat(positions, 2)
    return (ends, doubled_positions) if is_horizontal else (doubled_positions, ends)


def are_finite(*columns: AnyArray) -> Flags:
    """Return the rows in which all columns are finite, shape (n,)."""
    is_finite: Flags = np.logical_and.reduce([np.isfinite(column) for column in columns])
    return is_finite
