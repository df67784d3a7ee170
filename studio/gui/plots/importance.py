"""Importance of hyperparameters: how much of the loss' variance each makes by itself."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.chooser import ParameterChooser
from studio.gui.plots.colours import branch_colours
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.importance_model import (
    ImportancePicture,
    branches_with_any,
    first_branch,
    importance_picture,
    importance_rest,
    importance_words,
    percent_text,
)
from studio.gui.plots.map_panel import axis_width
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry
from studio.gui.plots.questions import SEARCH
from studio.gui.plots.slice_model import ParameterGroup
from studio.gui.plots.subject import Subject

_LEAST_ROWS = 5
"""Rows for which there is room at least: one bar as high as the plot looks like a fault."""

_THICK = 0.62
"""Height of a bar, of the unit that each row has."""


class ImportancePlot(HelpedPlot[ImportancePicture]):
    """Bars with the spread over the surrogate's models, sorted."""

    key: ClassVar[str] = "importance"
    title: ClassVar[str] = mark("Importance of hyperparameters")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "How much of the difference between configurations each hyperparameter makes by itself."
    )
    explanation: ClassVar[str] = mark(
        "The surrogate predicts the validation loss of random configurations. Some of them are "
        "better than others; this says whose doing that is. 60 % means: if only this "
        "hyperparameter varied, and all others were averaged out, 60 % of the variance would "
        "remain.\n"
        "Exactly: the main effect V_j / V of functional ANOVA, V_j = Var over θ_j of "
        "E over the others of f(θ), V = Var f(θ), f the surrogate's mean, worked out over "
        "random configurations in which θ_j takes each of its values.\n"
        "The first bars are over the whole space, with the choice of the branch (algorithm) "
        "among them. Those of a branch are within its configurations only, so a bar of 100 % "
        "there may matter little beside the choice of the algorithm.\n"
        "What is missing to 100 % is joint work of several hyperparameters. The line at a bar's "
        "end is one standard deviation over the surrogate's single models: where it is long, "
        "too little has been tried to tell."
    )
    source: ClassVar[str] = mark(
        "Hutter, Hoos and Leyton-Brown 2014 (ICML), equations 3–8, with averages over random "
        "configurations in place of a forest's leaves"
    )
    task: ClassVar[str] = "importance"
    waiting: ClassVar[str] = mark("Working out what matters…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self.branch = ParameterChooser()
        self.branch.setAccessibleName(tr("Branch whose hyperparameters are shown"))
        self.branch.setToolTip(tr("The branch (algorithm) whose hyperparameters are shown"))
        self.branch.setMinimumContentsLength(9)
        self.branch.chosen.connect(self.again)
        self.header.controls.addWidget(self.branch)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().invertY(True)
        self._axes.getViewBox().setMouseEnabled(False, False)
        self._bars = pyqtgraph.BarGraphItem(x0=[], x1=[], y=[], height=_THICK, pen=None)
        self._spread = pyqtgraph.PlotCurveItem(connect="pairs")
        self._numbers: list[pyqtgraph.TextItem] = []
        for depth, item in enumerate((self._bars, self._spread)):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        self._axes.showGrid(x=True, y=False, alpha=0.12)
        self._spread.setPen(canvas.line(QColor(look.text)))
        canvas.label(self._axes, "bottom", tr("share of the variance by itself (%)"))
        for number in self._numbers:
            number.setColor(QColor(look.text))
            number.setFont(theme.font(theme.SMALL))

    # Asking ----------------------------------------------------------------------------------

    def prepare(self, subject: Subject) -> None:
        """Offer the branches of the space."""
        if subject.space is not None:
            branches = branches_with_any(subject.space)
            first = first_branch(subject.space, subject.series)
            self.branch.offer((ParameterGroup("", branches),) if branches else (), first)
            self.branch.setVisible(bool(branches))
        super().prepare(subject)

    def asked_for(self, subject: Subject) -> dict[str, Any] | None:
        """Ask for the branch chosen beside the whole space."""
        return None if subject.space is None else {"branch": self.branch.name}

    def impossible(self, subject: Subject) -> str:
        """Say that the space cannot be read."""
        return "" if subject.space is not None else tr("The space of this run cannot be read.")

    def read(self, reply: Reply, subject: Subject) -> ImportancePicture:
        """Return the bars."""
        del subject
        return importance_picture(*reply)

    # Drawing ---------------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self.picture
        if picture is None:
            return
        look = theme.current()
        count = len(picture.names)
        colours = branch_colours(subject.series.branches, look)
        of = [
            colours.get(scope, QColor(look.series[0])) if scope else QColor(look.muted)
            for scope in picture.scopes
        ]
        rows = np.arange(count, dtype=float)
        ends = np.nan_to_num(picture.percent)
        self._bars.setOpts(x0=np.zeros(count), x1=ends, y=rows, height=_THICK, brushes=of)
        low = np.clip(ends - picture.spread, 0.0, None)
        high = ends + picture.spread
        told = np.isfinite(picture.percent)
        self._spread.setData(
            np.stack([low[told], high[told]], axis=1).ravel(), np.repeat(rows[told], 2)
        )
        self._write_numbers(picture, np.where(told, np.nan_to_num(high), 0.0))
        axis = self._axes.getAxis("left")
        axis.setTicks([list(enumerate(picture.labels))])
        axis.setWidth(axis_width(picture.labels) - 2 * theme.GRID)
        rows_shown = max(count, _LEAST_ROWS)
        reach = max(100.0, float(np.nanmax(high, initial=0.0)))
        self._axes.setRange(xRange=(-0.5, 1.22 * reach), yRange=(-0.6, rows_shown - 0.4), padding=0)
        self._axes.getAxis("bottom").setTicks([[(k, str(k)) for k in range(0, 101, 20)]])
        entries = []
        for scope, colour in dict(zip(picture.scopes, of, strict=True)).items():
            name = tr("within {branch}", branch=scope) if scope else tr("over the whole space")
            entries.append(Entry(name, "square", colour))
        entries.append(Entry(tr("± 1 standard deviation"), "line", QColor(look.text)))
        self.legend.show_entries(entries)

    def _write_numbers(self, picture: ImportancePicture, places: Any) -> None:
        while len(self._numbers) < len(picture.names):
            made = pyqtgraph.TextItem(anchor=(0, 0.5))
            made.setColor(QColor(theme.current().text))
            made.setFont(theme.font(theme.SMALL))
            self._numbers.append(made)
            self._axes.addItem(made, ignoreBounds=True)
        for at, item in enumerate(self._numbers):
            item.setVisible(at < len(picture.names))
            if at < len(picture.names):
                item.setText(percent_text(picture, at))
                item.setPos(float(places[at]) + 1.0, at)

    # Reading out -----------------------------------------------------------------------------

    def words_at(self, where: QPointF) -> str:
        """Say what the bar that is pointed at means."""
        if self.picture is None:
            return ""
        box = self._axes.getViewBox()
        if not box.sceneBoundingRect().contains(where):
            return ""
        return importance_words(self.picture, round(box.mapSceneToView(where).y()))

    def words_at_rest(self) -> str:
        """Say what was averaged."""
        return "" if self.picture is None else importance_rest(self.picture)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return a row for every hyperparameter."""
        names = ("hyperparameter", "measured within", "percent of the variance", "sd", "trials")
        picture = self.picture
        if picture is None:
            return names, []
        columns = (picture.percent.tolist(), picture.spread.tolist(), picture.tried.tolist())
        return names, list(zip(picture.names, picture.scopes, *columns, strict=True))
