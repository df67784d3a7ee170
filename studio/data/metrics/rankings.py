"""Metrics of rankings: AUC and average precision."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.metrics.base import CLASSIFICATION, Metric
from studio.data.metrics.ratios import Ratios, make_influence_mean
from studio.data.metrics.weighting import make_row_weights


@dataclass(frozen=True)
class AveragePrecision(Metric):
    """One minus the average precision of the second of two classes."""

    key = "average-precision"
    title = "1 − average precision"
    summary = (
        "Share of other rows among those ranked highest, averaged over the ranks of the rows of "
        "the class. The class is the second in order, such as “yes” after “no”, or 1 after 0."
    )
    reference = "average precision: Σ (R_n − R_n-1)·P_n"
    tasks = ("binary",)
    prediction_type = "probabilities"
    unit = "%"

    def is_defined(self, truth: AnyArray) -> bool:
        """Return whether truth, shape (n,), has a positive row."""
        return bool((truth == 1).any())

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return 1 − average precision, in [0, 1], of predictions (n, 2).

        It is 1 without positive rows.
        """
        weight = make_row_weights(weights, len(truth))
        has_weight = weight > 0
        positive = (truth[has_weight] == 1) * weight[has_weight]
        if not positive.any():
            return 1.0
        recall_steps, precision, _ = _compute_levels(
            predictions[has_weight, 1], positive, weight[has_weight]
        )
        return float(1 - (recall_steps * precision).sum() / recall_steps.sum())

    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        """Return each row's first-order influence on the loss of predictions (n, 2)."""
        positive = truth == 1
        if not positive.any():
            return None
        recall_steps, precision, level_indices = _compute_levels(
            predictions[:, 1], positive * weights, weights
        )
        cumulative_weight = np.cumsum(np.bincount(level_indices, weights))
        total = recall_steps.sum()
        average_precision = float((recall_steps * precision).sum() / total)

        def reverse_cumsum(each: Floats) -> Floats:
            return np.cumsum(each[::-1])[::-1]

        # One more row at a rank changes the precision there and at all lower ranks.
        increase = reverse_cumsum(recall_steps * (1 - precision) / cumulative_weight) / total
        decrease = reverse_cumsum(recall_steps * precision / cumulative_weight) / total
        positive_change = (precision - average_precision)[level_indices] / total + increase[
            level_indices
        ]
        slopes = np.where(positive, -positive_change, decrease[level_indices])
        # A positive row ranked last, or a negative one ranked first.
        worst_slope = max(average_precision / total, float(decrease[0]))
        return make_influence_mean(1 - average_precision, slopes, weights, worst=worst_slope)


def _compute_levels(
    scores: Floats, positive: Floats, weights: Floats
) -> tuple[Floats, Floats, Integers]:
    """Return the recall increments and precisions by rank, highest score first.

    Scores, the weight of positive rows, and all weights have shape (n,), the first two results (L,)
    for L distinct scores; the last, (n,), is each row's rank index.
    """
    levels, rising = np.unique(scores.astype(np.float64), return_inverse=True)
    level_indices: Integers = len(levels) - 1 - rising
    recall_steps = np.bincount(level_indices, positive).astype(np.float64)
    return (
        recall_steps,
        np.cumsum(recall_steps) / np.cumsum(np.bincount(level_indices, weights)),
        level_indices,
    )


@dataclass(frozen=True)
class Auc(Metric):
    """One minus the area under the ROC curve."""

    key = "auc"
    title = "1 − AUC"
    summary = (
        "How often a row of a class is ranked below a row of another class. With more than "
        "two classes, the mean over each class against the rest."
    )
    reference = "ROC AUC, one against the rest, macro average; Hand & Till 2001"
    tasks = CLASSIFICATION
    prediction_type = "probabilities"
    unit = "%"

    def is_defined(self, truth: AnyArray) -> bool:
        """Return whether truth, shape (n,), has two classes, one of which can be ranked."""
        return bool((truth != truth[0]).any())

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return 1 − AUC of predictions (n, C), in [0, 1]; ½ if no class can be ranked.

        With more than two classes, it is the mean over the classes that occur.
        """
        class_codes = _list_ranked_classes(predictions.shape[1])
        weight = make_row_weights(weights, len(truth))
        has_weight = weight > 0
        truth, predictions, weight = truth[has_weight], predictions[has_weight], weight[has_weight]
        losses = [
            _compute_misranked_share(predictions[:, code].astype(np.float64), positive, weight)
            for code in class_codes
            if 0 < (positive := truth == code).sum() < len(truth)
        ]
        return float(np.mean(losses)) if losses else 0.5

    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        """Return each row's share of misranked pairs, for each class against the rest.

        Truth and weights have shape (n,), predictions (n, C).

        The sum of both means less the loss is the loss of resampled rows to first order (the
        placements of DeLong, DeLong and Clarke-Pearson 1988).
        """
        numerators, denominators = [], []
        for code in _list_ranked_classes(predictions.shape[1]):
            positive = truth == code
            if positive.all() or not positive.any():
                continue
            misranked_share = _compute_misranked_shares(
                predictions[:, code].astype(np.float64), positive, weights
            )
            for side in (positive, ~positive):
                numerators.append(weights * misranked_share * side)
                denominators.append(weights * side)
        if not numerators:
            return None
        stacked_numerators, stacked_denominators = np.stack(numerators), np.stack(denominators)
        losses = (stacked_numerators.sum(axis=1) / stacked_denominators.sum(axis=1))[::2]

        def compute_loss(ratios: Floats) -> Floats:
            shifted = ratios[..., ::2] + ratios[..., 1::2] - losses
            mean: Floats = np.clip(shifted, 0.0, 1.0).mean(axis=-1)
            return mean

        # An unseen row's rank depends on other unseen rows, so the observed maximum is not a bound
        # and counts as 0.
        n_means = len(stacked_numerators)
        return Ratios(
            stacked_numerators,
            stacked_denominators,
            compute_loss,
            np.zeros(n_means, dtype=np.bool_),
            np.ones(n_means),
            is_first_order=True,
        )


def _list_ranked_classes(n_classes: int) -> Sequence[int]:
    return (1,) if n_classes == 2 else range(n_classes)


def _compute_misranked_shares(scores: Floats, positive: Flags, weights: Floats) -> Floats:
    """Return the share of misranked pairs of each row with the other class, (n,), ties ½."""
    levels, position = np.unique(scores, return_inverse=True)
    positives = np.bincount(position, weights=weights * positive, minlength=len(levels))
    negatives = np.bincount(position, weights=weights * ~positive, minlength=len(levels))
    # Summed from each end separately, so that it is exactly 0 without misranking.
    higher = np.cumsum(negatives[::-1])[::-1] - negatives / 2
    lower = np.cumsum(positives) - positives / 2
    share: Floats = np.where(
        positive, higher[position] / negatives.sum(), lower[position] / positives.sum()
    )
    return share


def _compute_misranked_share(scores: Floats, positive: Flags, weights: Floats) -> float:
    """Return the weighted share of misordered pairs of rows (n,), ties ½ (Mann–Whitney)."""
    levels, position = np.unique(scores, return_inverse=True)
    positives = np.bincount(position, weights=weights * positive, minlength=len(levels))
    negatives = np.bincount(position, weights=weights * ~positive, minlength=len(levels))
    # Sums of integers are exact, so unweighted rows give the exact result of average ranks.
    correct_pairs = (positives * (np.cumsum(negatives) - negatives / 2)).sum()
    return float(1 - correct_pairs / (positives.sum() * negatives.sum()))
