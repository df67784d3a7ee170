"""Surrogate slice: the posterior over one hyperparameter, and the next suggestion."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from studio.analysis.answers.surrogate import SurrogateSlice
from studio.figures.compose import (
    HALF_STEP_WIDTH,
    clip_dots,
    make_acquisition_curve,
    make_expectation_marks,
    name_marks,
)
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import ENSEMBLE, MUTED, SINGLE, TEXT, make_series_ink
from studio.figures.marks import Dots, LegendItem, Line, Mark, Rule, WordMarks
from studio.gui.base import theme
from studio.gui.plots.base.chooser import group_hyperparameters
from studio.gui.plots.base.frame import LOWEST_HEIGHT
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import SEARCH, Columns, HelperPlot, explain_missing_next_trial
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.slice_model import (
    SliceData,
    choose_first_parameter,
    describe_fit,
    describe_in_plain_words,
    describe_next_trial,
    describe_omitted_members,
    describe_slice_point,
    group_parameters,
    make_slice_data,
)
from studio.gui.session.learner_names import (
    format_choice,
    get_bare_parameter_name,
    get_parameter_name,
)
from studio.gui.widgets import kit
from studio.helper.computations import compute_surrogate_slice
from studio.language import N_, tr, translate

_MIN_HEIGHT_FOR_BOTH, _MIN_LABELLED_WIDTH = 300, 100
"""Minimum height of a plot for the acquisition's panel, below which the other one would be too low,
and width of a choice for its expected value, at scale 1.
"""

_ARROW_OFFSET = 0.75 * HALF_STEP_WIDTH
"""Distance of the arrow from the middle of a choice, which the trials occupy."""

_DOT_SIZE = 7.0
"""Diameter of a trial in pixels at a scale of 1, visible from the last row."""

_NEXT_LABEL_HEIGHT = 1.3
"""Height of the next trial's label in the acquisition's panel, above the highest point at 1."""

_END_MARGIN = 0.03
"""Distance of the arrows for values beyond the scale from its end, as a share of it."""


class SlicePlot(HelperPlot[SurrogateSlice, SliceData]):
    """Posterior mean ± one standard deviation, trials as dots, and the acquisition below."""

    key = "slice"
    title = N_("Surrogate")
    search_terms = N_("gaussian process belief acquisition expected improvement posterior")
    question = SEARCH
    needs_surrogate = True
    summary = N_(
        "What the search expects along one hyperparameter, how uncertain it is (band), and "
        "where it looks next."
    )
    explanation = N_(
        "The search fits a separate model, the surrogate: from the trials so far it predicts the "
        "loss of an untried configuration. The line is what it expects if only this "
        "hyperparameter of the best trial changes; the band is one standard deviation either "
        "way.\nDots are trials; they need not lie on the line or in the band, since their other "
        "hyperparameters differ. Faded dots are of another branch of the space, such as another "
        "kernel. Only trials that have this hyperparameter are dots; those of a choice are side "
        "by side, from the first to the last. In ensemble optimisation the loss is that of the "
        "ensemble with the trial's model in the slot that is open at this iteration; it has no "
        "unit.\nThe curve below (acquisition) says how promising a trial there is. The dashed "
        "line is where the next trial was made. It may lie beside the highest point: the next "
        "trial's other hyperparameters may differ from those of the curve (the line is grey if "
        "its branch does), the search compares a limited number of configurations, some methods "
        "also ask for diversity, and some trials are drawn at random.\n“Draws” shows the "
        "individual models of the average: a Gaussian process under each draw of its length "
        "scales and noise, or each tree of a forest. Where they differ, the surrogate is undecided."
    )
    source = N_("Lévesque 2018, figures 2.1–2.3 and 3.5, equation 2.17; Snoek et al. 2012")
    task = compute_surrogate_slice
    min_alone_lead_height = _MIN_HEIGHT_FOR_BOTH
    waiting_message = N_("Computing the surrogate's predictions…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        tip = tr("Show the individual models of the average: draws of length scales, or trees")
        self.draws_chip = kit.chip(tr("Draws"), self.refresh, tip=tip)
        self.draws_chip.setAccessibleName(tr("Show the individual models of the average"))
        self.header.controls.addWidget(self.draws_chip)
        text = tr("Hyperparameter along which the surrogate is drawn")
        self.chooser = self.add_view_choice(
            {}, text, tr("The hyperparameter along which the surrogate is drawn"), min_letters=22
        )

    # Requests --------------------------------------------------------------------------------

    def prepare(self, subject: Subject) -> None:
        if subject.space is not None:
            first = choose_first_parameter(subject.space, subject.series)
            self.chooser.set_choices(group_hyperparameters(group_parameters(subject.space)), first)
        super().prepare(subject)

    def get_task_arguments(self, subject: Subject) -> dict[str, Any] | None:
        return {"parameter": self.chooser.key} if self.chooser.key else None

    def explain_impossible(self, subject: Subject) -> str:
        return "" if self.chooser.key else tr("This run's space has nothing to search along.")

    def read(self, answer: SurrogateSlice, subject: Subject) -> SliceData:
        axis = None
        if subject.space is not None:
            axis = subject.space.get_parameter(answer.parameter).make_axis()
        is_discrete = axis is not None and axis.discrete
        return make_slice_data(answer, subject.series.measure, is_integer=is_discrete)

    # Drawing ---------------------------------------------------------------------------------

    def make_figure(self, data: SliceData, subject: Subject) -> Figure:
        """Return the posterior above, and the acquisition below."""
        self.draws_chip.setEnabled(len(data.draws) > 0)
        draws = self.draws_chip.isChecked() and len(data.draws) > 0
        answer = data.answer
        posterior_ink = make_series_ink(SINGLE)
        acquisition_ink = make_series_ink(ENSEMBLE)
        is_stepped = bool(answer.choices)
        posterior_marks = make_expectation_marks(
            data.x, data.mean, data.low, data.high, posterior_ink, as_steps=is_stepped
        )
        marks: list[Mark] = [
            *name_marks(posterior_marks, tr("expected"), tr("uncertainty (± 1 standard deviation)"))
        ]
        if draws:
            x, y = data.make_draw_curves()
            trees = answer.model_kind == "trees"
            name = tr("single trees") if trees else tr("draws of its settings")
            ink = posterior_ink.with_opacity(0.55)
            marks.append(Line(x=x, y=y, ink=ink, weight="hair", name=name, depth=-1.5))
        low, high = data.compute_axis_limits(shows_draws=draws)
        marks += self._mark_trials(data, low, high)
        marks += self._mark_expectations_beyond(data, low, high)
        marks += self._label_expectations(data, low, high)
        has_acquisition = self.height() >= theme.pixels(_MIN_HEIGHT_FOR_BOTH)
        if has_acquisition:
            acquisition_mark = make_acquisition_curve(
                data.x, data.acquisition, acquisition_ink, as_steps=is_stepped
            )
            # In a low plot only its axis names it.
            name = "" if self._is_low else tr("how promising (acquisition)")
            marks.append(replace(acquisition_mark, panel=1, name=name))
        if omitted := describe_omitted_members(answer, subject.iteration, len(subject.members)):
            marks.append(LegendItem(ink=MUTED.with_opacity(0.4), name=omitted))
        if data.next_x is not None:
            next_line = Rule(position=data.next_x, ink=acquisition_ink, weight="line")
            if data.next_branch:
                next_line = replace(next_line, ink=MUTED, weight="hair")
            if has_acquisition:
                marks += [next_line, replace(next_line, panel=1), self._label_next_trial(data)]
            else:
                marks.append(replace(next_line, name=_name_next_trial(data)))
        return Figure(
            panels=self._make_panels(data, shows_draws=draws, shows_acquisition=has_acquisition),
            marks=marks,
            lead=describe_in_plain_words(data),
            summary=translate(answer.explanation),
            default_text="\n".join(
                filter(
                    None,
                    (describe_fit(data, subject.iteration), self._summarise_plot(data, subject)),
                )
            ),
        )

    @staticmethod
    def _mark_trials(data: SliceData, low: float, high: float) -> Iterable[Mark]:
        """Yield the trials as dots; those of other branches, which have other lines, are faded."""
        choice = get_bare_parameter_name(data.answer.branching_choice)
        for mask, opacity, depth, name in (
            (data.is_in_branch, 0.7, -2.0, tr("trials (their other settings differ)")),
            (~data.is_in_branch, 0.2, -2.5, tr("trials with another {choice}", choice=choice)),
        ):
            if mask.any():
                x, y = data.dots[mask].T
                ink = TEXT.with_opacity(opacity)
                # Behind the line, and without outlines, which would cut it where dots are dense.
                dots = Dots(x=x, y=y, size=_DOT_SIZE, ink=ink, outline=None, name=name, depth=depth)
                for each in clip_dots(dots, low, high):
                    is_beyond = each.shape != dots.shape
                    yield replace(each, name=tr("beyond the scale")) if is_beyond else each

    @staticmethod
    def _label_next_trial(data: SliceData) -> Mark:
        """Return the label of the dashed line, above the acquisition, on the side with room."""
        assert data.next_x is not None, "there is a next trial with the hyperparameter"
        is_right = data.next_x > (data.x[0] + data.x[-1]) / 2
        text = _name_next_trial(data)
        return WordMarks(
            x=np.array([data.next_x]),
            y=np.array([_NEXT_LABEL_HEIGHT]),
            texts=[f"{text} " if is_right else f" {text}"],
            is_right_aligned=is_right,
            ink=MUTED if data.next_branch else make_series_ink(ENSEMBLE),
            panel=1,
        )

    @staticmethod
    def _mark_expectations_beyond(data: SliceData, low: float, high: float) -> Iterable[Mark]:
        """Yield arrows at the end of the scale over choices whose expected value is beyond it."""
        is_beyond = data.mean > high
        if not data.answer.choices or not is_beyond.any():
            return
        x = data.x[is_beyond] - _ARROW_OFFSET
        y = np.full(len(x), high - _END_MARGIN * (high - low))
        yield Dots(x=x, y=y, shape="up", size=9, ink=make_series_ink(SINGLE), outline=None)

    def _label_expectations(self, data: SliceData, low: float, high: float) -> Iterable[Mark]:
        """Yield the expected values next to the boxes of choices, if they fit."""
        count = len(data.answer.choices)
        if not count or not data.answer.in_metric:
            return
        if self.canvas.width() / count < theme.pixels(_MIN_LABELLED_WIDTH):
            return
        is_beyond = data.mean > high
        texts = [
            ("↑ " if is_clipped else "") + data.format_expectation(each)
            for each, is_clipped in zip(data.mean.tolist(), is_beyond.tolist(), strict=True)
        ]
        y = np.where(is_beyond, high - _END_MARGIN * (high - low), data.mean)
        yield WordMarks(x=data.x + HALF_STEP_WIDTH, y=y, texts=texts, ink=make_series_ink(SINGLE))

    @property
    def _is_low(self) -> bool:
        return self.height() < theme.pixels(LOWEST_HEIGHT)

    def _make_panels(
        self, data: SliceData, *, shows_draws: bool, shows_acquisition: bool
    ) -> Sequence[Panel]:
        answer = data.answer
        low, high = data.compute_axis_limits(shows_draws=shows_draws)
        edge = 0.5 if answer.choices else 0.02 * (data.x[-1] - data.x[0])
        parameter_title = get_parameter_name(answer.parameter)
        format_name = partial(format_choice, answer.parameter)
        if answer.is_log:
            parameter_title = tr("{name}, log", name=parameter_title)
        x_axis = Axis(
            # In a low plot only the chooser names it.
            label="" if self._is_low else parameter_title,
            low=data.x[0] - edge,
            high=data.x[-1] + edge,
            ticks=list(enumerate(map(format_name, answer.choices))) or None,
            tick_overlap="cut",
            is_log=answer.is_log,
            has_integers=data.is_integer,
        )
        objective = data.measure.label
        if not answer.in_metric:
            objective = tr("{objective} (lower is better)", objective=objective)
        y_axis = Axis(objective, low, high)
        if not shows_acquisition:
            return [Panel(x=x_axis, y=y_axis, is_zoomable=True)]
        ticks = [(0, tr("low")), (1, tr("high"))]
        acquisition_axis = Axis(tr("acquisition"), low=-0.2, high=1.6, ticks=ticks)
        x = replace(x_axis, label="", has_tick_labels=False)
        return [
            Panel(x=x, y=y_axis, height_share=5, is_zoomable=True),
            Panel(x=x_axis, y=acquisition_axis, height_share=2, row=1, is_zoomable=True),
        ]

    # Read-out -----------------------------------------------------------------------------

    def describe_hovered(self, data: SliceData, subject: Subject, pointer: Pointer) -> str:
        return describe_slice_point(data, pointer)

    @staticmethod
    def _summarise_plot(data: SliceData, subject: Subject) -> str:
        """Return the position of the next configuration, if the surrogate is not constant."""
        if data.is_flat:
            return tr("So far the search expects the same of every value here.")
        if data.next_x is None:
            if data.answer.has_next_trial:
                name = get_parameter_name(data.answer.parameter)
                return tr("The next configuration has no {name}.", name=name)
            return explain_missing_next_trial(subject)
        text = describe_next_trial(data, subject.series)
        reason = "" if data.is_next_highest else translate(data.answer.not_maximal_reason)
        return "\n".join(filter(None, (text, reason)))

    def get_table_columns(self, data: SliceData, subject: Subject) -> Columns:
        """Return the slice's grid; x is log10 of the value on a log scale."""
        return {
            "x": data.x,
            "mean": data.mean,
            "low": data.low,
            "high": data.high,
            "acquisition": data.acquisition,
            **{f"draw {number}": draw for number, draw in enumerate(data.draws, start=1)},
        }


def _name_next_trial(data: SliceData) -> str:
    """Return the label of the next trial's line, with what differs from the slice."""
    assert data.answer.next_trial is not None, "it has a position"
    if data.next_branch:
        return tr("tried next, with {settings}", settings=data.next_branch)
    if not data.answer.next_trial.is_on_slice:
        return tr("tried next, with other settings")
    return tr("tried next")
