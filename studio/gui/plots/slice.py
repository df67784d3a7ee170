"""Surrogate slice: what the search believes along one hyperparameter, and where it goes next."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui import theme
from studio.gui.plots import canvas
from studio.gui.plots.asking import Asker, Helper, Reply, Wish
from studio.gui.plots.base import Plot
from studio.gui.plots.chooser import ParameterChooser
from studio.gui.plots.colours import ENSEMBLE, SINGLE
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


class SlicePlot(Plot):
    """Posterior mean ± one standard deviation, trials as dots, and the acquisition below."""

    key: ClassVar[str] = "slice"
    title: ClassVar[str] = "Surrogate"
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = (
        "What the search expects along one hyperparameter, how sure it is (band), "
        "and where it looks next."
    )
    source: ClassVar[str] = "Lévesque 2018, figures 2.1–2.3 and 3.5"

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._picture: SlicePicture | None = None
        self._asker = Asker(helper, "slice", self._answer, self._refused)
        self.chooser = ParameterChooser()
        self.chooser.chosen.connect(lambda _: self.follow(self.subject))
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
        self._mean = pyqtgraph.PlotCurveItem()
        self._dots = pyqtgraph.ScatterPlotItem(size=6)
        self._next = pyqtgraph.InfiniteLine(angle=90)
        self._acquisition = pyqtgraph.PlotCurveItem(fillLevel=0.0)
        self._next_below = pyqtgraph.InfiniteLine(angle=90)
        for axes, items in (
            (self._axes, (self._band, self._boxes, self._mean, self._dots, self._next)),
            (self._below, (self._acquisition, self._next_below)),
        ):
            for depth, item in enumerate(items):
                item.setZValue(depth)
                axes.addItem(item, ignoreBounds=True)
        # The legend names the curve: beside so low a plot there is no room for a label.
        self._below.getAxis("left").setTicks([[(0, "low"), (1, "high")]])
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
        self._mean.setPen(canvas.line(believed))
        self._dots.setBrush(theme.colour(look.text, 0.7))
        self._dots.setPen(canvas.hairline(QColor(look.surface)))
        self._acquisition.setPen(canvas.line(wanted))
        self._acquisition.setBrush(theme.colour(look.series[ENSEMBLE], 0.2))
        for marker in (self._next, self._next_below):
            marker.setPen(canvas.hairline(wanted, dashed=True))

    def follow(self, subject: Subject | None) -> None:
        """Ask for the slice of this run at this iteration."""
        known = self.subject
        if subject is None or known is None or subject.run_id != known.run_id:
            self._picture = None
            self._asker.forget()
        if subject is not None and subject.space is not None:
            self.chooser.offer(
                parameter_groups(subject.space), first_choice(subject.space, subject.series)
            )
        super().follow(subject)
        if subject is not None and self.chooser.name and subject.iteration > 0:
            self._asker.wish(
                Wish(
                    {
                        "document": str(subject.document),
                        "run": subject.run_id,
                        "iteration": subject.iteration,
                        "parameter": self.chooser.name,
                    },
                    kind=(subject.run_id, self.chooser.name),
                    moment=subject.iteration,
                )
            )

    def missing(self, subject: Subject) -> str:
        """Say what is waited for, or why there is no surrogate."""
        if not self.chooser.name:
            return "This run's space has nothing to search along."
        if self._picture is None:
            return super().missing(subject) or "Working out what the surrogate believes…"
        return self._picture.reason

    def _answer(self, wish: Wish, reply: Reply) -> None:
        subject = self.subject
        if subject is None or wish.arguments["run"] != subject.run_id:
            return
        self._picture = slice_picture(*reply, subject.series.measure)
        super().follow(subject)

    def _refused(self, message: str) -> None:
        self._picture = None
        self.say(message)

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self._picture
        if picture is None:
            return
        smooth = not picture.choices
        for item in (self._band,):
            item.setVisible(smooth)
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
        self._dots.setData(x=picture.dots[:, 0], y=picture.dots[:, 1])
        for marker in (self._next, self._next_below):
            marker.setVisible(picture.next_x is not None)
            if picture.next_x is not None:
                marker.setPos(picture.next_x)
        self._frame(picture)
        self.header.summary.setText(picture.explanation)
        self.legend.show_entries(self._entries(picture))

    def _frame(self, picture: SlicePicture) -> None:
        low, high = float(picture.low.min()), float(picture.high.max())
        if len(picture.dots):
            low = min(low, float(picture.dots[:, 1].min()))
            high = max(high, float(np.quantile(picture.dots[:, 1], 0.9)))
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
        canvas.label(self._below, "bottom", picture.parameter + (", log" if picture.log else ""))

    def _entries(self, picture: SlicePicture) -> Sequence[Entry]:
        look = theme.current()
        entries = [
            Entry("expected", "line", QColor(look.series[SINGLE])),
            Entry("± 1 standard deviation", "band", theme.colour(look.series[SINGLE], 0.3)),
            Entry("trials", "dot", theme.colour(look.text, 0.7)),
            Entry("acquisition", "line", QColor(look.series[ENSEMBLE])),
        ]
        if picture.next_x is not None:
            entries.append(Entry("tried next", "dash", QColor(look.series[ENSEMBLE])))
        return entries

    def words_at(self, where: QPointF) -> str:
        """Say which trial is pointed at, or what is expected there."""
        if self._picture is None:
            return ""
        box = self._axes.getViewBox()
        at, reach = box.mapSceneToView(where), box.viewPixelSize()
        return slice_words(self._picture, at.x(), at.y(), (6 * reach[0], 6 * reach[1]))

    def words_at_rest(self) -> str:
        """Say where the next configuration lies."""
        picture = self._picture
        if picture is None:
            return ""
        if picture.next_x is None:
            return "The next configuration is not on this line: it lacks this, or the run is over."
        return slice_words(picture, picture.next_x, np.inf, (1e-9, 1e-9)) + "  ·  tried next"

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the slice's grid; x is log10 of the value where the scale is log."""
        picture = self._picture
        names = ("x", "mean", "low", "high", "acquisition")
        if picture is None:
            return names, []
        columns = (picture.x, picture.mean, picture.low, picture.high, picture.acquisition)
        return names, np.column_stack(columns).tolist()
