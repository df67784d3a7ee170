"""The pictures of a decision: its confusion matrix, and curves with its working point."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from studio.analysis.answers.predictions import DecisionFigures
from studio.arrays import Floats
from studio.data.metrics.curves import Curve, as_steps
from studio.figures.colours import ENSEMBLE, SINGLE
from studio.figures.compose import confusion, guide, unit_square
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED, TEXT, series
from studio.figures.marks import Dots, Line, Mark, Rule
from studio.gui.pages.results.views.decide_model import Tried, amount, matrix, other_class, short
from studio.language import N_, number, percent, tr

ROC, PRECISION, GAINS, COSTS = "roc", "precision", "gains", "costs"

CURVES: Mapping[str, str] = {
    ROC: N_("Found and false alarms (ROC)"),
    PRECISION: N_("Precision and recall"),
    GAINS: N_("Gains (lift)"),
    COSTS: N_("Costs"),
}
"""The curves, in the order of their chips."""

_WIDE = 300
"""Pixels of the confusion matrix."""


def decision_figure(found: DecisionFigures, tried: Tried, curve: str) -> Figure:
    """Return the confusion matrix, and beside it a curve with the working point."""
    panel, marks, rest = _MAKERS[curve](found, tried)
    names = [short(found.looked_for), short(other_class(found))]

    def written(count: float, share: float) -> str:
        return f"{amount(count)}\n{percent(share, 0)}"

    labels = (tr("labelled"), tr("true class"))
    cells, heat = confusion(names, np.array(matrix(found)), written, labels)
    beside = [replace(mark, panel=1) for mark in marks]
    return Figure(
        [replace(cells, wide=_WIDE), replace(panel, column=1)], [heat, *beside], rest=rest
    )


Made = tuple[Panel, list[Mark], str]


def _roc(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    across, up = tr("false alarms (% of the others)"), tr("found: recall (%)")
    chance = np.array([0.0, 1.0])
    now, usual = found.decided, found.usual
    points = [(now.alarm_rate, now.recall), (usual.alarm_rate, usual.recall)]
    words = tr("area under the curve {area}", area=number(found.roc.area, ".3f"))
    return unit_square(across, up), _curve(found.roc, chance, points), words


def _precision(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    across, up = tr("found: recall (%)"), tr("correct among those selected: precision (%)")
    chance = np.full(2, found.decided.always.precision)
    points = [(each.recall, each.precision) for each in (found.decided, found.usual)]
    words = tr("average precision {area}", area=number(found.precision.area, ".3f"))
    return unit_square(across, up), _curve(as_steps(found.precision), chance, points), words


def _gains(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    across, up = tr("rows selected (% of all)"), tr("found: recall (%)")
    points = [(each.flagged, each.recall) for each in (found.decided, found.usual)]
    marks = _curve(found.gains, np.array([0.0, 1.0]), points)
    lift = found.decided.recall / found.decided.flagged if found.decided.flagged else float("nan")
    words = tr(
        "selecting {share} of the rows finds {found}: {lift} times as many as by chance (lift)",
        share=percent(found.decided.flagged, 0),
        found=percent(found.decided.recall, 0),
        lift=number(lift, ".2g"),
    )
    return unit_square(across, up), marks, words if np.isfinite(lift) else ""


def _costs(found: DecisionFigures, tried: Tried) -> Made:
    del tried
    judged, chosen = 100 * found.cost_judged, 100 * found.cost_chosen
    test = found.judged == "test"
    lines: list[Mark] = [
        Line(
            x=found.cost_at,
            y=judged,
            ink=series(ENSEMBLE),
            name=tr("test rows") if test else tr("validation rows"),
        ),
        Rule(at=found.threshold, ink=TEXT, name=tr("this threshold")),
    ]
    if len(chosen):
        validation = tr("validation rows (used to choose)")
        lines.insert(
            0,
            Line(x=found.cost_at, y=chosen, ink=series(SINGLE), dashed=True, name=validation),
        )
    top = 1.05 * max(judged.max(initial=0.0), chosen.max(initial=0.0)) or 1.0
    x = unit_square(tr("threshold: probability (%)"), "").x
    return Panel(x=x, y=Axis(tr("cost of 100 rows"), 0.0, top, fitted=True)), lines, ""


_MAKERS = {ROC: _roc, PRECISION: _precision, GAINS: _gains, COSTS: _costs}


def _curve(curve: Curve, chance: Floats, points: list[tuple[float, float]]) -> list[Mark]:
    """Return a curve, what chance gives, (2,), and the points of this and the usual labels."""
    (x, y), (usual_x, usual_y) = points
    return [
        replace(guide(chance, tr("by chance")), depth=None),
        Line(x=curve.x, y=curve.y, ink=series(ENSEMBLE), name=tr("ensemble")),
        Dots(
            x=np.array([usual_x]),
            y=np.array([usual_y]),
            shape="ring",
            size=13.0,
            ink=MUTED,
            name=tr("the ensemble's own labels"),
        ),
        Dots(
            x=np.array([x]),
            y=np.array([y]),
            size=11.0,
            ink=TEXT,
            name=tr("this threshold"),
        ),
    ]
