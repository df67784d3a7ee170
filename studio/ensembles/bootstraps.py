"""Bootstraps of the validation rows, and what every trial loses on each of them (SMBEO 3)."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from studio.arrays import AnyArray, Array, Flags, Floats, Integers
from studio.data.metrics.base import Metric as DeclaredMetric
from studio.data.metrics.weighting import loss_of
from studio.ensembles.base import Metric
from studio.ensembles.losses.base import dyadic
from studio.ensembles.weights import are_counts
from studio.seeds import derive
from studio.trial import History

Multiplicities = Array[np.uint8 | np.uint32]

MAX_ATTEMPTS = 100
"""How often a bootstrap is drawn until its rows have a loss (:meth:`Metric.is_defined`): with a
single row of a class and as many draws as rows, it is missing a hundred times with p = 10⁻²⁰."""

_BLOCK_CELLS = 1 << 17
"""Multiplicities are widened to double precision in blocks that stay in the processor's cache."""


def multiplicities(
    count: int,
    rows: int,
    share: float,
    seed: int,
    *,
    counts: Floats | None = None,
    accepts: Callable[[Integers], bool] | None = None,
) -> Multiplicities:
    """Draw how often each bootstrap holds each row.

    Args:
        count: Number of bootstraps N.
        rows: Number of rows n.
        share: ρ: each bootstrap is round(ρ n) draws with replacement, at least one.
        seed: Bootstrap j depends on the seed and j alone, so more bootstraps keep the first ones.
        counts: Shape (n,), or None. How often each row occurs, whole numbers: the draws are those
            of a table in which each row is followed by its copies. ``None``: once.
        accepts: Takes the rows that a bootstrap holds, ascending, shape (k,), and says whether they
            will do; if not the bootstrap is drawn again, at most :data:`MAX_ATTEMPTS` times.

    Returns:
        Shape (N, n). Of rows that occur once in the table two in three are drawn, none of them 256
        times.
    """
    ends = None if counts is None else np.cumsum(counts.astype(np.int64))
    total = rows if ends is None else int(ends[-1])
    drawn = np.empty((count, rows), dtype=np.uint8 if counts is None else np.uint32)
    for j in range(count):
        rng = np.random.default_rng(derive(seed, "bootstrap", j))
        for _ in range(MAX_ATTEMPTS):
            places = rng.integers(total, size=max(1, round(share * total)))
            if ends is not None:
                places = np.searchsorted(ends, places, side="right")
            drawn[j] = np.bincount(places, minlength=rows)
            if accepts is None or accepts(np.flatnonzero(drawn[j])):
                break
    return drawn


class BootstrapRisks:
    """R[j, t], the loss of trial t on bootstrap j; follows a history as it grows.

    One bootstrap is none: its only row is the validation set itself, and R the trials' own losses,
    so that what is built on it is ordinary search (the first author's code does the same).

    Where the metric is a mean over rows, a trial costs one small matrix product, multiplicities
    times row losses; a root (RMSE) is taken of the mean. Where it is not (AUC, F1, balanced error,
    median absolute error, any plain function), it is recomputed for the rows of each bootstrap:
    that is the method's definition, and nothing is put in the metric's place. It costs N of them a
    trial. Bootstraps that a metric says nothing of (AUC where all rows are of one class) are drawn
    again; ours, since the paper has the error alone.

    Rows with whole weights are drawn as if they were there that often. With other weights rows are
    drawn as ever, and weigh what they weigh in the loss of a bootstrap; a metric that is a plain
    function knows no weights.

    Args:
        history: The trials, which may grow later.
        metric: The run's metric.
        count, share, seed: As in :func:`multiplicities`.
    """

    def __init__(
        self, history: History, metric: Metric, count: int, share: float, seed: int
    ) -> None:
        self.count = count
        self._history = history
        self._metric = metric
        rows, weights = len(history.truth), history.weights
        counted = are_counts(weights)
        self._weights = None if counted else weights
        self._drawn = multiplicities(
            count if count > 1 else 0,
            rows,
            share,
            seed,
            counts=weights if counted else None,
            accepts=self._has_loss,
        )
        # What belongs to a bootstrap, whatever the trial: its weight, and whether its loss is
        # meaningful.
        each = np.ones(rows) if self._weights is None else self._weights
        self._totals = np.array([times @ each for times in self._drawn])
        held = [self._has_loss(np.flatnonzero(times)) for times in self._drawn]
        self._defined: Flags = (self._totals > 0) & np.array(held, dtype=np.bool_)
        self._seen = 0
        self._numbers: list[int] = []
        self._columns: list[Floats] = []

    def advance(self) -> None:
        """Take in the trials that have finished since the last time."""
        for trial in self._history.trials[self._seen :]:
            if trial.loss is not None:
                own = np.array([trial.loss])
                self._columns.append(own if self.count == 1 else self._column(trial.number))
                self._numbers.append(trial.number)
            self._seen += 1

    def _has_loss(self, rows: Integers) -> bool:
        metric = self._metric
        return not isinstance(metric, DeclaredMetric) or metric.is_defined(
            self._history.truth[rows]
        )

    def _column(self, number: int) -> Floats:
        """Return a trial's loss on every bootstrap, shape (N,)."""
        truth, given = self._history.truth, self._history.predictions(number)
        if isinstance(self._metric, DeclaredMetric):
            losses = self._metric.row_losses(truth, given)
            if losses is not None:
                return self._metric.of_mean(self._means(losses))
        return self._resampled(truth, given)

    def _means(self, losses: Floats) -> Floats:
        if not self._history.is_regression:
            losses = dyadic(losses)  # sums are then exact, and equal ones tie on every machine
        sums = np.empty(self.count)
        step = max(1, _BLOCK_CELLS // max(1, losses.size))
        for start in range(0, self.count, step):
            times = self._drawn[start : start + step].astype(float)
            if self._weights is not None:
                times *= self._weights
            sums[start : start + step] = times @ losses
        means: Floats = np.full(self.count, np.inf)
        np.divide(sums, self._totals, out=means, where=self._defined)
        return means

    def _resampled(self, truth: AnyArray, given: AnyArray) -> Floats:
        column = np.full(self.count, np.inf)
        each = np.arange(len(truth))
        for j in np.flatnonzero(self._defined):
            rows = np.repeat(each, self._drawn[j])
            column[j] = self._loss(truth[rows], given[rows], rows)
        # Where its loss is not a number the trial cannot win.
        return np.where(np.isfinite(column), column, np.inf)

    def _loss(self, truth: AnyArray, given: AnyArray, rows: Integers) -> float:
        if not isinstance(self._metric, DeclaredMetric):
            return self._metric(truth, given)
        weights = None if self._weights is None else self._weights[rows]
        return loss_of(self._metric, truth, given, weights)

    @property
    def numbers(self) -> Integers:
        """The successful trials, ascending, shape (t,)."""
        return np.array(self._numbers, dtype=np.int64)

    @property
    def risks(self) -> Floats:
        """R, shape (N, t)."""
        if not self._columns:
            return np.zeros((self.count, 0))
        return np.stack(self._columns, axis=1)

    def targets(self, bootstrap: int) -> Floats:
        """Return every trial's loss on one bootstrap, shape (len(history),), for a surrogate.

        Failed trials, and losses that are undefined there, count as the worst finite one;
        zeros where there is none.
        """
        losses = np.full(len(self._history), np.nan)
        losses[self.numbers - 1] = [column[bootstrap] for column in self._columns]
        finite = np.isfinite(losses)
        worst = losses[finite].max() if finite.any() else 0.0
        return np.where(finite, losses, worst)

    def shares(self) -> Floats:
        """Return the share of the bootstraps that each trial wins, shape (t,), summing to 1.

        Trials that are equally good on a bootstrap share its mass equally. Bootstraps
        on which no trial has a finite loss are left out; if that is all of them, the trials' own
        losses decide.
        """
        risks = self.risks
        known = risks[np.isfinite(risks).any(axis=1)]
        if not len(known):
            known = self._history.losses()[None, self.numbers - 1]
        wins: Flags = known == known.min(axis=1, keepdims=True)
        mass: Floats = (wins / wins.sum(axis=1, keepdims=True)).mean(axis=0)
        return mass


@lru_cache(maxsize=2)
def risks_of(
    history: History, metric: Metric, count: int, share: float, seed: int
) -> BootstrapRisks:
    """Return the risks of a history, kept for the last few (distinguished by identity: they grow).

    Asked again for a history that has grown, only its new trials are computed.
    """
    return BootstrapRisks(history, metric, count, share, seed)
