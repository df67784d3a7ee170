"""The one plot that everybody sees first: the ensemble, the best single model, and the test."""

from dataclasses import replace
from typing import ClassVar

from studio.figures.colours import ENSEMBLE, SINGLE
from studio.figures.figure import Figure
from studio.figures.ink import Ink, series
from studio.figures.marks import Band, Dots
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.quality.progress import Lines, ProgressPlot
from studio.gui.plots.quality.progress_model import ProgressPicture
from studio.language import N_, tr


class HeadlinePlot(ProgressPlot):
    """Progress without what only experts ask: no test of the best single model, no surrogate."""

    key: ClassVar[str] = "headline"
    summary: ClassVar[str] = N_(
        "Lower is better. Solid: validation rows, by which the search chooses. Dashed: test rows, "
        "which it never sees (shaded: a gap beyond chance). Dots: trials; triangles: beyond "
        "the scale; crosses: ended early."
    )

    def figure(self, picture: ProgressPicture, subject: Subject) -> Figure:
        """Return the curves without a legend: they are named at their ends, the dots below."""
        made = super().figure(picture, subject)
        unnamed = [
            replace(each, name="") if isinstance(each, Dots | Band) else each for each in made.marks
        ]
        return replace(made, marks=unnamed, rest="")

    def missing(self, subject: Subject) -> str:
        """Say when the first point comes."""
        waiting = tr("The first point appears when a model has been trained and evaluated.")
        return super().missing(subject) and (subject.ended or waiting)

    def ask(self, subject: Subject) -> None:
        """Ask for nothing: all is known."""

    def lead(self, picture: ProgressPicture) -> Ink:
        """Return the colour of the ensemble, or of the single model that a run chooses instead."""
        return series(SINGLE if picture.is_single else ENSEMBLE)

    def lines(self, picture: ProgressPicture) -> Lines:
        """Return the curves of single model and ensemble, and the test of what the run ends with.

        Where both are the same models, there is one curve.
        """
        lead = self.lead(picture)
        kept = [
            (line, name)
            for line, name in super().lines(picture)
            if line.ink == lead or not (line.dashed or picture.is_single)
        ]
        return [
            (replace(line, weight="thick"), name)
            if line.ink == lead and not line.dashed
            else (line, name)
            for line, name in kept
        ]
