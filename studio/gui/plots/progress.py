"""Progress: how good the best single model and the ensemble were after every trial."""

from collections.abc import Sequence
from typing import ClassVar

import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui import theme
from studio.gui.plots import canvas
from studio.gui.plots.asking import Helper
from studio.gui.plots.base import Plot
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.plots.legend import Entry
from studio.gui.plots.progress_model import (
    ProgressPicture,
    Stairs,
    progress_picture,
    progress_words,
)
from studio.gui.plots.subject import Subject


class ProgressPlot(Plot):
    """Validation (solid) and test (dashed) loss by iteration; failed trials as ticks."""

    key: ClassVar[str] = "progress"
    title: ClassVar[str] = "Progress"
    summary: ClassVar[str] = (
        "Lower is better. The test rows are never seen by the search; "
        "the shaded gap is how much the validation score flatters the ensemble."
    )
    source: ClassVar[str] = "Lévesque 2018, figures 2.4, 2.5 and 3.1"

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._picture: ProgressPicture | None = None
        self._axes = canvas.add_axes(self.canvas, 0)
        self._dots = pyqtgraph.ScatterPlotItem(size=5, pen=None)
        self._single_test = pyqtgraph.PlotCurveItem()
        self._ensemble_test = pyqtgraph.PlotCurveItem()
        self._single = pyqtgraph.PlotCurveItem()
        self._ensemble = pyqtgraph.PlotCurveItem()
        self._gap = pyqtgraph.FillBetweenItem(self._ensemble, self._ensemble_test)
        self._failed = pyqtgraph.ScatterPlotItem(symbol="t", size=9, pen=None)
        self._later = pyqtgraph.LinearRegionItem(movable=False, pen=None)
        self._here = pyqtgraph.InfiniteLine(angle=90)
        for depth, item in enumerate(
            (
                self._gap,
                self._dots,
                self._single_test,
                self._ensemble_test,
                self._single,
                self._ensemble,
                self._failed,
                self._later,
                self._here,
            )
        ):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        single, ensemble = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        self._dots.setBrush(theme.colour(look.muted, 0.35))
        self._failed.setBrush(QColor(look.bad))
        self._gap.setBrush(theme.colour(look.series[ENSEMBLE], 0.12))
        self._later.setBrush(theme.colour(look.surface, 0.72))
        self._here.setPen(canvas.hairline(QColor(look.text), dashed=True))
        canvas.label(self._axes, "bottom", "iteration (finished trials)")
        for curve, colour, dashed in (
            (self._single, single, False),
            (self._ensemble, ensemble, False),
            (self._single_test, single, True),
            (self._ensemble_test, ensemble, True),
        ):
            curve.setPen(canvas.line(colour, 0, dashed=dashed))

    def draw(self, subject: Subject) -> None:
        """Bring curves, dots, ticks and range up to date."""
        picture = progress_picture(subject.series, subject.chosen)
        self._picture = picture
        for curve, values in (
            (self._single, picture.single_validation),
            (self._ensemble, picture.ensemble_validation),
            (self._single_test, picture.single_test),
            (self._ensemble_test, picture.ensemble_test),
        ):
            _set(curve, values)
        self._gap.setVisible(picture.has_test)
        self._dots.setData(x=picture.dots[:, 0], y=picture.dots[:, 1])
        tick = picture.low + 0.025 * (picture.high - picture.low)
        self._failed.setData(x=picture.failed.astype(float), y=[tick] * len(picture.failed))
        end = picture.last + 0.5
        back = subject.chosen is not None and picture.shown < picture.last
        self._later.setVisible(back)
        self._here.setVisible(back)
        if back:
            self._later.setRegion((picture.shown + 0.5, end))
            self._here.setPos(picture.shown + 0.5)
        self._axes.setRange(
            xRange=(0.5, max(end, 10.5)), yRange=(picture.low, picture.high), padding=0
        )
        canvas.label(self._axes, "left", subject.series.measure.label)
        self.legend.show_entries(self._entries(picture))

    def _entries(self, picture: ProgressPicture) -> Sequence[Entry]:
        look = theme.current()
        single, ensemble = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        entries = [
            Entry("best single, validation", "line", single),
            Entry("ensemble, validation", "line", ensemble),
        ]
        if picture.has_test:
            entries += [
                Entry("best single, test", "dash", single),
                Entry("ensemble, test", "dash", ensemble),
            ]
        entries.append(Entry("each trial", "dot", theme.colour(look.muted, 0.5)))
        if len(picture.failed):
            entries.append(Entry(f"failed trials: {len(picture.failed)}", "tick", QColor(look.bad)))
        return entries

    def _iteration(self, where: QPointF) -> int:
        x: float = self._axes.getViewBox().mapSceneToView(where).x()
        return round(x)

    def words_at(self, where: QPointF) -> str:
        """Say what held at the iteration pointed at."""
        subject = self.subject
        return "" if subject is None else progress_words(subject.series, self._iteration(where))

    def words_at_rest(self) -> str:
        """Say what holds at the iteration looked at."""
        subject = self.subject
        return "" if subject is None else progress_words(subject.series, subject.iteration)

    def clicked(self, where: QPointF) -> None:
        """Look at the iteration clicked on."""
        iteration = self._iteration(where)
        if self.subject is not None and 1 <= iteration <= self.subject.series.length:
            self.iteration_picked.emit(iteration)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the curves' values, one row an iteration, in stored units."""
        names = (
            "iteration",
            "single_validation",
            "single_test",
            "ensemble_validation",
            "ensemble_test",
        )
        if self.subject is None:
            return names, []
        records = self.subject.series.iterations
        return names, [
            (
                r.number,
                r.single_validation,
                r.single_test,
                r.ensemble_validation,
                r.ensemble_test,
            )
            for r in records
        ]


def _set(curve: pyqtgraph.PlotCurveItem, values: Stairs) -> None:
    pen = curve.opts["pen"]
    wide = 2.0 if len(values.x) <= canvas.WIDE else 1.0
    if pen.widthF() != wide:
        pen.setWidthF(wide)
        curve.setPen(pen)
    curve.setData(values.x, values.y, connect="finite")
