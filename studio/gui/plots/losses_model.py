"""The losses over the margin and an ensemble's margins, as they are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.gui.base.language import ntr, number, said, tr


@dataclass(frozen=True)
class LossCurve:
    """One loss over the margin.

    Attributes
    ----------
    key, title : str
        The loss, and what it is called.
    formula : str
        How it is written, with the values of its parameters.
    y : Floats, shape (g,)
        A row's loss at each place of the grid.
    own : bool
        Whether it is the one by which the run's ensemble is searched for.
    """

    key: str
    title: str
    formula: str
    y: Floats
    own: bool


@dataclass(frozen=True)
class LossesPicture:
    """What the plot draws.

    Attributes
    ----------
    x : Floats, shape (g,)
        Margins in [-1, 1], or residuals in the target's unit.
    curves : tuple of LossCurve
        The losses; the run's own is the last, so that it is drawn over the others.
    points_x, points_y : Floats, shape (p,)
        What a row's loss can be by the run's own loss, with so many members.
    edges : Floats, shape (b + 1,)
        Borders of the histogram's bars.
    counts : Floats, shape (b,)
        Rows in each.
    of_values : bool
        Whether x is a residual.
    x_label, y_label : str
        The axes' names, with units.
    rest : str
        What the read-out says while nothing is pointed at.
    note : str
        Which loss is the run's, or why none of the curves is.
    reason : str
        Why there is nothing; empty where there is.
    """

    x: Floats
    curves: tuple[LossCurve, ...]
    points_x: Floats
    points_y: Floats
    edges: Floats
    counts: Floats
    of_values: bool
    x_label: str
    y_label: str
    rest: str
    note: str
    reason: str

    @property
    def reach(self) -> float:
        """The upper end of the loss' axis; a parabola may leave it."""
        highest = max((float(curve.y.max()) for curve in self.curves), default=1.0)
        return min(highest, 6.0) if self.of_values else 1.0


def losses_picture(words: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> LossesPicture:
    """Read the answer of the helper's task ``margins``.

    Parameters
    ----------
    words : mapping
        ``own``, ``size``, ``of_values``, ``meaning``, ``note``, ``wrong``, ``low``, ``mean``,
        ``curves`` (each ``key``, ``title``, ``formula``) and ``reason``.
    arrays : mapping
        ``grid`` (g,), ``values`` (curves, g), ``points_x`` and ``points_y`` (p,), ``edges``
        (b + 1,) and ``counts`` (b,).
    """
    own, of_values = str(words["own"]), bool(words["of_values"])
    curves = [
        LossCurve(
            key=each["key"],
            title=said(each["title"]),
            formula=said(each["formula"]),
            y=np.asarray(y, dtype=float),
            own=each["key"] == own,
        )
        for each, y in zip(words["curves"], arrays["values"], strict=True)
    ]
    rest = _rest(words)
    return LossesPicture(
        x=np.asarray(arrays["grid"], dtype=float),
        curves=tuple(sorted(curves, key=lambda curve: curve.own)),
        points_x=np.asarray(arrays["points_x"], dtype=float),
        points_y=np.asarray(arrays["points_y"], dtype=float),
        edges=np.asarray(arrays["edges"], dtype=float),
        counts=np.asarray(arrays["counts"], dtype=float),
        of_values=of_values,
        x_label=(
            tr("residual r: predicted minus true value (unit of the target)")
            if of_values
            else tr("margin M of a validation row (−1: all wrong, 1: all right)")
        ),
        y_label=tr("loss (1 at s)") if of_values else tr("loss (0 to 1)"),
        rest=rest,
        note=_note(words, curves),
        reason=said(str(words["reason"])),
    )


def _rest(words: Mapping[str, Any]) -> str:
    members = ntr("{count} member", "{count} members", int(words["size"]))
    mean = words["mean"]
    if mean is None:
        return members
    if words["of_values"]:
        return tr(
            "{members}  ·  s = {mean:.4g}: root mean square residual on the validation rows",
            members=members,
            mean=mean,
        )
    return tr(
        "{members}  ·  mean margin {mean:.2f}  ·  {wrong:.1f} % of the validation rows below 0, "
        "{low:.1f} % between 0 and ½",
        members=members,
        mean=mean,
        wrong=100 * words["wrong"],
        low=100 * words["low"],
    )


def _note(words: Mapping[str, Any], curves: list[LossCurve]) -> str:
    if words["note"]:
        return said(str(words["note"]))
    mine = [curve for curve in curves if curve.own]
    if mine:
        return tr(
            "This run's ensemble is searched for by: {title}, {formula}.",
            title=mine[0].title.lower(),
            formula=mine[0].formula,
        )
    if words["of_values"]:
        return tr("Numbers have no margin: what counts is how far a prediction is from the truth.")
    return tr("This run's method uses none of these losses; they show how EO would judge its rows.")


def losses_words(picture: LossesPicture, x: float) -> str:
    """Say what lies at a margin (or residual): rows, and the losses; empty outside."""
    if not len(picture.x) or not picture.x[0] <= x <= picture.x[-1]:
        return ""
    bar = min(int(np.searchsorted(picture.edges, x, side="right")) - 1, len(picture.counts) - 1)
    place = int(np.abs(picture.x - x).argmin())
    rows = ntr("{count} row", "{count} rows", int(picture.counts[bar]))
    losses = "  ·  ".join(
        f"{curve.title} {number(curve.y[place], '.3g')}" for curve in reversed(picture.curves)
    )
    name = tr("residual") if picture.of_values else tr("margin")
    span = " … ".join(number(edge, ".3g") for edge in picture.edges[bar : bar + 2])
    return f"{name} {number(x, '.2f')}: {losses}  ·  " + tr(
        "{rows} in {span}", rows=rows, span=span
    )
