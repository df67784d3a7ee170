"""Resources: where the time and the memory of a run go."""

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
from studio.gui.plots.asking import Helper
from studio.gui.plots.base import Plot
from studio.gui.plots.colours import branch_colours
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry
from studio.gui.plots.painting.symbols import Dots
from studio.gui.plots.questions import WORK
from studio.gui.plots.resources_model import (
    VIEWS,
    Records,
    ResourcesPicture,
    branch_words,
    log_seconds,
    rest_words,
    time_ticks,
    trial_words,
)
from studio.gui.plots.subject import Subject
from studio.gui.plots.time_bars import HEIGHT, TimeBars
from studio.gui.plots.view_chooser import ViewChooser

_NAMES_WIDTH, _NUMBERS_WIDTH = 112, 80


class ResourcesPlot(Plot):
    """Dots by trial or by branch, or bars by worker; in seconds or megabytes."""

    key: ClassVar[str] = "resources"
    title: ClassVar[str] = mark("Resources")
    question: ClassVar[str] = WORK
    summary: ClassVar[str] = mark(
        "What the trials cost: seconds of training and of suggesting, how busy the workers "
        "were, and memory."
    )
    explanation: ClassVar[str] = mark(
        "Time of each trial shows how long every model trained (dots) and how much processor time "
        "the search used to suggest it (line), on a logarithmic scale: each step is ten times as "
        "long. Time by algorithm shows the same by algorithm, with a mark at the median. "
        "Workers shows who trained when: gaps are time in which a worker waited, mostly for the "
        "next suggestion, and the lowest row shows when the search was thinking. "
        "Memory shows the highest memory of the worker while each trial ran. "
        "A search that thinks as long as it trains wastes workers: choose a faster surrogate, or "
        "fewer workers."
    )
    source: ClassVar[str] = mark("Times and memory as the engine recorded them with each trial")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._picture: ResourcesPicture | None = None
        self._records: Records | None = None
        self.view = ViewChooser(
            VIEWS,
            tr("What is shown of the resources"),
            tr("Time of each trial or algorithm, the workers' use over time, or memory"),
        )
        self.view.chosen.connect(self.again)
        self.header.controls.addWidget(self.view)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().setMouseEnabled(False, False)
        self._suggest = pyqtgraph.PlotCurveItem()
        self._medians = pyqtgraph.PlotCurveItem()
        self._failed = Dots(symbol="t1", size=10, brush=None)
        self._thinking = TimeBars()
        for depth, item in enumerate((self._suggest, self._failed, self._medians)):
            item.setZValue(50 + depth)
            self._axes.addItem(item, ignoreBounds=True)
        self._axes.addItem(self._thinking, ignoreBounds=True)
        self._dots: list[Any] = []
        self._bars: list[TimeBars] = []
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        self._suggest.setPen(canvas.line(QColor(look.muted)))
        self._medians.setPen(canvas.line(QColor(look.text)))
        self._failed.setSize(theme.stroke(10.0))
        self._failed.setPen(canvas.line(QColor(look.bad)))

    def missing(self, subject: Subject) -> str:
        """Say so before the first iteration, and where the document has no times."""
        why = super().missing(subject)
        if not why and subject.iteration == 0:
            return tr("Move the slider to an iteration.")
        return why

    # Drawing ------------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Draw the view chosen."""
        if self._records is None or self._records.series is not subject.series:
            self._records = Records(subject.series)
        self._picture = picture = self._records.picture(
            subject.settings,
            subject.iteration,
            subject.utilisation if subject.iteration == subject.series.length else None,
        )
        known = [*subject.series.branches]
        known += [each for each in picture.branches if each and each not in known]
        table = branch_colours(known, theme.current())
        colours = [table[branch] for branch in picture.branches]
        view = self.view.key
        self._suggest.setVisible(view == "trials")
        self._medians.setVisible(view == "branches")
        self._thinking.setVisible(view == "workers")
        self._failed.setVisible(view != "workers" and bool(picture.failed.any()))
        for item in (*self._dots, *self._bars):
            item.hide()
        axis = self._axes.getAxis("left")
        named = view in ("branches", "workers")
        width = theme.pixels(_NAMES_WIDTH if named else _NUMBERS_WIDTH)
        axis.setWidth(width)
        axis.setStyle(tickTextWidth=width - theme.pixels(28))
        axis.setTicks(None)
        self._axes.getAxis("bottom").setTicks(None)
        draw = {
            "trials": self._draw_trials,
            "branches": self._draw_branches,
            "workers": self._draw_workers,
            "memory": self._draw_memory,
        }
        draw[view](picture, colours)
        entries = [
            Entry(branch or tr("each trial"), "square" if view == "workers" else "dot", colour)
            for branch, colour in zip(picture.branches, colours, strict=True)
        ]
        self.legend.show_entries([*entries, *self._more_entries(picture)])

    def _more_entries(self, picture: ResourcesPicture) -> list[Entry]:
        look, view = theme.current(), self.view.key
        entries = []
        if view == "trials":
            entries.append(Entry(tr("suggesting (processor)"), "line", QColor(look.muted)))
        if view == "branches":
            entries.append(Entry(tr("median"), "tick", QColor(look.text)))
        if view == "workers" and np.isfinite(picture.asked).any():
            entries.append(Entry(tr("suggesting"), "square", QColor(look.muted)))
        if view != "workers" and picture.failed.any():
            entries.append(Entry(tr("failed (triangle)"), "triangle", QColor(look.bad)))
        return entries

    def _scatter(
        self, picture: ResourcesPicture, x: Floats, y: Floats, colours: Sequence[QColor]
    ) -> None:
        """Draw a dot for each trial, those of a branch by one item.

        Places that are not numbers are left out: Qt crashes over a symbol there.
        """
        there = np.isfinite(x) & np.isfinite(y)
        while len(self._dots) < len(colours):
            made = Dots(size=6, pen=None)
            made.setZValue(len(self._dots))
            self._axes.addItem(made, ignoreBounds=True)
            self._dots.append(made)
        for row, colour in enumerate(colours):
            own = there & (picture.branch == row)
            soft = QColor(colour)
            soft.setAlphaF(0.8)
            self._dots[row].setBrush(soft, update=False)
            self._dots[row].setSize(theme.stroke(6.0), update=False)
            self._dots[row].setData(x=x[own], y=y[own])
            self._dots[row].show()
        failed = there & picture.failed
        self._failed.setData(x=x[failed], y=y[failed])

    def _draw_trials(self, picture: ResourcesPicture, colours: Sequence[QColor]) -> None:
        x, fit = picture.numbers.astype(float), log_seconds(picture.fit)
        suggest = log_seconds(picture.suggest)
        self._scatter(picture, x, fit, colours)
        self._suggest.setData(x, suggest)
        heights = np.concatenate([fit, suggest])
        low, high = float(heights.min()), float(heights.max())
        self._range_trials(x, low, high)
        self._axes.getAxis("left").setTicks([time_ticks(low - 0.2, high + 0.2)])
        canvas.label(self._axes, "left", tr("time (log)"))

    def _range_trials(self, x: Floats, low: float, high: float) -> None:
        room = 0.08 * (high - low) or 0.5
        self._axes.setRange(
            xRange=(x[0] - 0.5, max(x[-1] + 0.5, x[0] + 9.5)),
            yRange=(low - room, high + room),
            padding=0,
        )
        canvas.label(self._axes, "bottom", tr("iteration (finished trials)"))

    def _draw_branches(self, picture: ResourcesPicture, colours: Sequence[QColor]) -> None:
        x = log_seconds(picture.fit)
        # The golden ratio spreads successive trials evenly over the row, always in the same way.
        offsets = (picture.numbers * 0.6180339887) % 1.0 - 0.5
        self._scatter(picture, x, picture.branch + 0.5 * offsets, colours)
        medians = [np.median(x[picture.branch == row]) for row in range(len(colours))]
        rows = np.arange(len(colours))
        self._medians.setData(
            np.repeat(np.array(medians), 2),
            np.stack([rows - 0.38, rows + 0.38], axis=1).ravel(),
            connect="pairs",
        )
        names = [(row, branch or tr("all trials")) for row, branch in enumerate(picture.branches)]
        self._axes.getAxis("left").setTicks([names])
        low, high = float(x.min()), float(x.max())
        self._axes.getAxis("bottom").setTicks([time_ticks(low - 0.2, high + 0.2)])
        room = 0.05 * (high - low) or 0.5
        self._axes.setRange(
            xRange=(low - room, high + room), yRange=(-0.6, len(colours) - 0.4), padding=0
        )
        canvas.label(self._axes, "left", "")
        canvas.label(self._axes, "bottom", tr("time of training (log)"))

    def _draw_workers(self, picture: ResourcesPicture, colours: Sequence[QColor]) -> None:
        while len(self._bars) < len(colours):
            bars = TimeBars()
            self._axes.addItem(bars, ignoreBounds=True)
            self._bars.append(bars)
        there = np.isfinite(picture.begun) & np.isfinite(picture.ended)
        for row, colour in enumerate(colours):
            own = there & (picture.branch == row)
            self._bars[row].show_bars(
                picture.begun[own], picture.ended[own], picture.lane[own] + 1.0, colour
            )
            self._bars[row].show()
        told = np.isfinite(picture.asked)
        lowest = 0.4 if not told.any() else -0.6
        self._thinking.show_bars(
            picture.asked[told],
            picture.suggested[told],
            np.zeros(int(told.sum())),
            QColor(theme.current().muted),
        )
        names = [
            (lane + 1, tr("worker {number}", number=lane + 1)) for lane in range(picture.workers)
        ]
        if told.any():
            names.insert(0, (0, tr("suggesting")))
        step = canvas.label_step(self._axes, len(names))
        self._axes.getAxis("left").setTicks([names[::step]])
        elapsed = picture.elapsed
        self._axes.setRange(
            xRange=(0, elapsed if elapsed > 0 else 1.0),
            yRange=(lowest, picture.workers + 0.6),
            padding=0,
        )
        canvas.label(self._axes, "left", "")
        canvas.label(self._axes, "bottom", tr("seconds that the run has worked"))

    def _draw_memory(self, picture: ResourcesPicture, colours: Sequence[QColor]) -> None:
        x = picture.numbers.astype(float)
        self._scatter(picture, x, picture.memory, colours)
        known = picture.memory[np.isfinite(picture.memory)]
        high = float(known.max()) if len(known) else 1.0
        self._range_trials(x, 0.0, high)
        self._axes.setRange(yRange=(0, 1.08 * high), padding=0)
        canvas.label(self._axes, "left", tr("highest memory (MB)"))

    # Reading out --------------------------------------------------------------------------

    def _trial_at(self, where: QPointF) -> int:
        """Return the place of the trial pointed at; -1 for none."""
        picture = self._picture
        if picture is None or not len(picture.numbers):
            return -1
        box, view = self._axes.getViewBox(), self.view.key
        at, pixel = box.mapSceneToView(where), box.viewPixelSize()
        if view == "workers":
            inside = (
                (picture.begun <= at.x() + 2 * pixel[0])
                & (picture.ended >= at.x() - 2 * pixel[0])
                & (np.abs(picture.lane + 1.0 - at.y()) <= HEIGHT)
            )
            found = np.flatnonzero(inside)
            middles = 0.5 * (picture.begun + picture.ended)
            return int(found[np.abs(middles[found] - at.x()).argmin()]) if len(found) else -1
        if view == "branches":
            offsets = (picture.numbers * 0.6180339887) % 1.0 - 0.5
            x, y = log_seconds(picture.fit), picture.branch + 0.5 * offsets
        else:
            x = picture.numbers.astype(float)
            y = picture.memory if view == "memory" else log_seconds(picture.fit)
        away = np.hypot((x - at.x()) / pixel[0], (y - at.y()) / pixel[1])
        if not np.isfinite(away).any():
            return -1
        nearest = int(np.nanargmin(away))
        return nearest if away[nearest] <= 8 else -1

    def words_at(self, where: QPointF) -> str:
        """Say what the trial pointed at used, or all of a branch."""
        picture, subject = self._picture, self.subject
        if picture is None or subject is None:
            return ""
        place = self._trial_at(where)
        if place >= 0:
            return trial_words(picture, subject.series, place)
        if self.view.key == "branches":
            at = self._axes.getViewBox().mapSceneToView(where)
            return branch_words(picture, round(at.y()))
        return ""

    def words_at_rest(self) -> str:
        """Say where the time went."""
        if self._picture is None or self.subject is None:
            return ""
        return rest_words(self._picture, self.subject.series, self.view.key)

    def clicked(self, where: QPointF) -> None:
        """Look at the iteration clicked on, where iterations are drawn."""
        at = self._axes.getViewBox().mapSceneToView(where)
        iteration = round(at.x())
        if self.subject is None or self.view.key not in ("trials", "memory"):
            return
        if 1 <= iteration <= self.subject.series.length:
            self.iteration_picked.emit(iteration)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """Return what each trial used: seconds, megabytes and times."""
        names = (
            "trial",
            "branch",
            "fit_seconds",
            "suggest_processor_seconds",
            "peak_memory_mb",
            "begun_seconds",
            "ended_seconds",
            "worker",
        )
        picture = self._picture
        if picture is None:
            return names, []
        return names, list(
            zip(
                picture.numbers.tolist(),
                [picture.branches[row] for row in picture.branch],
                picture.fit.tolist(),
                picture.suggest.tolist(),
                picture.memory.tolist(),
                picture.begun.tolist(),
                picture.ended.tolist(),
                (picture.lane + 1).tolist(),
                strict=True,
            )
        )
