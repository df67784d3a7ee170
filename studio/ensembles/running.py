"""An ensemble updated and scored incrementally as members are added and removed.

Scoring a candidate costs O(n) for n rows, regardless of the number of members: votes are kept as
running counts, predicted values as a running sum (the cost of line 5 of EO's algorithm).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.weighting import compute_mean
from studio.ensembles.base import Combination
from studio.ensembles.losses.base import EnsembleLoss, ValueLoss, VoteLoss
from studio.ensembles.weights import make_exact_weights
from studio.errors import EnsembleError
from studio.trial import History


class RunningEnsemble(ABC):
    """Equally weighted members, identified by trial number; a member added twice counts twice."""

    combination: Combination

    def __init__(self, history: History) -> None:
        self.size = 0
        self._history = history

    @abstractmethod
    def add(self, number: int) -> None:
        """Add a successful trial."""

    @abstractmethod
    def remove(self, number: int) -> None:
        """Remove one occurrence of a member."""

    @abstractmethod
    def compute_candidate_losses(self, numbers: Sequence[int], loss: EnsembleLoss) -> Floats:
        """Return L(E ∪ {h}) for each candidate h, shape (len(numbers),).

        Raises:
            EnsembleError: If the loss does not exist for this task.
        """

    @abstractmethod
    def get_own_loss(self, number: int) -> float:
        """Return a trial's own error: the share of wrong classes, or the mean squared error."""


MAX_BLOCK_CELLS = 2**14
"""Candidates times rows processed together: with few rows, calls dominate; many rows should fit the
processor's cache.
"""

_TRUE, _LEADS, _FOLLOWS, _TRAILS = range(4)
"""State of a class in a row's votes: the true class; a wrong class with the most votes of all wrong
classes; with one vote less; with even fewer.
"""


class RunningVotes(RunningEnsemble):
    """Classification: votes per row and class."""

    combination = "vote"

    def __init__(self, history: History) -> None:
        super().__init__(history)
        n = len(history.truth)
        self._rows: Integers = np.arange(n, dtype=np.int64)
        self._counts = np.zeros((history.n_classes, n), dtype=np.int16)
        self._true = self._flatten_cells(history.truth)
        self._weights = make_exact_weights(history.weights)
        self._total = n if self._weights is None else float(self._weights.sum())

    def _flatten_cells(self, classes: AnyArray) -> Integers:
        """Return the index of (class, row) in a flattened (C, n) array, for (…, n) classes."""
        cells: Integers = np.multiply(classes, len(self._rows), dtype=np.int64)
        cells += self._rows
        return cells

    def add(self, number: int) -> None:
        """Add a member's votes."""
        self._counts.reshape(-1)[self._flatten_cells(self._history.get_votes(number))] += 1
        self.size += 1

    def remove(self, number: int) -> None:
        """Subtract a member's votes."""
        self._counts.reshape(-1)[self._flatten_cells(self._history.get_votes(number))] -= 1
        self.size -= 1

    def compute_candidate_losses(self, numbers: Sequence[int], loss: EnsembleLoss) -> Floats:
        """Return L(E ∪ {h}) for each candidate h, shape (len(numbers),).

        An additional vote can have four effects on a row, regardless of the number of classes and
        members; each effect on the loss is computed once. A candidate then costs two look-ups per
        row.
        """
        if not isinstance(loss, VoteLoss):
            raise _make_loss_error(loss, "classification", "sqm")
        position, effects = self._compute_vote_effect(loss)
        sums = tuple(np.empty(len(numbers)) for _ in effects)
        quadruple = self._rows * 4
        block_size = max(1, MAX_BLOCK_CELLS // len(self._rows))
        effect_buffer = np.empty((block_size, len(self._rows)), dtype=np.uint8)
        value = np.empty(effect_buffer.shape)
        for begin in range(0, len(numbers), block_size):
            rows = slice(begin, begin + block_size)
            # All indices are in range; "clip" only avoids buffered checking.
            cells = self._flatten_cells(
                np.stack([self._history.get_votes(each) for each in numbers[rows]])
            )
            position.take(cells, out=effect_buffer[: len(cells)], mode="clip")
            np.add(quadruple, effect_buffer[: len(cells)], out=cells)
            for effect, total in zip(effects, sums, strict=True):
                total[rows] = effect.take(cells, out=value[: len(cells)], mode="clip").sum(axis=1)
        return loss.finish(sums, self._total, self.size + 1)

    def _compute_vote_effect(self, loss: VoteLoss) -> tuple[AnyArray, list[Floats]]:
        """Compute the effect of an additional vote.

        Returns:
            position: Shape (C · n,). The position of each class in each row's votes.
            effects: Shape (n · 4,). A row's term of the loss, times its weight, by the position of
                the class that receives the vote.
        """
        size = self.size + 1
        true_votes = self._counts.reshape(-1)[self._true].astype(np.int64)
        runner_up_votes = self._counts.copy()
        runner_up_votes.reshape(-1)[
            self._true
        ] = -1  # so that the true class is not counted as leading
        max_votes = runner_up_votes.max(axis=0)
        is_leading = runner_up_votes == max_votes
        follows = runner_up_votes == max_votes - 1
        position = _TRAILS - is_leading.view(np.uint8) * np.uint8(_TRAILS - _LEADS)
        position -= follows.view(np.uint8)
        position.reshape(-1)[self._true] = _TRUE
        runner_up_votes_max = max_votes.astype(np.int64)
        n_runners_up: Integers = is_leading.sum(axis=0, dtype=np.int64)
        by_position = (
            loss.compute_terms(true_votes + 1, runner_up_votes_max, n_runners_up, size),
            loss.compute_terms(
                true_votes, runner_up_votes_max + 1, np.ones_like(n_runners_up), size
            ),
            loss.compute_terms(true_votes, runner_up_votes_max, n_runners_up + 1, size),
            loss.compute_terms(true_votes, runner_up_votes_max, n_runners_up, size),
        )
        weighted_effects = 1.0 if self._weights is None else self._weights[:, None]
        effects = [
            (np.stack(columns, axis=1) * weighted_effects).reshape(-1)
            for columns in zip(*by_position, strict=True)
        ]
        return position.reshape(-1), effects

    def get_own_loss(self, number: int) -> float:
        """Return the trial's error rate."""
        is_wrong = self._history.get_votes(number) != self._history.truth
        if self._weights is None:
            return np.count_nonzero(is_wrong) / len(is_wrong)
        return float(self._weights[is_wrong].sum() / self._total)


class RunningMean(RunningEnsemble):
    """Regression: the sum of the members' predictions."""

    combination = "mean"

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self._members: list[int] = []
        self._sum = np.zeros(len(history.truth))

    def add(self, number: int) -> None:
        """Add a member's predictions to the sum."""
        self._members.append(number)
        self._recompute_sums()
        self.size += 1

    def remove(self, number: int) -> None:
        """Subtract one occurrence of a member from the sum."""
        self._members.remove(number)
        self._recompute_sums()
        self.size -= 1

    def _recompute_sums(self) -> None:
        """Sum in the order of trial numbers, independent of the order of addition.

        Subtraction would leave the rounding error of a huge prediction, and a sum in order of
        addition would depend on the slots evaluated in between.
        """
        self._sum = np.zeros_like(self._sum)
        for number in sorted(self._members):
            self._sum += self._history.get_predictions(number)

    def compute_candidate_losses(self, numbers: Sequence[int], loss: EnsembleLoss) -> Floats:
        """Return L(E ∪ {h}) for each candidate h, shape (len(numbers),)."""
        if not isinstance(loss, ValueLoss):
            raise _make_loss_error(loss, "regression", "mse")
        truth, size = self._history.truth, self.size + 1
        losses = np.empty(len(numbers))
        for position, number in enumerate(numbers):
            residuals = self._sum + self._history.get_predictions(number)
            residuals /= size
            residuals -= truth
            losses[position] = loss.compute_loss(residuals, self._history.weights)
        return losses

    def get_own_loss(self, number: int) -> float:
        """Return the trial's mean squared error."""
        residuals = self._history.get_predictions(number) - self._history.truth
        return compute_mean(np.square(residuals), self._history.weights)


def make_running_ensemble(history: History) -> RunningEnsemble:
    """Return an empty ensemble for the history's task."""
    return RunningMean(history) if history.is_regression else RunningVotes(history)


def _make_loss_error(loss: EnsembleLoss, task: str, alternative: str) -> EnsembleError:
    return EnsembleError(
        "The ensemble loss {loss!r} does not exist for {task}; choose {instead!r}.",
        loss=loss.key,
        task=task,
        instead=alternative,
    )
