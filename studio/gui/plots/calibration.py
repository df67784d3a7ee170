"""Surrogate calibration: what was predicted before a trial ran, against what came."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.arrays import Floats
from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots import canvas
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.calibration_model import (
    LOSSES,
    MOST_SURPRISE,
    VIEWS,
    CalibrationPicture,
    calibration_picture,
    calibration_rest,
    calibration_words,
)
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.plots.dots import Dots
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.legend import Entry
from studio.gui.plots.questions import SEARCH
from studio.gui.plots.subject import Subject
from studio.gui.plots.view_chooser import ViewChooser


class CalibrationPlot(HelpedPlot[CalibrationPicture]):
    """Outcomes against predictions with error bars, or the surprise of every trial."""

    key: ClassVar[str] = "calibration"
    title: ClassVar[str] = mark("Surrogate calibration")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "What the surrogate predicted of each trial before it ran, against what came."
    )
    explanation: ClassVar[str] = mark(
        "Before each trial the surrogate says what it expects there, and how sure it is. Here "
        "that is compared with what the trial gave: never with trials that it had already seen.\n"
        "On the diagonal a prediction was exactly right; below it the trial was better than "
        "expected. The bar is one standard deviation (sd) either way, so about 68 % of the bars "
        "should touch the diagonal.\n"
        "Fewer mean that the surrogate is too sure of itself; more, that it is too careful. "
        "Expect some misses: the search goes where it hopes for the best, and hopes are high by "
        "choice.\n"
        "“Surprise” shows the same in order: how many standard deviations a trial was "
        "worse (up) or better (down) than expected. A click on a trial goes back to before it."
    )
    source: ClassVar[str] = mark(
        "One-step-ahead prediction, as in Jones, Schonlau and Welch 1998, section 3; predictions "
        "of Lévesque 2018, equations 2.6–2.7"
    )
    task: ClassVar[str] = "calibration"
    waiting: ClassVar[str] = mark("Comparing predictions with what came…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self.view = ViewChooser(
            VIEWS, tr("What is drawn"), tr("Losses against predictions, or each trial's surprise")
        )
        self.view.chosen.connect(self.again)
        self.header.controls.addWidget(self.view)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._band = pyqtgraph.LinearRegionItem((-1, 1), "horizontal", movable=False)
        self._diagonal = pyqtgraph.PlotCurveItem()
        self._bars = pyqtgraph.PlotCurveItem(connect="pairs")
        self._hits = Dots(size=8)
        self._misses = Dots(size=10, symbol="t1")
        items = (self._band, self._diagonal, self._bars, self._hits, self._misses)
        for depth, item in enumerate(items):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        within, beyond = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        self._band.setBrush(theme.colour(look.series[SINGLE], 0.12))
        for line in self._band.lines:
            line.setPen(canvas.hairline(theme.colour(look.series[SINGLE], 0.3)))
        self._diagonal.setPen(canvas.hairline(QColor(look.text), dashed=True))
        self._bars.setPen(canvas.hairline(theme.colour(look.muted, 0.6)))
        for dots, colour in ((self._hits, within), (self._misses, beyond)):
            dots.setBrush(colour)
            dots.setPen(canvas.hairline(QColor(look.surface)))

    def read(self, reply: Reply, subject: Subject) -> CalibrationPicture:
        """Return predictions and outcomes in the run's unit."""
        return calibration_picture(*reply, subject.series.measure)

    @property
    def _by_losses(self) -> bool:
        return self.view.key == LOSSES

    def _points(self, picture: CalibrationPicture) -> tuple[Floats, Floats]:
        if self._by_losses:
            return picture.predicted, picture.came
        clipped = np.clip(picture.surprise, -MOST_SURPRISE, MOST_SURPRISE)
        return picture.numbers.astype(float), clipped

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self.picture
        if picture is None:
            return
        x, y = self._points(picture)
        within = picture.within
        self._hits.setData(x=x[within], y=y[within])
        self._misses.setData(x=x[~within], y=y[~within])
        self._band.setVisible(not self._by_losses)
        self._bars.setVisible(self._by_losses)
        if self._by_losses:
            ends = np.stack([x - picture.sd, x + picture.sd], axis=1).ravel()
            self._bars.setData(ends, np.repeat(y, 2))
            self._diagonal.setData([picture.low, picture.high], [picture.low, picture.high])
            span = (picture.low, picture.high)
            self._axes.setRange(xRange=span, yRange=span, padding=0)
            canvas.label(self._axes, "bottom", tr("predicted {what}", what=picture.label))
            canvas.label(
                self._axes,
                "left",
                tr("what came (%)") if picture.measure.unit == "%" else tr("what came"),
            )
            self._axes.getAxis("left").setTicks(None)
        else:
            last = max(subject.iteration, 2)
            self._diagonal.setData([0, last + 1], [0, 0])
            edge = MOST_SURPRISE + 0.4
            self._axes.setRange(xRange=(0, last + 1), yRange=(-edge, edge), padding=0)
            canvas.label(self._axes, "bottom", tr("trial"))
            canvas.label(self._axes, "left", tr("surprise (standard deviations)"))
            whole = range(-int(MOST_SURPRISE), int(MOST_SURPRISE) + 1, 2)
            names = {-int(MOST_SURPRISE): "≤ −4", int(MOST_SURPRISE): "≥ 4"}
            ticks = [(k, names.get(k, str(k).replace("-", "−"))) for k in whole]
            self._axes.getAxis("left").setTicks([ticks])
        self.header.summary.setText(picture.statement)
        self.legend.show_entries(self._entries())

    def _entries(self) -> Sequence[Entry]:
        look = theme.current()
        entries = [
            Entry(tr("within 1 sd"), "dot", QColor(look.series[SINGLE])),
            Entry(tr("beyond 1 sd (triangles)"), "triangle", QColor(look.series[ENSEMBLE])),
        ]
        if self._by_losses:
            entries.append(Entry(tr("± 1 sd"), "line", QColor(look.muted)))
            entries.append(Entry(tr("as predicted"), "dash", QColor(look.text)))
        else:
            band = theme.colour(look.series[SINGLE], 0.3)
            entries.append(Entry(tr("± 1 sd"), "band", band))
        return entries

    def _nearest(self, where: QPointF) -> int | None:
        """Return the place of the trial that is pointed at."""
        picture = self.picture
        if picture is None or not len(picture.numbers):
            return None
        box = self._axes.getViewBox()
        at, reach = box.mapSceneToView(where), box.viewPixelSize()
        x, y = self._points(picture)
        apart = ((x - at.x()) / (8 * reach[0])) ** 2 + ((y - at.y()) / (8 * reach[1])) ** 2
        nearest = int(apart.argmin())
        return nearest if apart[nearest] <= 1 else None

    def words_at(self, where: QPointF) -> str:
        """Say which trial is pointed at, what was predicted of it, and what came."""
        nearest = self._nearest(where)
        if nearest is None or self.picture is None or self.subject is None:
            return ""
        return calibration_words(self.picture, self.subject.series, nearest)

    def words_at_rest(self) -> str:
        """Say which way the surrogate errs, and which trials are left out."""
        return "" if self.picture is None else calibration_rest(self.picture)

    def clicked(self, where: QPointF) -> None:
        """Go to the iteration before the trial: what the surrogate believed then."""
        nearest = self._nearest(where)
        if nearest is not None and self.picture is not None:
            self.iteration_picked.emit(max(1, int(self.picture.numbers[nearest]) - 1))

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return a row for every trial that was predicted."""
        names = ("trial", "predicted", "sd", "came", "surprise")
        picture = self.picture
        if picture is None:
            return names, []
        columns = (picture.predicted, picture.sd, picture.came, picture.surprise)
        rows = np.column_stack(columns).tolist()
        return names, [
            (int(number), *row) for number, row in zip(picture.numbers, rows, strict=True)
        ]
