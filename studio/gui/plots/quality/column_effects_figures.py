"""The figures of the columns: bars of importance, or a line over a column's values."""

from collections.abc import Sequence

import numpy as np

from studio.analysis.answers.column_effects import Dependence
from studio.arrays import Floats
from studio.data.dates import text_of
from studio.figures.axes import ticks
from studio.figures.colours import ENSEMBLE, SINGLE
from studio.figures.compose import level_bars, rows_axis
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED, series
from studio.figures.marks import Boxes, Dots, Line, Mark, Rule, WordMarks, strokes
from studio.gui.base.language import cell, named, number, tr
from studio.gui.plots.quality.column_effects_model import (
    ColumnsPicture,
    Effects,
    done_words,
    effect_rest,
    mean_label,
    rise_label,
    rise_text,
)

_DATES = 4
"""Dates at the x-axis."""

_BENEATH = 0.3
"""Height of the distribution beneath a line, of the line's range."""


def importance_figure(picture: ColumnsPicture, bars: Sequence[int]) -> Figure:
    """Return a bar for each column, or their names only while nothing is known."""
    effects, columns = picture.effects, list(bars)
    rows, names = np.arange(len(columns), dtype=float), [named(picture.names[k]) for k in columns]
    y = rows_axis(names)
    if effects is None:
        # No numbers on an axis on which nothing is drawn.
        return Figure(
            panels=[Panel(x=Axis(rise_label(None), ticks=()), y=y)],
            marks=[],
            rest=tr("Not computed yet: it starts only when you press the button."),
        )
    ends, low, high = (
        np.nan_to_num(each[columns])
        for each in (effects.found.worth, effects.found.low, effects.found.high)
    )
    known = high > low
    bottom, top = min(0.0, float(low.min(initial=0.0))), max(1e-12, float(high.max(initial=0.0)))
    span = top - bottom
    across, up = strokes(low[known], high[known], rows[known], level=True)
    x = Axis(rise_label(effects), bottom - 0.02 * span, top + 0.24 * span)
    return Figure(
        panels=[Panel(x=x, y=y)],
        marks=[
            level_bars(ends, rows, series(SINGLE), tr("mean over the repetitions")),
            Line(x=across, y=up, pairs=True, name=tr("95 % interval")),
            Rule(at=0.0, ink=MUTED),
            WordMarks(
                x=np.maximum(high, 0.0) + 0.01 * span,
                y=rows,
                texts=[rise_text(effects, k) for k in columns],
            ),
        ],
        rest=done_words(effects, len(columns)),
    )


def named_places(found: Dependence, left: float, right: float) -> list[tuple[float, str]] | None:
    """Return the named places of the x-axis: categories, dates, or years; ``None`` for numbers."""
    if found.dates:
        return [(at, text_of(at)[:10]) for at in ticks(left, right, _DATES)]
    if not found.labels and _may_be_years(found.grid):
        return [(at, cell(at)) for at in ticks(left, right, _DATES) if at == int(at)]
    return [(float(code), label) for code, label in enumerate(found.labels)] or None


def _may_be_years(values: Floats) -> bool:
    """Whether values, (g,), are whole numbers of four digits, which are written as years are."""
    return bool(len(values)) and bool(
        ((values == np.round(values)) & (values >= 1000) & (values < 10_000)).all()
    )


def dependence_figure(effects: Effects, name: str, code: int) -> Figure:
    """Return what the ensemble says over a column's values, and their distribution beneath."""
    found = effects.dependence(name)
    factor = 100.0 if effects.classes else 1.0
    y = factor * found.means[:, code if effects.classes else 0]
    low, high = (factor * each for each in effects.range_of(code))
    span = high - low
    floor = low - (_BENEATH + 0.06) * span
    starts, ends = found.bars
    left, right = (float(starts[0]), float(ends[-1])) if len(starts) else (0.0, 1.0)
    places, x, counts = named_places(found, left, right), found.grid, found.counts
    line: list[Mark] = [] if found.labels else [Line(x=x, y=y, ink=series(ENSEMBLE), depth=-1)]
    if (beyond := found.missing_bar) is not None:
        at = sum(beyond) / 2
        mean = factor * found.missing_means[code if effects.classes else 0]
        starts, ends = np.append(starts, beyond[0]), np.append(ends, beyond[1])
        x, y, counts = np.append(x, at), np.append(y, mean), np.append(counts, found.missing)
        shown = places or [(each, number(each, "g")) for each in ticks(left, right, _DATES)]
        places, right = [*shown, (at, tr("missing"))], beyond[1]
    room, inset = 0.02 * (right - left), 0.05 * (ends - starts)
    heights = _BENEATH * span * counts / max(1, int(counts.max(initial=1)))
    ink, categories = series(ENSEMBLE), bool(found.labels)
    dots = Dots(
        x=x,
        y=y,
        size=10.0 if categories else 6.0,
        ink=ink,
        name=tr("the ensemble, on average"),
        sample="line",
    )
    distribution = Boxes(
        x0=starts + inset,
        x1=ends - inset,
        y0=np.full(len(starts), floor),
        y1=floor + heights,
        ink=MUTED.faint(0.35),
        name=tr("rows with such values"),
        depth=-2,
    )
    return Figure(
        panels=[
            Panel(
                x=Axis(
                    label=effects.title(name),
                    low=left - room,
                    high=right + room,
                    ticks=places,
                    crowd="cut",
                    grid=not categories,
                ),
                y=Axis(
                    label=mean_label(effects, code),
                    low=floor,
                    high=high + 0.08 * span,
                    # None beside the distribution, which has no scale.
                    ticks=[(at, number(at + 0.0, ".4g")) for at in ticks(low, high, 4)],
                    fitted=True,
                ),
            )
        ],
        marks=[dots, *line, distribution],
        rest=effect_rest(effects, name, code),
    )
