"""Importance of an image's pixels, drawn on its grid, for the window and the report."""

from dataclasses import replace

import numpy as np

from studio.arrays import Floats, Integers
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import BORDER, SINGLE, make_series_ink
from studio.figures.marks import CellMatrix, LegendItem, Line, Mark
from studio.figures.shapes import Box, Diagram, Shape, TextLabel
from studio.language import ntr, tr, translate
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    describe_completion,
    describe_rows,
    format_rise,
)

_SIDE, _LEGEND_HEIGHT, _LEGEND_STEP = 320.0, 28.0, 18.0
"""The image's longer side; the height of the legend below it, and the size of a legend step."""

_LEGEND_STEPS = 5


def summarise_pixels(effects: ColumnEffects) -> str:
    """Explain the colours and count important pixels; empty until the comparison is complete."""
    if not effects.is_complete or not len(effects.ranked_indices):
        return ""
    text = tr("The stronger the colour of a pixel, the more it improves the predictions.")
    n_significant = int(np.count_nonzero(effects.is_significant[_get_bars(effects)]))
    matter_text = ntr(
        "The contribution of {count} pixel is more than chance.",
        "The contribution of {count} pixels is more than chance.",
        n_significant,
    )
    return f"{text} {matter_text}"


def name_pixel(plan: ColumnEffectsPlan, column: int) -> str:
    """Name a pixel by its position in the image, from 1."""
    row, x = divmod(plan.pixels[column], plan.image_size[1])
    return tr("pixel in row {row}, column {column}", row=row + 1, column=x + 1)


def _describe_pixel(effects: ColumnEffects, column: int) -> str:
    """Return a pixel's position and importance, with the pixels shuffled jointly."""
    bar = int(_get_bars(effects)[column])
    name, rise = name_pixel(effects.plan, column), format_rise(effects, bar)
    n_others = len(effects.list_members(bar)) - 1
    if n_others <= 0:
        return f"{name}: {rise}"
    together = ntr(
        "together with {count} similar pixel", "together with {count} similar pixels", n_others
    )
    return f"{name}, {together}: {rise}"


def find_pixel(plan: ColumnEffectsPlan, x: float, y: float) -> int | None:
    """Return the column whose pixel is at a point of diagram or figure; ``None`` for none."""
    height, width = plan.image_size
    cell = _SIDE / max(height, width)
    row, pixel_index = int(y // cell), int(x // cell)
    if not (0 <= row < height and 0 <= pixel_index < width):
        return None
    position = row * width + pixel_index
    return plan.pixels.index(position) if position in plan.pixels else None


def describe_pixel_at(effects: ColumnEffects, x: float, y: float) -> str:
    """Describe the pixel at a point of diagram or figure, if any."""
    column = find_pixel(effects.plan, x, y)
    return "" if column is None else _describe_pixel(effects, column)


def describe_pixel_importance(effects: ColumnEffects) -> str:
    """Describe the measure and the evaluated rows."""
    text = tr(
        "The colour is the increase of the {metric} when a pixel is shuffled among {rows} that "
        "these models have not learned from, up to {rise}.",
        metric=effects.measure.title,
        rows=translate(describe_rows(effects.plan)),
        rise=format_rise(effects, int(effects.ranked_indices[0])),
    )
    if not effects.groups:
        return text
    note = tr("Pixels that share much information are shuffled together and have one colour.")
    return f"{text} {note}"


def make_pixel_diagram(effects: ColumnEffects, selected_column: int | None = None) -> Diagram:
    """Return the image with the importance of its pixels; one of them may be framed.

    Pixels that are constant over all rows are excluded from training and left empty.
    """
    height, width = effects.plan.image_size
    cell = _SIDE / max(height, width)
    shapes: list[Shape] = [Box(0.0, 0.0, cell * width, cell * height, "raised")]
    boxes = [
        (column, cell * (position // width), cell * (position % width))
        for column, position in enumerate(effects.plan.pixels)
    ]
    shares = _compute_shares(effects)
    shapes += [
        Box(x, y, cell, cell, "series 0", alpha=float(shares[column]))
        for column, y, x in boxes
        if shares[column] > 0
    ]
    shapes.append(Box(0.0, 0.0, cell * width, cell * height, "border", filled=False))
    shapes += [
        Box(x, y, cell, cell, "text", filled=False)
        for column, y, x in boxes
        if column == selected_column
    ]
    bottom = cell * height + _LEGEND_HEIGHT
    return Diagram(
        key="worth",
        title=tr("Importance of each pixel"),
        caption=summarise_pixels(effects),
        width=_SIDE,
        height=bottom,
        shapes=(*shapes, *_make_legend(bottom - _LEGEND_HEIGHT / 2)),
    )


def make_pixel_figure(plan: ColumnEffectsPlan, effects: ColumnEffects | None) -> Figure:
    """Return the same map as a figure in the diagram's units, empty while nothing is known."""
    height, width = plan.image_size
    cell = _SIDE / max(height, width)
    right, bottom = cell * width, cell * height
    x_margin, y_margin = (_SIDE - right) / 2, (_SIDE - bottom) / 2
    hidden_axis = Axis(ticks=(), is_visible=False, has_grid=False)
    x = replace(hidden_axis, low=-x_margin, high=right + x_margin)
    y = replace(hidden_axis, low=-y_margin, high=bottom + y_margin, is_flipped=True)
    border = np.array([0.0, right, right, 0.0, 0.0]), np.array([0.0, 0.0, bottom, bottom, 0.0])
    marks: list[Mark] = [Line(x=border[0], y=border[1], ink=BORDER)]
    default_text = tr("Not computed yet: it starts only when you press the button.")
    if effects is not None:
        alphas = np.zeros(height * width)
        alphas[list(plan.pixels)] = _compute_shares(effects)
        ink = make_series_ink(SINGLE)
        cells = CellMatrix(
            ink_indices=np.zeros((height, width), dtype=int),
            alphas=alphas.reshape(height, width),
            inks=[ink],
            width=right,
            height=bottom,
        )
        faint = ink.with_opacity(1 / _LEGEND_STEPS)
        steps = ((faint, tr("matters less")), (ink, tr("matters more")))
        marks += [cells, *(LegendItem(ink=each, name=name) for each, name in steps)]
        default_text = describe_completion(effects, range(len(plan.names)))
    return Figure(
        panels=[Panel(x=x, y=y, square=True)],
        marks=marks,
        summary="" if effects is None else summarise_pixels(effects),
        default_text=default_text,
    )


def _make_legend(top: float) -> list[Shape]:
    low_text, high_text = tr("matters less"), tr("matters more")
    left = (_SIDE - _LEGEND_STEPS * _LEGEND_STEP) / 2
    right = left + _LEGEND_STEPS * _LEGEND_STEP
    steps: list[Shape] = [
        Box(
            left + _LEGEND_STEP * step, top, _LEGEND_STEP, _LEGEND_STEP / 2, "series 0",
            alpha=(step + 1) / _LEGEND_STEPS,
        )
        for step in range(_LEGEND_STEPS)
    ]  # fmt: skip
    baseline = top + _LEGEND_STEP / 2
    return [
        TextLabel(left - 6.0, baseline, low_text, "end", "muted"),
        *steps,
        TextLabel(right + 6.0, baseline, high_text, "start", "muted"),
    ]


def _get_bars(effects: ColumnEffects) -> Integers:
    """Return the bar of each column, (d,): that of its group, if any."""
    bars = np.arange(len(effects.plan.names))
    for number, group in enumerate(effects.groups, start=len(bars)):
        bars[list(group)] = number
    return bars


def _compute_shares(effects: ColumnEffects) -> Floats:
    """Return each column's importance as a share of the highest, (d,); 0 where unknown."""
    values = np.maximum(np.nan_to_num(effects.importances[_get_bars(effects)]), 0.0)
    return values / (values.max(initial=0.0) or 1.0)
