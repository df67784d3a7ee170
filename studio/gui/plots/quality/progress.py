"""Progress plot: errors of the best single model and the ensemble by trial."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from studio.analysis.answers.surrogate import PosteriorChoices
from studio.figures.compose import make_iteration_axis
from studio.figures.figure import Axis, Figure, LineEnd, Panel, Pointer
from studio.figures.ink import (
    BORDER,
    CHOICE_INDEX,
    ENSEMBLE,
    MUTED,
    SINGLE,
    TEXT,
    Ink,
    make_series_ink,
)
from studio.figures.marks import Band, Dots, LegendItem, LevelSpan, Line, Mark, Rule, WordMarks
from studio.gui.base import theme
from studio.gui.plots.base.helper_requests import Helper, Query
from studio.gui.plots.base.plot import GOOD, Columns, PlotOf
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.method_facts import describe_selection, uses_posterior_mean
from studio.gui.plots.quality.progress_labels import (
    MIN_DRAWING_SHARE,
    MIN_SHORT_SHARE,
    NAME_LETTERS,
    EndLabel,
    LabelledLines,
    draw_leaders,
    labels_fit,
    make_end_labels,
    name_after_run,
    shorten_names,
)
from studio.gui.plots.quality.progress_model import (
    ProgressData,
    StepCurve,
    describe_current_losses,
    describe_cut_level,
    describe_final_models,
    describe_iteration,
    make_progress_data,
    make_step_curve,
)
from studio.gui.plots.quality.progress_strip import end_at_scale, make_strip, make_trial_marks
from studio.helper.computations import compute_posterior_choices
from studio.language import N_, tr
from studio.measure import Measure

_REQUEST_INTERVAL = 4
"""Number of new trials between requests of the choices, which need fits of the surrogate."""


@dataclass(frozen=True)
class ChosenCurves:
    """Losses of the trial with the lowest posterior mean of the surrogate, by iteration.

    Attributes:
        number: The trial that is chosen now.
        last_validation, last_test: Its losses.
    """

    validation: StepCurve
    test: StepCurve
    number: int
    last_validation: float
    last_test: float


def make_choices_query(subject: Subject) -> Query | None:
    """Return the request to the helper; None if the method makes no such choice."""
    if subject.iteration == 0 or not uses_posterior_mean(subject.settings):
        return None
    is_live = subject.selected_iteration is None
    iteration = subject.iteration
    if is_live and iteration > _REQUEST_INTERVAL:
        iteration -= iteration % _REQUEST_INTERVAL
    arguments = {**subject.common_arguments, "iteration": iteration}
    return Query(arguments, scope=subject.run_id, version=iteration)


def make_chosen_curves(
    answer: PosteriorChoices, series: RunSeries, iteration: int
) -> ChosenCurves | None:
    """Build the curves of an answer up to an iteration; None if there are none."""
    n_values = int(np.searchsorted(answer.iterations, iteration, side="right"))
    if n_values == 0:
        return None
    numbers = answer.iterations[:n_values]
    measure = series.measure
    return ChosenCurves(
        make_step_curve(numbers, measure.to_displayed_unit(answer.validation[:n_values])),
        make_step_curve(numbers, measure.to_displayed_unit(answer.test[:n_values])),
        int(answer.trials[n_values - 1]),
        float(answer.validation[n_values - 1]),
        float(answer.test[n_values - 1]),
    )


def describe_chosen_trial(curves: ChosenCurves, series: RunSeries) -> str:
    """Describe the chosen trial and its error, for the read-out."""
    return tr(
        "posterior-mean choice {trial}: {validation} validation, {test} test",
        trial=series.get_name(curves.number),
        validation=series.measure.format_loss(curves.last_validation),
        test=series.measure.format_loss(curves.last_test),
    )


_MIN_LABELLED_HEIGHT = 230
"""Minimum height in pixels of a plot with labelled curves for a legend, at a scale of 1."""


class ProgressPlot(PlotOf[ProgressData]):
    """Validation (solid) and test (dashed) loss by iteration; failed trials as ticks."""

    key = "progress"
    title = N_("Progress")
    search_terms = N_("curve convergence best so far over time error per iteration overfitting")
    question = GOOD
    summary = N_(
        "Lower is better. The test rows are never seen by the search; the shaded gap is the "
        "optimism of the ensemble's validation error, where beyond chance."
    )
    explanation = N_(
        "From left to right the search tries one model after another. The blue line is the best "
        "single model so far, the orange one the ensemble: where the orange line is lower, the "
        "ensemble is the better choice.\n"
        "Solid lines are measured on the validation rows, by which the search chooses. Choosing "
        "the best of many favours lucky ones, so the solid lines are optimistic. Dashed lines "
        "are measured on test rows that played no part in any choice: trust these.\n"
        "The orange dot at the end of a run is the test error of its final models. It is off the "
        "dashed line where these were refitted on all rows except the test rows.\n"
        "The shaded band shows that the ensemble is worse on test rows, beyond chance with that "
        "many rows; the difference is called its optimism gap. If it grows while "
        "the dashed line stays, more search only fits the validation rows (overfitting of the "
        "search)."
    )
    source = N_("Lévesque 2018, figures 2.4, 2.5 and 3.1")
    is_plain: ClassVar[bool] = False
    """Whether the read-out omits the reason for a trial."""
    draws_overlays = True
    selects_iteration = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._answer: PosteriorChoices | None = None
        self._choices: ChosenCurves | None = None
        self._requester = self.requesters(compute_posterior_choices, self._on_choices)

    def clear(self) -> None:
        self._answer = None
        self._requester.clear()

    def request_data(self, subject: Subject) -> None:
        """Request the choice by posterior mean if the method makes it."""
        query = make_choices_query(subject)
        if query is not None:
            self._requester.submit(query)

    def _on_choices(self, _: Query, answer: PosteriorChoices) -> None:
        self._answer = answer
        self.schedule_redraw()

    def prepare(self, subject: Subject) -> None:
        self.data = make_progress_data(subject)

    def make_figure(self, data: ProgressData, subject: Subject) -> Figure:
        """Return curves, dots and ticks up to the selected iteration."""
        self._choices = None
        if self._answer is not None:
            self._choices = make_chosen_curves(self._answer, subject.series, data.iteration)
        if self._choices is not None and data.timeline is not None:
            self._choices = replace(
                self._choices,
                validation=data.timeline.to_time_axis(self._choices.validation),
                test=data.timeline.to_time_axis(self._choices.test),
            )
        measure = subject.series.measure
        n_copied = data.n_copied
        # Beside a fork, the row that names it is kept free, so that the axes are equal.
        is_forked = n_copied > 0 or any(each.n_copied for each in subject.side_by_side)
        strip = make_strip(data, self.canvas.height(), has_fork=is_forked)
        axis = Axis(measure.label, data.low, strip.top, max_tick=data.high)
        x_axis = _make_x_axis(data)
        main_ink = self.get_final_colour(data)
        lines = self.get_lines(data)
        if data.overlaid_curves:
            lines = name_after_run(lines, subject.name, main_ink)
        strip_labels = strip.make_end_labels(data)
        labels = self._make_end_labels(data, measure, subject.name, strip_labels)
        end_labels = [label.end for label in labels]
        is_named = any(label.is_named for label in labels)
        if is_named:
            lines = [(replace(line, name=""), name) for line, name in lines]
        elif not labels:
            strip_labels = []
        lines_to_draw = [line for line, _ in lines]
        # One legend entry for all dashed lines; their colours already have names.
        dashes: list[Mark] = []
        if not is_named and any(line.dashed for line in lines_to_draw):
            dashes.append(LegendItem(ink=MUTED, name=tr("on test rows"), sample="dash"))
        final_name, single = "" if is_named else _get_final_name(data), make_series_ink(SINGLE)
        has_single = main_ink != single and any(line.ink == single for line in lines_to_draw)
        # The runs come first, as the legend may hide its last names.
        marks = [
            *lines_to_draw[:1],
            *_make_overlay_lines(data, shows_names=not is_named),
            *lines_to_draw[1:],
            *dashes,
            *strip.make_marks(data),
            *_name_cut_level(data, measure, main_ink),
            *_make_gap_marks(data, main_ink),
            *_make_final_marks(data, main_ink, final_name, has_single=has_single),
            *make_trial_marks(data, strip, main_ink if data.overlaid_curves else MUTED),
        ]
        marks = [end_at_scale(each, data.high) for each in marks]
        marks += draw_leaders(labels, x_axis.high)
        if 0 < n_copied <= data.iteration:
            marks += _make_fork_marks(data.fork, strip.fork)
        if data.timeline is not None:
            if data.timeline.selected_time is not None:
                marks.append(Rule(position=data.timeline.selected_time / data.timeline.unit))
        elif subject.selected_iteration is not None and subject.selected_iteration < data.last:
            # values of a longer run after the end of this one
            marks.append(Rule(position=subject.selected_iteration + 0.5))
        if end_labels and self._leaves_no_legend_room:
            # a legend would take the remaining space
            marks = [replace(each, name="") for each in marks]
        return Figure(
            panels=[
                Panel(x=x_axis, y=axis, is_zoomable=True, end_labels=[*strip_labels, *end_labels])
            ],
            marks=marks,
            default_text=self._describe_iteration(data, subject),
        )

    def _make_end_labels(
        self, data: ProgressData, measure: Measure, run: str, signs: Sequence[LineEnd]
    ) -> list[EndLabel]:
        """Return the labels at the curves' ends, shortened or left out if needed."""
        lead, height = self.get_final_colour(data), self.canvas.height()
        if self._leaves_no_legend_room:  # labels replace the legend
            height = self.height() - self.header.height() - 3 * theme.GRID
        name_lengths = [*NAME_LETTERS] if data.overlaid_curves else [NAME_LETTERS[0]]
        has_legend = not self._leaves_no_legend_room
        is_short = not has_legend or bool(data.overlaid_curves)
        min_share = MIN_SHORT_SHARE if is_short else MIN_DRAWING_SHARE
        if has_legend:
            name_lengths.append(0)  # figures in the curves' colours, which the legend names
        for letters in name_lengths:
            lines, shown = self.get_lines(data), data
            if data.overlaid_curves:
                names = [run, *(each.name for each in data.overlaid_curves)]
                own_name, *other_names = shorten_names(names, max(letters, 1))
                lines = name_after_run(lines, own_name, lead)
                pairs = zip(data.overlaid_curves, other_names, strict=True)
                overlaid = tuple(replace(each, name=name) for each, name in pairs)
                shown = replace(data, overlaid_curves=overlaid)
            for shows_names in (not data.overlaid_curves, False):
                labels = make_end_labels(
                    lines, shown, measure, lead, is_named=letters > 0, named_after_refit=shows_names
                )
                ends = [*signs, *(label.end for label in labels)]
                if labels_fit(ends, self._drawing_width, height, min_share=min_share):
                    return labels
        return []

    @property
    def _drawing_width(self) -> int:
        """The canvas' width in pixels, which is laid out with the first figure."""
        return self.canvas.width() if self.canvas.isVisible() else self.width()

    @property
    def _leaves_no_legend_room(self) -> bool:
        return self.height() < theme.pixels(_MIN_LABELLED_HEIGHT)

    def get_final_colour(self, data: ProgressData) -> Ink:
        """Return the colour of the final models: that of their run if others are drawn too."""
        return data.run_ink or make_series_ink(SINGLE if data.is_single else ENSEMBLE)

    def get_lines(self, data: ProgressData) -> LabelledLines:
        """Return the curves with their end labels.

        One model chosen by validation is the best single one; there is no ensemble.
        """
        ensemble, choice = self.get_final_colour(data), make_series_ink(CHOICE_INDEX)
        single = ensemble if data.is_single else make_series_ink(SINGLE)
        single_curve, ensemble_curve = data.single_validation, data.ensemble_validation
        lines = [
            (_make_line(single_curve, single, 6, tr("best single")), tr("best single")),
            (_make_line(ensemble_curve, ensemble, 7, tr("ensemble")), tr("ensemble")),
        ]
        if data.has_test:
            single_curve, ensemble_curve = data.single_test, data.ensemble_test
            for curve, ink, depth, name in (
                (single_curve, single, 4, tr("best single, test")),
                (ensemble_curve, ensemble, 5, tr("ensemble, test")),
            ):
                lines.append((_make_line(curve, ink, depth, "", dashed=True), name))
        if data.is_single:
            lines = lines[::2]
        if data.overlaid_curves:  # each run in its own colour, the selected one thickest
            lines = [
                (line if line.dashed else replace(line, weight="thick"), name)
                for line, name in lines
                if line.ink == ensemble
            ]
        if self._choices is not None:
            validation, test = self._choices.validation, self._choices.test
            name = tr("posterior-mean choice")
            lines.append((_make_line(validation, choice, 3, name), name))
            name = tr("posterior-mean choice, test")
            lines.append((_make_line(test, choice, 2, "", dashed=True), name))
        return lines

    def describe_hovered(self, data: ProgressData, subject: Subject, pointer: Pointer) -> str:
        iteration = data.find_iteration(pointer.x)
        if iteration > data.iteration:
            return ""
        overlaid = subject.overlays if data.timeline is None else ()  # at other iterations
        text = describe_iteration(subject.series, iteration, overlaid, plain=self.is_plain)
        return _append_final_error(text, data, subject) if iteration == data.iteration else text

    def _describe_iteration(self, data: ProgressData, subject: Subject) -> str:
        text = describe_current_losses(subject.series, subject.iteration)
        if self._choices is not None:
            text += "  ·  " + describe_chosen_trial(self._choices, subject.series)
        full_text = _append_final_error(text, data, subject)
        notes = (describe_selection(subject), full_text)
        return "\n".join(filter(None, notes))

    def handle_click(self, data: ProgressData, pointer: Pointer) -> None:
        """Select the iteration at the click, also on an axis of time."""
        self.pick(pointer.x if data.timeline is None else data.find_iteration(pointer.x))

    def get_table_columns(self, data: ProgressData, subject: Subject) -> Columns:
        """Return the curves' values by iteration, in stored units."""
        runs = [(subject.name, subject.series, data.iteration)]
        for each in subject.overlays:
            selected = each.selected_iteration
            last = each.series.length if selected is None else selected
            runs.append((each.name, each.series, last))
        records = [(name, r) for name, series, last in runs for r in series.iterations[:last]]
        curves = ("single_validation", "single_test", "ensemble_validation", "ensemble_test")
        return {
            "run": [name for name, _ in records],
            "iteration": [record.number for _, record in records],
            **{curve: [getattr(record, curve) for _, record in records] for curve in curves},
        }


def _make_x_axis(data: ProgressData) -> Axis:
    """Return the axis of iterations, or of time if runs differ widely in their number."""
    timeline = data.timeline
    if timeline is None:
        return make_iteration_axis(data.last, tr("iteration (trials)"))
    label = tr("time since the start (s)")
    if timeline.in_minutes:
        label = tr("time since the start (min)")
    return Axis(label, timeline.first / timeline.unit, 1.01 * timeline.last / timeline.unit)


def _append_final_error(text: str, data: ProgressData, subject: Subject) -> str:
    """Append the final models' error, at the end of a finished run."""
    if data.final is None or subject.test_loss is None:
        return text
    single_loss = None if data.is_single else subject.single_test_loss
    final = describe_final_models(
        subject.test_loss, single_loss, subject.series.measure, subject.refit, subject.single_refit
    )
    return f"{text}  ·  {final}"


def _get_final_name(data: ProgressData) -> str:
    if data.refit:
        return tr("final models ({refit}), test", refit=data.refit)
    return tr("final models, test")


def _make_line(curve: StepCurve, ink: Ink, depth: int, name: str, *, dashed: bool = False) -> Line:
    return Line(x=curve.x, y=curve.y, ink=ink, depth=depth, name=name, dashed=dashed)


def _make_gap_marks(data: ProgressData, ink: Ink) -> Iterable[Mark]:
    """Yield the band of the optimism gap, or only its legend entry, which may not move the plot."""
    low, high = data.ensemble_validation, data.ensemble_test
    ink, name = ink.with_opacity(0.12), tr("worse on test rows, beyond chance")
    if data.has_gap:
        yield Band(x=low.x, low=low.y, high=high.y, high_x=high.x, ink=ink, depth=0, name=name)
    elif data.has_any_gap:
        yield LegendItem(ink=ink, name=name, sample="band")


def _name_cut_level(data: ProgressData, measure: Measure, ink: Ink) -> Iterable[Mark]:
    """Yield the legend entry of curves that begin beyond the scale."""
    if data.cut_level is not None:
        yield LegendItem(ink=ink, name=describe_cut_level(data.cut_level, measure), sample="line")


def _make_fork_marks(x: float, level: float) -> Iterable[Mark]:
    """Yield the iteration of a fork, labelled next to the line instead of in the legend."""
    yield Rule(position=x, ink=MUTED)
    yield WordMarks(x=np.array([x]), y=np.array([level]), texts=[tr("fork")], ink=TEXT)


def _make_overlay_lines(data: ProgressData, *, shows_names: bool) -> Iterable[Mark]:
    """Yield the overlaid runs as narrower lines on top, so that coinciding curves stay visible."""
    for each in data.overlaid_curves:
        name = tr("{run} (overlay)", run=each.name)
        has_validation = bool(len(each.validation.x))
        for curve, dashed in ((each.validation, False), (each.test, True)):
            label = name if shows_names and dashed != has_validation else ""
            yield _make_line(curve, each.ink, 8, label, dashed=dashed)
        if each.final is not None and len(each.test.x):
            x, y = each.test.x[-1:], np.array([each.final])
            yield Dots(x=x, y=y, size=10, ink=each.ink, depth=21)
    for other in data.other_metric_runs:
        yield LegendItem(ink=BORDER, name=tr("{run}: another metric", run=other), sample="line")


def _make_final_marks(
    data: ProgressData, ink: Ink, name: str, *, has_single: bool
) -> Iterable[Mark]:
    """Yield the run's final test losses, which may differ from the end of the curves."""
    at = np.array([float(data.end_of_curves)])
    if data.final is not None:
        yield Dots(x=at, y=np.array([data.final]), size=10, ink=ink, depth=21, name=name)
    if data.single_final is not None and has_single:
        y = np.array([data.single_final])
        yield Dots(x=at, y=y, size=7, ink=make_series_ink(SINGLE), depth=20)


class HeadlinePlot(ProgressPlot):
    """The progress plot of the simple view, without the surrogate's choices."""

    key = "headline"
    is_plain = True
    summary = N_(
        "Lower is better. Solid: validation rows, by which the search chooses. Dashed: test "
        "rows, which it never sees. Dots: trials; triangles: beyond the scale; crosses: "
        "not fully trained."
    )

    def make_figure(self, data: ProgressData, subject: Subject) -> Figure:
        """Return the curves with a legend of shaded areas only.

        Curves are labelled at their ends, dots below; shaded areas have no other label, and the
        dots' labels are hidden from an audience.
        """
        figure = super().make_figure(data, subject)
        names: dict[type[Mark], str] = {Dots: ""}
        if self._leaves_no_legend_room:
            names |= {LevelSpan: "", Band: "", LegendItem: ""}
        marks = [replace(each, name=names.get(type(each), each.name)) for each in figure.marks]
        return replace(figure, marks=marks, default_text="")

    def explain_empty(self, subject: Subject) -> str:
        """Return when to expect the first point."""
        if any(each.loss is not None for each in subject.series.trials):
            return ""
        reason = tr("The first point appears when a model has been trained and evaluated.")
        return subject.end_reason or reason

    def request_data(self, subject: Subject) -> None:
        """Request nothing: all data are in the document."""

    def get_lines(self, data: ProgressData) -> LabelledLines:
        """Return the curves of single model and ensemble, and the final test.

        If both are the same models, there is one curve. If another run is shown, the single model
        has none.
        """
        lead, lines = self.get_final_colour(data), []
        for line, name in super().get_lines(data):
            if line.ink == lead and not line.dashed:
                lines.append((replace(line, weight="thick"), name))
            elif line.ink == lead or not data.run_ink:
                lines.append((line, name))
        return lines
