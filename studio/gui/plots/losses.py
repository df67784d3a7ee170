"""Loss functions: how much a row counts by its margin, and where the ensemble's rows lie."""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots import canvas
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.colours import ENSEMBLE
from studio.gui.plots.dots import Dots
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.legend import Entry
from studio.gui.plots.losses_model import LossesPicture, losses_picture, losses_words
from studio.gui.plots.questions import ENSEMBLE as ENSEMBLE_QUESTION
from studio.gui.plots.subject import Subject

SERIES = {"zero-one": 7, "margin": 3, "sqm": 0, "sig": 2, "mse": 0, "mae": 7}
"""Places in ``Theme.series`` of the losses that are not the run's own."""


class LossesPlot(HelpedPlot[LossesPicture]):
    """Losses over the margin above, the histogram of the ensemble's margins below."""

    key: ClassVar[str] = "losses"
    title: ClassVar[str] = mark("Loss functions")
    question: ClassVar[str] = ENSEMBLE_QUESTION
    summary: ClassVar[str] = mark(
        "How much a row counts, by how clearly the ensemble is right on it, "
        "and how many validation rows are there."
    )
    explanation: ClassVar[str] = mark(
        "The margin says how clearly an ensemble is right on a row: 1 when all votes are for the "
        "true class, below 0 when it is outvoted.\n"
        "Above, each curve is a loss: what a search pays for a row with that margin. The thick one "
        "is this run's.\n"
        "The plain error is a step: it cannot see that a row is almost right. The others are "
        "smooth, so a search sees progress before the vote turns over.\n"
        "Dots are the values that are possible with as many members as there are.\n"
        "Below, bars count the validation rows. A good search pushes them to the right, above all "
        "those left of 0.\n"
        "When numbers are predicted there is no margin; the residual, predicted minus true value, "
        "takes its place."
    )
    source: ClassVar[str] = mark("Lévesque 2018, section 4.3, figures 4.6 and 4.7")
    task: ClassVar[str] = "margins"
    waiting: ClassVar[str] = mark("Counting the ensemble's votes…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._below = canvas.add_axes(self.canvas, 1)
        self._below.setXLink(self._axes)
        self.canvas.ci.layout.setRowStretchFactor(0, 5)
        self.canvas.ci.layout.setRowStretchFactor(1, 3)
        for axes in (self._axes, self._below):
            axes.getViewBox().setMouseEnabled(False, False)
        self._middles = [pyqtgraph.InfiniteLine(pos=0, angle=90) for _ in range(2)]
        self._bars = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=0, height=[], pen=None)
        self._points = Dots(size=7)
        self._curves: list[Any] = []
        self._axes.addItem(self._middles[0], ignoreBounds=True)
        self._axes.addItem(self._points, ignoreBounds=True)
        self._points.setZValue(20)
        self._below.addItem(self._bars, ignoreBounds=True)
        self._below.addItem(self._middles[1], ignoreBounds=True)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes, self._below)
        self._axes.getAxis("bottom").setStyle(showValues=False)
        for middle in self._middles:
            middle.setPen(canvas.hairline(QColor(look.muted), dashed=True))
        self._bars.setOpts(brush=theme.colour(look.series[ENSEMBLE], 0.55))
        self._points.setBrush(QColor(look.series[ENSEMBLE]))
        self._points.setPen(canvas.hairline(QColor(look.surface)))

    def moment(self, subject: Subject) -> Hashable:
        """Return the members: the same ensemble has the same margins, whatever the iteration."""
        return subject.members

    def read(self, reply: Reply, subject: Subject) -> LossesPicture:
        """Return the curves and bars."""
        del subject
        return losses_picture(*reply)

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self.picture
        if picture is None:
            return
        while len(self._curves) < len(picture.curves):
            self._curves.append(pyqtgraph.PlotCurveItem())
            self._axes.addItem(self._curves[-1], ignoreBounds=True)
        for place, item in enumerate(self._curves):
            item.setVisible(place < len(picture.curves))
            if place < len(picture.curves):
                curve = picture.curves[place]
                item.setData(picture.x, curve.y)
                item.setZValue(10 + place)
                item.setPen(canvas.line(self._colour(place), dashed=not curve.own))
                if curve.own:
                    pen = canvas.line(self._colour(place))
                    pen.setWidthF(3.5)
                    item.setPen(pen)
        self._points.setData(picture.points_x, picture.points_y)
        edges = picture.edges
        inset = 0.08 * (edges[1] - edges[0]) if len(edges) > 1 else 0.0
        self._bars.setOpts(x0=edges[:-1] + inset, x1=edges[1:] - inset, y0=0, height=picture.counts)
        self._frame(picture)
        self.header.summary.setText(picture.note)
        self.legend.show_entries(self._entries(picture))

    def _colour(self, place: int) -> QColor:
        look, picture = theme.current(), self.picture
        assert picture is not None
        if picture.curves[place].own:
            return QColor(look.series[ENSEMBLE])
        return QColor(look.series[SERIES[picture.curves[place].key]])

    def _frame(self, picture: LossesPicture) -> None:
        edge = 0.03 * (picture.x[-1] - picture.x[0])
        self._axes.setRange(
            xRange=(picture.x[0] - edge, picture.x[-1] + edge),
            yRange=(-0.04 * picture.reach, 1.06 * picture.reach),
            padding=0,
        )
        self._below.setRange(yRange=(0, 1.08 * max(1.0, float(picture.counts.max()))), padding=0)
        canvas.label(self._axes, "left", picture.y_label)
        canvas.label(self._below, "left", tr("rows"))
        canvas.label(self._below, "bottom", picture.x_label)

    def _entries(self, picture: LossesPicture) -> Sequence[Entry]:
        look = theme.current()
        entries = []
        for place, curve in enumerate(picture.curves):
            name = f"{curve.title}: {curve.formula}"
            if curve.own:
                name = tr("{loss} (this run's)", loss=name)
            entries.append(Entry(name, "line" if curve.own else "dash", self._colour(place)))
        entries.reverse()
        if len(picture.points_x):
            entries.append(Entry(tr("values possible"), "dot", QColor(look.series[ENSEMBLE])))
        bars = theme.colour(look.series[ENSEMBLE], 0.55)
        return [*entries, Entry(tr("validation rows"), "square", bars)]

    def words_at(self, where: QPointF) -> str:
        """Say how many rows lie at the margin pointed at, and what they cost."""
        picture = self.picture
        if picture is None or not self._axes.sceneBoundingRect().united(
            self._below.sceneBoundingRect()
        ).contains(where):
            return ""
        return losses_words(picture, self._axes.getViewBox().mapSceneToView(where).x())

    def words_at_rest(self) -> str:
        """Say how the rows' margins are on the whole."""
        return "" if self.picture is None else self.picture.rest

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the curves, and behind them the rows of the bar in which each place lies."""
        picture = self.picture
        if picture is None:
            return ("margin",), []
        place = np.searchsorted(picture.edges, picture.x, side="right") - 1
        rows = picture.counts[np.clip(place, 0, len(picture.counts) - 1)]
        columns = (picture.x, *(curve.y for curve in picture.curves), rows)
        first = "residual" if picture.of_values else "margin"
        names = (first, *(curve.key for curve in picture.curves), "rows in the bar")
        return names, np.column_stack(columns).tolist()
