"""Loss functions: how much a row counts by its margin, and where the ensemble's rows lie."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from studio.analysis.answers.margins import LossCurve, Margins
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import MUTED, series
from studio.figures.marks import Boxes, Dots, Line, Rule
from studio.gui.base.language import mark, tr
from studio.gui.plots.base.colours import ENSEMBLE
from studio.gui.plots.base.helped import HelpedPlot
from studio.gui.plots.base.plot import Columns
from studio.gui.plots.base.questions import ENSEMBLE as ENSEMBLE_QUESTION
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.ensemble.losses_model import (
    as_drawn,
    axis_labels,
    losses_words,
    note_words,
    reach,
    rest_words,
)

SERIES = {"zero-one": 7, "margin": 3, "sqm": 0, "sig": 2, "mse": 0, "mae": 7}
"""Places in ``Theme.series`` of the losses that are not the run's own."""

OTHER = 4
"""The place of a loss that has none of its own."""


class LossesPlot(HelpedPlot[Margins, Margins]):
    """Losses over the margin above, the histogram of the ensemble's margins below."""

    key: ClassVar[str] = "losses"
    title: ClassVar[str] = mark("Loss functions")
    also: ClassVar[str] = mark("margin sigmoid zero-one")
    question: ClassVar[str] = ENSEMBLE_QUESTION
    summary: ClassVar[str] = mark(
        "How much a row counts, by how clearly the ensemble is right on it, and how many "
        "validation rows there are."
    )
    explanation: ClassVar[str] = mark(
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
    source: ClassVar[str] = mark("Lévesque 2018, section 4.3, figures 4.6 and 4.7")
    task: ClassVar[str] = "margins"
    answer: ClassVar[type[Any]] = Margins
    waiting: ClassVar[str] = mark("Counting the ensemble's votes…")
    by_members: ClassVar[bool] = True

    def read(self, answer: Margins, subject: Subject) -> Margins:
        """Return the curves in the order drawn."""
        return as_drawn(answer)

    def figure(self, picture: Margins, subject: Subject) -> Figure:
        """Return the losses, and the rows beneath."""
        own, edges = series(ENSEMBLE), picture.edges
        inset = 0.08 * (edges[1] - edges[0]) if len(edges) > 1 else 0.0
        grid, high = picture.grid, reach(picture)
        room = 0.03 * (grid[-1] - grid[0])
        across_label, up_label = axis_labels(picture)
        across = Axis(low=grid[0] - room, high=grid[-1] + room)
        marks = [
            Rule(at=0.0, ink=MUTED),
            Rule(at=0.0, ink=MUTED, panel=1),
            # The run's own is the first in the legend, and drawn last.
            *(
                _line(picture, curve, depth)
                for depth, curve in reversed(list(enumerate(picture.curves)))
            ),
        ]
        if len(picture.points_x):
            name = tr("values possible")
            marks.append(Dots(x=picture.points_x, y=picture.points_y, size=7, ink=own, name=name))
        marks.append(
            Boxes(
                x0=edges[:-1] + inset,
                x1=edges[1:] - inset,
                y0=np.zeros(len(picture.counts)),
                y1=picture.counts.astype(float),
                ink=own.faint(0.55),
                panel=1,
                name=tr("validation rows"),
            )
        )
        return Figure(
            panels=[
                Panel(
                    x=replace(across, values=False),
                    y=Axis(up_label, -0.04 * high, 1.06 * high),
                    share=5,
                ),
                Panel(
                    x=replace(across, label=across_label),
                    y=Axis(tr("rows"), 0.0, 1.08 * max(1.0, float(picture.counts.max()))),
                    share=3,
                    row=1,
                ),
            ],
            marks=marks,
            summary=note_words(picture),
            rest=rest_words(picture),
        )

    def words(self, picture: Margins, subject: Subject, at: Pointer) -> str:
        """Say how many rows lie at the margin pointed at, and what they cost."""
        return losses_words(picture, at.x)

    def columns(self, picture: Margins, subject: Subject) -> Columns:
        """Return the curves, followed by the rows of the bar in which each place lies."""
        place = np.searchsorted(picture.edges, picture.grid, side="right") - 1
        return {
            "residual" if picture.of_values else "margin": picture.grid,
            **{curve.key: curve.values for curve in picture.curves},
            "rows in the bar": picture.counts[np.clip(place, 0, len(picture.counts) - 1)],
        }


def _line(picture: Margins, curve: LossCurve, depth: int) -> Line:
    own = curve.key == picture.own
    name = f"{curve.title}: {curve.formula}"
    return Line(
        x=picture.grid,
        y=curve.values,
        ink=series(ENSEMBLE if own else SERIES.get(curve.key, OTHER)),
        dashed=not own,
        weight="thick" if own else "line",
        name=tr("{loss} (this run's)", loss=name) if own else name,
        depth=2 + depth / len(picture.curves),
    )
