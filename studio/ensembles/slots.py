"""EO's ensemble: m slots, refilled cyclically as trials finish (EO algorithm 1, thesis 4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.tasks import Task
from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, break_tie, get_pool
from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.losses.errors import ZeroOneLoss
from studio.ensembles.losses.margins import SquaredMargin
from studio.ensembles.losses.registry import REGISTRY as LOSSES
from studio.ensembles.running import make_running_ensemble
from studio.errors import EnsembleError, UsageError
from studio.parts import find_part, option
from studio.phrases import phrase
from studio.seeds import derive
from studio.trial import History


@dataclass
class SlotsReplay:
    """The slots of EO as a function of a history, updated as it grows.

    When trial i (1, 2, …; failed ones count) has finished, slot (i − 1) mod m is refilled with
    argmin_h L(E without the slot ∪ {h}) by the choice loss, over all successful trials up to i that
    are not in another slot (thesis algorithm 4.1, lines 10–12). Equal losses are resolved by the
    trial's own error, then by a draw that depends only on the seed and i. Hence the state after i
    trials depends on those trials only.

    Attributes:
        history: The history, which may grow later.
        n_slots: m, the size of the ensemble.
        loss: The loss of line 5, which the surrogate learns.
        choice: The loss of line 11: the zero-one loss (thesis), or the same as line 5 (the 2016
            paper).
        seed: Breaks remaining ties.
    """

    history: History
    n_slots: int = 12
    loss: EnsembleLoss = field(default_factory=SquaredMargin)
    choice: EnsembleLoss = field(default_factory=ZeroOneLoss)
    seed: int = 0

    def __post_init__(self) -> None:
        """Reset to the state before the first trial."""
        self._running = make_running_ensemble(self.history)
        self._members: list[int | None] = [None] * self.n_slots
        self._trace: list[tuple[int | None, ...]] = []
        self._single_errors: dict[
            int, float
        ] = {}  # own error by trial; the keys are the pool, in order

    def advance(self, n_trials: int | None = None) -> None:
        """Add the trials finished since the last call.

        Args:
            n_trials: Number of trials to process; ``None`` for all.

        Raises:
            EnsembleError: If a loss does not exist for the task.
        """
        for trial in self.history.trials[len(self._trace) : n_trials]:
            if trial.loss is not None:
                self._single_errors[trial.number] = self._running.get_own_loss(trial.number)
            self._refill_slot((trial.number - 1) % self.n_slots, trial.number)
            self._trace.append(tuple(self._members))

    def _refill_slot(self, slot: int, iteration: int) -> None:
        self._empty_slot(slot)
        candidates = self._list_candidates(slot)
        if not candidates:
            return
        losses = self._running.compute_candidate_losses(candidates, self.choice)
        numbers: Integers = np.array(candidates, dtype=np.int64)
        best = numbers[losses == losses.min()]
        single_losses = np.array([self._single_errors[int(number)] for number in best])
        rng = np.random.default_rng(derive(self.seed, "slots", iteration))
        new_member = break_tie(best[single_losses == single_losses.min()], rng)
        self._fill(slot, new_member)

    def _empty_slot(self, slot: int) -> None:
        member = self._members[slot]
        if member is not None:
            self._running.remove(member)
            self._members[slot] = None

    def _fill(self, slot: int, member: int | None) -> None:
        if member is not None:
            self._running.add(member)
            self._members[slot] = member

    def _list_candidates(self, slot: int) -> list[int]:
        member_numbers = set(self.get_ensemble_without(slot))
        return [number for number in self._single_errors if number not in member_numbers]

    @property
    def members(self) -> tuple[int | None, ...]:
        """The trial in each slot, ``None`` if empty."""
        return tuple(self._members)

    @property
    def trace(self) -> Sequence[tuple[int | None, ...]]:
        """The slots after each processed trial; ``trace[i - 1]`` is after trial i."""
        return self._trace

    def choose_slot(self, running: int = 0) -> int:
        """Return the slot of the next suggestion.

        Args:
            running: Number of running trials; each counts as an iteration, so that parallel workers
                search for different slots.
        """
        return (len(self.history) + running) % self.n_slots

    def get_ensemble_without(self, slot: int) -> tuple[int, ...]:
        """Return E_i = E without the slot (line 4): trial numbers in the order of the slots."""
        return tuple(
            member
            for position, member in enumerate(self._members)
            if member is not None and position != slot
        )

    def compute_candidate_losses(self, slot: int) -> tuple[Integers, Floats]:
        """Return each trial's ensemble loss in the slot (line 5), as targets of the surrogate.

        Returns:
            numbers: Shape (t,). The successful trials that are not in E_i, ascending (the slot's
                own is among them).
            losses: Shape (t,). L(E_i ∪ {h}) of each.
        """
        self.advance()
        member = self._members[slot]
        self._empty_slot(slot)
        candidates = self._list_candidates(slot)
        try:
            losses = self._running.compute_candidate_losses(candidates, self.loss)
        finally:  # an interrupted search must not leave the slot empty
            self._fill(slot, member)
        return np.array(candidates, dtype=np.int64), losses

    def compute_loss_with(self, number: int, slot: int) -> float:
        """Return L(E_i ∪ {h}) for the current slots and any trial.

        Args:
            number: A successful trial of the history that is not in another slot.
            slot: The open slot.
        """
        member = self._members[slot]
        self._empty_slot(slot)
        try:
            return float(self._running.compute_candidate_losses([number], self.loss)[0])
        finally:
            self._fill(slot, member)

    def get_ensemble(self, after: int | None = None) -> Ensemble:
        """Return EO's own ensemble E: the filled slots, with equal weights.

        Args:
            after: The number of processed trials, at least 1; ``None`` for all.

        Raises:
            EnsembleError: If there is no successful trial.
        """
        members = self._members if after is None else self._trace[after - 1]
        filled = [member for member in members if member is not None]
        return Ensemble.from_choices(filled, self._running.combination)


@dataclass(frozen=True)
class Slots(EnsembleBuilder):
    """EO's own ensemble E at the end of its search (EO algorithm 1, thesis algorithm 4.1)."""

    key: ClassVar[str] = "slots"
    title: ClassVar[str] = "EO's slots"
    summary: ClassVar[str] = (
        "Keeps a fixed number of places, refilled one after another as trials finish. Each "
        "place takes the model that best complements the others."
    )
    reference: ClassVar[str] = "EO algorithm 1; thesis algorithm 4.1"

    slots: int = option(12, low=1, high=1000, help="Members of the ensemble (m).")
    loss: str = option(
        "sqm",
        choices=[loss.key for loss in LOSSES],
        help="The loss that the search minimises; mse for regression.",
    )
    choice: str = option(
        "zero-one",
        choices=("zero-one", "same"),
        help="What refills a slot: the vote's error (thesis), or the search's loss (2016 paper).",
    )

    @property
    def always_votes(self) -> bool:
        """True: members vote for classes under any metric; for regression they are averaged."""
        return True

    def check(self, task: Task) -> None:
        """Reject losses undefined for the task."""
        super().check(task)
        for loss_part in self._get_losses():
            if task not in loss_part.tasks:
                raise UsageError(_make_loss_error(loss_part, task))

    def _get_losses(self) -> tuple[EnsembleLoss, EnsembleLoss]:
        """Return the losses of the search and of the selection."""
        loss = find_part(LOSSES, self.loss, phrase("ensemble loss"))()
        return loss, loss if self.choice == "same" else ZeroOneLoss()

    def replay(self, history: History, seed: int) -> SlotsReplay:
        """Return the slots of a history, for both the search and the result.

        The last few replays are cached and continued for a grown history, so an iteration costs
        O(t·n) instead of the O(t²·n) of a full replay.

        Raises:
            EnsembleError: If a loss does not exist for the task.
        """
        return _replay(self, history, seed)

    def _start(self, history: History, seed: int) -> SlotsReplay:
        loss, choice = self._get_losses()
        for loss_part in (loss, choice):
            if ("regression" in loss_part.tasks) != history.is_regression:
                task = "regression" if history.is_regression else "classification"
                raise EnsembleError(_make_loss_error(loss_part, task))
        return SlotsReplay(history, self.slots, loss, choice, seed)

    def get_search_loss(self, metric: Metric) -> EnsembleLoss:
        """Return the loss of the search, independent of the metric."""
        del metric
        return self._get_losses()[0]

    def build_after(self, history: History, n_trials: int, metric: Metric, seed: int) -> Ensemble:
        """Return the slots after ``n_trials`` trials, from one replay of all of them."""
        replay = self.replay(history, seed)
        replay.advance()
        return replay.get_ensemble(n_trials)

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Replay the history and return the filled slots, independent of the metric."""
        get_pool(history)
        replay = self.replay(history, seed)
        replay.advance()
        return replay.get_ensemble()


def _make_loss_error(loss: EnsembleLoss, task: str) -> str:
    return phrase(
        "The ensemble loss {loss!r} does not exist for {task}. For regression choose "
        "EO-mse (loss mse, choice same); for classes EO-sqm, EO-C or EO-sig.",
        loss=loss.key,
        task=task,
    )


@lru_cache(maxsize=2)
def _replay(part: Slots, history: History, seed: int) -> SlotsReplay:
    """Cache the replays of the last histories (by identity, as histories grow)."""
    return part._start(history, seed)
