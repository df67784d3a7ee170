"""Surrogates of a model's effect on the ensemble, or of its loss on a bootstrap of the rows."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from studio.arrays import Floats
from studio.data.tasks import Task
from studio.ensembles.agnostic_bayes import PAPER_BOOTSTRAPS, AgnosticBayes, Bootstrapped
from studio.ensembles.losses.registry import REGISTRY as LOSSES
from studio.ensembles.slots import Slots
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import SuggestionContext
from studio.proposers.bayesian import ModelBased, Observations, SearchPhase, get_trial_losses


@dataclass(frozen=True)
class Esmbo(Bootstrapped, ModelBased):
    """Sequential model-based ensemble optimisation (SMBEO algorithm 2).

    N bootstraps of the validation rows are drawn once per run. Trial k is optimised on bootstrap
    v = ((k − 1) mod N) + 1: the surrogate is fitted to R_v, every trial's loss on it, so the N
    searches share all trials and each model is trained once. A suggestion made while other trials
    are running is for the next bootstrap. The ensemble consists of the best model on each
    bootstrap.

    N is half of the run's initial budget in trials. A larger budget later does not change it:
    with another N the past trials would belong to other bootstraps, and a stopped run would
    continue differently. With N = 1 the only "bootstrap" is the validation set itself, and this is
    ordinary Bayesian optimisation.
    """

    key = "esmbo"
    title = "Ensemble by bootstraps"
    summary = (
        "Searches in turn for the best model on each of many resamples of the validation rows. "
        "The winners are different models, and together they are the ensemble."
    )
    reference = "Lacoste et al. 2014, SMBEO, section 4, algorithm 2"
    surrogate_target = "validation loss on a bootstrap"

    def get_search_ensemble(self) -> AgnosticBayes:
        """Return the builder that uses the same bootstraps."""
        return AgnosticBayes(bootstraps=self.bootstraps or PAPER_BOOTSTRAPS, share=self.share)

    def observe(self, context: SuggestionContext) -> Observations:
        """Return each trial's loss on the current bootstrap (R_v, line 4)."""
        losses = get_trial_losses(context)
        builder = self.get_search_ensemble()
        risks = builder.compute_risks(
            context.history, context.get_scoring_metric(), context.ensemble_seed
        )
        if risks.count == 1:
            return losses
        v = context.n_started % risks.count
        return dataclasses.replace(
            losses,
            targets=risks.compute_targets(v),
            label=phrase("validation loss on bootstrap {number}", number=v + 1),
        )

    def compute_outcomes(self, context: SuggestionContext, phases: Sequence[SearchPhase]) -> Floats:
        """Return each trial's loss on the bootstrap of its suggestion, shape (t,)."""
        builder = self.get_search_ensemble()
        risks = builder.compute_risks(
            context.history, context.get_scoring_metric(), context.ensemble_seed
        )
        if risks.count == 1:
            return super().compute_outcomes(context, phases)
        return np.array(
            [
                risks.compute_targets(each.n_started % risks.count)[each.number - 1]
                for each in phases
            ]
        )


AUTO = "auto"


@dataclass(frozen=True)
class EnsembleOptimisation(ModelBased):
    """EO: one slot of the ensemble at a time (EO algorithm 1, thesis algorithm 4.1).

    For trial i, slot j = (i − 1) mod m is removed from the ensemble E, and the surrogate is fitted
    to L(E∖{j} ∪ {h}) of every model h not in E∖{j}; failed trials get the worst of these losses. A
    suggestion made while other trials are running is for the next slot.
    """

    key = "eo"
    title = "Ensemble optimisation"
    summary = (
        "Asks at every step which model would improve the ensemble most, one member's place at a "
        "time. Models that correct the others' errors count more than similar ones."
    )
    reference = "Lévesque et al. 2016, algorithm 1; thesis, algorithm 4.1"
    surrogate_target = phrase("ensemble loss")
    in_metric = False

    slots: int = option(12, low=1, high=1000, unit="members", help="Members of the ensemble (m).")
    loss: str = option(
        AUTO,
        choices=(AUTO, *(loss.key for loss in LOSSES)),
        words=("Automatic", *(loss.title for loss in LOSSES)),
        help=(
            "The loss that the surrogate learns to minimise; auto: sqm for classes, mse for "
            "numbers."
        ),
    )
    choice: str = option(
        AUTO,
        choices=(AUTO, "zero-one", "same"),
        help="What refills a slot: the vote's error (thesis), or the same loss (2016 paper).",
    )

    def prepare(self, task: Task, parts: Mapping[str, Any]) -> Self:
        """Resolve "auto" options for the task, and set the parts."""
        values = task == "regression"
        return dataclasses.replace(
            self,
            loss=("mse" if values else "sqm") if self.loss == AUTO else self.loss,
            choice=("same" if values else "zero-one") if self.choice == AUTO else self.choice,
            **parts,
        )

    def get_search_ensemble(self) -> Slots:
        return Slots(slots=self.slots, loss=self.loss, choice=self.choice)

    def get_search_slots(self) -> Slots:
        """Return the search's ensemble builder, whose slots are optimised."""
        return self.get_search_ensemble()

    def observe(self, context: SuggestionContext) -> Observations:
        """Return the ensemble's loss with each model in the open slot."""
        replay = self.get_search_ensemble().replay(context.history, context.ensemble_seed)
        slot = replay.choose_slot(len(context.pending))
        numbers, losses = replay.compute_candidate_losses(slot)
        trials = context.history.trials
        failed = np.array([trial.number for trial in trials if trial.loss is None], dtype=np.int64)
        if losses.size:
            numbers = np.concatenate([numbers, failed])
            losses = np.concatenate([losses, np.full(failed.size, losses.max())])
        return Observations(
            U=context.observed_points[numbers - 1],
            targets=losses,
            numbers=numbers,
            label=self.surrogate_target,
        )

    def compute_outcomes(self, context: SuggestionContext, phases: Sequence[SearchPhase]) -> Floats:
        """Return each trial's loss in the open slot of the ensemble of its suggestion, (t,)."""
        # A separate replay, advanced from trial to trial.
        history = context.history.take_first(len(context.history))
        replay = self.get_search_ensemble().replay(history, context.ensemble_seed)
        losses = np.empty(len(phases))
        for index in sorted(range(len(phases)), key=lambda index: phases[index].n_finished):
            phase = phases[index]
            replay.advance(phase.n_finished)
            losses[index] = replay.compute_loss_with(phase.number, phase.n_started % self.slots)
        return losses
