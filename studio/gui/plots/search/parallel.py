"""Parallel coordinates: every trial as a line over its hyperparameters and its error."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPen
from PySide6.QtWidgets import QToolButton

from studio.errors import StudioError
from studio.gui.base import theme
from studio.gui.base.language import mark, said, tr
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.plot import Columns, PlotOf
from studio.gui.plots.base.questions import SEARCH
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.painting import canvas
from studio.gui.plots.search.parallel_axes_model import (
    ERROR,
    FAILED,
    INACTIVE,
    default_names,
    error_axis,
    parameter_axis,
)
from studio.gui.plots.search.parallel_colours import line_groups
from studio.gui.plots.search.parallel_frame import BrushBox, ParallelFrame
from studio.gui.plots.search.parallel_model import (
    COLOURS,
    ParallelPicture,
    Units,
    line_arrays,
    line_words,
    nearest_line,
    parallel_picture,
    rest_words,
)
from studio.gui.plots.search.parallel_panel import ParallelPanel

_REACH = 12.0
"""Pixels beside an axis that still mean it."""

_LEFT, _RIGHT, _ABOVE, _UNDER = 16, 84, 28, 12
"""Pixels left free around the axes, at a scale of 1."""


class ParallelPlot(PlotOf[ParallelPicture]):
    """Lines over chosen axes, coloured by error or branch; brushes select."""

    key: ClassVar[str] = "parallel"
    title: ClassVar[str] = mark("Parallel coordinates")
    also: ClassVar[str] = mark("all trials lines axes brush filter")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "Every line is a trial: follow it from axis to axis to see what was tried and how good "
        "it was."
    )
    explanation: ClassVar[str] = mark(
        "Each upright axis is a hyperparameter, the last one is the error (low is good), and each "
        "trial is one line that crosses every axis at its value. "
        "A trial that does not use a hyperparameter crosses it below, at the place called not "
        "active. "
        "Drag up or down along an axis to select the trials with values in that range; several "
        "axes may be used at once, a click on a selected range frees that axis, and a double "
        "click or Escape frees all. "
        "Where the lines of the best trials come together on an axis, that range of values is "
        "good; where they spread over it, that hyperparameter matters little. "
        "The list Axes chooses what is shown, and selects from the keyboard."
    )
    source: ClassVar[str] = mark("Inselberg 1985, The plane with parallel coordinates")
    from_first: ClassVar[bool] = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._units: Units | None = None
        self._chosen: tuple[str, ...] | None = None
        self.brushes: dict[str, tuple[float, float]] = {}
        self.colouring = self.offer(
            COLOURS, tr("What the colours mean"), tr("Colour the lines by error or by algorithm")
        )
        self.button = QToolButton()
        self.button.setText(tr("Axes"))
        self.button.setToolTip(tr("Choose the axes, and select trials from a list"))
        self.button.setAccessibleName(tr("Axes and selected trials"))
        self.button.clicked.connect(lambda _=False: self.open_panel())
        self.header.controls.addWidget(self.button)
        self._box = BrushBox(enableMenu=False, defaultPadding=0.0)
        self._box.dragged.connect(self._drag)
        self._box.sigResized.connect(lambda _: self._fit())
        self._axes = self.canvas.addPlot(row=0, col=0, viewBox=self._box)
        self._axes.hideButtons()
        for side in ("left", "bottom"):
            self._axes.hideAxis(side)
        self._frame = ParallelFrame()
        self._frame.setZValue(1000)
        self._faint = pyqtgraph.PlotCurveItem()
        self._pointed = pyqtgraph.PlotCurveItem()
        self._pointed.setZValue(900)
        self._lines: list[Any] = []
        for item in (self._faint, self._pointed, self._frame):
            self._axes.addItem(item, ignoreBounds=True)
        self.canvas.scene().sigMouseClicked.connect(self._double_clicked)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas)
        self._faint.setPen(_pen(QColor(look.border)))
        self._pointed.setPen(_pen(QColor(look.text), theme.stroke(3.0)))

    def missing(self, subject: Subject) -> str:
        """Say so where the space cannot be read, or nothing has finished."""
        why = super().missing(subject)
        if why:
            return why
        if subject.space is None:
            return tr(
                "This run's space cannot be read, so there are no axes to draw. "
                "Its losses and members are in the other plots."
            )
        if self._units is None or self._units.series is not subject.series:
            self._units = Units(subject.space, subject.series)
        names = self._chosen or default_names(subject.space, subject.series)
        try:
            self.picture = parallel_picture(self._units, names, subject.iteration, self.brushes)
        except StudioError as error:
            self.picture = None
            return said(str(error))
        return ""

    def forget(self) -> None:
        """Forget the axes and brushes of the run before."""
        self.brushes.clear()
        self._chosen = self._units = None

    def prepare(self, subject: Subject) -> None:
        """Offer the colouring by branch where there are branches."""
        self.colouring.setVisible(bool(subject.series.branch_parameter))

    def draw(self, subject: Subject) -> None:
        """Draw the trials up to the iteration looked at."""
        picture = self.picture
        assert picture is not None, "missing() has made it"
        self._pointed.hide()
        self._set(self._faint, picture, ~picture.selected)
        groups, colours, entries = line_groups(picture, subject.series, self.colouring.key)
        for place in range(max(len(colours), len(self._lines))):
            if place == len(self._lines):
                made = pyqtgraph.PlotCurveItem()
                self._axes.addItem(made, ignoreBounds=True)
                self._lines.append(made)
            line = self._lines[place]
            if place >= len(colours):
                line.hide()
                continue
            # The last groups are the worst: the best lie on top.
            line.setZValue(len(colours) - place)
            line.setPen(_pen(colours[place]))
            self._set(line, picture, picture.selected & (groups == place))
        shown = {
            axis.name: self.brushes[axis.name] for axis in picture.axes if axis.name in self.brushes
        }
        self._frame.show_axes(picture.axes, shown)
        self._fit()
        self.legend.show_entries(entries)

    def _fit(self) -> None:
        """Leave room for the titles above, and for the last axis's numbers at the right."""
        if self.picture is None:
            return
        last = max(len(self.picture.axes) - 1, 1)
        size = self._box.size()
        left, right, above, under = (theme.pixels(n) for n in (_LEFT, _RIGHT, _ABOVE, _UNDER))
        across = last / max(size.width() - left - right, 60)
        upward = (FAILED - INACTIVE) / max(size.height() - above - under, 30)
        self._axes.setRange(
            xRange=(-left * across, last + right * across),
            yRange=(INACTIVE - under * upward, FAILED + above * upward),
            padding=0,
        )

    @staticmethod
    def _set(item: Any, picture: ParallelPicture, which: Any) -> None:
        item.setVisible(bool(which.any()))
        if which.any():
            x, y, connect = line_arrays(picture.drawn[which])
            item.setData(x, y, connect=connect)

    # Selecting ----------------------------------------------------------------------------

    def _axis_at(self, x: float) -> str:
        """Return the name of the axis at a place; empty for none."""
        picture = self.picture
        place = round(x)
        if picture is None or not 0 <= place < len(picture.axes):
            return ""
        reach = max(_REACH * self._box.viewPixelSize()[0], 0.15)
        return picture.axes[place].name if abs(x - place) <= reach else ""

    def _drag(self, begun: QPointF, now: QPointF) -> None:
        name = self._axis_at(begun.x())
        low, high = sorted((begun.y(), now.y()))
        if name and high - low > 2 * self._box.viewPixelSize()[1]:
            self.brush(name, (low, high))

    def brush(self, name: str, interval: tuple[float, float] | None) -> None:
        """Select the trials in an interval of heights on an axis; None frees the axis."""
        if interval is None:
            self.brushes.pop(name, None)
        else:
            self.brushes[name] = interval
        self.again()

    def clear(self) -> None:
        """Select all trials again."""
        self.brushes.clear()
        self.again()

    def choose_axes(self, names: Sequence[str]) -> None:
        """Show these axes; the error's is always there."""
        self._chosen = (*(name for name in names if name != ERROR), ERROR)
        for name in set(self.brushes) - set(self._chosen):
            del self.brushes[name]
        self.again()

    def open_panel(self) -> ParallelPanel | None:
        """Open the list of axes; None where there is no run to choose for."""
        subject, picture = self.subject, self.picture
        if subject is None or subject.space is None or picture is None:
            return None
        axes = [parameter_axis(subject.space, p.name, short=False) for p in subject.space.columns]
        axes.append(error_axis(subject.series.measure, picture.losses)[0])
        shown = [axis.name for axis in picture.axes]
        panel = ParallelPanel(axes, shown, self.brushes, self)
        panel.boxes[ERROR].setEnabled(False)
        panel.axes_chosen.connect(self.choose_axes)
        panel.brushed.connect(self.brush)
        corner = self.button.mapToGlobal(QPointF(self.button.width(), self.button.height() + 4))
        panel.adjustSize()
        panel.move(int(corner.x()) - panel.width(), int(corner.y()))
        panel.show()
        panel.boxes[shown[0]].setFocus(Qt.FocusReason.PopupFocusReason)
        return panel

    def clicked(self, where: QPointF) -> None:
        """Free the axis clicked on, if trials are selected there."""
        at = self._box.mapSceneToView(where)
        name = self._axis_at(at.x())
        if name in self.brushes:
            low, high = self.brushes[name]
            if low <= at.y() <= high:
                self.brush(name, None)

    def _double_clicked(self, event: Any) -> None:
        if event.double() and self.brushes:
            self.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Free all axes at Escape."""
        if event.key() == Qt.Key.Key_Escape and self.brushes:
            self.clear()
        else:
            super().keyPressEvent(event)

    # Reading out --------------------------------------------------------------------------

    def words_at(self, where: QPointF) -> str:
        """Say which trial is pointed at, and make its line stand out."""
        subject, picture = self.subject, self.picture
        if subject is None or picture is None:
            return ""
        at = self._box.mapSceneToView(where)
        place = nearest_line(picture, at.x(), at.y(), 8 * self._box.viewPixelSize()[1])
        self._pointed.setVisible(place >= 0)
        if place < 0:
            return ""
        self._pointed.setData(np.arange(len(picture.axes), dtype=float), picture.drawn[place])
        return line_words(picture, subject.series, place)

    def panel_at(self, where: QPointF) -> None:
        """Have no crosshair: the line pointed at stands out."""
        del where

    def words_at_rest(self) -> str:
        """Say how many trials are selected."""
        self._pointed.hide()
        subject, picture = self.subject, self.picture
        if subject is None or picture is None:
            return ""
        return rest_words(picture, subject.series, brushed=bool(self.brushes))

    def columns(self, picture: ParallelPicture, subject: Subject) -> Columns:
        """Return the trials drawn with their values on the axes."""
        trials = [subject.series.trials[number - 1] for number in picture.numbers.tolist()]
        return {
            "trial": picture.numbers,
            **{
                axis.name: [trial.configuration.get(axis.name, "") for trial in trials]
                for axis in picture.axes
                if axis.name != ERROR
            },
            "loss": ["" if trial.loss is None else trial.loss for trial in trials],
            "selected": np.where(picture.selected, "yes", "no"),
        }


def _pen(colour: QColor, width: float = 1.0) -> QPen:
    # Trials stay a pixel wide at any type: at 1.4 pixels 400 of them take Qt ninety times as long.
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    return pen
