"""Ensemble objective: what every trial is worth alone, and what it would be to the ensemble."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.chooser import ParameterChooser
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.objective_model import (
    ObjectivePicture,
    objective_picture,
    objective_words,
    rest_words,
)
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry, Sample
from studio.gui.plots.painting.symbols import Dots
from studio.gui.plots.questions import ENSEMBLE as ENSEMBLE_QUESTION
from studio.gui.plots.slice_model import ParameterGroup, parameter_groups
from studio.gui.plots.subject import Subject
from studio.gui.widgets.drop_down import DropDown

NEXT, ALL = -1, -2
"""Slots to choose beside the numbered ones: the one that is searched for next, and each in turn."""


class ObjectivePlot(HelpedPlot[ObjectivePicture]):
    """f(γ) as ×, f(γ|E) as +, members circled; EO's slots one at a time or all."""

    key: ClassVar[str] = "objective"
    title: ClassVar[str] = mark("Ensemble objective")
    question: ClassVar[str] = ENSEMBLE_QUESTION
    summary: ClassVar[str] = mark(
        "What each trial is worth alone (×), and what the ensemble would be worth with it (+)."
    )
    explanation: ClassVar[str] = mark(
        "Every finished trial has two marks above one another: × is its own loss, + is the loss of "
        "the ensemble if this trial were added. Lower is better.\n"
        "The dashed line is the ensemble as it is now. A + below the line would improve it, even "
        "if the trial's × is high: it is right where the others err.\n"
        "Circles mark the members of the ensemble.\n"
        "Ensemble optimisation (EO) fills one place, a slot, at a time: it takes that slot's "
        "member out and looks for the model that completes the others best. Choose a slot, or see "
        "all of them; each asks for something else. Both marks are then by EO's own loss.\n"
        "With other methods the same is shown for their ensemble and the run's metric, though "
        "their search does not look at it.\n"
        "Along a hyperparameter the band is what EO's surrogate expects (mean ± one standard "
        "deviation), the other hyperparameters held as in the best trial."
    )
    source: ClassVar[str] = mark(
        "Lévesque et al. 2016 (EO), figures 1 and 3; Lévesque 2018, figures 4.2 and 4.4"
    )
    task: ClassVar[str] = "ensemble_objective"
    waiting: ClassVar[str] = mark("Adding every trial to the ensemble…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._make_choosers()
        self._axes = canvas.add_axes(self.canvas, 0)
        self._low = pyqtgraph.PlotCurveItem(pen=None)
        self._high = pyqtgraph.PlotCurveItem(pen=None)
        self._band = pyqtgraph.FillBetweenItem(self._low, self._high)
        self._mean = pyqtgraph.PlotCurveItem()
        self._slots: list[pyqtgraph.PlotCurveItem] = []
        self._whole = pyqtgraph.InfiniteLine(angle=0)
        self._boxes = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None)
        self._own = Dots(symbol=_crossed(0.5, 0.5), size=9)
        self._above = Dots(symbol="t1", size=7, pen=None)
        self._together = Dots(symbol=_crossed(0.5, 0.0), size=10)
        self._members = Dots(symbol="o", size=16, brush=None)
        self._held = Dots(symbol="d", size=13)
        below = (self._band, self._boxes, self._mean, self._whole, self._own, self._above)
        for depth, item in enumerate((*below, self._together, self._members, self._held)):
            item.setZValue(depth * 10)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    def _make_choosers(self) -> None:
        self.slot = DropDown()
        self.slot.setAccessibleName(tr("Slot of the ensemble that is left out"))
        self.slot.setToolTip(
            tr("The place (slot) whose member is taken out before each trial is put in")
        )
        self.slot.setSizeAdjustPolicy(
            DropDown.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.slot.setMinimumContentsLength(7)
        self.slot.view().setMinimumWidth(24 * theme.GRID)
        self.along = ParameterChooser()
        self.along.setMinimumContentsLength(8)
        self.along.setAccessibleName(tr("What the trials are laid out along"))
        self.along.setToolTip(tr("Lay the trials out by number, or along a hyperparameter"))
        self.slot.activated.connect(self.again)
        self.along.chosen.connect(self.again)
        self.header.controls.addWidget(self.slot)
        self.header.controls.addWidget(self.along)
        self._offer_slots((), -1)

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        single, ensemble = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        for band in (self._band.setBrush, lambda brush: self._boxes.setOpts(brush=brush)):
            band(theme.colour(look.series[ENSEMBLE], 0.18))
        self._mean.setPen(canvas.line(ensemble))
        self._whole.setPen(canvas.hairline(QColor(look.text), dashed=True))
        self._together.setPen(_stroke(ensemble))
        self._own.setPen(_stroke(single))
        self._above.setBrush(theme.colour(look.series[SINGLE], 0.7))
        self._members.setPen(_stroke(QColor(look.text)))

    # Asking -------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget the slots with the run."""
        super().forget()
        self._offer_slots((), -1)

    def prepare(self, subject: Subject) -> None:
        """Offer what trials can be laid out along, and the slots that there are."""
        if subject.space is not None:
            groups = (ParameterGroup("", (self._by_number,)), *parameter_groups(subject.space))
            self.along.offer(groups, self._by_number)
        super().prepare(subject)
        if self.picture is not None:
            holders = [int(number) for number in self.picture.holders]
            self._offer_slots(holders, self.picture.searched)

    def asked_for(self, subject: Subject) -> dict[str, Any] | None:
        """Ask for the slot and the hyperparameter chosen."""
        del subject
        slot = int(self.slot.currentData())
        return {
            "slot": slot if slot >= 0 else None,
            "parameter": None if self._numbered else self.along.name,
            "every_slot": slot == ALL,
        }

    def read(self, reply: Reply, subject: Subject) -> ObjectivePicture:
        """Return the marks, and the curves of the surrogate or of the slots."""
        return objective_picture(*reply, subject.series.measure)

    @property
    def _by_number(self) -> str:
        return tr("trial number")

    @property
    def _numbered(self) -> bool:
        return self.along.name in ("", self._by_number)

    def _offer_slots(self, holders: Sequence[int], searched: int) -> None:
        """List EO's slots with their members; hidden for methods that have none."""
        chosen = NEXT if self.slot.currentData() is None else int(self.slot.currentData())
        names = [(tr("Next slot"), NEXT), (tr("All slots"), ALL)]
        if searched >= 0:
            names[0] = (tr("Next: slot {number}", number=searched + 1), NEXT)
        for place, trial in enumerate(holders):
            held = tr("trial {number}", number=trial) if trial else tr("empty")
            names.append((tr("Slot {number}: {held}", number=place + 1, held=held), place))
        shown = [(self.slot.itemText(i), self.slot.itemData(i)) for i in range(self.slot.count())]
        if shown != names:
            self.slot.clear()
            for name, place in names:
                self.slot.addItem(name, place)
            self.slot.setCurrentIndex(max(0, self.slot.findData(chosen)))
        self.slot.setVisible(bool(holders))

    # Drawing ------------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self.picture
        if picture is None:
            return
        every = bool(picture.slot_y)
        look = theme.current()
        alone = QColor(look.muted if every else look.series[SINGLE])
        self._own.setData(x=picture.x, y=picture.own, pen=_stroke(alone))
        above = picture.own > picture.y_high
        edge = picture.edge
        self._above.setData(x=picture.x[above], y=np.full(int(above.sum()), edge))
        self._above.setBrush(theme.colour(alone.name(), 0.7))
        there = np.isfinite(picture.together)
        self._together.setVisible(not every)
        self._together.setData(x=picture.x[there], y=picture.together[there])
        circled = picture.members
        self._members.setVisible(not every)
        at_most = np.minimum(picture.own, edge)
        self._members.setData(x=picture.x[circled], y=at_most[circled])
        self._whole.setVisible(bool(np.isfinite(picture.whole)))
        if np.isfinite(picture.whole):
            self._whole.setPos(picture.whole)
        self._draw_surrogate(picture, shown=not every)
        self._draw_slots(picture)
        self._frame(picture)
        self.header.summary.setText(self._summary(picture))
        self.legend.show_entries(self._entries(picture))

    def _draw_surrogate(self, picture: ObjectivePicture, *, shown: bool) -> None:
        drawn, stepped = shown and len(picture.line_x) > 1, bool(picture.choices)
        self._band.setVisible(drawn and not stepped)
        self._boxes.setVisible(drawn and stepped)
        self._mean.setVisible(drawn)
        if not drawn:
            return
        x = picture.line_x
        if stepped:
            # A choice has no between: each is a box as wide as its trials are spread.
            self._boxes.setOpts(x0=x - 0.35, x1=x + 0.35, y0=picture.low, y1=picture.high)
            ends = np.stack([x - 0.35, x + 0.35], axis=1).ravel()
            self._mean.setData(ends, np.repeat(picture.mean, 2), connect="pairs")
            return
        self._low.setData(x, picture.low)
        self._high.setData(x, picture.high)
        self._mean.setData(x, picture.mean, connect="all")

    def _draw_slots(self, picture: ObjectivePicture) -> None:
        while len(self._slots) < len(picture.slot_y):
            self._slots.append(pyqtgraph.PlotCurveItem())
            self._axes.addItem(self._slots[-1], ignoreBounds=True)
        for place, item in enumerate(self._slots):
            item.setVisible(place < len(picture.slot_y))
            if place < len(picture.slot_y):
                item.setData(picture.slot_x[place], picture.slot_y[place])
                dashed = self._slot_sample(place) == "dash"
                item.setPen(canvas.line(self._slot_colour(place), dashed=dashed))
                item.setZValue(5)
        where = {int(number): place for place, number in enumerate(picture.numbers)}
        held = [
            (where[int(number)], slot)
            for slot, number in enumerate(picture.holders)
            if int(number) in where and picture.slot_y
        ]
        self._held.setData(
            x=picture.x[[place for place, _ in held]],
            y=np.minimum(picture.own, picture.edge)[[place for place, _ in held]],
            brush=[self._slot_colour(slot) for _, slot in held],
            pen=canvas.hairline(QColor(theme.current().surface)),
        )

    def _slot_colour(self, slot: int) -> QColor:
        series = theme.current().series
        return QColor(series[slot % len(series)])

    def _slot_sample(self, slot: int) -> Sample:
        """Return how a slot's curve is drawn: dashed where the colours begin again."""
        return "dash" if slot >= len(theme.current().series) else "line"

    def _frame(self, picture: ObjectivePicture) -> None:
        if picture.choices:
            span = (-0.6, len(picture.choices) - 0.4)
        else:
            ends = np.concatenate([picture.x, picture.line_x])
            low, high = (float(ends.min()), float(ends.max())) if ends.size else (0.0, 1.0)
            edge = 0.03 * (high - low) or 0.5
            # Of few trials the axis shows ten, so that it has no ticks between their numbers.
            span = (low - edge, max(high + edge, low + 9.5) if self._numbered else high + edge)
        self._axes.setRange(xRange=span, yRange=(picture.y_low, picture.y_high), padding=0)
        axis = self._axes.getAxis("bottom")
        axis.setTicks([self._ticks(picture.choices)] if picture.choices else None)
        axis.setLogMode(x=picture.log)
        name = self._by_number if self._numbered else self.along.name
        canvas.label(self._axes, "bottom", tr("{name}, log", name=name) if picture.log else name)
        canvas.label(self._axes, "left", picture.loss)

    def _ticks(self, choices: Sequence[str]) -> list[tuple[int, str]]:
        """Name the choices below the axis, cut to the room that each has."""
        metrics = QFontMetrics(theme.font(theme.SMALL - 1))
        room = int(self._axes.getViewBox().width() / len(choices)) - theme.GRID // 2
        cut = Qt.TextElideMode.ElideRight
        return [
            (place, metrics.elidedText(name, cut, max(room, 4 * theme.GRID)))
            for place, name in enumerate(choices)
        ]

    def _summary(self, picture: ObjectivePicture) -> str:
        if picture.slot < 0:
            return tr(
                "× the trial alone, + the ensemble as it is with this trial added. {note}",
                note=picture.note,
            )
        if picture.slot_y:
            return tr(
                "One curve a slot: the ensemble's loss with each trial in it. Diamonds: its member."
            )
        return tr(
            "× alone, + the ensemble with it in slot {number} of {all}: what EO's search sees.",
            number=picture.slot + 1,
            all=len(picture.holders),
        )

    def _entries(self, picture: ObjectivePicture) -> Sequence[Entry]:
        look = theme.current()
        ensemble = QColor(look.series[ENSEMBLE])
        alone = QColor(look.muted if picture.slot_y else look.series[SINGLE])
        entries = [Entry(tr("trial alone, f(γ)"), "cross", alone)]
        if not picture.slot_y:
            entries.append(Entry(tr("ensemble with it, f(γ|E)"), "plus", ensemble))
            entries.append(Entry(tr("member"), "ring", QColor(look.text)))
            if len(picture.line_x) > 1:
                entries.append(Entry(tr("expected by the surrogate"), "line", ensemble))
        else:
            for slot in range(len(picture.slot_y)):
                name, sample = tr("slot {number}", number=slot + 1), self._slot_sample(slot)
                entries.append(Entry(name, sample, self._slot_colour(slot)))
        return [*entries, Entry(tr("ensemble now"), "dash", QColor(look.text))]

    def words_at(self, where: QPointF) -> str:
        """Say which trial is pointed at, and what it is worth."""
        if self.picture is None or self.subject is None:
            return ""
        box = self._axes.getViewBox()
        at, pixel = box.mapSceneToView(where), box.viewPixelSize()
        reach = (8 * pixel[0] or 1.0, 8 * pixel[1] or 1.0)
        return objective_words(self.picture, self.subject.series, at.x(), at.y(), reach)

    def words_at_rest(self) -> str:
        """Say who would help most."""
        return "" if self.picture is None else rest_words(self.picture)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the trials: number, place, both losses, and whether they are members."""
        picture = self.picture
        place = "trial number" if self._numbered else self.along.name
        names = ("trial", place, "alone", "with the ensemble", "member")
        if picture is None:
            return names, []
        x = 10**picture.x if picture.log else picture.x
        columns = (picture.numbers, x, picture.own, picture.together, picture.members)
        return names, list(zip(*(column.tolist() for column in columns), strict=True))


def _crossed(across: float, down: float) -> QPainterPath:
    """Return a mark of two thin lines: oblique (½, ½) or upright (½, 0), of size 1."""
    path = QPainterPath(QPointF(-across, -down))
    path.lineTo(across, down)
    path.moveTo(-down, across)
    path.lineTo(down, -across)
    return path


def _stroke(colour: QColor) -> QPen:
    """Return the pen of a mark that is made of lines."""
    pen = canvas.line(colour)
    pen.setWidthF(1.6)
    return pen
