"""Forward selection: one member after another, each the one that helps most (Caruana 2004)."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.metrics.base import normalised
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


MAX_NUMBERS = 50_000_000
"""Probabilities of all candidates that are looked at; of more rows a random part is taken."""


_EARLIER = 1e-5
"""What each class is ahead of the next by in sums of probabilities, to break ties: more than single
precision rounds a sum of 25 by, less than half precision rounds a probability when it is stored."""


class GuidedSearch:
    """Search by the error rate plus the Brier score of mean probabilities.

    On few rows many candidates leave the error as it is, and some lower it by luck; the squared
    error of the probabilities distinguishes the two (docs/studies/portfolio.md). Of equal highest
    probabilities the first class counts, as in what is exported: were they right, two neighbours
    that disagree would never be wrong. The Brier score of a mean is a quadratic form, so a
    candidate costs one pass over the rows, for its labels.

    Args:
        pool: Shape (n, C). Probabilities of each candidate.
        truth: Shape (n,). True class codes.
        weights: Shape (n,), or None. How much each row counts; ``None``: all the same.
    """

    def __init__(
        self, pool: Sequence[AnyArray], truth: Integers, weights: Floats | None = None
    ) -> None:
        n_classes = pool[0].shape[1]
        most = max(1, MAX_NUMBERS // (len(pool) * n_classes))
        kept: slice | Integers = slice(None)
        if len(truth) > most:
            kept = np.sort(np.random.default_rng(0).permutation(len(truth))[:most])
        truth = truth[kept]
        self._truth = truth
        shares = np.ones(len(truth)) if weights is None else weights[kept]
        self._shares = (shares / shares.sum()).astype(np.float32)
        # Classes first: the highest of them is then found a whole row of numbers at a time.
        self._pool = np.stack([
            np.ascontiguousarray(normalised(each[kept]).T, dtype=np.float32) for each in pool
        ])  # fmt: skip
        self._rows = np.arange(len(truth))
        weighed = self._pool * self._shares
        flat = self._pool.reshape(len(pool), -1)
        self._squares = (flat @ weighed.reshape(len(pool), -1).T).astype(np.float64)
        self._hits = weighed[:, truth, self._rows].sum(axis=1, dtype=np.float64)
        self._total = np.zeros(self._pool.shape[1:], dtype=np.float32)
        self._total -= _EARLIER * np.arange(n_classes, dtype=np.float32)[:, None]
        self._scratch = np.empty_like(self._total)
        self._size = 0
        self._square = self._hit = 0.0
        self._dots = np.zeros(len(pool))

    def add(self, index: int) -> None:
        """Add a candidate's probabilities to the sum."""
        self._total += self._pool[index]
        self._square += 2.0 * self._dots[index] + self._squares[index, index]
        self._hit += self._hits[index]
        self._dots += self._squares[index]
        self._size += 1

    def losses(self, allowed: Flags) -> Floats:
        """Return the loss with each candidate added, infinite for those not allowed.

        ``allowed`` and what is returned have shape (len(pool),).
        """
        after = self._size + 1
        square = self._square + 2.0 * self._dots + self._squares.diagonal()
        brier = 0.5 * (square / after**2 - 2.0 * (self._hit + self._hits) / after + 1.0)
        found = np.full(len(self._pool), np.inf)
        for index in np.flatnonzero(allowed):
            np.add(self._total, self._pool[index], out=self._scratch)
            wrong = self._scratch.max(axis=0) > self._scratch[self._truth, self._rows]
            found[index] = float(self._shares @ wrong) + brier[index]
        return found

    def best(self, allowed: Flags) -> Integers:
        """Return the allowed candidates with the lowest loss, shape (k,); allowed: (len(pool),)."""
        losses = self.losses(allowed)
        return np.flatnonzero(losses == losses.min())
