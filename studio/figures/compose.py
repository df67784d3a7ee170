"""Groups of marks shared by several figures."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.figures.figure import Axis, Panel
from studio.figures.ink import MUTED, Ink
from studio.figures.marks import (
    Area,
    Band,
    Boxes,
    Dots,
    Heatmap,
    LegendItem,
    Line,
    Mark,
    Shape,
    make_strokes,
)

HALF_STEP_WIDTH = 0.3
"""Half the width of a step of a choice; choices are 1 apart."""

_BAR_THICKNESS, _MIN_ROWS = 0.62, 5
"""Height of a horizontal bar; minimum number of rows, which limits the bars' height."""


def make_expectation_marks(
    x: Floats, mean: Floats, low: Floats, high: Floats, ink: Ink, *, as_steps: bool
) -> Sequence[Mark]:
    """Return marks of an expected value over x with its spread; shape (n,) each.

    Both are drawn behind marks without a declared depth, at depths -1 and -3.

    Args:
        as_steps: Whether x is the index of a choice, so that there are no values in between.
    """
    faint = ink.with_opacity(0.2)
    if not as_steps:
        return [
            Line(x=x, y=mean, ink=ink, depth=-1),
            Band(x=x, low=low, high=high, ink=faint, depth=-3),
        ]
    x_strokes, level = make_strokes(
        x - HALF_STEP_WIDTH, x + HALF_STEP_WIDTH, mean, is_horizontal=True
    )
    return [
        Line(x=x_strokes, y=level, ink=ink, is_segments=True, depth=-1),
        Boxes(
            x0=x - HALF_STEP_WIDTH,
            x1=x + HALF_STEP_WIDTH,
            y0=low,
            y1=high,
            ink=faint,
            sample="band",
            depth=-3,
        ),
    ]


def make_acquisition_curve(x: Floats, y: Floats, ink: Ink, *, as_steps: bool) -> Area:
    """Return a filled curve y (n,) over x (n,), or a filled step for each choice on x."""
    if as_steps:
        zero = np.zeros(len(x))
        x = np.stack(
            [x - HALF_STEP_WIDTH, x - HALF_STEP_WIDTH, x + HALF_STEP_WIDTH, x + HALF_STEP_WIDTH],
            axis=1,
        ).ravel()
        y = np.stack([zero, y, y, zero], axis=1).ravel()
    return Area(x=x, y=y, ink=ink.with_opacity(0.2), edge=ink, sample="line")


def make_rows_axis(names: Sequence[str]) -> Axis:
    """Return the left axis of horizontal bars, the first on top."""
    high = max(len(names), _MIN_ROWS) - 0.4
    ticks = list(enumerate(names))
    return Axis(
        "",
        -0.6,
        high,
        ticks,
        tick_overlap="thin",
        is_flipped=True,
        has_grid=False,
        is_fitted_to_labels=True,
    )


def make_horizontal_bars(values: Floats, rows: Floats, ink: Ink, name: str) -> Boxes:
    """Return bars from 0 to their values, each in a row; shape (n,) each."""
    half = _BAR_THICKNESS / 2
    zero = np.zeros(len(values))
    return Boxes(x0=zero, x1=values, y0=rows - half, y1=rows + half, ink=ink, name=name)


def make_branch_keys(
    inks: Mapping[str, Ink], visible: Collection[str], title: Callable[[str], str]
) -> Sequence[LegendItem]:
    """Return the legend of visible branches, by title, in the order of the inks."""
    return [
        LegendItem(ink=ink, name=title(name))
        for name, ink in inks.items()
        if name and name in visible
    ]


_END_MARGIN = 0.03
"""Margin at the ends of an axis, as a share of it, within which a dot would be clipped."""


_OUTLIER_SIZE = 10.0
"""Size of the marker for a dot beyond an end, in pixels."""


def clip_dots(dots: Dots, low: float, high: float) -> Sequence[Dots]:
    """Move dots so that none is clipped or hidden at the ends of an axis.

    Dots beyond an end become triangles at that end, pointing outwards.

    Args:
        low, high: The ends of the vertical axis.
    """
    margin = _END_MARGIN * (high - low)
    is_above, is_below = dots.y > high - margin, dots.y < low + margin
    is_inside = ~(is_above | is_below)
    clipped = [replace(dots, x=dots.x[is_inside], y=dots.y[is_inside])]
    outliers: tuple[tuple[Flags, float, Shape], ...] = (
        (is_above, high - margin, "up"),
        (is_below, low + margin, "triangle"),
    )
    for mask, edge, shape in outliers:
        if mask.any():
            edge_values = np.full(int(mask.sum()), edge)
            mark = replace(
                dots, x=dots.x[mask], y=edge_values, shape=shape, size=_OUTLIER_SIZE, name=""
            )
            clipped.append(mark)
    return clipped


def compute_jitter(numbers: Integers) -> Floats:
    """Return offsets in [-½, ½) for numbered dots, to avoid overlap, shape (n,).

    The golden ratio spreads successive numbers evenly and reproducibly.
    """
    return (numbers.astype(np.float64) * 0.6180339887498949) % 1.0 - 0.5


def name_marks(marks: Sequence[Mark], *names: str) -> Sequence[Mark]:
    """Return marks with these names in the legend, in order."""
    return [replace(mark, name=name) for mark, name in zip(marks, names, strict=True)]


def make_iteration_axis(last: int, label: str = "") -> Axis:
    """Return the axis of iterations up to the last one, without tick labels unless named."""
    return Axis(label, 0.5, max(last, 1) + 0.5, has_tick_labels=bool(label), has_integers=True)


def make_count_axis(label: str, highest: float) -> Axis:
    """Return the axis of counts from 0, without fractions, however few there are."""
    return Axis(label, 0.0, 1.08 * max(1.0, highest), has_integers=True)


_SHARE_TICKS = [(k / 5, str(20 * k)) for k in range(6)]


def make_unit_panel(x_title: str, up: str) -> Panel:
    """Return a panel with shares in percent on both axes."""
    y = Axis(up, -0.01, 1.06, _SHARE_TICKS, is_fitted_to_labels=True)
    return Panel(x=Axis(x_title, -0.01, 1.03, _SHARE_TICKS), y=y)


def make_reference_line(y: Floats, name: str, low: float = 0.0, high: float = 1.0) -> Line:
    """Return a thin reference line: y, shape (2,), at two x positions."""
    x_limits = np.array([low, high])
    return Line(x=x_limits, y=y, ink=MUTED, weight="hair", dashed=True, name=name, depth=-3)


def normalise_rows(counts: AnyArray) -> Floats:
    """Return counts (k, k) as shares of their row; NaN in empty rows."""
    row_totals = counts.sum(axis=1, keepdims=True)
    shares: Floats = np.full(counts.shape, np.nan)
    np.divide(counts, row_totals, out=shares, where=row_totals > 0)
    return shares


def make_confusion_panel(
    names: Sequence[str],
    counts: AnyArray,
    format_cell: Callable[[float, float, int, int], str],
    labels: tuple[str, str],
) -> tuple[Panel, Heatmap]:
    """Return a confusion matrix: true classes in rows, predictions in columns, errors coloured.

    Args:
        names: Length k.
        counts: Shape (k, k). Number of rows by true and predicted class.
        format_cell: Formats a count, its share of the true class, and the codes of both classes.
    """
    size, shares = len(names), normalise_rows(counts)
    ticks = [(index + 0.5, name) for index, name in enumerate(names)]
    texts = [
        [
            format_cell(count, share, true, answer)
            for answer, (count, share) in enumerate(zip(*row, strict=True))
        ]
        for true, row in enumerate(zip(counts.tolist(), shares.tolist(), strict=True))
    ]
    x = Axis(labels[0], 0.0, size, ticks, "cut", has_grid=False)
    y = Axis(
        labels[1],
        0.0,
        size,
        ticks,
        "thin",
        has_grid=False,
        is_flipped=True,
        is_fitted_to_labels=True,
    )
    # Cells without errors have no colour.
    is_empty = (np.asarray(counts) == 0) & ~np.eye(size, dtype=np.bool_)
    shades = np.where(is_empty, np.nan, shares)
    return Panel(x=x, y=y), Heatmap(
        values=shades, width=size, height=size, texts=texts, has_off_diagonal_hue=True
    )
