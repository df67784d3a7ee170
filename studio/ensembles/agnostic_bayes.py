"""The agnostic Bayes ensemble: each model's weight is its probability of being the best."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np

from studio.arrays import AnyArray, Array, Flags, Floats, Integers
from studio.data.metrics.base import Metric as DeclaredMetric
from studio.ensembles.base import (
    Combination,
    Ensemble,
    EnsembleBuilder,
    Metric,
    get_pool,
    uses_probabilities,
)
from studio.ensembles.losses.base import round_dyadic
from studio.ensembles.weights import are_counts
from studio.parts import option
from studio.seeds import derive
from studio.trial import History

_Multiplicities = Array[np.uint8 | np.uint32]

_MAX_ATTEMPTS = 100
"""Maximum number of draws until a bootstrap has a defined loss (:meth:`Metric.is_defined`): with a
single row of a class and as many draws as rows, it is missing a hundred times with p = 10⁻⁴³.
"""

_BLOCK_CELLS = 1 << 17
"""Counts are converted to double precision in blocks that fit the processor's cache."""


def draw_multiplicities(
    count: int,
    n_rows: int,
    share: float,
    seed: int,
    *,
    counts: Floats | None = None,
    is_sufficient: Callable[[Integers], bool] | None = None,
) -> _Multiplicities:
    """Draw the count of each row in each bootstrap.

    Args:
        count: Number of bootstraps N.
        n_rows: Number of rows n.
        share: ρ: each bootstrap is round(ρ n) draws with replacement, at least one.
        seed: Bootstrap j depends only on the seed and j, so a larger count leaves earlier
            bootstraps unchanged.
        counts: Shape (n,). How often each row occurs in the table, as whole numbers; ``None``:
            once.
        is_sufficient: Given the rows in a bootstrap, ascending, shape (k,), whether they suffice;
            if not, the bootstrap is redrawn, at most :data:`_MAX_ATTEMPTS` times.

    Returns:
        Shape (N, n). Counts. Of rows that occur once, about two thirds are drawn; one byte suffices
        for each count.
    """
    offsets = None if counts is None else np.cumsum(counts.astype(np.int64))
    total = n_rows if offsets is None else int(offsets[-1])
    multiplicities = np.empty((count, n_rows), dtype=np.uint8 if counts is None else np.uint32)
    for j in range(count):
        rng = np.random.default_rng(derive(seed, "bootstrap", j))
        for _ in range(_MAX_ATTEMPTS):
            indices = rng.integers(total, size=max(1, round(share * total)))
            if offsets is not None:
                indices = np.searchsorted(offsets, indices, side="right")
            multiplicities[j] = np.bincount(indices, minlength=n_rows)
            if is_sufficient is None or is_sufficient(np.flatnonzero(multiplicities[j])):
                break
    return multiplicities


class BootstrapRisks:
    """R[j, t], the loss of trial t on bootstrap j, extended as a history grows.

    With N = 1 there is no resampling: the only row is the validation set itself, and R holds the
    trials' own losses, which is equivalent to ordinary search (as in the first author's code).

    If the metric is a mean over rows, a trial costs one small matrix product, multiplicities times
    row losses; the root (RMSE) is applied to the mean. Otherwise (AUC, F1, balanced error, median
    absolute error, any plain function) the metric is recomputed for the rows of each bootstrap, as
    the method is defined, without a substitute metric. This costs N evaluations per trial.
    Bootstraps with an undefined metric (AUC with rows of one class only) are redrawn; this is our
    extension, as the paper only uses the error.

    Rows with integer weights are drawn as if repeated. With other weights, rows are drawn as usual
    and weighted in the loss of a bootstrap; a metric that is a plain function ignores weights.

    Args:
        history: May grow later.
        count, share, seed: As in :func:`draw_multiplicities`.
    """

    def __init__(
        self, history: History, metric: Metric, count: int, share: float, seed: int
    ) -> None:
        self.count = count
        self._history = history
        self._metric = metric
        rows, weights = len(history.truth), history.weights
        uses_counts = are_counts(weights)
        self._weights = None if uses_counts else weights
        self._multiplicities = draw_multiplicities(
            count if count > 1 else 0,
            rows,
            share,
            seed,
            counts=weights if uses_counts else None,
            is_sufficient=self._has_loss,
        )
        # For each trial: its weight in a bootstrap, and whether its loss is defined.
        row_weights = np.ones(rows) if self._weights is None else self._weights
        self._totals = np.array([times @ row_weights for times in self._multiplicities])
        has_loss = [self._has_loss(np.flatnonzero(times)) for times in self._multiplicities]
        self._has_defined_loss: Flags = (self._totals > 0) & np.array(has_loss, dtype=np.bool_)
        self._n_processed = 0
        self._numbers: list[int] = []
        self._columns: list[Floats] = []

    def advance(self) -> None:
        """Add the trials finished since the last call."""
        for trial in self._history.trials[self._n_processed :]:
            if trial.loss is not None:
                losses = np.array([trial.loss])
                self._columns.append(
                    losses if self.count == 1 else self._compute_column(trial.number)
                )
                self._numbers.append(trial.number)
            self._n_processed += 1

    def _has_loss(self, rows: Integers) -> bool:
        metric = self._metric
        return not isinstance(metric, DeclaredMetric) or metric.is_defined(
            self._history.truth[rows]
        )

    def _compute_column(self, number: int) -> Floats:
        """Return a trial's loss on every bootstrap, shape (N,)."""
        truth, predictions = self._history.truth, self._history.get_predictions(number)
        if isinstance(self._metric, DeclaredMetric):
            losses = self._metric.compute_row_losses(truth, predictions)
            if losses is not None:
                return self._metric.transform_mean(self._compute_means(losses))
        return self._resample_losses(truth, predictions)

    def _compute_means(self, losses: Floats) -> Floats:
        if not self._history.is_regression:
            losses = round_dyadic(losses)  # exact sums: the same ties on all machines
        sums = np.empty(self.count)
        step = max(1, _BLOCK_CELLS // max(1, losses.size))
        for start in range(0, self.count, step):
            times = self._multiplicities[start : start + step].astype(float)
            if self._weights is not None:
                times *= self._weights
            sums[start : start + step] = times @ losses
        mean_losses: Floats = np.full(self.count, np.inf)
        np.divide(sums, self._totals, out=mean_losses, where=self._has_defined_loss)
        return mean_losses

    def _resample_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        column = np.full(self.count, np.inf)
        row_indices = np.arange(len(truth))
        for j in np.flatnonzero(self._has_defined_loss):
            rows = np.repeat(row_indices, self._multiplicities[j])
            column[j] = self._compute_loss(truth[rows], predictions[rows], rows)
        # A trial with an undefined loss cannot win.
        return np.where(np.isfinite(column), column, np.inf)

    def _compute_loss(self, truth: AnyArray, predictions: AnyArray, rows: Integers) -> float:
        if not isinstance(self._metric, DeclaredMetric):
            return self._metric(truth, predictions)
        weights = None if self._weights is None else self._weights[rows]
        return self._metric.compute_loss(truth, predictions, weights)

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

    def compute_targets(self, bootstrap: int) -> Floats:
        """Return every trial's loss on one bootstrap, shape (len(history),), for a surrogate.

        Failed trials and undefined losses are replaced by the worst finite loss; zeros without any.
        """
        losses = np.full(len(self._history), np.nan)
        losses[self.numbers - 1] = [column[bootstrap] for column in self._columns]
        finite = np.isfinite(losses)
        worst_loss = losses[finite].max() if finite.any() else 0.0
        return np.where(finite, losses, worst_loss)

    def compute_shares(self) -> Floats:
        """Return the share of bootstraps won by each trial, shape (t,), summing to 1.

        Trials that are equally good on a bootstrap share its mass equally. Bootstraps without a
        finite loss are omitted; if none remain, the trials' validation losses decide.
        """
        risks = self.risks
        finite_risks = risks[np.isfinite(risks).any(axis=1)]
        if not len(finite_risks):
            finite_risks = self._history.get_losses()[None, self.numbers - 1]
        wins: Flags = finite_risks == finite_risks.min(axis=1, keepdims=True)
        mass: Floats = (wins / wins.sum(axis=1, keepdims=True)).mean(axis=0)
        return mass


@lru_cache(maxsize=2)
def get_risks(
    history: History, metric: Metric, count: int, share: float, seed: int
) -> BootstrapRisks:
    """Return the risks of a history, cached for the last few histories (by identity, as they grow).

    For a grown history, only the new trials are computed.
    """
    return BootstrapRisks(history, metric, count, share, seed)


PAPER_BOOTSTRAPS = 75
"""N of the paper: half of its 150 trials. Used without a budget in trials."""

MAX_BOOTSTRAPS = 1000
"""Default maximum of bootstraps: with 10⁵ rows they fill 100 MB."""


def choose_bootstrap_count(budget: int | None) -> int:
    """Return N = ⌊M/2⌋ (SMBEO 4) for a budget of M trials, in [1, ``MAX_BOOTSTRAPS``].

    Without a budget: ``PAPER_BOOTSTRAPS``.
    """
    return PAPER_BOOTSTRAPS if budget is None else min(max(budget // 2, 1), MAX_BOOTSTRAPS)


@dataclass(frozen=True)
class Bootstrapped:
    """The options of a search, or its ensemble builder, with bootstraps of the validation rows."""

    bootstraps: int | None = option(
        None,
        kind=int,
        optional=True,
        low=1,
        high=10_000,
        help=(
            "Number of resamples (N); auto: half the run's initial number of trials, or 75 if "
            "only time is limited."
        ),
    )
    share: float = option(
        1.0, low=0.01, high=1.0, help="Size of a resample, as a share of the validation rows."
    )

    def with_budget(self, budget: int | None) -> Self:
        """Set the number of bootstraps if it is "auto"."""
        if self.bootstraps is not None:
            return self
        return dataclasses.replace(self, bootstraps=choose_bootstrap_count(budget))


@dataclass(frozen=True)
class AgnosticBayes(Bootstrapped, EnsembleBuilder):
    """p(h is best) by the bootstrap (SMBEO section 3; docs/methods/agnostic-bayes.md).

    N bootstraps of the validation rows are drawn once per run, from the seed of its ensembles; a
    member's weight is the share of them on which its loss is the lowest, with ties sharing the
    mass. With cross-validation the rows are all out-of-fold rows.

    Classes are predicted by a weighted vote (the smallest on ties), values by the weighted mean.
    For metrics of probabilities (log loss, Brier, AUC) the weighted mean of the probabilities
    replaces the vote, as in the first author's code.
    """

    key: ClassVar[str] = "agnostic-bayes"
    title: ClassVar[str] = "Agnostic Bayes"
    summary: ClassVar[str] = (
        "Finds out on many resamples of the validation rows which model is best there. Each "
        "model is weighted by the share of resamples that it wins."
    )
    reference: ClassVar[str] = "SMBEO section 3, algorithm 1; Lacoste et al. 2014, Agnostic Bayes"

    combination: str = option(
        "auto",
        choices=("auto", "vote", "mean"),
        help="Weighted vote or mean; auto: mean for numbers and metrics of probabilities.",
    )

    @property
    def always_votes(self) -> bool:
        """Whether an explicit number of bootstraps was set."""
        return self.combination == "vote"

    def compute_risks(self, history: History, metric: Metric, seed: int) -> BootstrapRisks:
        """Return each trial's loss on each bootstrap, shared by search and result."""
        bootstrap_risks = get_risks(
            history, metric, self.bootstraps or PAPER_BOOTSTRAPS, self.share, seed
        )
        bootstrap_risks.advance()
        return bootstrap_risks

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Weight the history's successful trials, the heaviest first, ties in order of trials.

        The seed is only used to draw the bootstraps.
        """
        get_pool(history)
        risks = self.compute_risks(history, metric, seed)
        win_shares, numbers = risks.compute_shares(), risks.numbers
        order = np.lexsort((numbers, -win_shares))
        winners = order[: np.count_nonzero(win_shares)]
        return Ensemble(
            tuple(int(number) for number in numbers[winners]),
            tuple(float(win_share) for win_share in win_shares[winners]),
            self._choose_combination(history, metric),
        )

    def _choose_combination(self, history: History, metric: Metric) -> Combination:
        if history.is_regression or self.combination == "mean":
            return "mean"
        return "mean" if self.combination == "auto" and uses_probabilities(metric) else "vote"
