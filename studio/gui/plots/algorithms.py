"""Chosen algorithms: what share of the trials and of the ensemble each branch has, over time."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.arrays import Floats
from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots.algorithms_model import (
    VIEWS,
    BranchShares,
    SharesPicture,
    branch_at,
    member_words,
    rest_words,
    trial_words,
)
from studio.gui.plots.asking import Helper
from studio.gui.plots.base import Plot
from studio.gui.plots.colours import branch_colours
from studio.gui.plots.compact import fit_names, keep_names_fitting
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry, later_entry
from studio.gui.plots.progress_model import stairs
from studio.gui.plots.questions import SEARCH
from studio.gui.plots.subject import Subject
from studio.gui.plots.view_chooser import ViewChooser


class AlgorithmsPlot(Plot):
    """Stacked areas: the trials' branches above, the members' below."""

    key: ClassVar[str] = "algorithms"
    title: ClassVar[str] = mark("Chosen algorithms")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "Which algorithms the search tries (above), and which the ensemble is made of (below)."
    )
    explanation: ClassVar[str] = mark(
        "Every colour is an algorithm, and its height at an iteration is its share. "
        "Above are the trials: a search that learns tries good algorithms more and more often, "
        "and a band that becomes thin was given up. "
        "Below are the members of the ensemble, counted by their weight in its vote. "
        "A band that is thin above but thick below means that a few trials of that algorithm "
        "are worth much to the ensemble. "
        "The list at the top right chooses whether the last 20 trials are counted, which shows "
        "changes sooner, or all trials so far."
    )
    source: ClassVar[str] = mark("Lévesque 2018, figures 5.8 and 5.9")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._counter: BranchShares | None = None
        self._picture: SharesPicture | None = None
        self.view = ViewChooser(
            VIEWS, tr("Trials that are counted"), tr("Count the last 20 trials, or all so far")
        )
        self.view.chosen.connect(self.again)
        self.header.controls.addWidget(self.view)
        self._above = canvas.add_axes(self.canvas, 0)
        self._below = canvas.add_axes(self.canvas, 1)
        self._below.setXLink(self._above)
        for row, stretch in enumerate((10, 13)):
            self.canvas.ci.layout.setRowStretchFactor(row, stretch)
        self._areas: dict[int, list[Any]] = {0: [], 1: []}
        self._veils = []
        self._lines = []
        for axes in (self._above, self._below):
            axes.showAxis("right")
            axes.getViewBox().setMouseEnabled(False, False)
            axes.getAxis("left").setTicks([[(share, str(share)) for share in (0, 50, 100)]])
            veil = pyqtgraph.LinearRegionItem(movable=False, pen=None)
            line = pyqtgraph.InfiniteLine(angle=90)
            for depth, item in enumerate((veil, line)):
                item.setZValue(1000 + depth)
                axes.addItem(item, ignoreBounds=True)
            self._veils.append(veil)
            self._lines.append(line)
        keep_names_fitting(self.canvas, self._above, self._below)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._above, self._below)
        for axes, veil, line in zip(
            (self._above, self._below), self._veils, self._lines, strict=True
        ):
            axes.showGrid(x=False, y=False)
            right = axes.getAxis("right")
            right.setWidth(theme.pixels(96))
            right.setPen(None)
            right.setTextPen(QColor(look.text))
            right.setTickFont(theme.font(theme.SMALL - 1))
            right.setStyle(tickLength=0, tickTextOffset=4)
            veil.setBrush(theme.colour(look.surface, 0.72))
            line.setPen(canvas.hairline(QColor(look.text), dashed=True))
        self._above.getAxis("bottom").setStyle(showValues=False)
        canvas.label(self._above, "left", tr("trials (%)"))
        canvas.label(self._below, "left", tr("members (%)"))
        canvas.label(self._below, "bottom", tr("iteration (finished trials)"))
        fit_names(self.canvas, self._above, self._below)

    def missing(self, subject: Subject) -> str:
        """Say so where the space has no algorithms to choose among."""
        self.view.setVisible(subject.series.branch_parameter is not None)
        if subject.series.branch_parameter is None:
            return tr(
                "This run's space has no choice of an algorithm at its root, so there are no "
                "shares to compare. Runs over a space with such a choice show them here."
            )
        return super().missing(subject)

    def draw(self, subject: Subject) -> None:
        """Bring both stacks up to date."""
        if self._counter is None or self._counter.series is not subject.series:
            self._counter = BranchShares(subject.series)
        self._picture = picture = self._counter.picture(subject.chosen, self.view.key)
        look = theme.current()
        known = [*subject.series.branches]
        known += [each for each in picture.branches if each not in known]
        colours = branch_colours(known, look)
        drawn = [colours[branch] for branch in picture.branches]
        back = subject.chosen is not None and picture.shown < picture.last
        for place, (axes, shares) in enumerate(
            ((self._above, picture.trials), (self._below, picture.members))
        ):
            self._stack(place, axes, shares, drawn)
            veil, line = self._veils[place], self._lines[place]
            veil.setVisible(back)
            line.setVisible(back)
            if back:
                veil.setRegion((picture.shown + 0.5, picture.last + 1.5))
                line.setPos(picture.shown + 0.5)
            axes.setRange(xRange=(0.5, max(picture.last + 0.5, 10.5)), yRange=(0, 100), padding=0)
            self._name_areas(axes, shares[:, -1] if picture.last else np.zeros(0))
        pairs = zip(picture.branches, drawn, strict=True)
        entries = [Entry(branch, "square", colour) for branch, colour in pairs]
        self.legend.show_entries([*entries, later_entry()] if back else entries)

    def _stack(self, place: int, axes: Any, shares: Floats, colours: Sequence[QColor]) -> None:
        picture = self._picture
        assert picture is not None, "draw() has just made it"
        areas = self._areas[place]
        while len(areas) < len(colours):
            area = pyqtgraph.PlotCurveItem(pen=None, fillLevel=0.0, antialias=False)
            axes.addItem(area, ignoreBounds=True)
            areas.append(area)
        heights = 100.0 * shares.cumsum(axis=0)
        for row, area in enumerate(areas):
            area.setVisible(row < len(colours))
            if row < len(colours):
                # Each is filled down to 0 and hidden by the lower ones, which lie before it.
                area.setZValue(len(areas) - row)
                area.setBrush(colours[row])
                curve = stairs(picture.iterations, heights[row])
                area.setData(np.append(0.5, curve.x), np.append(curve.y[:1], curve.y))

    def _name_areas(self, axes: Any, shares: Floats) -> None:
        picture = self._picture
        assert picture is not None, "draw() has just made it"
        height = axes.getViewBox().height()
        middles = 100.0 * (shares.cumsum() - 0.5 * shares)
        ticks = [
            (float(middle), _short(branch))
            for branch, share, middle in zip(picture.branches, shares, middles, strict=True)
            if share * height >= theme.pixels(canvas.LABEL_PIXELS)
        ]
        axes.getAxis("right").setTicks([ticks])

    def words_at(self, where: QPointF) -> str:
        """Say whose area is pointed at."""
        picture, counter = self._picture, self._counter
        if picture is None or counter is None or not picture.last:
            return ""
        below = where.y() > self._below.getViewBox().sceneBoundingRect().top()
        at = (self._below if below else self._above).getViewBox().mapSceneToView(where)
        if not 0.5 <= at.x() <= picture.last + 0.5:
            return ""
        column = int(np.abs(picture.iterations - at.x()).argmin())
        shares = (picture.members if below else picture.trials)[:, column]
        row = branch_at(shares, at.y() / 100.0)
        if row < 0:
            return ""
        branch, iteration = picture.branches[row], int(picture.iterations[column])
        if below:
            return member_words(counter, branch, iteration, float(shares[row]))
        return trial_words(counter, branch, iteration, self.view.key)

    def words_at_rest(self) -> str:
        """Say which algorithm leads."""
        if self._picture is None or self._counter is None:
            return ""
        return rest_words(self._counter, self._picture)

    def clicked(self, where: QPointF) -> None:
        """Look at the iteration clicked on."""
        iteration = round(self._above.getViewBox().mapSceneToView(where).x())
        if self.subject is not None and 1 <= iteration <= self.subject.series.length:
            self.iteration_picked.emit(iteration)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return both shares of every branch, one row an iteration drawn."""
        picture = self._picture
        if picture is None:
            return ("iteration",), []
        names = [f"trials {branch}" for branch in picture.branches]
        names += [f"members {branch}" for branch in picture.branches]
        shares = np.concatenate([picture.trials, picture.members]).T
        rows = [
            (iteration, *line)
            for iteration, line in zip(picture.iterations.tolist(), shares.tolist(), strict=True)
        ]
        return ("iteration", *names), rows


def _short(name: str) -> str:
    return name if len(name) <= 15 else name[:14] + "…"
