"""The figures of the errors: a confusion matrix, curves, a reliability diagram, dots, bars."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.data.metrics.curves import as_steps
from studio.figures.compose import confusion, guide, unit_square
from studio.figures.figure import Axis, Figure, Panel, Scale
from studio.figures.ink import MUTED, series
from studio.figures.marks import Boxes, Dots, Line, Mark, Rule
from studio.gui.base.language import number, percent, tr
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.plots.errors_model import (
    CONFUSION,
    HISTOGRAM,
    PRECISION,
    RELIABILITY,
    RESIDUALS,
    ROC,
    SCATTER,
    ErrorsPicture,
    curves_of,
    frequency,
)

_LOW = 0.22
"""Height of the fullest bin's bar in a reliability diagram, of the whole."""

_PALE = series(ENSEMBLE, 0.3)


def errors_figure(picture: ErrorsPicture, view: str, chosen: int) -> Figure:
    """Return a view; the list of rows is none, and has no panel.

    Parameters
    ----------
    chosen : int
        The number of the row that is ringed; 0 for none.
    """
    if view == CONFUSION:
        return _matrix(picture)
    if view in (ROC, PRECISION):
        return _curves(picture, view)
    if view == RELIABILITY:
        return _reliability(picture)
    if view in (SCATTER, RESIDUALS):
        return _dots(picture, view, chosen)
    if view == HISTOGRAM:
        return _histogram(picture)
    return Figure(panels=[], marks=[])


def dot_places(picture: ErrorsPicture, view: str) -> tuple[Floats, Floats]:
    """Return x and y of the rows' dots, shape (k,) each: the truth, what was said, or both."""
    truth, said = picture.found.dots_truth, picture.found.dots_said
    return (truth, said) if view == SCATTER else (said, said - truth)


def _matrix(picture: ErrorsPicture) -> Figure:
    """Return the confusion matrix: true classes downwards, answers to the right."""
    matrix = picture.matrix
    assert matrix is not None, "values have no matrix"

    def written(count: float, share: float) -> str:
        return f"{number(count, ',.0f')}\n{percent(share, 0)}" if count else ""

    labels = (tr("predicted class"), tr("true class"))
    panel, cells = confusion(matrix.names, matrix.counts, written, labels)
    return Figure(
        [panel], [cells], scale=Scale(tr("share of the true class' rows"), "0 %", "100 %")
    )


def _curves(picture: ErrorsPicture, view: str) -> Figure:
    """Return ROC or precision-recall curves, and what chance alone would give."""
    curves = curves_of(picture, view)
    if view == ROC:
        chance = np.array([0.0, 1.0])
        up = tr("found: true positive rate (%)")
        across = tr("false alarms: false positive rate (%)")
    else:
        curves = tuple(map(as_steps, curves))
        chance = np.full(2, frequency(picture))
        up, across = tr("right among those picked: precision (%)"), tr("found: recall (%)")
    return Figure(
        panels=[unit_square(across, up)],
        marks=[
            *_lines(picture, [(curve.x, curve.y) for curve in curves]),
            guide(chance, tr("by chance")),
        ],
    )


def _reliability(picture: ErrorsPicture) -> Figure:
    """Return observed frequencies against predicted probabilities, with the rows of each bin."""
    both = picture.found.reliability
    filled = [each.counts > 0 for each in both]
    lines = _lines(
        picture,
        [
            (each.predicted[there], each.observed[there])
            for each, there in zip(both, filled, strict=True)
        ],
    )
    points = [
        Dots(x=line.x, y=line.y, shape="square" if line.dashed else "dot", size=8, ink=line.ink)
        for line in reversed(lines)
    ]
    counts = both[0].counts
    edges = np.linspace(0, 1, len(counts) + 1)
    bars = Boxes(
        x0=edges[:-1] + 0.004,
        x1=edges[1:] - 0.004,
        y0=np.zeros(len(counts)),
        y1=_LOW * counts / max(1, int(counts.max())),
        ink=_PALE,
        name=tr("rows in the bin"),
        depth=-4,
    )
    said, observed = tr("predicted probability (%)"), tr("observed frequency (% of the bin's rows)")
    return Figure(
        panels=[unit_square(said, observed)],
        marks=[*lines, *points, bars, guide(np.array([0.0, 1.0]), tr("perfectly calibrated"))],
    )


def _dots(picture: ErrorsPicture, view: str, chosen: int) -> Figure:
    """Return every row as a dot; the one with this number is ringed."""
    shown, count = picture.found.dots, picture.found.count
    x, y = dot_places(picture, view)
    ringed = shown == chosen
    name = (
        tr("row")
        if len(shown) == count
        else tr("row ({shown} of {count}, drawn at random)", shown=len(shown), count=count)
    )
    marks: list[Mark] = [
        Dots(x=x, y=y, ink=series(ENSEMBLE, 0.6), outline=None, name=name),
        Dots(x=x[ringed], y=y[ringed], shape="ring", size=16),
    ]
    right, low, high = tr("exactly right"), float(x.min()), float(x.max())
    if view == SCATTER:
        low, high = min(low, float(y.min())), max(high, float(y.max()))
    room = 0.04 * (high - low) or 0.5
    low, high = low - room, high + room
    predicted = tr("predicted {target} (its unit)", target=picture.target)
    if view == SCATTER:
        true = tr("true {target} (its unit)", target=picture.target)
        panel = Panel(x=Axis(true, low, high), y=Axis(predicted, low, high, fitted=True))
        return Figure([panel], [*marks, guide(np.array([low, high]), right, low, high)])
    reach = 1.08 * float(np.abs(y).max()) or 1.0
    off = Axis(_off_by(picture), -reach, reach, fitted=True)
    panel = Panel(x=Axis(predicted, low, high), y=off)
    return Figure([panel], [*marks, Rule(at=0.0, level=True, ink=MUTED, name=right, depth=-3)])


def _histogram(picture: ErrorsPicture) -> Figure:
    """Return the ensemble's residuals as bars, and the single model's as a line of steps."""
    edges, bars = picture.found.edges, picture.found.bars
    inset = 0.05 * (edges[1] - edges[0])
    own = Boxes(
        x0=edges[:-1] + inset,
        x1=edges[1:] - inset,
        y0=np.zeros(len(bars[0])),
        y1=bars[0],
        ink=_PALE,
        name=tr("ensemble"),
    )
    steps = [
        Line(
            x=np.repeat(edges, 2),
            y=np.concatenate([[0], np.repeat(each, 2), [0]]),
            ink=series(SINGLE),
            dashed=True,
            name=picture.single,
        )
        for each in bars[1:]
    ]
    rows = Axis(tr("rows"), 0.0, 1.08 * max(1.0, float(bars.max())), fitted=True)
    return Figure(
        panels=[Panel(x=Axis(_off_by(picture), edges[0], edges[-1]), y=rows)],
        marks=[own, Rule(at=0.0, ink=MUTED), *steps],
    )


def _off_by(picture: ErrorsPicture) -> str:
    return tr("predicted minus true (unit of {target})", target=picture.target)


def _lines(picture: ErrorsPicture, both: Sequence[tuple[Floats, Floats]]) -> Sequence[Line]:
    """Return the ensemble's line, and dashed beneath it that of its best single model."""
    of = ((ENSEMBLE, tr("ensemble")), (SINGLE, picture.single))
    return [
        Line(x=x, y=y, ink=series(place), dashed=number > 0, name=name, depth=-1 - number)
        for number, ((x, y), (place, name)) in enumerate(zip(both, of, strict=False))
    ]
