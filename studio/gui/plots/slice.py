"""Surrogate slice: what the search believes along one hyperparameter, and where it goes next."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton, QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots import canvas
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.chooser import ParameterChooser
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.plots.dots import Dots
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.legend import Entry
from studio.gui.plots.questions import SEARCH
from studio.gui.plots.slice_model import (
    SlicePicture,
    first_choice,
    parameter_groups,
    slice_picture,
    slice_words,
)
from studio.gui.plots.subject import Subject


class SlicePlot(HelpedPlot[SlicePicture]):
    """Posterior mean ± one standard deviation, trials as dots, and the acquisition below."""

    key: ClassVar[str] = "slice"
    title: ClassVar[str] = mark("Surrogate")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "What the search expects along one hyperparameter, how sure it is (band), "
        "and where it looks next."
    )
    explanation: ClassVar[str] = mark(
        "The search keeps a model of its own, the surrogate: from the trials so far it predicts "
        "how good a setting would be that nobody has tried. The line is what it expects if only "
        "this hyperparameter changes; the band is one standard deviation either way, so about two "
        "thirds of what it believes.\n"
        "Dots are trials; they need not lie on the line, since their other hyperparameters "
        "differ. Only trials that have this hyperparameter are dots.\n"
        "The curve below (acquisition) says how much a trial there promises. The dashed line is "
        "where the next trial was made; along the other hyperparameters its promise is highest, "
        "too.\n"
        "“Draws” shows the single models that are averaged: a Gaussian process under each draw "
        "of its length scales and noise, or each tree of a forest. Where they part, the "
        "surrogate has not settled."
    )
    source: ClassVar[str] = mark(
        "Lévesque 2018, figures 2.1–2.3 and 3.5, equation 2.17; Snoek et al. 2012"
    )
    task: ClassVar[str] = "slice"
    waiting: ClassVar[str] = mark("Working out what the surrogate believes…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self.draws = QPushButton(tr("Draws"))
        self.draws.setProperty("kind", "chip")
        self.draws.setCheckable(True)
        self.draws.setAccessibleName(tr("Show the single models that are averaged"))
        self.draws.setToolTip(
            tr("Show the single models that are averaged: draws of length scales, or trees")
        )
        self.draws.toggled.connect(self.again)
        self.chooser = ParameterChooser()
        self.chooser.chosen.connect(self.again)
        self.header.controls.addWidget(self.draws)
        self.header.controls.addWidget(self.chooser)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._below = canvas.add_axes(self.canvas, 1)
        self._below.setXLink(self._axes)
        self.canvas.ci.layout.setRowStretchFactor(0, 5)
        self.canvas.ci.layout.setRowStretchFactor(1, 2)
        self._low = pyqtgraph.PlotCurveItem(pen=None)
        self._high = pyqtgraph.PlotCurveItem(pen=None)
        self._band = pyqtgraph.FillBetweenItem(self._low, self._high)
        self._boxes = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None)
        self._single = pyqtgraph.PlotCurveItem(connect="finite")
        self._mean = pyqtgraph.PlotCurveItem()
        self._dots = Dots(size=6)
        self._next = pyqtgraph.InfiniteLine(angle=90)
        self._acquisition = pyqtgraph.PlotCurveItem(fillLevel=0.0)
        self._next_below = pyqtgraph.InfiniteLine(angle=90)
        above = (self._band, self._boxes, self._single, self._mean, self._dots, self._next)
        for axes, items in (
            (self._axes, above),
            (self._below, (self._acquisition, self._next_below)),
        ):
            for depth, item in enumerate(items):
                item.setZValue(depth)
                axes.addItem(item, ignoreBounds=True)
        # The legend names the curve: beside so low a plot there is no room for a label.
        self._below.getAxis("left").setTicks([[(0, tr("low")), (1, tr("high"))]])
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes, self._below)
        self._axes.getAxis("bottom").setStyle(showValues=False)
        believed, wanted = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        band = theme.colour(look.series[SINGLE], 0.2)
        self._band.setBrush(band)
        self._boxes.setOpts(brush=band)
        self._single.setPen(canvas.hairline(theme.colour(look.series[SINGLE], 0.55)))
        self._mean.setPen(canvas.line(believed))
        self._dots.setBrush(theme.colour(look.text, 0.7))
        self._dots.setPen(canvas.hairline(QColor(look.surface)))
        self._acquisition.setPen(canvas.line(wanted))
        self._acquisition.setBrush(theme.colour(look.series[ENSEMBLE], 0.2))
        for marker in (self._next, self._next_below):
            marker.setPen(canvas.hairline(wanted, dashed=True))

    # Asking ----------------------------------------------------------------------------------

    def prepare(self, subject: Subject) -> None:
        """Offer the hyperparameters of the space."""
        if subject.space is not None:
            self.chooser.offer(
                parameter_groups(subject.space), first_choice(subject.space, subject.series)
            )
        super().prepare(subject)

    def asked_for(self, subject: Subject) -> dict[str, Any] | None:
        """Ask for the hyperparameter chosen."""
        del subject
        return {"parameter": self.chooser.name} if self.chooser.name else None

    def impossible(self, subject: Subject) -> str:
        """Say that there is nothing to choose from."""
        del subject
        return "" if self.chooser.name else tr("This run's space has nothing to search along.")

    def read(self, reply: Reply, subject: Subject) -> SlicePicture:
        """Return the slice in the run's unit."""
        return slice_picture(*reply, subject.series.measure)

    # Drawing ---------------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self.picture
        if picture is None:
            return
        smooth = not picture.choices
        self._band.setVisible(smooth)
        self._boxes.setVisible(not smooth)
        x = picture.x
        if smooth:
            self._low.setData(x, picture.low)
            self._high.setData(x, picture.high)
            self._mean.setData(x, picture.mean, connect="all")
            self._acquisition.setData(x, picture.acquisition)
        else:
            self._boxes.setOpts(x0=x - 0.3, x1=x + 0.3, y0=picture.low, y1=picture.high)
            ends = np.stack([x - 0.3, x + 0.3], axis=1).ravel()
            self._mean.setData(ends, np.repeat(picture.mean, 2), connect="pairs")
            edges = np.stack([x - 0.3, x - 0.3, x + 0.3, x + 0.3], axis=1).ravel()
            height = np.stack([0 * x, picture.acquisition, picture.acquisition, 0 * x], axis=1)
            self._acquisition.setData(edges, height.ravel())
        self.draws.setEnabled(len(picture.draws) > 0)
        self._single.setVisible(self._shows_draws)
        if self._shows_draws:
            self._single.setData(*picture.curves())
        self._dots.setData(x=picture.dots[:, 0], y=picture.dots[:, 1])
        for marker in (self._next, self._next_below):
            marker.setVisible(picture.next_x is not None)
            if picture.next_x is not None:
                marker.setPos(picture.next_x)
        self._frame(picture)
        self.header.summary.setText(picture.explanation)
        self.legend.show_entries(self._entries(picture))

    @property
    def _shows_draws(self) -> bool:
        return self.picture is not None and self.draws.isChecked() and len(self.picture.draws) > 0

    def _frame(self, picture: SlicePicture) -> None:
        low, high = picture.span(draws=self._shows_draws)
        room = 0.06 * (high - low) or 0.5
        edge = 0.5 if picture.choices else 0.02 * (picture.x[-1] - picture.x[0])
        span = (picture.x[0] - edge, picture.x[-1] + edge)
        self._axes.setRange(xRange=span, yRange=(low - room, high + room), padding=0)
        self._below.setRange(yRange=(-0.08, 1.12), padding=0)
        below, above = self._below.getAxis("bottom"), self._axes.getAxis("bottom")
        ticks = [list(enumerate(picture.choices))] if picture.choices else None
        for axis in (below, above):
            axis.setTicks(ticks)
            axis.setLogMode(x=picture.log)
        unit = " (%)" if picture.percent else ""
        canvas.label(self._axes, "left", picture.objective + unit)
        named = tr("{name}, log", name=picture.parameter) if picture.log else picture.parameter
        canvas.label(self._below, "bottom", named)

    def _entries(self, picture: SlicePicture) -> Sequence[Entry]:
        look = theme.current()
        believed, wanted = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        entries = [
            Entry(tr("expected"), "line", believed),
            Entry(tr("± 1 standard deviation"), "band", theme.colour(look.series[SINGLE], 0.3)),
        ]
        if self._shows_draws:
            name = tr("single trees") if picture.trees else tr("draws of its settings")
            entries.append(Entry(name, "line", theme.colour(look.series[SINGLE], 0.55)))
        entries.append(Entry(tr("trials"), "dot", theme.colour(look.text, 0.7)))
        entries.append(Entry(tr("acquisition"), "line", wanted))
        if picture.next_x is not None:
            entries.append(Entry(tr("tried next"), "dash", wanted))
        return entries

    # Reading out -----------------------------------------------------------------------------

    def words_at(self, where: QPointF) -> str:
        """Say which trial is pointed at, or what is expected there."""
        if self.picture is None:
            return ""
        box = self._axes.getViewBox()
        at, reach = box.mapSceneToView(where), box.viewPixelSize()
        return slice_words(self.picture, at.x(), at.y(), (6 * reach[0], 6 * reach[1]))

    def words_at_rest(self) -> str:
        """Say where the next configuration lies."""
        picture = self.picture
        if picture is None:
            return ""
        if picture.next_x is None:
            if picture.followed:
                return tr("The next configuration has no {name}.", name=picture.parameter)
            return tr("No configuration follows: the run is over, or stands still.")
        there = slice_words(picture, picture.next_x, np.inf, (1e-9, 1e-9))
        return there + "  ·  " + tr("tried next")

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the slice's grid; x is log10 of the value where the scale is log."""
        picture = self.picture
        names = ("x", "mean", "low", "high", "acquisition")
        if picture is None:
            return names, []
        columns = [picture.x, picture.mean, picture.low, picture.high, picture.acquisition]
        drawn = [f"draw {number}" for number in range(1, len(picture.draws) + 1)]
        return (*names, *drawn), np.column_stack([*columns, *picture.draws]).tolist()
