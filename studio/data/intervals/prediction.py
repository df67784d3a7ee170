"""Prediction intervals by split conformal prediction, wider where errors are larger.

If rows are exchangeable, the score of an unseen row is at most the k-th smallest of n known scores
with a probability of at least k/(n + 1) (Papadopoulos et al. 2002; Lei et al. 2018, theorem 2.2),
for any model. The score is the error relative to the mean error of the other rows with the most
similar predictions: errors are larger for high prices than for low ones (Lei et al. 2018, section
5.2, but without a second model).

With a coverage of 1 − α, at most α/2 of true values are below an interval and at most α/2 above:
its ends are two quantiles of signed errors. As errors of amounts grow with the amount, they are
differences of logarithms. In two cases, both ends have the same margin instead, a quantile of
absolute errors, and all missed rows may be on one side:

- Fewer than :data:`MIN_TAIL_UNITS` rows would decide on an end, which would depend on one or two of
  the largest errors. Absolute errors need only half as many rows.
- α/2 or more of true values are at their lower bound. Most intervals begin there, and the others
  would miss too many of these rows.

Coverage with out-of-fold errors, and the gains over a uniform and over a symmetric margin, are
documented in docs/studies/honesty.md.
"""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data.numbers import MAX_MAGNITUDE

SHARE = 0.9

NEIGHBOUR_SHARE = 0.1
"""Share of rows with the most similar predictions, whose errors are averaged."""

MIN_NEIGHBOURS = 20

MIN_TAIL_UNITS = 3
"""Minimum number of rows, or units of dependent rows, beyond an end learned separately: 59 known
rows for intervals of 90 %.
"""

_PRIOR_WEIGHT = 5
"""Weight, in rows, of the overall mean error in each average: a few exact neighbours do not make
the next prediction certain.
"""

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class PredictionMargins:
    """Margins of predictions.

    Attributes:
        below, above: The margins relative to the typical error; infinite with too few rows or
            groups.
        predictions, local_errors: Shape (n,). Predictions, ascending, and the mean error of the
            rows around each; both on the scale of margins.
        floor: A lower bound of true values, if any.
        unit: Margins are differences of log(1 + value / unit); ``None``: of values.
        has_few_rows: Whether rows were too few for two separate margins.
    """

    below: float
    above: float
    predictions: Floats
    local_errors: Floats
    floor: float | None = None
    unit: float | None = None
    has_few_rows: bool = False

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
        unit: float | None = None,
    ) -> "PredictionMargins":
        """Learn margins from rows unseen by the model.

        Args:
            predictions, truth: Shape (n,), n > 0.
            share: The coverage, in (0, 1).
            weights: Shape (n,). At least 0, not all 0; ``None``: equal.
            units: Shape (n,). Units of rows with dependent errors
                (:func:`studio.data.intervals.resampling.get_units`).
            floor: A lower bound of true values.
            unit: For amounts: the unit of their logarithm.
        """
        missed = (1.0 - share) / 2
        _, total, typical = _weigh_rows(len(truth), weights, units)
        # Units of typical weight among the missed rows, with the new row's.
        n_tail_units = missed * (total / typical + 1.0) * (1.0 + _ROUNDING)
        has_few_rows = n_tail_units < MIN_TAIL_UNITS
        is_at_floor = (
            floor is not None and np.average(truth <= floor, weights=weights) >= missed - _ROUNDING
        )
        if has_few_rows or is_at_floor:
            unit = None
        scores, known_predictions, local_errors = score_errors(
            _to_scale(predictions, unit), _to_scale(truth, unit)
        )
        if has_few_rows or is_at_floor:
            below = above = compute_quantile(np.abs(scores), share, weights, units=units)
        else:
            below, above = (
                compute_quantile(sign * scores, 1.0 - missed, weights, units=units)
                for sign in (-1, 1)
            )
        return cls(below, above, known_predictions, local_errors, floor, unit, has_few_rows)

    @property
    def is_known(self) -> bool:
        """Whether there were enough rows, or groups of them."""
        return bool(np.isfinite(self.above))

    def compute_intervals(self, predicted: Floats) -> Floats:
        """Return the intervals of the true values of predictions (n,), shape (n, 2).

        They contain the predictions, also where most true values are on one side of them.
        """
        ends = np.tile([-np.inf, np.inf], (len(predicted), 1))
        if self.is_known:
            located = _to_scale(predicted, self.unit)
            typical_errors = np.interp(located, self.predictions, self.local_errors)
            ends = located[:, None] + np.outer(typical_errors, [-self.below, self.above])
            ends = _from_scale(ends, self.unit)
        low, high = np.minimum(ends[:, 0], predicted), np.maximum(ends[:, 1], predicted)
        if self.floor is not None:
            # Clip intervals to possible values: coverage does not change.
            low, high = np.maximum(low, self.floor), np.maximum(high, self.floor)
        return np.column_stack([low, high])

    def find_covered(self, predictions: Floats, truth: Floats) -> Flags:
        """Return whether the interval of each prediction (n,) contains the true value, (n,)."""
        low, high = self.compute_intervals(predictions).T
        is_covered: Flags = (low <= truth) & (truth <= high)
        return is_covered


def _to_scale(values: Floats, unit: float | None) -> Floats:
    if unit is None:
        return values
    return np.log1p(np.maximum(values, 0.0) / unit)


def _from_scale(values: Floats, unit: float | None) -> Floats:
    if unit is None:
        return values
    # No number of a table is larger.
    return unit * np.expm1(np.minimum(values, np.log1p(MAX_MAGNITUDE / unit)))


def score_errors(predictions: Floats, truth: Floats) -> tuple[Floats, Floats, Floats]:
    """Return scores, predictions in ascending order, and the mean error around each of these, (n,).

    A score is a row's error relative to the mean error of the other rows around it.
    """
    order = np.argsort(predictions, kind="stable")
    signed = (truth - predictions)[order]
    errors = np.abs(signed)
    neighbour_sums, count = _sum_neighbours(errors)
    overall = _PRIOR_WEIGHT * float(errors.mean())
    typical_errors = (neighbour_sums - errors + overall) / (count - 1 + _PRIOR_WEIGHT)
    scores = np.empty(len(errors))
    # If all errors are zero, so is the margin.
    scores[order] = np.divide(
        signed, typical_errors, out=np.zeros_like(errors), where=typical_errors > 0
    )
    return scores, predictions[order], (neighbour_sums + overall) / (count + _PRIOR_WEIGHT)


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

    The new row is treated as one more exchangeable row: its unit has the typical weight W = Σ W_u²
    / Σ W_u over the units, and its score is taken as infinite. The result is thus the smallest
    score, of scores (n,), at which the cumulative weight reaches ``share`` (Σ w + W). For rows of
    equal weight it is the ⌈share (n + 1)⌉-th smallest; for groups of equal size it is that of Lee,
    Barber and Willett (2023), where a new row belongs to a new group; the weights follow Tibshirani
    et al. (2019). Other arguments as in :meth:`PredictionMargins.learn`.
    """
    counts, total, typical = _weigh_rows(len(scores), weights, units)
    threshold = share * (total + typical)
    order = np.argsort(scores, kind="stable")
    rank = int(np.searchsorted(np.cumsum(counts[order]), threshold * (1.0 - _ROUNDING)))
    return float(scores[order[rank]]) if rank < len(scores) else float("inf")


def _weigh_rows(
    n_rows: int, weights: Floats | None, units: Integers | None
) -> tuple[Floats, float, float]:
    """Return the rows' weights, (n_rows,), their sum, and the typical weight of a unit."""
    counts = np.ones(n_rows) if weights is None else weights
    unit_weights = counts if units is None else np.bincount(units, counts)
    total = float(unit_weights.sum())
    return counts, total, float(np.square(unit_weights).sum()) / total
