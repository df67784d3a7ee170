"""Plot of the ensemble objective: each trial's loss alone and within the ensemble."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from studio.analysis.answers.ensemble import EnsembleObjective
from studio.arrays import Flags, Floats
from studio.figures.compose import compute_jitter, make_expectation_marks, name_marks
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import ENSEMBLE, HUES, MUTED, SINGLE, make_series_ink
from studio.figures.marks import Dots, Line, Mark, Rule
from studio.gui.plots.base.chooser import group_hyperparameters
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import ENSEMBLE as ENSEMBLE_QUESTION
from studio.gui.plots.base.plot import Columns, HelperPlot
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.slice_model import group_parameters
from studio.gui.session.learner_names import format_choice, get_parameter_name
from studio.helper.computations import compute_ensemble_objective
from studio.language import N_, ntr, tr, translate
from studio.measure import Measure

_JITTER_WIDTH = 0.5
"""Width of the horizontal jitter for trials of one choice, which prevents overlap."""

_AXIS_SPREAD_FACTOR, _LOWEST_QUANTILE = 1.5, 0.25
"""As f(γ) can be far worse than f(γ|E): the limit of the axis above the maximum of f(γ|E), as a
multiple of its spread; without slot curves, at least this quantile of f(γ).
"""


@dataclass(frozen=True)
class ObjectiveData:
    """The content of the plot.

    Attributes:
        answer: The helper's reply for trials with the hyperparameter; losses in the displayed unit.
        x: Shape (t,). Trial numbers, or values of the hyperparameter (log10 on a log scale),
            jittered for choices.
        line_x: Shape (g,). Positions of the surrogate's expectation of f(γ|E), likewise.
        slot_x: Shape (k,). Positions of the curve for each left-out slot; empty for a single slot.
        slot_y: Shape (k,). Losses of these curves.
        y_low, y_high: The drawn range of losses.
    """

    answer: EnsembleObjective
    measure: Measure
    x: Floats
    line_x: Floats
    slot_x: tuple[Floats, ...]
    slot_y: tuple[Floats, ...]
    y_low: float
    y_high: float

    @property
    def n_above_axis(self) -> int:
        """The number of single trials above the range of the axis."""
        return int(self.is_above.sum())

    @property
    def is_above(self) -> Flags:
        """Shape (t,). Whether each trial is above the axis, or would be clipped at its end."""
        return self.answer.trial_losses > self.y_high - 0.02 * (self.y_high - self.y_low)

    @property
    def edge_y(self) -> float:
        """Loss at which their symbols are drawn, at the upper border without clipping."""
        return self.y_high - 0.06 * (self.y_high - self.y_low)

    def format_loss(self, loss: float) -> str:
        """Format a loss with its unit."""
        return self.measure.format_loss(loss / self.measure.factor)


def make_objective_data(answer: EnsembleObjective, measure: Measure) -> ObjectiveData:
    """Convert a reply to plot coordinates, and its losses to the metric's unit if possible."""
    if not answer.in_metric:
        measure = Measure(tr("loss: {loss}", loss=translate(answer.loss).lower()), unit="")
    is_plotted = np.isfinite(answer.trial_x)
    plotted = replace(
        answer,
        numbers=answer.numbers[is_plotted],
        trial_losses=measure.to_displayed_unit(answer.trial_losses[is_plotted]),
        joint_losses=measure.to_displayed_unit(answer.joint_losses[is_plotted]),
        members=answer.members[is_plotted],
        trial_x=answer.trial_x[is_plotted],
        losses_by_slot=measure.to_displayed_unit(answer.losses_by_slot[:, is_plotted]),
        ensemble_loss=measure.factor * answer.ensemble_loss,
        mean=measure.to_displayed_unit(answer.mean),
        sd=measure.to_displayed_unit(answer.sd),
        means_by_slot=measure.to_displayed_unit(answer.means_by_slot),
        choices=tuple(translate(choice) for choice in answer.choices),
    )
    x, line_x = plotted.trial_x, plotted.grid
    if answer.is_log:
        x, line_x = np.log10(x), np.log10(line_x)
    if plotted.choices:
        x = x + _JITTER_WIDTH * compute_jitter(plotted.numbers)
    slot_x, slot_y = _make_slot_curves(plotted, x, line_x)
    limits = _get_loss_limits(plotted, slot_y)
    return ObjectiveData(plotted, measure, x, line_x, slot_x, slot_y, *limits)


def _make_slot_curves(
    answer: EnsembleObjective, x: Floats, line_x: Floats
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Return a curve per slot: the surrogate's if there is one, else through the trials.

    Given ``x`` (t,) and ``line_x`` (g,), return x and y of each curve; shape (k,), if known.
    """
    if len(answer.means_by_slot):
        x, curves = line_x, list(answer.means_by_slot)
    else:
        order = np.argsort(x, kind="stable")
        x = x[order]
        curves = [each[order] for each in answer.losses_by_slot]
    is_known = [np.isfinite(each) for each in curves]
    return (
        tuple(x[flags] for flags in is_known),
        tuple(each[flags] for each, flags in zip(curves, is_known, strict=True)),
    )


def _get_loss_limits(answer: EnsembleObjective, slots: tuple[Floats, ...]) -> tuple[float, float]:
    """Return the limits of the losses: all f(γ|E), slots (k,), and f(γ) unless far above."""
    losses = answer.trial_losses
    core_losses = np.concatenate([answer.joint_losses, [answer.ensemble_loss], answer.mean, *slots])
    core_losses = core_losses[np.isfinite(core_losses)]
    if not losses.size:
        return 0.0, 1.0
    if not core_losses.size:
        core_losses = losses
    low = min(float(core_losses.min()), float(losses.min(initial=np.inf)))
    spread = float(core_losses.max()) - low
    upper_bound = float(core_losses.max()) + _AXIS_SPREAD_FACTOR * spread
    if not slots:
        upper_bound = max(upper_bound, float(np.quantile(losses, _LOWEST_QUANTILE)))
    bounded_losses = losses[losses <= upper_bound]
    high = max(float(core_losses.max()), float(bounded_losses.max(initial=-np.inf)))
    margin = 0.1 * (high - low) or 0.05 * abs(high) or 0.5
    return low - margin, high + margin


def describe_objective(data: ObjectiveData, series: RunSeries, pointer: Pointer) -> str:
    """Describe the hovered trial, alone and within the ensemble; empty if there is none."""
    heights = (np.minimum(data.answer.trial_losses, data.edge_y), data.answer.joint_losses)
    index = pointer.find_nearest(np.tile(data.x, 2), np.concatenate(heights))
    return "" if index is None else describe_trial(data, series, index % len(data.x))


def describe_trial(data: ObjectiveData, series: RunSeries, index: int) -> str:
    """Describe the benefit of a trial to the ensemble."""
    answer = data.answer
    name = series.get_name(int(answer.numbers[index]))
    loss = data.format_loss(float(answer.trial_losses[index]))
    text = tr("{trial}: alone {loss}", trial=name, loss=loss) + "  ·  "
    joint_loss = float(answer.joint_losses[index])
    if not np.isfinite(joint_loss):
        return text + tr("already a member, so not added again")
    text += tr("ensemble with it {loss}", loss=data.format_loss(joint_loss))
    if np.isfinite(answer.ensemble_loss):
        change = joint_loss - answer.ensemble_loss
        sign = "+" if change > 0 else "−" if change < 0 else "±"
        text += f" ({sign}{data.format_loss(abs(change))})"
    if answer.members[index]:
        text += "  ·  " + tr("member now")
    return text


def summarise_plot(data: ObjectiveData) -> str:
    """Name the trial with the largest benefit, and state whether it is also the best alone."""
    answer = data.answer
    if not np.isfinite(answer.joint_losses).any():
        return translate(answer.note)
    largest_contribution = int(np.nanargmin(answer.joint_losses))
    best_single = int(answer.trial_losses.argmin())
    best = float(answer.joint_losses[largest_contribution])
    text = tr("ensemble now {now}", now=data.format_loss(answer.ensemble_loss)) + "  ·  "
    if best < answer.ensemble_loss - 1e-9 * abs(answer.ensemble_loss):
        number = int(answer.numbers[largest_contribution])
        text += tr("best with trial {number}: {loss}", number=number, loss=data.format_loss(best))
    else:
        text += tr("no finished trial would improve it")
    text += "  ·  " + tr("best alone: trial {number}", number=int(answer.numbers[best_single]))
    if data.n_above_axis:
        text += "  ·  " + ntr(
            "{count} single trial lies above the axis (▲)",
            "{count} single trials lie above the axis (▲)",
            data.n_above_axis,
        )
    return text


NEXT_SLOT, ALL_SLOTS = -1, -2
"""Additional choices for the slot: the next one to be optimised, and all."""


class ObjectivePlot(HelperPlot[EnsembleObjective, ObjectiveData]):
    """f(γ) as ×, f(γ|E) as +, members circled; the slots of EO one at a time or all."""

    key = "objective"
    title = N_("Ensemble objective")
    search_terms = N_("ensemble loss surface two dimensions")
    question = ENSEMBLE_QUESTION
    summary = N_("The loss of each trial alone (×), and of the ensemble with it (+).")
    explanation = N_(
        "Every finished trial has two marks, one above the other: × is its own loss, + is the "
        "loss of the ensemble if this trial were added. Lower is better.\nThe dashed line is the "
        "current ensemble. A + below the line would improve it, even if the trial's × is high: "
        "it is right where the others are wrong.\nCircles mark the members of the ensemble.\n"
        "Ensemble optimisation (EO) fills one place, a slot, at a time: it removes that slot's "
        "member and looks for the model that best complements the others. Choose a slot, or see "
        "all of them; each needs something different. Both marks then show EO's own loss.\nWith "
        "other methods the same is shown for their ensemble and the run's metric, though their "
        "search does not use it.\nAlong a hyperparameter the band is what EO's surrogate expects "
        "(mean ± one standard deviation), the other hyperparameters held as in the best trial."
    )
    source = N_("Lévesque et al. 2016 (EO), figures 1 and 3; Lévesque 2018, figures 4.2 and 4.4")
    task = compute_ensemble_objective
    waiting_message = N_("Adding every trial to the ensemble…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        text = tr("The slot whose member is removed before each trial is added")
        self.slot = self.add_view_choice({}, tr("Open slot"), text, min_letters=7)
        text = tr("Trial number, or a hyperparameter")
        self.axis_chooser = self.add_view_choice({}, tr("Horizontal axis"), text, min_letters=8)
        self._set_slot_choices((), -1)

    # Requests ----------------------------------------------------------------------------

    def clear(self) -> None:
        super().clear()
        self._set_slot_choices((), -1)

    def prepare(self, subject: Subject) -> None:
        """Set the choices of the x-axis and of the slots."""
        if subject.space is not None:
            hyperparameters = group_hyperparameters(group_parameters(subject.space))
            self.axis_chooser.set_choices([("", tr("trial number")), *hyperparameters])
        super().prepare(subject)
        if self.data is not None:
            holders = [int(number) for number in self.data.answer.slot_trials]
            self._set_slot_choices(holders, self.data.answer.next_slot)

    def get_task_arguments(self, subject: Subject) -> dict[str, Any] | None:
        slot = int(self.slot.key)
        return {
            "slot": slot if slot >= 0 else None,
            "parameter": self.axis_chooser.key or None,
            "every_slot": slot == ALL_SLOTS,
        }

    def read(self, answer: EnsembleObjective, subject: Subject) -> ObjectiveData:
        return make_objective_data(answer, subject.series.measure)

    @property
    def _x_parameter(self) -> str:
        return self.axis_chooser.key or tr("trial number")

    def _set_slot_choices(self, holders: Sequence[int], searched: int) -> None:
        """List EO's slots with their members; hidden for methods without slots."""
        first = tr("Next: slot {number}", number=searched + 1) if searched >= 0 else tr("Next slot")
        names = [(NEXT_SLOT, first), (ALL_SLOTS, tr("All slots"))]
        for slot, trial in enumerate(holders):
            holder_text = tr("trial {number}", number=trial) if trial else tr("empty")
            names.append((slot, tr("Slot {number}: {held}", number=slot + 1, held=holder_text)))
        self.slot.set_choices(names)
        self.slot.setVisible(bool(holders))

    # Drawing ------------------------------------------------------------------------------

    def make_figure(self, data: ObjectiveData, subject: Subject) -> Figure:
        """Return the losses of the trials alone, and within the ensemble or each of its slots."""
        answer, single_ink = data.answer, MUTED if data.slot_y else make_series_ink(SINGLE)
        is_above = data.is_above
        edge = np.full(int(is_above.sum()), data.edge_y)
        return Figure(
            panels=[self._make_panel(data)],
            marks=[
                Dots(x=data.x[~is_above], y=answer.trial_losses[~is_above], shape="cross",
                     size=9, ink=single_ink, name=tr("trial alone, f(γ)")),
                Dots(x=data.x[is_above], y=edge, shape="up", size=7,
                     ink=single_ink.with_opacity(0.7), outline=None),
                *(_make_slot_marks(data) if data.slot_y else _make_ensemble_marks(data)),
                Rule(
                    position=answer.ensemble_loss,
                    is_horizontal=True,
                    name=tr("ensemble now"),
                    depth=-0.5,
                ),
            ],
            summary=self._summarise_plot(data),
            default_text=summarise_plot(data),
        )  # fmt: skip

    def _make_panel(self, data: ObjectiveData) -> Panel:
        answer, parameter_title = data.answer, get_parameter_name(self._x_parameter)
        format_name = partial(format_choice, self._x_parameter)
        if answer.choices:
            low, high = -0.6, len(answer.choices) - 0.4
        else:
            all_x = np.concatenate([data.x, data.line_x])
            low, high = (float(all_x.min()), float(all_x.max())) if all_x.size else (0.0, 1.0)
            edge = 0.03 * (high - low) or 0.5
            low, high = low - edge, high + edge
        x = Axis(
            label=tr("{name}, log", name=parameter_title) if answer.is_log else parameter_title,
            low=low,
            high=high,
            ticks=list(enumerate(map(format_name, answer.choices))) or None,
            tick_overlap="cut",
            is_log=answer.is_log,
            has_integers=not self.axis_chooser.key,
        )
        return Panel(x=x, y=Axis(data.measure.label, data.y_low, data.y_high), is_zoomable=True)

    def _summarise_plot(self, data: ObjectiveData) -> str:
        if data.answer.slot < 0:
            return tr(
                "× the trial alone, + the current ensemble with this trial added. {note}",
                note=translate(data.answer.note),
            )
        if data.slot_y:
            return tr(
                "One curve per slot: the ensemble's loss with each trial in it. Diamonds: "
                "its member."
            )
        return tr(
            "× alone, + the ensemble with it in slot {number} of {all}: what EO's search sees.",
            number=data.answer.slot + 1,
            all=len(data.answer.slot_trials),
        )

    def describe_hovered(self, data: ObjectiveData, subject: Subject, pointer: Pointer) -> str:
        return describe_objective(data, subject.series, pointer)

    def get_table_columns(self, data: ObjectiveData, subject: Subject) -> Columns:
        """Return the trials: number, position, both losses, and membership."""
        answer = data.answer
        return {
            "trial": answer.numbers,
            self._x_parameter: 10**data.x if answer.is_log else data.x,
            "alone": answer.trial_losses,
            "with the ensemble": answer.joint_losses,
            "member": answer.members,
        }


def _make_ensemble_marks(data: ObjectiveData) -> Sequence[Mark]:
    """Return the ensemble's loss with each trial, its members, and the surrogate's prediction."""
    answer, ensemble = data.answer, make_series_ink(ENSEMBLE)
    is_member = answer.members
    ring_y = np.minimum(answer.trial_losses, data.edge_y)[is_member]
    name = tr("ensemble with it, f(γ|E)")
    marks: list[Mark] = [
        Dots(x=data.x, y=answer.joint_losses, shape="plus", size=10, ink=ensemble, name=name),
        Dots(x=data.x[is_member], y=ring_y, shape="ring", size=16, name=tr("member")),
    ]
    if len(data.line_x) > 1:
        mean = answer.mean
        expectation_marks = make_expectation_marks(
            data.line_x, mean, mean - answer.sd, mean + answer.sd, ensemble,
            as_steps=bool(answer.choices),
        )  # fmt: skip
        marks += name_marks(expectation_marks, tr("expected by the surrogate"), "")
    return marks


def _make_slot_marks(data: ObjectiveData) -> Sequence[Mark]:
    """Return a curve per slot, dashed once colours repeat, and its member."""
    index_of = {int(number): index for index, number in enumerate(data.answer.numbers)}
    holders = enumerate(map(int, data.answer.slot_trials))
    slot_by_index = {index_of[number]: slot for slot, number in holders if number in index_of}
    indices = list(slot_by_index)
    marks: list[Mark] = []
    for slot, (x, y) in enumerate(zip(data.slot_x, data.slot_y, strict=True)):
        name, ink = tr("slot {number}", number=slot + 1), make_series_ink(slot % HUES)
        marks.append(Line(x=x, y=y, ink=ink, dashed=slot >= HUES, name=name, depth=-1))
    y = np.minimum(data.answer.trial_losses, data.edge_y)[indices]
    inks = [make_series_ink(slot % HUES) for slot in slot_by_index.values()]
    return [*marks, Dots(x=data.x[indices], y=y, shape="diamond", size=13, inks=inks)]
