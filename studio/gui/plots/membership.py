"""Membership: which trials were in the ensemble at every iteration, and how heavy."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui import theme
from studio.gui.plots import canvas
from studio.gui.plots.asking import Helper
from studio.gui.plots.base import Plot
from studio.gui.plots.colours import branch_colours, triple
from studio.gui.plots.legend import Entry
from studio.gui.plots.membership_model import (
    MembershipPicture,
    membership_picture,
    membership_words,
    raster,
)
from studio.gui.plots.questions import ENSEMBLE
from studio.gui.plots.subject import Subject


class MembershipPlot(Plot):
    """Members × iterations, coloured by branch, as opaque as the member is heavy."""

    key: ClassVar[str] = "membership"
    title: ClassVar[str] = "Membership"
    question: ClassVar[str] = ENSEMBLE
    summary: ClassVar[str] = (
        "Each row is a trial that joined the ensemble; a bar shows when it was in, "
        "and the stronger its colour, the heavier its weight."
    )
    source: ClassVar[str] = "Shen et al. 2022, table 4"

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._picture: MembershipPicture | None = None
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().invertY(True)
        self._image = pyqtgraph.ImageItem(axisOrder="row-major")
        self._later = pyqtgraph.LinearRegionItem(movable=False, pen=None)
        self._here = pyqtgraph.InfiniteLine(angle=90)
        for depth, item in enumerate((self._image, self._later, self._here)):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    def missing(self, subject: Subject) -> str:
        """Say so before the first ensemble."""
        if any(record.members for record in subject.series.iterations):
            return ""
        return "There is no ensemble yet: it appears when the first trials have finished."

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        self._axes.showGrid(x=True, y=False, alpha=0.12)
        self._later.setBrush(theme.colour(look.surface, 0.72))
        self._here.setPen(canvas.hairline(QColor(look.text), dashed=True))
        canvas.label(self._axes, "bottom", "iteration (finished trials)")
        canvas.label(self._axes, "left", "trial number")

    def draw(self, subject: Subject) -> None:
        """Bring the raster up to date."""
        picture = membership_picture(subject.series, subject.chosen)
        self._picture = picture
        branches = subject.series.branches
        known = [*branches, *(b for b in dict.fromkeys(picture.branches) if b not in branches)]
        colours = branch_colours([b for b in known if b], theme.current())
        image = raster(picture, {branch: triple(c) for branch, c in colours.items()})
        rows = len(picture.members)
        first, last = int(picture.iterations[0]), int(picture.iterations[-1])
        self._image.setImage(image, autoLevels=False, levels=None)
        self._image.setRect(first - 0.5, -0.5, last - first + 1.0, rows)
        back = subject.chosen is not None and picture.shown < last
        self._later.setVisible(back)
        self._here.setVisible(back)
        if back:
            self._later.setRegion((picture.shown + 0.5, last + 0.5))
            self._here.setPos(picture.shown + 0.5)
        self._axes.setRange(
            xRange=(0.5, max(last + 0.5, 10.5)), yRange=(-0.5, max(rows, 6) - 0.5), padding=0
        )
        self._name_rows(picture)
        seen = set(picture.branches)
        self.legend.show_entries(
            [Entry(name, "square", colours[name]) for name in known if name and name in seen]
        )

    def _name_rows(self, picture: MembershipPicture) -> None:
        rows = len(picture.members)
        step = canvas.label_step(self._axes, max(rows, 6))
        ticks = [(row, str(int(picture.members[row]))) for row in range(0, rows, step)]
        self._axes.getAxis("left").setTicks([ticks])

    def _cell(self, where: QPointF) -> tuple[int, int]:
        picture = self._picture
        if picture is None:
            return -1, -1
        at = self._axes.getViewBox().mapSceneToView(where)
        column = int(np.abs(picture.iterations - at.x()).argmin())
        if not picture.iterations[0] - 0.5 <= at.x() <= picture.iterations[-1] + 0.5:
            column = -1
        return round(at.y()), column

    def words_at(self, where: QPointF) -> str:
        """Say whose cell is pointed at, and what the member is worth."""
        if self.subject is None or self._picture is None:
            return ""
        return membership_words(self.subject.series, self._picture, *self._cell(where))

    def words_at_rest(self) -> str:
        """Say how many members there are, and what does not fit."""
        picture, subject = self._picture, self.subject
        if picture is None or subject is None or subject.iteration == 0:
            return ""
        size = len(subject.series.iterations[subject.iteration - 1].members)
        words = (
            f"iteration {subject.iteration}  ·  {size} different members now, "
            f"{len(picture.members) + picture.left_out} ever"
        )
        if picture.left_out:
            words += f"  ·  the {len(picture.members)} that stayed longest are drawn"
        return words

    def clicked(self, where: QPointF) -> None:
        """Look at the iteration clicked on."""
        _, column = self._cell(where)
        if self._picture is not None and column >= 0:
            self.iteration_picked.emit(int(self._picture.iterations[column]))

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return every membership: iteration, trial, branch, weight."""
        names = ("iteration", "trial", "branch", "weight")
        if self.subject is None:
            return names, []
        series = self.subject.series
        return names, [
            (record.number, number, series.branch(number), weight)
            for record in series.iterations
            for number, weight in record.members
        ]
