"""The pictures of a decision: its confusion matrix, and curves with its working point."""

from collections.abc import Mapping

import numpy as np

from studio.analysis.answers.decision import DecisionFigures, Lines
from studio.arrays import Floats
from studio.data.metrics.curves import Curve, as_steps
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED, TEXT, series
from studio.figures.marks import Dots, Heat, Line, Mark, Rule
from studio.gui.base.language import mark, number, percent, tr
from studio.gui.pages.results.views.decide_model import Tried, amount, matrix, other_class, short
from studio.gui.plots.colours import ENSEMBLE, SINGLE

ROC, PRECISION, GAINS, COSTS = "roc", "precision", "gains", "costs"

CURVES: Mapping[str, str] = {
    ROC: mark("Found and false alarms (ROC)"),
    PRECISION: mark("Precision and recall"),
    GAINS: mark("Gains (lift)"),
    COSTS: mark("Costs"),
}
"""The curves, in the order of their chips."""

_WIDE = 300
"""Pixels of the confusion matrix."""


def decision_figure(found: DecisionFigures, tried: Tried, curve: str) -> Figure:
    """Return the confusion matrix, and beside it a curve with the working point."""
    panel, marks, rest = _MAKERS[curve](found, tried)
    names = [short(found.looked_for), short(other_class(found))]
    ticks = [(place + 0.5, name) for place, name in enumerate(names)]
    counts = np.array(matrix(found))
    of_class = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, of_class, out=np.full((2, 2), np.nan), where=of_class > 0)
    texts = [
        [f"{amount(count)}\n{percent(share, 0)}" for count, share in zip(*row, strict=True)]
        for row in zip(counts.tolist(), shares.tolist(), strict=True)
    ]
    cells = Panel(
        x=Axis(tr("labelled"), 0.0, 2.0, ticks, "cut", grid=False),
        y=Axis(tr("true class"), 0.0, 2.0, ticks, "thin", grid=False, flipped=True, fitted=True),
        wide=_WIDE,
    )
    heat = Heat(shares=shares, width=2.0, height=2.0, texts=texts)
    return Figure([cells, panel], [heat, *marks], rest=rest)


Made = tuple[Panel, list[Mark], str]


def _roc(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    across, up = tr("false alarms (% of the others)"), tr("found: recall (%)")
    chance = np.array([0.0, 1.0])
    now, usual = found.decided, found.usual
    points = [(now.alarm_rate, now.recall), (usual.alarm_rate, usual.recall)]
    words = tr("area under the curve {area}", area=number(found.roc.area, ".3f"))
    return _unit_square(across, up), _curve(found.roc, chance, points), words


def _precision(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    across, up = tr("found: recall (%)"), tr("right among those picked: precision (%)")
    steps = as_steps(Curve(found.precision.x, found.precision.y, 0.0))
    chance = np.full(2, found.decided.always.precision)
    points = [(each.recall, each.precision) for each in (found.decided, found.usual)]
    words = tr("average precision {area}", area=number(found.precision.area, ".3f"))
    return _unit_square(across, up), _curve(Lines(*steps), chance, points), words


def _gains(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    across, up = tr("rows picked (% of all)"), tr("found: recall (%)")
    points = [(each.flagged, each.recall) for each in (found.decided, found.usual)]
    marks = _curve(found.gains, np.array([0.0, 1.0]), points)
    lift = found.decided.recall / found.decided.flagged if found.decided.flagged else float("nan")
    words = tr(
        "picking {share} of the rows finds {found}: {lift} times as many as by chance (lift)",
        share=percent(found.decided.flagged, 0),
        found=percent(found.decided.recall, 0),
        lift=number(lift, ".2g"),
    )
    return _unit_square(across, up), marks, words if np.isfinite(lift) else ""


def _costs(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    judged, chosen = 100 * found.cost_judged, 100 * found.cost_chosen
    test = found.judged == "test"
    lines: list[Mark] = [
        Line(
            panel=1,
            x=found.cost_at,
            y=judged,
            ink=series(ENSEMBLE),
            name=tr("test rows") if test else tr("validation rows"),
        ),
        Rule(panel=1, at=found.threshold, ink=TEXT, name=tr("this threshold")),
    ]
    if len(chosen):
        validation = tr("validation rows, which chose")
        lines.insert(
            0,
            Line(
                panel=1, x=found.cost_at, y=chosen, ink=series(SINGLE), dashed=True, name=validation
            ),
        )
    top = 1.05 * max(judged.max(initial=0.0), chosen.max(initial=0.0)) or 1.0
    x = Axis(tr("threshold: probability (%)"), -0.01, 1.01, _TICKS)
    return Panel(x=x, y=Axis(tr("cost of 100 rows"), 0.0, top, fitted=True), column=1), lines, ""


_MAKERS = {ROC: _roc, PRECISION: _precision, GAINS: _gains, COSTS: _costs}

_TICKS = [(k / 5, str(20 * k)) for k in range(6)]


def _curve(lines: Lines, chance: Floats, points: list[tuple[float, float]]) -> list[Mark]:
    """Return a curve, what chance alone would give, and the points of this and the usual labels."""
    (x, y), (usual_x, usual_y) = points
    return [
        Line(
            panel=1,
            x=np.array([0.0, 1.0]),
            y=chance,
            ink=MUTED,
            weight="hair",
            dashed=True,
            name=tr("by chance"),
        ),
        Line(panel=1, x=lines.x, y=lines.y, ink=series(ENSEMBLE), name=tr("ensemble")),
        Dots(
            panel=1,
            x=np.array([usual_x]),
            y=np.array([usual_y]),
            shape="ring",
            size=13.0,
            ink=MUTED,
            name=tr("labels of the method"),
        ),
        Dots(
            panel=1,
            x=np.array([x]),
            y=np.array([y]),
            size=11.0,
            ink=TEXT,
            name=tr("this threshold"),
        ),
    ]


def _unit_square(across: str, up: str) -> Panel:
    return Panel(
        x=Axis(across, -0.01, 1.03, _TICKS), y=Axis(up, -0.01, 1.06, _TICKS, fitted=True), column=1
    )
