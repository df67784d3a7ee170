"""Ensemble optimisation: the surrogate learns what a model would do for the ensemble."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from studio.arrays import Floats
from studio.data.tasks import Task
from studio.ensembles.losses.registry import REGISTRY as LOSSES
from studio.ensembles.slots import Slots
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import Search
from studio.proposers.bayesian import Asked, ModelBased, Observations

AUTO = "auto"


@dataclass(frozen=True)
class EnsembleOptimisation(ModelBased):
    """EO: one slot of the ensemble at a time (EO algorithm 1, thesis algorithm 4.1).

    For trial i, slot j = (i − 1) mod m is taken out of the ensemble E, and the surrogate is fitted
    to L(E∖{j} ∪ {h}) of every model h that is not in E∖{j}; failed trials count as the worst of
    these. A suggestion made while others run is for the slot that follows theirs.
    """

    key: ClassVar[str] = "eo"
    title: ClassVar[str] = "Ensemble optimisation"
    summary: ClassVar[str] = (
        "Asks at every step which model would improve the ensemble most, one member's place at a "
        "time. Models that are right where the others err count more than models that are alike."
    )
    reference: ClassVar[str] = "Lévesque et al. 2016, algorithm 1; thesis, algorithm 4.1"
    learns: ClassVar[str] = phrase("ensemble loss")
    in_metric: ClassVar[bool] = False

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

    def prepared(self, task: Task, parts: Mapping[str, Any]) -> Self:
        """Decide what is "auto" for the task, and put the parts in."""
        values = task == "regression"
        return dataclasses.replace(
            self,
            loss=("mse" if values else "sqm") if self.loss == AUTO else self.loss,
            choice=("same" if values else "zero-one") if self.choice == AUTO else self.choice,
            **parts,
        )

    def own_ensemble(self) -> Slots:
        """Return the builder that replays the slots."""
        return Slots(slots=self.slots, loss=self.loss, choice=self.choice)

    def own_slots(self) -> Slots:
        """Return the same: the slots are what is searched for."""
        return self.own_ensemble()

    def observe(self, search: Search) -> Observations:
        """Return the losses that the ensemble would have with each model in the open slot."""
        replay = self.own_ensemble().replay(search.history, search.ensemble_seed)
        slot = replay.slot_for(len(search.pending))
        numbers, losses = replay.candidate_losses(slot)
        trials = search.history.trials
        failed = np.array([trial.number for trial in trials if trial.loss is None], dtype=np.int64)
        if losses.size:
            numbers = np.concatenate([numbers, failed])
            losses = np.concatenate([losses, np.full(failed.size, losses.max())])
        return Observations(
            U=search.observed[numbers - 1],
            targets=losses,
            numbers=numbers,
            label=phrase("{learns}, slot {slot} open", learns=self.learns, slot=slot + 1),
        )

    def outcomes(self, search: Search, asked: Sequence[Asked]) -> Floats:
        """Return the losses of the ensembles of that time, each model in the slot open, (t,)."""
        # A copy has a replay of its own, which can be taken from trial to trial.
        history = search.history.prefix(len(search.history))
        replay = self.own_ensemble().replay(history, search.ensemble_seed)
        found = np.empty(len(asked))
        for place in sorted(range(len(asked)), key=lambda place: asked[place].after):
            each = asked[place]
            replay.advance(each.after)
            found[place] = replay.loss_with(each.number, each.started % self.slots)
        return found
