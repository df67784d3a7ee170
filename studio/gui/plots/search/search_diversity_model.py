"""How different from the ensemble each suggestion of a search is, for one run or several."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio import language
from studio.analysis.answers.ensemble import LeastDiversity
from studio.arrays import Floats, Integers
from studio.gui.plots.base.series import RunSeries, columns
from studio.language import N_, tr
from studio.measure import Measure

MAX_COLUMNS, MAX_DOTS = 400, 2000
"""Iterations at which members are averaged, and suggestions that are drawn, at most."""

WINDOW = 10
"""Suggestions over which the line is the mean."""

PANELS = {
    "errors": N_("Members' error"),
    "weight": N_("Weight w"),
    "tau": N_("Kendall's tau"),
}
"""What may be drawn below the diversity."""

NOT_THERE = {
    "errors": N_("There is no ensemble yet."),
    "weight": N_("Does not apply: {method} does not weigh diversity when it searches. DivBO does."),
    "tau": N_(
        "Does not apply: {method} has no surrogate of diversity whose order could be judged. "
        "DivBO has."
    ),
}
"""What is said where nothing can be drawn below."""


@dataclass(frozen=True)
class IterationCurve:
    """Values by iteration: arrays of shape (k,), iterations ascending."""

    x: Integers
    y: Floats

    @property
    def is_empty(self) -> bool:
        """Whether there is no value to draw."""
        return not np.isfinite(self.y).any()


@dataclass(frozen=True)
class Course:
    """One run's search.

    Attributes:
        name: The run's name.
        series: Its trials.
        answer: The diversity of its suggestions to the most similar member before each.
        smooth: Shape (k,). The mean of the last :data:`WINDOW` of them.
        dots, line: Which of them are drawn as dots and as a line: of long runs the newest, and
            every n-th.
        predicted: What DivBO's diversity surrogate had predicted.
    """

    name: str
    series: RunSeries
    answer: LeastDiversity
    smooth: Floats
    dots: slice
    line: slice
    predicted: IterationCurve

    def place(self, x: float) -> int:
        """Return the place of the suggestion nearest to an iteration; -1 where there is none."""
        numbers = self.answer.numbers
        return int(np.abs(numbers - x).argmin()) if len(numbers) else -1


def sliding_mean(values: Floats, window: int) -> Floats:
    """Return at each place, (n,), the mean of the last ``window`` values, fewer at the start."""
    total = np.append(0.0, values.cumsum())
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - window, 0)
    mean: Floats = (total[end] - total[start]) / (end - start)
    return mean


def course_of(name: str, series: RunSeries, answer: LeastDiversity) -> Course:
    """Return what is drawn of a run's suggestions, arrays of shape (k,)."""
    return Course(
        name=name,
        series=series,
        answer=answer,
        smooth=sliding_mean(answer.least, WINDOW),
        dots=slice(-MAX_DOTS, None),
        line=slice(None, None, -(-max(len(answer.numbers), 1) // MAX_DOTS)),
        predicted=recorded(series, "diversity"),
    )


def recorded(series: RunSeries, name: str) -> IterationCurve:
    """Return a number that the newest suggestions recorded of themselves, where they did."""
    found = [
        (record.number, float(record.details[name]))
        for record in series.iterations[-MAX_DOTS:]
        if isinstance(record.details.get(name), int | float) and math.isfinite(record.details[name])
    ]
    return IterationCurve(
        np.array([number for number, _ in found], dtype=np.int64),
        np.array([value for _, value in found], dtype=float),
    )


class MemberErrors:
    """The mean validation loss of an ensemble's members, each alone, by iteration.

    Args:
        series: The run; what was worked out once is kept.
    """

    def __init__(self, series: RunSeries) -> None:
        self.series = series
        self._means: dict[int, float] = {}

    def _mean(self, iteration: int) -> float:
        if iteration not in self._means:
            members = [n - 1 for n, _ in self.series.iterations[iteration - 1].members]
            mean = float(self.series.losses[members].mean()) if members else float("nan")
            self._means[iteration] = mean
        return self._means[iteration]

    def curve(self) -> IterationCurve:
        """Return the means in the shown unit; NaN before the first ensemble."""
        numbers = columns(self.series.length, MAX_COLUMNS)
        means = np.array([self._mean(number) for number in numbers.tolist()], dtype=float)
        return IterationCurve(numbers, self.series.measure.shown(means))


def nearest_course(courses: Sequence[Course], x: float, y: float) -> tuple[Course, int] | None:
    """Return whose suggestion, and which, lies nearest to a point: in x first, then in y."""
    found: tuple[float, Course, int] | None = None
    for course in courses:
        place = course.place(x)
        if place < 0 or abs(course.answer.numbers[place] - x) > 1.0:
            continue
        away = abs(float(course.answer.least[place]) - y)
        if found is None or away < found[0]:
            found = (away, course, place)
    return None if found is None else (found[1], found[2])


def suggestion_words(course: Course, place: int, *, named: bool) -> str:
    """Say what was suggested and what it resembles most; ``named``: of which run."""
    answer = course.answer
    number = int(answer.numbers[place])
    words = tr(
        "{trial}: diversity {value} to {member}, the most similar member before it",
        trial=course.series.name(number),
        value=language.number(answer.least[place], ".3f"),
        member=course.series.name(int(answer.nearest[place])),
    )
    if named:
        words = f"{course.name}  ·  {words}"
    places = np.flatnonzero(course.predicted.x == number)
    if len(places):
        predicted = language.number(course.predicted.y[places[0]], ".3f")
        words += "  ·  " + tr("{value} had been predicted", value=predicted)
    return words


def value_text(panel: str, value: float, measure: Measure) -> str:
    """Write one value of a lower panel with its unit."""
    if panel == "errors":
        return measure.text(value / measure.factor)
    return language.number(value, ".3f")


def panel_words(panel: str, name: str, curve: IterationCurve, x: float, measure: Measure) -> str:
    """Say what a lower panel's curve is at an iteration; empty where it has no value."""
    if curve.is_empty:
        return ""
    place = int(np.abs(curve.x - x).argmin())
    if not np.isfinite(curve.y[place]):
        return ""
    value = value_text(panel, float(curve.y[place]), measure)
    iteration = int(curve.x[place])
    if panel == "errors":
        return tr(
            "iteration {iteration}  ·  {run}: members' mean error {value}",
            iteration=iteration,
            run=name,
            value=value,
        )
    if panel == "weight":
        return tr(
            "iteration {iteration}  ·  {run}: weight of diversity {value}",
            iteration=iteration,
            run=name,
            value=value,
        )
    return tr(
        "iteration {iteration}  ·  {run}: Kendall's tau {value} (1: every pair in the right "
        "order, 0: no better than chance)",
        iteration=iteration,
        run=name,
        value=value,
    )


def rest_words(course: Course, iteration: int) -> str:
    """Say how different from the ensemble the suggestions were up to an iteration."""
    known = course.answer.numbers <= iteration
    if not known.any():
        return ""
    latest = int(np.flatnonzero(known)[-1])
    return tr(
        "diversity to the most similar member: last {window} suggestions {late}, all {all}",
        window=WINDOW,
        late=language.number(course.smooth[latest], ".3f"),
        all=language.number(course.answer.least[known].mean(), ".3f"),
    )
