"""Diversity of the search: how unlike the ensemble before it each suggestion turned out."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots.asking import Helper
from studio.gui.plots.base import Plot
from studio.gui.plots.colours import SINGLE, overlay_colour
from studio.gui.plots.compact import fit_names, keep_names_fitting
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry
from studio.gui.plots.painting.symbols import Dots
from studio.gui.plots.questions import SEARCH
from studio.gui.plots.search_answers import AGREEMENT, LEAST, SearchAnswers
from studio.gui.plots.search_diversity_model import (
    NOT_THERE,
    PANELS,
    WINDOW,
    Course,
    Curve,
    MemberErrors,
    course_of,
    nearest_course,
    panel_words,
    recorded,
    rest_words,
    suggestion_words,
)
from studio.gui.plots.series import RunSeries
from studio.gui.plots.subject import Subject
from studio.gui.plots.view_chooser import ViewChooser

_SMOOTH = 300
"""Iterations up to which curves are drawn as one path."""

MOST_RUNS = 7
"""Runs drawn at most: the one looked at, and one for each colour of those laid over it."""


class SearchDiversityPlot(Plot):
    """Least diversity of every suggestion above; error, weight or Kendall's tau below."""

    key: ClassVar[str] = "search_diversity"
    title: ClassVar[str] = mark("Diversity of the search")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "How unlike the ensemble so far each new trial predicts: high means that the search "
        "brings something new."
    )
    explanation: ClassVar[str] = mark(
        "Every dot is a trial: its height is its diversity to that member of the ensemble before "
        "it which predicts most alike, from 0 (nothing new) to 1. The line is the mean of the last "
        "ten. A search for the best single model tends towards 0, because it tries variations of "
        "what is good already; DivBO weighs diversity in and stays higher. "
        "Below, choose the mean error of the ensemble's members, which says whether diversity was "
        "paid for with bad members; the weight w that DivBO gives to diversity; or Kendall's tau, "
        "which says how well DivBO's diversity surrogate orders pairs of trials that it has not "
        "seen (1 is perfect, 0 is chance; fitted to the first four fifths of the trials, with at "
        "most 40,000 pairs). Lay another run over this one to compare two methods."
    )
    source: ClassVar[str] = mark("Shen et al. 2022, equation 5 and figures 1, 2 and 5")
    overlays: ClassVar[bool] = True

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._answers = SearchAnswers(helper, self.key, self.draw_in_turn)
        self._errors: dict[int, MemberErrors] = {}
        self._courses: list[Course] = []
        self._below: list[Curve] = []
        self.panel = ViewChooser(
            PANELS,
            tr("What is drawn below"),
            tr(
                "Below: the mean error of the members, the weight of diversity, or how well the "
                "diversity surrogate orders pairs"
            ),
        )
        self.panel.chosen.connect(self.again)
        self.header.controls.addWidget(self.panel)
        self._above = canvas.add_axes(self.canvas, 0)
        self._under = canvas.add_axes(self.canvas, 1)
        self._under.setXLink(self._above)
        for row, stretch in enumerate((5, 4)):
            self.canvas.ci.layout.setRowStretchFactor(row, stretch)
        self._dots = [Dots(size=5, pen=None) for _ in range(MOST_RUNS)]
        self._means = [pyqtgraph.PlotCurveItem() for _ in range(MOST_RUNS)]
        self._lines = [pyqtgraph.PlotDataItem() for _ in range(MOST_RUNS)]
        self._predicted = Dots(size=8, brush=None)
        self._said = pyqtgraph.TextItem(anchor=(0.5, 0.5))
        self._said.setZValue(200)
        self._veils = [pyqtgraph.LinearRegionItem(movable=False, pen=None) for _ in range(2)]
        self._marks = [pyqtgraph.InfiniteLine(angle=90) for _ in range(2)]
        for depth, item in enumerate((*self._dots, self._predicted, *self._means)):
            item.setZValue(depth)
            self._above.addItem(item, ignoreBounds=True)
        for item in (*self._lines, self._said):
            self._under.addItem(item, ignoreBounds=True)
        for place, axes in enumerate((self._above, self._under)):
            for depth, item in enumerate((self._veils[place], self._marks[place])):
                item.setZValue(100 + depth)
                axes.addItem(item, ignoreBounds=True)
        keep_names_fitting(self.canvas, self._above, self._under)
        self.dress()

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._above, self._under)
        self._above.getAxis("bottom").setStyle(showValues=False)
        for place in range(MOST_RUNS):
            colour = self._colour(place)
            soft = QColor(colour)
            soft.setAlphaF(0.4)
            self._dots[place].setBrush(soft)
            self._dots[place].setSize(theme.stroke(5.0))
            self._means[place].setPen(canvas.line(colour))
            self._lines[place].setPen(canvas.line(colour))
            self._lines[place].setSymbolBrush(colour)
            self._lines[place].setSymbolPen(None)
        self._predicted.setSize(theme.stroke(8.0))
        self._predicted.setPen(canvas.hairline(QColor(look.muted)))
        self._said.setColor(QColor(look.muted))
        self._said.setFont(theme.font(theme.SMALL))
        for veil, line in zip(self._veils, self._marks, strict=True):
            veil.setBrush(theme.colour(look.surface, 0.72))
            line.setPen(canvas.hairline(QColor(look.text), dashed=True))
        canvas.label(self._above, "left", tr("diversity"))
        canvas.label(self._under, "bottom", tr("iteration (finished trials)"))

    @staticmethod
    def _colour(place: int) -> QColor:
        look = theme.current()
        return QColor(look.series[SINGLE]) if place == 0 else overlay_colour(place - 1, look)

    # Asking -------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget the curves; answers stay for as long as the document is looked at."""
        self._answers.keep_to(None if self.subject is None else self.subject.document)
        self._errors.clear()
        self._courses, self._below = [], []

    def ask(self, subject: Subject) -> None:
        """Ask for what is not known yet of this run and those laid over it."""
        for run_id, _, series in _runs(subject):
            if series.length:
                self._answers.ask(LEAST, subject.document, run_id, series.length)
                if self.panel.key == "tau":
                    self._answers.ask(AGREEMENT, subject.document, run_id, series.length)

    def missing(self, subject: Subject) -> str:
        """Say what is waited for."""
        why = super().missing(subject) or self._answers.refusal(LEAST, subject.run_id)
        if why:
            return why
        known = self._answers.least.get(subject.run_id)
        if known is None:
            return tr("Comparing each suggestion with the ensemble before it…")
        if not len(known["numbers"]):
            return tr(
                "Waiting for the second successful trial: the first has no ensemble before it."
            )
        return ""

    # Drawing ------------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Bring both panels up to date."""
        runs = [each for each in _runs(subject) if each[0] in self._answers.least]
        self._courses = [course_of(n, s, self._answers.least[run_id]) for run_id, n, s in runs]
        self._below = [self._under_curve(run_id, series) for run_id, _, series in runs]
        for place in range(MOST_RUNS):
            there = place < len(self._courses)
            for item in (self._dots[place], self._means[place], self._lines[place]):
                item.setVisible(there)
            if there:
                course, under = self._courses[place], self._below[place]
                # Segments are faster where there are many, but their joints are not as smooth.
                mode = "on" if len(under.x) > _SMOOTH else "auto"
                for curve in (self._means[place], self._lines[place].curve):
                    curve.setSegmentedLineMode(mode)
                x, dots, line = course.least.x.astype(float), course.dots, course.line
                self._dots[place].setData(x=x[dots], y=course.least.y[dots])
                self._means[place].setData(x[line], course.smooth[line])
                marks = (
                    {"symbol": "o", "symbolSize": theme.stroke(6.0)}
                    if self.panel.key == "tau"
                    else {}
                )
                self._lines[place].setData(
                    under.x.astype(float),
                    under.y,
                    connect="finite",
                    **({"symbol": None} | marks),
                )
        alone = len(self._courses) == 1
        predicted = self._courses[0].predicted
        self._predicted.setVisible(alone)
        if alone:
            self._predicted.setData(x=predicted.x.astype(float), y=predicted.y)
        self._frame(subject)
        self.legend.show_entries(self._entries(alone and len(predicted.x) > 0))

    def _under_curve(self, run_id: int, series: RunSeries) -> Curve:
        if self.panel.key == "weight":
            return recorded(series, "weight")
        if self.panel.key == "tau":
            return self._answers.taus.get(run_id, Curve(np.empty(0, dtype=np.int64), np.empty(0)))
        counter = self._errors.get(run_id)
        if counter is None or counter.series is not series:
            counter = self._errors[run_id] = MemberErrors(series)
        return counter.curve()

    def _frame(self, subject: Subject) -> None:
        panel = self.panel.key
        last = max(series.length for _, _, series in _runs(subject))
        highest = max(
            float(course.least.y.max()) for course in self._courses if len(course.least.y)
        )
        span = (0.5, max(last + 0.5, 10.5))
        self._above.setRange(
            xRange=span, yRange=(-0.04 * highest, max(1.08 * highest, 0.02)), padding=0
        )
        values = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in self._below])
        low, high = (0.0, 1.0) if not len(values) else (float(values.min()), float(values.max()))
        room = 0.1 * (high - low) or 0.1 * abs(high) or 0.1
        if panel != "errors":
            low, room = min(low, 0.0), max(room, 0.08 * high)
        bottom = low if panel != "errors" and low == 0.0 else low - room
        self._under.setRange(yRange=(bottom, high + room), padding=0)
        names = {
            "errors": subject.series.measure.label,
            "weight": tr("weight w"),
            "tau": tr("Kendall's tau"),
        }
        canvas.label(self._under, "left", names[panel])
        fit_names(self.canvas, self._above, self._under)
        nothing = all(curve.is_empty for curve in self._below)
        self._said.setVisible(nothing)
        self._under.getAxis("left").setTicks([[]] if nothing else None)
        if nothing:
            self._said.setText(self._why_nothing(subject))
            self._said.setPos(0.5 * (span[0] + span[1]), 0.5 * (bottom + high + room))
            self._said.setTextWidth(max(120, int(0.9 * self._under.getViewBox().width())))
        back = subject.chosen is not None and subject.iteration < subject.series.length
        for veil, line in zip(self._veils, self._marks, strict=True):
            veil.setVisible(back)
            line.setVisible(back)
            if back:
                veil.setRegion((subject.iteration + 0.5, last + 1.5))
                line.setPos(subject.iteration + 0.5)

    def _why_nothing(self, subject: Subject) -> str:
        panel = self.panel.key
        if panel == "tau" and not self._answers.is_without_surrogate(subject.run_id):
            why = self._answers.refusal(AGREEMENT, subject.run_id)
            if why:
                return why
            if subject.series.length < 10:
                return tr("Kendall's tau is worked out from the tenth trial on.")
            if subject.run_id in self._answers.taus:
                return tr("Too few trials have succeeded yet to judge the diversity surrogate.")
            return tr("Judging the diversity surrogate…")
        method = str(subject.settings.get("method") or "")
        if method in ("", "auto", "suggested"):
            method = tr("this method")
        return tr(NOT_THERE[panel], method=method)

    def _entries(self, predicted: bool) -> Sequence[Entry]:
        if len(self._courses) > 1:
            return [
                Entry(course.name, "line", self._colour(place))
                for place, course in enumerate(self._courses)
            ]
        soft = QColor(self._colour(0))
        soft.setAlphaF(0.5)
        entries = [
            Entry(tr("each suggestion"), "dot", soft),
            Entry(tr("mean of the last {count}", count=WINDOW), "line", self._colour(0)),
        ]
        if predicted:
            entries.append(Entry(tr("predicted (ring)"), "dot", QColor(theme.current().muted)))
        return entries

    # Reading out --------------------------------------------------------------------------

    def words_at(self, where: QPointF) -> str:
        """Say which suggestion, or which value below, is pointed at."""
        if self.subject is None or not self._courses:
            return ""
        several = len(self._courses) > 1
        if where.y() <= self._above.getViewBox().sceneBoundingRect().bottom():
            at = self._above.getViewBox().mapSceneToView(where)
            found = nearest_course(self._courses, at.x(), at.y())
            return "" if found is None else suggestion_words(*found, named=several)
        at = self._under.getViewBox().mapSceneToView(where)
        if not 0.5 <= at.x() <= self.subject.series.length + 0.5:
            return ""
        measure = self.subject.series.measure
        told = [
            panel_words(self.panel.key, course.name, curve, at.x(), measure)
            for course, curve in zip(self._courses, self._below, strict=True)
        ]
        return "  ·  ".join(each for each in told if each)

    def words_at_rest(self) -> str:
        """Say how unlike the ensemble the latest suggestions are."""
        if self.subject is None or not self._courses:
            return ""
        return rest_words(self._courses[0], self.subject.iteration)

    def clicked(self, where: QPointF) -> None:
        """Look at the iteration clicked on."""
        iteration = round(self._above.getViewBox().mapSceneToView(where).x())
        if self.subject is not None and 1 <= iteration <= self.subject.series.length:
            self.iteration_picked.emit(iteration)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """Return the suggestions of all runs drawn, one row each."""
        names = ("run", "trial", "least_diversity", "mean_of_last_10", "nearest_member")
        return names, [
            (course.name, *line)
            for course in self._courses
            for line in zip(
                course.least.x.tolist(),
                course.least.y.tolist(),
                course.smooth.tolist(),
                course.nearest.tolist(),
                strict=True,
            )
        ]


def _runs(subject: Subject) -> list[tuple[int, str, RunSeries]]:
    """Return id, name and series of the run looked at and of those laid over it."""
    first = (subject.run_id, subject.name or tr("this run"), subject.series)
    others = [(each.run_id, each.name, each.series) for each in subject.overlaid]
    return [first, *(each for each in others if each[0] != subject.run_id)][:MOST_RUNS]
