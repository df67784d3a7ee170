"""The two columns beside the membership raster: own error, and what a member adds."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.figures.figure import Axis, Panel, Ticks
from studio.figures.ink import MUTED, TEXT
from studio.figures.marks import Boxes, Dots, Mark, Rule
from studio.gui.base import theme
from studio.gui.plots.ensemble.membership_model import MemberColumns
from studio.language import number, tr
from studio.measure import Measure

_WIDTH, _NARROW = 96, 420
"""Pixels of each column, and those of a plot that is too narrow for them."""

THICK = 0.7
"""Height of a bar, as a share of its row."""


def has_room(width: float) -> bool:
    """Return whether a drawing of this width in pixels has room for the columns."""
    return width >= theme.pixels(_NARROW)


def column_panels(columns: MemberColumns, measure: Measure, rows: Axis) -> Sequence[Panel]:
    """Return panels beside one with these rows: for the own errors, and for what is added."""
    low, high = _own_range(columns)
    edge, inset = 0.08 * (high - low), 0.2 * (high - low)
    every = np.abs(np.concatenate([columns.adds, columns.adds_test]))
    reach = 1.15 * float(np.nanmax(every, initial=0.0)) or 1.0
    points = measure.unit == "%"
    own = Axis(
        tr("own, %") if points else tr("own"),
        low - edge,
        high + edge,
        ticks=distinct_ticks(low + inset, high - inset),
        crowd="thin",
    )
    adds = Axis(
        tr("adds, points") if points else tr("adds"), -reach, reach, _ends(reach), crowd="thin"
    )
    wide = theme.pixels(_WIDTH)
    return [Panel(x=own, y=rows, column=1, wide=wide), Panel(x=adds, y=rows, column=2, wide=wide)]


def column_marks(columns: MemberColumns, first: int) -> Sequence[Mark]:
    """Return what is in these panels, of which one has the number ``first``, a row a member.

    The branches have the series' colours, so these marks are of none.
    """
    rows = np.arange(len(columns.own), dtype=float)
    low, high = _own_range(columns)
    own, own_test = (np.clip(each, low, high) for each in (columns.own, columns.own_test))
    beyond = columns.own > high
    known = np.isfinite(columns.adds)
    ends, middles = columns.adds[known], rows[known]

    def rings(x: Floats, panel: int, depth: float) -> Dots:
        name = tr("on test rows")
        return Dots(
            x=x, y=rows, shape="ring", size=7, weight="hair", name=name, panel=panel, depth=depth
        )

    return [
        Dots(
            x=own[~beyond],
            y=rows[~beyond],
            size=7,
            outline=None,
            name=tr("own error"),
            panel=first,
            depth=1,
        ),
        Dots(
            x=own[beyond],
            y=rows[beyond],
            shape="right",
            size=9,
            outline=None,
            name=tr("beyond the edge") if beyond.any() else "",
            panel=first,
            depth=1,
        ),
        Boxes(
            x0=np.minimum(ends, 0.0),
            x1=np.maximum(ends, 0.0),
            y0=middles - THICK / 2,
            y1=middles + THICK / 2,
            ink=TEXT.faint(0.55),
            name=tr("what it adds"),
            panel=first + 1,
            depth=1,
        ),
        rings(own_test, first, 0),
        rings(columns.adds_test, first + 1, 2),
        Rule(at=0.0, ink=MUTED, dashed=False, panel=first + 1, depth=0),
    ]


def _own_range(columns: MemberColumns) -> tuple[float, float]:
    """Return the errors between which is drawn: all members', and most of the others'."""
    members = np.concatenate([columns.own[columns.inside], columns.own_test])
    known: Floats = columns.own[np.isfinite(columns.own)]
    if not known.size:
        return 0.0, 1.0
    members = members[np.isfinite(members)]
    low = min(float(known.min()), float(members.min(initial=np.inf)))
    high = max(float(np.quantile(known, 0.75)), float(members.max(initial=-np.inf)))
    if high > low:
        return low, high
    # A loss below zero would only puzzle where there is none.
    return (max(0.0, low - 0.5) if low >= 0 else low - 0.5), high + 0.5


def distinct_ticks(low: float, high: float) -> Ticks:
    """Return two ticks with as many digits as it takes to distinguish them, at least two."""
    for digits in range(2, 6):
        words = [number(place, f".{digits}g") for place in (low, high)]
        if words[0] != words[1]:
            return list(zip((low, high), words, strict=True))
    return [((low + high) / 2, number((low + high) / 2, ".2g"))]


def _ends(reach: float) -> Ticks:
    """Return one round tick on each side of zero; where one alone fits, the first."""
    room = 0.6 * reach  # the text must not leave the axis
    power = 10.0 ** np.floor(np.log10(room))
    step = max(factor * power for factor in (1, 1.5, 2, 3, 4, 5, 6, 8) if factor * power <= room)
    return [(step, f"+{number(step)}"), (-step, f"−{number(step)}")]
