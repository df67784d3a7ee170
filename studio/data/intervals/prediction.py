"""Prediction intervals by split conformal prediction, wider where errors are larger.

If rows are exchangeable, the score of an unseen row is at most the k-th smallest of n known scores
with a probability of at least k/(n + 1) (Papadopoulos et al. 2002; Lei et al. 2018, theorem 2.2),
for any model. The score is the absolute error relative to the mean error of the other rows with the
most similar predictions: errors are larger for high prices than for low ones (Lei et al. 2018,
section 5.2, but without a second model). The coverage with out-of-fold errors, and the gain over a
uniform margin, are documented in docs/studies/honesty.md.
"""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers

SHARE = 0.9

NEIGHBOUR_SHARE = 0.1
"""Share of rows with the most similar predictions, whose errors are averaged."""

MIN_NEIGHBOURS = 20

_PRIOR_WEIGHT = 5
"""Weight, in rows, of the overall mean error in each average: a few exact neighbours do not make
the next prediction certain.
"""

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class PredictionMargins:
    """Margins of predictions.

    Attributes:
        factor: The margin relative to the typical error; infinite with too few rows or groups.
        predictions, local_errors: Shape (n,). Predictions, ascending, and the mean error of the
            rows around each.
        floor: A lower bound of true values, if any.
    """

    factor: float
    predictions: Floats
    local_errors: Floats
    floor: float | None = None

    @classmethod
    def learn(
        cls,
        predictions: Floats,
        truth: Floats,
        share: float = SHARE,
        weights: Floats | None = None,
        *,
        units: Integers | None = None,
        floor: float | None = None,
    ) -> "PredictionMargins":
        """Learn margins from rows unseen by the model.

        Args:
            predictions, truth: Shape (n,), n > 0.
            share: The coverage, in (0, 1).
            weights: Shape (n,). At least 0, not all 0; ``None``: equal.
            units: Shape (n,). Units of rows with dependent errors
                (:func:`studio.data.intervals.resampling.get_units`).
            floor: A lower bound of true values.
        """
        order = np.argsort(predictions, kind="stable")
        errors = np.abs(truth - predictions)[order]
        neighbour_sums, count = _sum_neighbours(errors)
        overall = _PRIOR_WEIGHT * float(errors.mean())
        typical_errors = (neighbour_sums - errors + overall) / (count - 1 + _PRIOR_WEIGHT)
        scores = np.empty(len(errors))
        # If all errors are zero, so is the margin.
        scores[order] = np.divide(
            errors, typical_errors, out=np.zeros_like(errors), where=typical_errors > 0
        )
        factor = compute_quantile(scores, share, weights, units=units)
        return cls(
            factor, predictions[order], (neighbour_sums + overall) / (count + _PRIOR_WEIGHT), floor
        )

    def get_margins(self, predictions: Floats) -> Floats:
        """Return the margin of each prediction (n,), shape (n,)."""
        if not np.isfinite(self.factor):
            return np.full(len(predictions), np.inf)
        return self.factor * np.interp(predictions, self.predictions, self.local_errors)

    def compute_intervals(self, predicted: Floats) -> Floats:
        """Return the intervals of the true values of predictions (n,), shape (n, 2)."""
        margins = self.get_margins(predicted)
        low, high = predicted - margins, predicted + margins
        if self.floor is not None:
            # Clip intervals to possible values: coverage does not change.
            low, high = np.maximum(low, self.floor), np.maximum(high, self.floor)
        return np.column_stack([low, high])


def _sum_neighbours(errors: Floats) -> tuple[Floats, int]:
    """Return the sums of errors (n,) in windows around each position, and the windows' lengths."""
    n_rows = len(errors)
    count = min(n_rows, max(MIN_NEIGHBOURS, round(NEIGHBOUR_SHARE * n_rows)))
    first = np.clip(np.arange(n_rows) - count // 2, 0, n_rows - count)
    total = np.concatenate([[0.0], np.cumsum(errors)])
    return np.maximum(total[first + count] - total[first], errors), count


def compute_quantile(
    scores: Floats, share: float, weights: Floats | None = None, *, units: Integers | None = None
) -> float:
    """Return a bound of a new row's score with coverage ``share``; infinite with too few units.

    The new row is treated as one more of the same kind: its unit has the typical weight W = Σ W_u²
    / Σ W_u over the units, and its score is taken as infinite. The result is thus the smallest
    score at which the cumulative weight reaches ``share`` (Σ w + W). For rows of equal weight it is
    the ⌈share (n + 1)⌉-th smallest; for groups of equal size it is that of Lee, Barber and Willett
    (2023), where a new row belongs to a new group; the weights follow Tibshirani et al. (2019).

    Args:
        scores: Shape (n,). Scores, at least 0.
        share, weights, units: As for :meth:`PredictionMargins.learn`.
    """
    counts = np.ones(len(scores)) if weights is None else weights
    unit_weights = counts if units is None else np.bincount(units, counts)
    total = float(unit_weights.sum())
    threshold = share * (total + float(np.square(unit_weights).sum()) / total)
    order = np.argsort(scores, kind="stable")
    rank = int(np.searchsorted(np.cumsum(counts[order]), threshold * (1.0 - _ROUNDING)))
    return float(scores[order[rank]]) if rank < len(scores) else float("inf")
