"""Forward selection: one member after another, each the one that helps most (Caruana 2004)."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.ensembles.base import Metric, pick
from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.running import RunningEnsemble
from studio.errors import EnsembleError


class ForwardSearch(Protocol):
    """What forward selection needs to know of a growing ensemble."""

    def best(self, allowed: Flags) -> Integers:
        """Return all allowed candidates whose addition gives the lowest loss, ascending.

        ``allowed`` has shape (candidates,), what is returned (k,); k is 0 where none can be judged.
        """

    def add(self, index: int) -> None:
        """Add a candidate to the ensemble."""


def forward(
    search: ForwardSearch,
    candidates: int,
    size: int,
    *,
    rng: np.random.Generator,
    first: Sequence[int] = (),
    replacement: bool = True,
    own: Floats | None = None,
) -> list[int]:
    """Select members one by one.

    Args:
        search: Scores candidates; nothing has been added to it yet.
        candidates: How many candidates there are; they are named 0, 1, ….
        size: Choices to make in all.
        rng: Settles ties: one draw for each step that has any.
        first: Members to start from; they count towards the size.
        replacement: Whether a candidate may be chosen again. If not, selection ends when all are
            members.
        own: Shape (candidates,). Each candidate's own loss, which settles ties before the draw
            does.

    Returns:
        The choices in their order; fewer where no further candidate can be judged.
    """
    chosen = list(first[:size])
    allowed: Flags = np.ones(candidates, dtype=np.bool_)
    for index in chosen:
        search.add(index)
        allowed[index] = replacement
    while len(chosen) < size and allowed.any():
        tied = search.best(allowed)
        if not tied.size:
            break
        if own is not None:
            tied = tied[own[tied] == own[tied].min()]
        index = pick(tied, rng)
        search.add(index)
        chosen.append(index)
        allowed[index] = replacement
    return chosen


def best_first(own_losses: Floats, count: int, rng: np.random.Generator) -> list[int]:
    """Return the candidates with the lowest own losses, shape (n,), equal ones in drawn order."""
    order = np.lexsort((rng.permutation(len(own_losses)), own_losses))
    return [int(index) for index in order[:count]]


class RunningSearch:
    """Search by an ensemble loss that is computed from running votes or sums.

    Args:
        running: An empty ensemble.
        numbers: Trial number of each candidate.
        loss: What to lower.
    """

    def __init__(self, running: RunningEnsemble, numbers: Integers, loss: EnsembleLoss) -> None:
        self._running = running
        self._numbers = [int(number) for number in numbers]
        self._loss = loss

    def add(self, index: int) -> None:
        """Add a candidate's trial."""
        self._running.add(self._numbers[index])

    def best(self, allowed: Flags) -> Integers:
        """Return the allowed candidates with the lowest loss.

        Shape (k,); allowed: (candidates,).
        """
        open_to = np.flatnonzero(allowed)
        losses = self._running.candidate_losses([self._numbers[i] for i in open_to], self._loss)
        best: Integers = open_to[losses == losses.min()]
        return best


class MetricSearch:
    """Search by any metric of the mean of predictions.

    Args:
        member: Predictions of a candidate by its index: shape (n, C) or (n,).
        count: Number of candidates.
        truth: Shape (n,). True class codes or values.
        metric: Lower is better.
    """

    def __init__(
        self, member: Callable[[int], AnyArray], count: int, truth: AnyArray, metric: Metric
    ) -> None:
        self._member = member
        self._count = count
        self._truth = truth
        self._metric = metric
        self._size = 0
        self._total: Floats = np.zeros(member(0).shape, dtype=np.float64)

    def add(self, index: int) -> None:
        """Add a candidate's predictions to the sum."""
        self._total += self._member(index)
        self._size += 1

    def losses(self, allowed: Flags) -> Floats:
        """Return the metric with each candidate added, infinite for those not allowed or judged.

        ``allowed`` and what is returned have shape (count,).

        Raises:
            EnsembleError: If the metric gives no number.
        """
        losses = np.full(self._count, np.inf)
        for index in np.flatnonzero(allowed):
            mean = (self._total + self._member(int(index))) / (self._size + 1)
            losses[index] = self._metric(self._truth, mean)
            if np.isnan(losses[index]):
                raise EnsembleError(
                    "The metric gave {loss} for an ensemble of {size}; it must give a finite "
                    "number. Choose another metric, or more validation rows.",
                    loss=losses[index],
                    size=self._size + 1,
                )
        return losses

    def best(self, allowed: Flags) -> Integers:
        """Return the allowed candidates with the lowest metric, shape (k,); allowed: (count,)."""
        losses = self.losses(allowed)
        return np.flatnonzero((losses == losses.min()) & np.isfinite(losses))
