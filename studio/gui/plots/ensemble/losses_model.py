"""The losses over the margin and an ensemble's margins: what is drawn, and what is said of it."""

from dataclasses import replace

import numpy as np

from studio.analysis.answers.margins import LossCurve, Margins
from studio.gui.base.language import ntr, number, percent, said, tr

HIGHEST = 6.0
"""Where a parabola leaves the axis of the losses."""


def as_drawn(answer: Margins) -> Margins:
    """Return the answer with its curves in the order drawn: the run's own the last, above all."""
    curves = [
        replace(each, title=said(each.title), formula=said(each.formula)) for each in answer.curves
    ]
    return replace(answer, curves=tuple(sorted(curves, key=lambda each: each.key == answer.own)))


def own_curve(picture: Margins) -> LossCurve | None:
    """Return the loss by which the run's ensemble is searched for, where it is drawn."""
    return next((each for each in picture.curves if each.key == picture.own), None)


def reach(picture: Margins) -> float:
    """Return the upper end of the losses' axis."""
    highest = max((float(curve.values.max()) for curve in picture.curves), default=1.0)
    return min(highest, HIGHEST) if picture.of_values else 1.0


def axis_labels(picture: Margins) -> tuple[str, str]:
    """Return the names of both axes, with units: of the margin, and of the loss."""
    if picture.of_values:
        return (
            tr("residual r: predicted minus true value (unit of the target)"),
            tr("loss (1 at s)"),
        )
    return tr("margin M of a validation row (−1: all wrong, 1: all right)"), tr("loss (0 to 1)")


def rest_words(picture: Margins) -> str:
    """Say how the rows' margins are on the whole."""
    members = ntr("{count} member", "{count} members", picture.size)
    if np.isnan(picture.mean):
        return members
    if picture.of_values:
        return tr(
            "{members}  ·  s = {mean}: root mean square residual on the validation rows",
            members=members,
            mean=number(picture.mean, ".4g"),
        )
    return tr(
        "{members}  ·  mean margin {mean}  ·  {wrong} of the validation rows below 0, "
        "{low} between 0 and ½",
        members=members,
        mean=number(picture.mean, ".2f"),
        wrong=percent(picture.wrong),
        low=percent(picture.low),
    )


def note_words(picture: Margins) -> str:
    """Say which loss is the run's, or why none of the curves is."""
    if picture.note:
        return said(picture.note)
    mine = own_curve(picture)
    if mine is not None:
        return tr(
            "This run searches for its ensemble with {title}: {formula}.",
            title=mine.title.lower(),
            formula=mine.formula,
        )
    if picture.of_values:
        return tr("Numbers have no margin: what counts is how far a prediction is from the truth.")
    return tr("This run's method uses none of these losses; they show how EO would judge its rows.")


def losses_words(picture: Margins, x: float) -> str:
    """Say what lies at a margin (or residual): rows, and the losses; empty outside."""
    grid, edges = picture.grid, picture.edges
    if not len(grid) or not grid[0] <= x <= grid[-1]:
        return ""
    bar = min(int(np.searchsorted(edges, x, side="right")) - 1, len(picture.counts) - 1)
    place = int(np.abs(grid - x).argmin())
    rows = ntr("{count} row", "{count} rows", int(picture.counts[bar]))
    losses = "  ·  ".join(
        f"{curve.title} {number(curve.values[place], '.3g')}" for curve in reversed(picture.curves)
    )
    name = tr("residual") if picture.of_values else tr("margin")
    span = " … ".join(number(edge, ".3g") for edge in edges[bar : bar + 2])
    return f"{name} {number(x, '.3g' if picture.of_values else '.2f')}: {losses}  ·  " + tr(
        "{rows} in {span}", rows=rows, span=span
    )
