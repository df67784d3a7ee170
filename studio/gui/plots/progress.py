"""Progress: how good the best single model and the ensemble were after every trial."""

from collections.abc import Sequence
from typing import ClassVar

import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots.asking import Asker, Helper, Reply, Wish
from studio.gui.plots.base import Plot
from studio.gui.plots.colours import CHOICE, ENSEMBLE, SINGLE, overlay_colour
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry
from studio.gui.plots.painting.symbols import Dots
from studio.gui.plots.progress_choices import (
    TASK,
    ChosenCurves,
    choices_wish,
    chosen_curves,
    chosen_words,
)
from studio.gui.plots.progress_model import (
    ProgressPicture,
    Stairs,
    progress_picture,
    progress_words,
)
from studio.gui.plots.questions import GOOD
from studio.gui.plots.subject import Subject

_ABOVE = 20

_NOTHING = Stairs(canvas.NO_POINTS, canvas.NO_POINTS)


class ProgressPlot(Plot):
    """Validation (solid) and test (dashed) loss by iteration; failed trials as ticks."""

    key: ClassVar[str] = "progress"
    title: ClassVar[str] = mark("Progress")
    question: ClassVar[str] = GOOD
    summary: ClassVar[str] = mark(
        "Lower is better. The test rows are never seen by the search; "
        "the shaded gap is how much the validation score flatters the ensemble, where it is more "
        "than chance."
    )
    explanation: ClassVar[str] = mark(
        "From left to right the search tries one model after another. "
        "The blue line is the best single model so far, the orange one the ensemble: "
        "where the orange line is lower, the ensemble is the better choice.\n"
        "Solid lines are measured on the validation rows, by which the search chooses. "
        "Whoever chooses among many is bound to pick lucky ones, so the solid lines look too good. "
        "Dashed lines are measured on test rows that nobody chose by: these are to be believed.\n"
        "The shaded band between the ensemble's two lines is its optimism gap. It is drawn where "
        "the gap is larger than chance explains with so many rows. "
        "If it grows while the dashed line stays, more search only fits the validation rows "
        "(overfitting of the search)."
    )
    source: ClassVar[str] = mark("Lévesque 2018, figures 2.4, 2.5 and 3.1")
    overlays: ClassVar[bool] = True

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._picture: ProgressPicture | None = None
        self._reply: Reply | None = None
        self._choices: ChosenCurves | None = None
        self._asker = Asker(
            helper, TASK, self._answer, lambda _: None, channel=f"{self.key}:{TASK}"
        )
        self._axes = canvas.add_axes(self.canvas, 0)
        self._dots = Dots(size=5, pen=None)
        self._single_test = pyqtgraph.PlotCurveItem()
        self._ensemble_test = pyqtgraph.PlotCurveItem()
        self._single = pyqtgraph.PlotCurveItem()
        self._ensemble = pyqtgraph.PlotCurveItem()
        self._chosen = pyqtgraph.PlotCurveItem()
        self._chosen_test = pyqtgraph.PlotCurveItem()
        self._gap = pyqtgraph.FillBetweenItem(self._ensemble, self._ensemble_test)
        self._failed = Dots(symbol="t", size=9, pen=None)
        self._here = pyqtgraph.InfiniteLine(angle=90)
        self._laid: list[pyqtgraph.PlotCurveItem] = []
        for depth, item in enumerate(
            (
                self._gap,
                self._dots,
                self._chosen_test,
                self._chosen,
                self._single_test,
                self._ensemble_test,
                self._single,
                self._ensemble,
                self._failed,
                self._here,
            ),
            start=1,
        ):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        single, ensemble = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        choice = QColor(look.series[CHOICE])
        self._dots.setBrush(theme.colour(look.muted, 0.35))
        self._failed.setBrush(QColor(look.bad))
        self._gap.setBrush(theme.colour(look.series[ENSEMBLE], 0.12))
        self._here.setPen(canvas.hairline(QColor(look.text), dashed=True))
        canvas.label(self._axes, "bottom", tr("iteration (finished trials)"))
        for curve, colour, dashed in (
            (self._single, single, False),
            (self._ensemble, ensemble, False),
            (self._chosen, choice, False),
            (self._single_test, single, True),
            (self._ensemble_test, ensemble, True),
            (self._chosen_test, choice, True),
        ):
            curve.setPen(canvas.line(colour, 0, dashed=dashed))
        for number, curve in enumerate(self._laid):
            colour = overlay_colour(number // 2, look)
            curve.setPen(canvas.hairline(colour, dashed=number % 2 == 1))

    def forget(self) -> None:
        """Forget the choices of the run before."""
        self._reply = None
        self._asker.forget()

    def ask(self, subject: Subject) -> None:
        """Ask for the choice by posterior mean where the method makes it."""
        wish = choices_wish(subject)
        if wish is not None:
            self._asker.wish(wish)

    def _answer(self, wish: Wish, reply: Reply) -> None:
        subject = self.subject
        if subject is not None and wish.arguments["run"] == subject.run_id:
            self._reply = reply
            self.draw_in_turn()

    def draw(self, subject: Subject) -> None:
        """Bring curves, dots, ticks and range up to date."""
        picture = progress_picture(subject.series, subject.chosen, subject.overlaid)
        self._picture = picture
        self._choices = None
        if self._reply is not None:
            self._choices = chosen_curves(self._reply, subject.series, picture.shown)
        choices = self._choices
        for curve, values in (
            (self._single, picture.single_validation),
            (self._ensemble, picture.ensemble_validation),
            (self._single_test, picture.single_test),
            (self._ensemble_test, picture.ensemble_test),
            (self._chosen, choices.validation if choices else _NOTHING),
            (self._chosen_test, choices.test if choices else _NOTHING),
        ):
            _set(curve, values)
        self._draw_laid(picture)
        self._gap.setVisible(picture.has_gap)
        self._dots.setData(x=picture.dots[:, 0], y=picture.dots[:, 1])
        tick = picture.low + 0.025 * (picture.high - picture.low)
        self._failed.setData(x=picture.failed.astype(float), y=[tick] * len(picture.failed))
        end = picture.last + 0.5
        back = subject.chosen is not None and picture.shown < picture.last
        self._here.setVisible(back)
        if back:
            self._here.setPos(picture.shown + 0.5)
        self._axes.setRange(
            xRange=(0.5, max(end, 10.5)), yRange=(picture.low, picture.high), padding=0
        )
        canvas.label(self._axes, "left", subject.series.measure.label)
        self.legend.show_entries(self._entries(picture))

    def _draw_laid(self, picture: ProgressPicture) -> None:
        look = theme.current()
        most = max((each.place + 1 for each in picture.overlaid), default=0)
        while len(self._laid) < 2 * most:
            number = len(self._laid)
            curve = pyqtgraph.PlotCurveItem()
            curve.setPen(canvas.hairline(overlay_colour(number // 2, look), dashed=number % 2 == 1))
            # On top: where two runs agree, the thin line shows on the thick one.
            curve.setZValue(_ABOVE)
            self._axes.addItem(curve, ignoreBounds=True)
            self._laid.append(curve)
        shown = {each.place: each for each in picture.overlaid}
        for number, curve in enumerate(self._laid):
            each = shown.get(number // 2)
            if each is None:
                _set(curve, _NOTHING)
            else:
                _set(curve, each.test if number % 2 else each.validation)

    def _entries(self, picture: ProgressPicture) -> Sequence[Entry]:
        look = theme.current()
        single, ensemble = QColor(look.series[SINGLE]), QColor(look.series[ENSEMBLE])
        entries = [
            Entry(tr("best single, validation"), "line", single),
            Entry(tr("ensemble, validation"), "line", ensemble),
        ]
        if picture.has_test:
            entries += [
                Entry(tr("best single, test"), "dash", single),
                Entry(tr("ensemble, test"), "dash", ensemble),
            ]
        if picture.has_gap:
            band = theme.colour(look.series[ENSEMBLE], 0.3)
            entries.append(Entry(tr("optimism gap"), "band", band))
        if self._choices is not None:
            choice = QColor(look.series[CHOICE])
            entries.append(Entry(tr("posterior-mean choice"), "line", choice))
        entries += [
            Entry(tr("{run} (laid over)", run=each.name), "line", overlay_colour(each.place, look))
            for each in picture.overlaid
        ]
        entries += [
            Entry(tr("{run}: another metric", run=name), "line", QColor(look.border))
            for name in picture.others
        ]
        entries.append(Entry(tr("each trial"), "dot", theme.colour(look.muted, 0.5)))
        if len(picture.failed):
            words = tr("failed trials: {count}", count=len(picture.failed))
            entries.append(Entry(words, "tick", QColor(look.bad)))
        return entries

    def _iteration(self, where: QPointF) -> int:
        x: float = self._axes.getViewBox().mapSceneToView(where).x()
        return round(x)

    def words_at(self, where: QPointF) -> str:
        """Say what held at the iteration pointed at; nothing of what is later."""
        subject, iteration = self.subject, self._iteration(where)
        if subject is None or iteration > subject.iteration:
            return ""
        return progress_words(subject.series, iteration, subject.overlaid)

    def words_at_rest(self) -> str:
        """Say what holds at the iteration looked at."""
        subject = self.subject
        if subject is None:
            return ""
        words = progress_words(subject.series, subject.iteration)
        if self._choices is not None:
            words += "  ·  " + chosen_words(self._choices, subject.series)
        return words

    def clicked(self, where: QPointF) -> None:
        """Look at the iteration clicked on."""
        iteration = self._iteration(where)
        if self.subject is not None and 1 <= iteration <= self.subject.series.length:
            self.iteration_picked.emit(iteration)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the curves' values, one row an iteration, in stored units."""
        names = (
            "run",
            "iteration",
            "single_validation",
            "single_test",
            "ensemble_validation",
            "ensemble_test",
        )
        subject = self.subject
        if subject is None:
            return names, []
        runs = [(subject.name, subject.series, subject.iteration)]
        for each in subject.overlaid:
            last = each.series.length if subject.chosen is None else subject.chosen
            runs.append((each.name, each.series, last))
        return names, [
            (
                name,
                r.number,
                r.single_validation,
                r.single_test,
                r.ensemble_validation,
                r.ensemble_test,
            )
            for name, series, last in runs
            for r in series.iterations[:last]
        ]


def _set(curve: pyqtgraph.PlotCurveItem, values: Stairs) -> None:
    curve.setData(values.x, values.y, connect="finite")
