"""Diversity of the search: each suggestion's distance from the ensemble before it."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from studio import language
from studio.analysis.answers.ensemble import MinDiversity, RankAgreement
from studio.arrays import Floats, Integers
from studio.figures.compose import make_iteration_axis
from studio.figures.figure import Axis, Figure, Panel, Pointer, Ticks
from studio.figures.ink import MUTED, RUN_HUES, SINGLE, Ink, get_run_ink
from studio.figures.ink import make_series_ink as series_ink
from studio.figures.marks import Dots, EmptyPanelText, Line, Mark, Rule
from studio.gui.plots.base.helper_requests import (
    Helper,
    HelperRequester,
    HelperRequesterFactory,
    Query,
)
from studio.gui.plots.base.plot import SEARCH, Columns, PlotOf
from studio.gui.plots.base.series import RunSeries, choose_iterations
from studio.gui.plots.base.subjects import Subject
from studio.helper.computations import compute_least_diversity, compute_surrogate_agreement
from studio.language import N_, tr, translate
from studio.measure import Measure
from studio.runs.settings import OPEN_METHODS
from studio.tasks import Task

MAX_COLUMNS, MAX_DOTS = 400, 2000
"""Maximum numbers of averaged iterations, and of drawn suggestions."""

WINDOW = 10
"""Window of the moving average, in suggestions."""

PANELS = {"errors": N_("Members' error"), "weight": N_("Weight w"), "tau": N_("Kendall's tau")}

MISSING_TEXTS = {
    "errors": N_("There is no ensemble yet."),
    "weight": N_("Does not apply: {method} does not weigh diversity when it searches. DivBO does."),
    "tau": N_("Does not apply: {method} has no diversity surrogate to evaluate. DivBO has one."),
}
"""The message of an empty lower panel."""


@dataclass(frozen=True)
class IterationCurve:
    """Values by iteration: arrays of shape (k,), iterations ascending."""

    x: Integers
    y: Floats

    @property
    def is_empty(self) -> bool:
        """Whether there is no value to draw."""
        return not np.isfinite(self.y).any()

    def truncate_at(self, iteration: int) -> "IterationCurve":
        """Return a copy without values after an iteration."""
        count = int(np.searchsorted(self.x, iteration, side="right"))
        return IterationCurve(self.x[:count], self.y[:count])


_SINGLE_INK = series_ink(SINGLE)


@dataclass(frozen=True)
class DiversityHistory:
    """One run's search.

    Attributes:
        smooth: Shape (k,). Moving average of the last :data:`WINDOW` distances.
        dots, line: Slices for dots and line: of long runs the newest, and every n-th.
    """

    name: str
    series: RunSeries
    answer: MinDiversity
    smooth: Floats
    dots: slice
    line: slice
    predicted_diversity: IterationCurve
    ink: Ink = _SINGLE_INK

    def truncate_at(self, iteration: int) -> "DiversityHistory":
        """Return a copy without suggestions after an iteration."""
        count = int(np.searchsorted(self.answer.numbers, iteration, side="right"))
        names, predicted = ("numbers", "min_diversities", "nearest"), self.predicted_diversity
        cut = {each: getattr(self.answer, each)[:count] for each in names}
        return replace(
            self,
            answer=replace(self.answer, **cut),
            smooth=self.smooth[:count],
            predicted_diversity=predicted.truncate_at(iteration),
        )

    def find_nearest_index(self, x: float) -> int:
        """Return the index of the suggestion nearest to an iteration; -1 if there is none."""
        numbers = self.answer.numbers
        return int(np.abs(numbers - x).argmin()) if len(numbers) else -1


def compute_moving_average(values: Floats, window: int) -> Floats:
    """Return the moving average, (n,), of the last ``window`` values, fewer at the start."""
    total = np.append(0.0, values.cumsum())
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - window, 0)
    mean: Floats = (total[end] - total[start]) / (end - start)
    return mean


def make_run_diversity(
    name: str, series: RunSeries, answer: MinDiversity, ink: Ink = _SINGLE_INK
) -> DiversityHistory:
    """Return the diversity of a run's suggestions, arrays of shape (k,)."""
    return DiversityHistory(
        name=name,
        series=series,
        answer=answer,
        smooth=compute_moving_average(answer.min_diversities, WINDOW),
        dots=slice(-MAX_DOTS, None),
        line=slice(None, None, -(-max(len(answer.numbers), 1) // MAX_DOTS)),
        predicted_diversity=make_recorded_curve(series, "diversity"),
        ink=ink,
    )


def make_recorded_curve(series: RunSeries, name: str) -> IterationCurve:
    """Return a recorded quantity of the newest suggestions, if available."""
    pairs = [
        (record.number, float(record.details[name]))
        for record in series.iterations[-MAX_DOTS:]
        if isinstance(record.details.get(name), int | float) and math.isfinite(record.details[name])
    ]
    return IterationCurve(
        np.array([number for number, _ in pairs], dtype=np.int64),
        np.array([value for _, value in pairs], dtype=float),
    )


class MemberErrors:
    """The members' mean validation loss, each alone, by iteration; cached."""

    def __init__(self, series: RunSeries) -> None:
        self.series = series
        self._means: dict[int, float] = {}

    def _compute_mean(self, iteration: int) -> float:
        if iteration not in self._means:
            members = [n - 1 for n, _ in self.series.iterations[iteration - 1].members]
            mean = float(self.series.losses[members].mean()) if members else float("nan")
            self._means[iteration] = mean
        return self._means[iteration]

    def make_curve(self) -> IterationCurve:
        """Return the means in the displayed unit; NaN before the first ensemble."""
        numbers = choose_iterations(self.series.length, MAX_COLUMNS)
        means = np.array([self._compute_mean(number) for number in numbers.tolist()], dtype=float)
        return IterationCurve(numbers, self.series.measure.to_displayed_unit(means))


def find_nearest_suggestion(
    runs: Sequence[DiversityHistory], x: float, y: float
) -> tuple[DiversityHistory, int] | None:
    """Return the run and index of the suggestion nearest to a point, first in x, then in y."""
    nearest_run: tuple[float, DiversityHistory, int] | None = None
    for run in runs:
        index = run.find_nearest_index(x)
        if index < 0 or abs(run.answer.numbers[index] - x) > 1.0:
            continue
        distance = abs(float(run.answer.min_diversities[index]) - y)
        if nearest_run is None or distance < nearest_run[0]:
            nearest_run = (distance, run, index)
    return None if nearest_run is None else (nearest_run[1], nearest_run[2])


def describe_suggestion(run: DiversityHistory, index: int, *, shows_name: bool) -> str:
    """Describe a suggestion and the most similar member; ``shows_name``: with its run."""
    answer = run.answer
    number = int(answer.numbers[index])
    text = tr(
        "{trial}: diversity {value} to {member}, the most similar member before it",
        trial=run.series.get_name(number),
        value=language.number(answer.min_diversities[index], ".3f"),
        member=run.series.get_name(int(answer.nearest[index])),
    )
    if shows_name:
        text = f"{run.name}  ·  {text}"
    indices = np.flatnonzero(run.predicted_diversity.x == number)
    if len(indices):
        prediction_text = language.number(run.predicted_diversity.y[indices[0]], ".3f")
        text += "  ·  " + tr("{value} had been predicted", value=prediction_text)
    return text


def format_value(panel: str, value: float, measure: Measure) -> str:
    """Format a value of a lower panel with its unit."""
    if panel == "errors":
        return measure.format_loss(value / measure.factor)
    return language.number(value, ".3f")


def describe_panel(panel: str, name: str, curve: IterationCurve, x: float, measure: Measure) -> str:
    """Describe a lower panel's curve at an iteration; empty if it has no value."""
    if curve.is_empty:
        return ""
    index = int(np.abs(curve.x - x).argmin())
    if not np.isfinite(curve.y[index]):
        return ""
    value = format_value(panel, float(curve.y[index]), measure)
    text = {
        "errors": N_("iteration {iteration}  ·  {run}: members' mean error {value}"),
        "weight": N_("iteration {iteration}  ·  {run}: weight of diversity {value}"),
        "tau": N_(
            "iteration {iteration}  ·  {run}: Kendall's tau {value} (1: every pair in the right "
            "order, 0: no better than chance)"
        ),
    }[panel]
    return tr(text, iteration=int(curve.x[index]), run=name, value=value)


def summarise_plot(run: DiversityHistory, iteration: int) -> str:
    """Summarise the suggestions' distance from the ensemble up to an iteration."""
    is_past = run.answer.numbers <= iteration
    if not is_past.any():
        return ""
    latest = int(np.flatnonzero(is_past)[-1])
    return tr(
        "diversity from the most similar member: last {window} suggestions {late}, all {all}",
        window=WINDOW,
        late=language.number(run.smooth[latest], ".3f"),
        all=language.number(run.answer.min_diversities[is_past].mean(), ".3f"),
    )


class SearchAnswers:
    """The answers about a document's runs.

    Args:
        key: The plot's name, for the channels.
        on_arrival: Called after each answer or rejection; more may follow on another call.

    Attributes:
        min_diversities: Distance of the suggestions from the ensemble, by run.
    """

    def __init__(self, helper: Helper, key: str, on_arrival: Callable[[], None]) -> None:
        self._helper, self._key, self._on_arrival = helper, key, on_arrival
        self._document: Path | None = None
        self._requesters: dict[tuple[Task[..., Any], int], HelperRequester[Any]] = {}
        self._request_rounds: dict[tuple[Task[..., Any], int], int] = {}
        self._rejections: dict[tuple[Task[..., Any], int], str] = {}
        self.runs_without_surrogate: set[int] = set()
        self.min_diversities: dict[int, MinDiversity] = {}
        self.taus: dict[int, IterationCurve] = {}

    def request(self, task: Task[..., Any], document: Path, run_id: int, length: int) -> None:
        """Schedule a task for a run of this many iterations."""
        if task == compute_surrogate_agreement and run_id in self.runs_without_surrogate:
            return
        key = (task, run_id)
        if key not in self._requesters:
            self._requesters[key] = self._get_requester(key)
        arguments: dict[str, Any] = {"path": str(document), "run_id": run_id}
        if task == compute_surrogate_agreement:
            arguments["iteration"] = length
        version = (length, self._request_rounds.get(key, 0))
        self._requesters[key].submit(Query(arguments, scope=run_id, version=version))

    def set_document(self, document: Path | None) -> None:
        """Clear answers about other documents."""
        if document == self._document:
            return
        self._document = document
        for requester in self._requesters.values():
            requester.clear()
        for cache in (self._requesters, self._request_rounds, self._rejections):
            cache.clear()
        for answers in (self.min_diversities, self.taus, self.runs_without_surrogate):
            answers.clear()

    def get_failure_reason(self, task: Task[..., Any], run_id: int) -> str:
        """Return why a task fails for a run; empty if it succeeds, or was not tried."""
        return self._rejections.get((task, run_id), "")

    def _get_requester(self, key: tuple[Task[..., Any], int]) -> HelperRequester[Any]:
        (task, run_id), on_error = key, partial(self._on_error, key)
        requesters = HelperRequesterFactory(self._helper, f"{self._key}:{run_id}")
        if task == compute_least_diversity:
            on_answer = partial(self._on_least_diversity, run_id)
            return requesters(compute_least_diversity, on_answer, on_error)
        on_agreement = partial(self._on_agreement, run_id)
        return requesters(compute_surrogate_agreement, on_agreement, on_error)

    def _on_least_diversity(self, run_id: int, _: Query, answer: MinDiversity) -> None:
        self.min_diversities[run_id] = answer
        self._handle_answer((compute_least_diversity, run_id), is_partial=answer.has_more)

    def _on_agreement(self, run_id: int, _: Query, answer: RankAgreement) -> None:
        # Qt crashes on a symbol at NaN.
        is_known = np.isfinite(answer.taus)
        self.taus[run_id] = IterationCurve(answer.numbers[is_known], answer.taus[is_known])
        if not answer.has_diversity_surrogate:
            self.runs_without_surrogate.add(run_id)
        self._handle_answer((compute_surrogate_agreement, run_id), is_partial=answer.has_more)

    def _handle_answer(self, key: tuple[Task[..., Any], int], *, is_partial: bool) -> None:
        self._rejections.pop(key, None)
        if is_partial:
            # Computed in parts, so that requests of other plots are answered in between.
            self._request_rounds[key] = self._request_rounds.get(key, 0) + 1
        self._on_arrival()

    def _on_error(self, key: tuple[Task[..., Any], int], message: str) -> None:
        self._rejections[key] = translate(message)
        self._on_arrival()


MAX_RUNS = 2 * RUN_HUES
"""Maximum number of runs: one per colour."""


class SearchDiversityPlot(PlotOf[list[DiversityHistory]]):
    """Least diversity of each suggestion above; error, weight or Kendall's tau below."""

    key = "search_diversity"
    title = N_("Diversity of the search")
    search_terms = N_("difference between trials exploration pair")
    question = SEARCH
    summary = N_(
        "How much each new trial differs from the ensemble so far: high values mean that the "
        "search adds diversity."
    )
    explanation = N_(
        "Every dot is a trial: its height is its diversity from the most similar member of the "
        "ensemble before it, from 0 (nothing new) to 1. The line is the mean of the last ten. A "
        "search for the best single model tends towards 0, because it tries variations of what "
        "is good already; DivBO weighs diversity in and stays higher. Below, choose the mean "
        "error of the ensemble's members, which says whether diversity was paid for with bad "
        "members; the weight w that DivBO gives to diversity; or Kendall's tau, which says how "
        "well DivBO's diversity surrogate orders pairs of trials that it has not seen (1 is "
        "perfect, 0 is chance; fitted to the first four fifths of the trials, with at most "
        "40,000 pairs). Overlay another run to compare two methods."
    )
    source = N_("Shen et al. 2022, equation 5 and figures 1, 2 and 5")
    draws_overlays = True
    selects_iteration = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._answers = SearchAnswers(helper, self.key, self.schedule_redraw)
        self._errors: dict[int, MemberErrors] = {}
        self._panel_curves: list[IterationCurve] = []
        self._axes: Sequence[Panel] = ()
        text = tr(
            "Below: the mean error of the members, the weight of diversity, or how well the "
            "diversity surrogate orders pairs"
        )
        self.panel = self.add_view_choice(PANELS, tr("Lower curve"), text)

    # Requests -----------------------------------------------------------------------------

    def clear(self) -> None:
        """Reset the curves; keep the answers while the document is open."""
        self._answers.set_document(None if self.subject is None else self.subject.document)
        self._errors.clear()

    def request_data(self, subject: Subject) -> None:
        for run_id, _, series in _list_runs(subject):
            if series.length:
                self._answers.request(
                    compute_least_diversity, subject.document, run_id, series.length
                )
                if self.panel.key == "tau":
                    self._answers.request(
                        compute_surrogate_agreement, subject.document, run_id, series.length
                    )

    def explain_empty(self, subject: Subject) -> str:
        failure = self._answers.get_failure_reason(compute_least_diversity, subject.run_id)
        if reason := super().explain_empty(subject) or failure:
            return reason
        answer = self._answers.min_diversities.get(subject.run_id)
        if answer is None:
            return self.announce(tr("Comparing each suggestion with the ensemble before it…"))
        if not len(answer.numbers):
            return tr(
                "Waiting for the second successful trial: the first has no ensemble before it."
            )
        return ""

    # Drawing ------------------------------------------------------------------------------

    def prepare(self, subject: Subject) -> None:
        runs = [each for each in _list_runs(subject) if each[0] in self._answers.min_diversities]
        has_several = subject.run_ink is not None
        self.data = [
            make_run_diversity(
                name,
                each,
                self._answers.min_diversities[run_id],
                get_run_ink(run_id) if has_several else _SINGLE_INK,
            )
            for run_id, name, each in runs
        ]
        self._panel_curves = [self._make_panel_curve(run_id, series) for run_id, _, series in runs]
        # Axis limits of the whole run, so that nothing jumps between iterations.
        self._axes = self._make_panels(self.data, subject, subject.last) if runs else ()
        if (selected := subject.selected_iteration) is not None:
            self.data = [each.truncate_at(selected) for each in self.data]
            self._panel_curves = [each.truncate_at(selected) for each in self._panel_curves]

    def make_figure(self, data: list[DiversityHistory], subject: Subject) -> Figure:
        has_several = len(data) > 1
        marks = [
            *(mark for each in enumerate(data) for mark in _make_run_marks(*each, has_several)),
            *(
                Line(
                    x=curve.x.astype(float),
                    y=curve.y,
                    ink=course.ink,
                    panel=1,
                    dotted=self.panel.key == "tau",
                )
                for course, curve in zip(data, self._panel_curves, strict=True)
            ),
        ]
        if all(curve.is_empty for curve in self._panel_curves):
            text = self._explain_empty_panel(subject)
            marks.append(EmptyPanelText(text=text, ink=MUTED, panel=1))
        selected = subject.selected_iteration
        if selected is not None and selected < subject.last:
            marks += [Rule(position=selected + 0.5, panel=panel) for panel in (0, 1)]
        return Figure(
            panels=self._axes, marks=marks, default_text=summarise_plot(data[0], subject.iteration)
        )

    def _make_panels(
        self, data: list[DiversityHistory], subject: Subject, last: int
    ) -> Sequence[Panel]:
        diversities = (each.answer.min_diversities for each in data)
        highest = max((float(each.max()) for each in diversities if len(each)), default=0.0)
        x_axis = make_iteration_axis(last, tr("iteration (trials)"))
        names = {
            "errors": subject.series.measure.label,
            "weight": tr("weight w"),
            "tau": tr("Kendall's tau"),
        }
        values = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in self._panel_curves])
        low, high = _compute_limits(values, starts_at_zero=self.panel.key != "errors")
        ticks: Ticks | None = None if len(values) else ()
        y = Axis(names[self.panel.key], low, high, ticks)
        return [
            Panel(
                x=make_iteration_axis(last),
                y=Axis(tr("diversity"), -0.04 * highest, max(1.08 * highest, 0.02)),
                height_share=5,
                is_zoomable=True,
            ),
            Panel(x=x_axis, y=y, height_share=4, row=1, is_zoomable=True),
        ]

    def _make_panel_curve(self, run_id: int, series: RunSeries) -> IterationCurve:
        if self.panel.key == "weight":
            return make_recorded_curve(series, "weight")
        if self.panel.key == "tau":
            return self._answers.taus.get(
                run_id, IterationCurve(np.empty(0, dtype=np.int64), np.empty(0))
            )
        counter = self._errors.get(run_id)
        if counter is None or counter.series is not series:
            counter = self._errors[run_id] = MemberErrors(series)
        return counter.make_curve()

    def _explain_empty_panel(self, subject: Subject) -> str:
        panel = self.panel.key
        if panel == "tau" and subject.run_id not in self._answers.runs_without_surrogate:
            reason = self._answers.get_failure_reason(compute_surrogate_agreement, subject.run_id)
            if reason:
                return reason
            if subject.series.length < 10:
                return tr("Kendall's tau is computed from the tenth trial on.")
            if subject.run_id in self._answers.taus:
                return tr("Too few successful trials so far to evaluate the diversity surrogate.")
            return tr("Evaluating the diversity surrogate…")
        method = subject.settings.method
        if method in OPEN_METHODS:
            method = tr("this method")
        return tr(MISSING_TEXTS[panel], method=method)

    # Read-out -----------------------------------------------------------------------------

    def describe_hovered(
        self, data: list[DiversityHistory], subject: Subject, pointer: Pointer
    ) -> str:
        if not 0.5 <= pointer.x <= subject.last + 0.5:
            return ""
        if pointer.panel == 0:
            nearest = find_nearest_suggestion(data, pointer.x, pointer.y)
            if nearest is None:
                return ""
            return describe_suggestion(*nearest, shows_name=len(data) > 1)
        parts = [
            describe_panel(self.panel.key, course.name, curve, pointer.x, subject.series.measure)
            for course, curve in zip(data, self._panel_curves, strict=True)
        ]
        return "  ·  ".join(filter(None, parts))

    def get_table_columns(self, data: list[DiversityHistory], subject: Subject) -> Columns:
        return {
            "run": [course.name for course in data for _ in course.smooth],
            "trial": np.concatenate([course.answer.numbers for course in data]),
            "least_diversity": np.concatenate([course.answer.min_diversities for course in data]),
            f"mean_of_last_{WINDOW}": np.concatenate([course.smooth for course in data]),
            "nearest_member": np.concatenate([course.answer.nearest for course in data]),
        }


def _list_runs(subject: Subject) -> list[tuple[int, str, RunSeries]]:
    """Return id, name and series of the shown run and its overlays."""
    first = (subject.run_id, subject.name or tr("this run"), subject.series)
    overlaid_runs = [(each.run_id, each.name, each.series) for each in subject.overlays]
    return [first, *(each for each in overlaid_runs if each[0] != subject.run_id)][:MAX_RUNS]


def _make_run_marks(index: int, run: DiversityHistory, has_overlays: bool) -> Iterable[Mark]:
    """Yield one run's suggestions and their mean; for a single run also the predictions."""
    ink, dots, line = run.ink, run.dots, run.line
    x, y = run.answer.numbers.astype(float), run.answer.min_diversities
    dot_name, mean = tr("each suggestion"), tr("mean of the last {count}", count=WINDOW)
    yield Dots(
        x=x[dots], y=y[dots], size=5, outline=None, ink=ink.with_opacity(0.4), depth=index,
        name="" if has_overlays else dot_name,
    )  # fmt: skip
    yield Line(
        x=x[line], y=run.smooth[line], ink=ink, depth=20 + index,
        name=run.name if has_overlays else mean,
    )  # fmt: skip
    if not has_overlays and len(run.predicted_diversity.x):
        x, y = run.predicted_diversity.x.astype(float), run.predicted_diversity.y
        name = tr("predicted (ring)")
        yield Dots(x=x, y=y, shape="ring", size=8, ink=MUTED, depth=10, name=name)


def _compute_limits(values: Floats, *, starts_at_zero: bool) -> tuple[float, float]:
    """Return the limits of the lower panel, with margins around its values, shape (k,)."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    margin = 0.1 * (high - low) or 0.1 * abs(high) or 0.1
    if starts_at_zero:
        low, margin = min(low, 0.0), max(margin, 0.08 * high)
    return low if starts_at_zero and low == 0.0 else low - margin, high + margin
