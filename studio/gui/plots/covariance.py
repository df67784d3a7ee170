"""Covariance: which trials the surrogate holds comparable, sorted by condition."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots import canvas
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.brackets import BranchBrackets
from studio.gui.plots.colours import branch_colours, scale_table
from studio.gui.plots.covariance_model import (
    CovariancePicture,
    covariance_picture,
    covariance_rest,
    covariance_words,
)
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.legend import Entry
from studio.gui.plots.questions import SEARCH
from studio.gui.plots.scale_bar import ScaleBar, beside
from studio.gui.plots.subject import Subject


class CovariancePlot(HelpedPlot[CovariancePicture]):
    """A heat map of K, with the branches in brackets along its left and its foot."""

    key: ClassVar[str] = "covariance"
    title: ClassVar[str] = mark("Covariance of the trials")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "How alike the surrogate takes each pair of trials: what was seen of one it expects of "
        "the other."
    )
    explanation: ClassVar[str] = mark(
        "Every row and every column is a trial; a cell says how alike the surrogate's kernel "
        "takes the two, from 0 (one says nothing about the other) to 1 (the same).\n"
        "Trials are sorted by condition: those of one branch of the space (one algorithm) lie "
        "side by side, in brackets along the edges.\n"
        "A conditional kernel gives squares along the diagonal and nothing between them: what is "
        "learnt about one algorithm says nothing about another. A plain kernel mixes them.\n"
        "Bright squares mean that the surrogate expects the objective to change slowly there; "
        "dark ones that every trial speaks for itself only. The length scales behind it are "
        "learnt, and averaged over their draws."
    )
    source: ClassVar[str] = mark("Lévesque 2018, equations 5.9–5.11, figures 5.2, 5.3 and 5.5")
    task: ClassVar[str] = "covariance"
    waiting: ClassVar[str] = mark("Comparing the trials as the surrogate does…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self.scale = ScaleBar()
        self._inside.insertWidget(0, beside(self.legend, self.scale, share=2))
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().invertY(True)
        self._axes.getViewBox().setMouseEnabled(False, False)
        self._image = pyqtgraph.ImageItem(axisOrder="row-major")
        self._lines = pyqtgraph.PlotCurveItem(connect="pairs")
        self._brackets = BranchBrackets()
        for depth, item in enumerate((self._image, self._lines, self._brackets)):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        canvas.dress_canvas(self.canvas, self._axes)
        self._axes.showGrid(x=False, y=False)
        self._lines.setPen(canvas.hairline(theme.colour("#ffffff", 0.55)))
        canvas.label(self._axes, "left", tr("trial number"))
        canvas.label(self._axes, "bottom", tr("trial number, sorted by branch"))

    def read(self, reply: Reply, subject: Subject) -> CovariancePicture:
        """Return the matrix, with its scales in the run's unit."""
        return covariance_picture(*reply, subject.series.measure)

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self.picture
        if picture is None:
            return
        size = len(picture.numbers)
        bytes_ = np.clip(picture.matrix * 255, 0, 255).astype(np.uint8)
        self._image.setImage(scale_table()[bytes_], autoLevels=False, levels=None)
        self._image.setRect(0, 0, size, size)
        ends: list[tuple[float, float]] = []
        for step in (*picture.steps, *(bracket.end for bracket in picture.brackets[:-1])):
            ends += [(0, step), (size, step), (step, 0), (step, size)]
        lines = np.array(ends, dtype=float).reshape(-1, 2)
        self._lines.setData(lines[:, 0], lines[:, 1])
        colours = branch_colours(subject.series.branches, theme.current())
        shown = [each for each in picture.brackets if each.name]
        muted = QColor(theme.current().muted)
        self._brackets.show_brackets(
            [(each, colours.get(each.name, muted)) for each in shown], size
        )
        step = canvas.label_step(self._axes, size)
        ticks = [(row + 0.5, str(int(picture.numbers[row]))) for row in range(0, size, step)]
        for side in ("left", "bottom"):
            self._axes.getAxis(side).setTicks([ticks])
        edge = 0.05 * size if shown else 0.0
        self._axes.setRange(xRange=(-edge, size), yRange=(0, size + edge), padding=0)
        self.header.summary.setText(picture.explanation)
        self.scale.show_scale(tr("correlation k"), "0", "1")
        self.legend.show_entries(
            [Entry(each.name, "square", colours.get(each.name, muted)) for each in shown]
        )

    def _cell(self, where: QPointF) -> tuple[int, int]:
        at = self._axes.getViewBox().mapSceneToView(where)
        return int(np.floor(at.y())), int(np.floor(at.x()))

    def words_at(self, where: QPointF) -> str:
        """Say which pair is pointed at, and what the kernel holds of it."""
        if self.subject is None or self.picture is None:
            return ""
        return covariance_words(self.picture, self.subject.series, *self._cell(where))

    def words_at_rest(self) -> str:
        """Say what is compared by what."""
        return "" if self.picture is None else covariance_rest(self.picture)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the matrix, one row a trial."""
        picture = self.picture
        if picture is None:
            return ("trial",), []
        numbers = [int(number) for number in picture.numbers]
        rows = zip(numbers, picture.matrix.tolist(), strict=True)
        return (
            ("trial", *(f"trial {number}" for number in numbers)),
            [(number, *line) for number, line in rows],
        )
