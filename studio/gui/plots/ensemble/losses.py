"""Plot of loss functions by margin, and the distribution of the ensemble's margins."""

from dataclasses import replace

import numpy as np

from studio.analysis.answers.ensemble import EnsembleMargins, LossCurve
from studio.figures.compose import make_count_axis
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import ENSEMBLE, MUTED, make_series_ink
from studio.figures.marks import Boxes, Dots, Line, Rule
from studio.gui.plots.base.plot import ENSEMBLE as ENSEMBLE_QUESTION
from studio.gui.plots.base.plot import Columns, HelperPlot
from studio.gui.plots.base.subjects import Subject
from studio.helper.computations import compute_margins
from studio.language import N_, format_share, ntr, number, tr, translate

MAX_LOSS = 6.0
"""Upper limit of the losses' axis for a parabola."""


def sort_curves(answer: EnsembleMargins) -> EnsembleMargins:
    """Return the reply with its curves in drawing order, that of the run's loss last."""
    curves = [
        replace(each, title=translate(each.title), formula=translate(each.formula))
        for each in answer.curves
    ]
    return replace(
        answer, curves=tuple(sorted(curves, key=lambda each: each.key == answer.search_loss))
    )


def get_loss_axis_limit(data: EnsembleMargins) -> float:
    """Return the upper limit of the losses' axis."""
    highest = max((float(curve.values.max()) for curve in data.curves), default=1.0)
    return min(highest, MAX_LOSS) if data.is_regression else 1.0


def get_axis_labels(data: EnsembleMargins) -> tuple[str, str]:
    """Return the names of both axes, with units: of the margin, and of the loss."""
    if data.is_regression:
        return (
            tr("residual r: predicted minus true value (unit of the target)"),
            tr("loss (1 at s)"),
        )
    return tr("margin M of a validation row (−1: all wrong, 1: all right)"), tr("loss (0 to 1)")


def summarise_plot(data: EnsembleMargins) -> str:
    """Summarise the rows' margins."""
    members = ntr("{count} member", "{count} members", data.size)
    if np.isnan(data.mean):
        return members
    if data.is_regression:
        return tr(
            "{members}  ·  s = {mean}: root mean square residual on the validation rows",
            members=members,
            mean=number(data.mean, ".4g"),
        )
    return tr(
        "{members}  ·  mean margin {mean}  ·  {wrong} of the validation rows below 0, "
        "{low} between 0 and ½",
        members=members,
        mean=number(data.mean, ".2f"),
        wrong=format_share(data.wrong_share),
        low=format_share(data.low_margin_share),
    )


def describe_run_loss(data: EnsembleMargins) -> str:
    """Name the run's loss, or explain why it is not among the curves."""
    if data.note:
        return translate(data.note)
    run_curve = next((each for each in data.curves if each.key == data.search_loss), None)
    if run_curve is not None:
        return tr(
            "This run searches for its ensemble with {title}: {formula}.",
            title=run_curve.title.lower(),
            formula=run_curve.formula,
        )
    if data.is_regression:
        return tr("Numbers have no margin: what counts is how far a prediction is from the truth.")
    return tr("This run's method uses none of these losses; they show how EO would judge its rows.")


def describe_losses(data: EnsembleMargins, x: float) -> str:
    """Describe the rows and losses at a margin (or residual); empty outside."""
    grid, edges = data.grid, data.edges
    if not len(grid) or not grid[0] <= x <= grid[-1]:
        return ""
    bar = min(int(np.searchsorted(edges, x, side="right")) - 1, len(data.counts) - 1)
    index = int(np.abs(grid - x).argmin())
    rows = ntr("{count} row", "{count} rows", int(data.counts[bar]))
    losses = "  ·  ".join(
        f"{curve.title} {number(curve.values[index], '.3g')}" for curve in reversed(data.curves)
    )
    name = tr("residual") if data.is_regression else tr("margin")
    span = " … ".join(number(edge, ".3g") for edge in edges[bar : bar + 2])
    return f"{name} {number(x, '.3g' if data.is_regression else '.2f')}: {losses}  ·  " + tr(
        "{rows} in {span}", rows=rows, span=span
    )


SERIES = {"zero-one": 7, "margin": 3, "sqm": 0, "sig": 2, "mse": 0, "mae": 7}
"""Indices in ``Theme.series`` for the other losses."""

OTHER_SERIES = 4
"""The colour index for a loss without a fixed one."""


class LossesPlot(HelperPlot[EnsembleMargins, EnsembleMargins]):
    """Losses by margin above, the histogram of the ensemble's margins below."""

    key = "losses"
    title = N_("Loss functions")
    search_terms = N_("margin sigmoid zero-one")
    question = ENSEMBLE_QUESTION
    summary = N_(
        "How much a row counts, depending on how clearly the ensemble is right about it, and "
        "how many validation rows there are."
    )
    explanation = N_(
        "The margin says how clearly an ensemble is right on a row: 1 when all votes are for the "
        "true class, below 0 when it is outvoted.\n"
        "Above, each curve is a loss: what a search pays for a row with that margin. The thick "
        "one is this run's.\n"
        "The plain error is a step: it cannot see that a row is almost right. The others are "
        "smooth, so a search sees progress before the vote flips.\n"
        "Dots are the values that are possible with this many members.\n"
        "Below, bars count the validation rows. A good search pushes them to the right, above all "
        "those left of 0.\n"
        "When numbers are predicted there is no margin; the residual, predicted minus true value, "
        "takes its place."
    )
    source = N_("Lévesque 2018, section 4.3, figures 4.6 and 4.7")
    task = compute_margins
    waiting_message = N_("Counting the ensemble's votes…")
    depends_on_members = True

    def read(self, answer: EnsembleMargins, subject: Subject) -> EnsembleMargins:
        return sort_curves(answer)

    def make_figure(self, data: EnsembleMargins, subject: Subject) -> Figure:
        ink, edges = make_series_ink(ENSEMBLE), data.edges
        inset = 0.08 * (edges[1] - edges[0]) if len(edges) > 1 else 0.0
        grid, high = data.grid, get_loss_axis_limit(data)
        margin = 0.03 * (grid[-1] - grid[0])
        x_title, y_title = get_axis_labels(data)
        x_axis = Axis(low=grid[0] - margin, high=grid[-1] + margin)
        marks = [
            Rule(position=0.0, ink=MUTED),
            Rule(position=0.0, ink=MUTED, panel=1),
            # The run's own loss is first in the legend, but drawn last, on top.
            *(
                _make_line(data, curve, depth)
                for depth, curve in reversed(list(enumerate(data.curves)))
            ),
        ]
        if len(data.points_x):
            name = tr("possible values")
            marks.append(Dots(x=data.points_x, y=data.points_y, size=7, ink=ink, name=name))
        marks.append(
            Boxes(
                x0=edges[:-1] + inset,
                x1=edges[1:] - inset,
                y0=np.zeros(len(data.counts)),
                y1=data.counts.astype(float),
                ink=ink.with_opacity(0.55),
                panel=1,
                name=tr("validation rows"),
            )
        )
        x = replace(x_axis, has_tick_labels=False)
        y = make_count_axis(tr("rows"), float(data.counts.max()))
        return Figure(
            panels=[
                Panel(x=x, y=Axis(y_title, -0.04 * high, 1.06 * high), height_share=5),
                Panel(x=replace(x_axis, label=x_title), y=y, height_share=3, row=1),
            ],
            marks=marks,
            summary=describe_run_loss(data),
            default_text=summarise_plot(data),
        )

    def describe_hovered(self, data: EnsembleMargins, subject: Subject, pointer: Pointer) -> str:
        return describe_losses(data, pointer.x)

    def get_table_columns(self, data: EnsembleMargins, subject: Subject) -> Columns:
        """Return the curves, followed by the count of the bin at each position."""
        bins = np.searchsorted(data.edges, data.grid, side="right") - 1
        return {
            "residual" if data.is_regression else "margin": data.grid,
            **{curve.key: curve.values for curve in data.curves},
            "rows in the bar": data.counts[np.clip(bins, 0, len(data.counts) - 1)],
        }


def _make_line(data: EnsembleMargins, curve: LossCurve, depth: int) -> Line:
    is_run_loss = curve.key == data.search_loss
    name = f"{curve.title}: {curve.formula}"
    return Line(
        x=data.grid,
        y=curve.values,
        ink=make_series_ink(ENSEMBLE if is_run_loss else SERIES.get(curve.key, OTHER_SERIES)),
        dashed=not is_run_loss,
        weight="thick" if is_run_loss else "line",
        name=tr("{loss} (this run's)", loss=name) if is_run_loss else name,
        depth=2 + depth / len(data.curves),
    )
