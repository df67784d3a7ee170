"""The choice by posterior mean in the progress plot: asked for where the method makes it."""

from dataclasses import dataclass

import numpy as np

from studio.analysis.answers.choices import PosteriorChoices
from studio.ensembles.posterior_mean import PosteriorMean
from studio.gui.base.language import tr
from studio.gui.plots.base.asking import Query
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.quality.progress_model import Stairs, stairs
from studio.proposers.preset_table import PRESETS
from studio.runs.settings import RunSettings

TASK = "posterior_choices"

_STEP = 4
"""New trials after which the choices are asked for again: each takes fits of the surrogate."""


@dataclass(frozen=True)
class ChosenCurves:
    """The trial that the surrogate's posterior mean would choose, by iteration.

    Attributes
    ----------
    validation, test : Stairs
        Its losses in the shown unit.
    number : int
        The trial chosen last.
    last_validation, last_test : float
        Its losses as stored.
    """

    validation: Stairs
    test: Stairs
    number: int
    last_validation: float
    last_test: float


def chooses_by_posterior_mean(settings: RunSettings) -> bool:
    """Whether a run's final choice is the argmin of the surrogate's posterior mean (thesis 3.4)."""
    method = settings.method
    preset = next((each for each in PRESETS if method in {each.key, *each.aliases}), None)
    ensemble = "" if preset is None else preset.all_parts()["ensemble"]
    return settings.overrides.get("ensemble", ensemble) == PosteriorMean.key


def choices_query(subject: Subject) -> Query | None:
    """Return what to ask the helper for; None where the method makes no such choice."""
    if subject.iteration == 0 or not chooses_by_posterior_mean(subject.settings):
        return None
    live = subject.chosen is None
    iteration = subject.iteration
    if live and iteration > _STEP:
        iteration -= iteration % _STEP
    return Query(
        {**subject.asked, "iteration": iteration},
        kind=subject.run_id,
        moment=iteration,
    )


def chosen_curves(answer: PosteriorChoices, series: RunSeries, shown: int) -> ChosenCurves | None:
    """Make the curves of an answer up to an iteration; None where there are none."""
    until = int(np.searchsorted(answer.iterations, shown, side="right"))
    if until == 0:
        return None
    numbers = answer.iterations[:until]
    measure = series.measure
    return ChosenCurves(
        stairs(numbers, measure.shown(answer.validation[:until])),
        stairs(numbers, measure.shown(answer.test[:until])),
        int(answer.trials[until - 1]),
        float(answer.validation[until - 1]),
        float(answer.test[until - 1]),
    )


def chosen_words(chosen: ChosenCurves, series: RunSeries) -> str:
    """Say which trial it is, and how good, for the read-out."""
    return tr(
        "posterior-mean choice {trial}: {validation} validation, {test} test",
        trial=series.name(chosen.number),
        validation=series.measure.text(chosen.last_validation),
        test=series.measure.text(chosen.last_test),
    )
