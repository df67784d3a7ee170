"""Losses as ratios of sums over rows, for computing their uncertainty."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studio.arrays import Flags, Floats

UNSEEN_FACTOR = 3**0.5
"""Factor of the largest observed error as a bound of unseen ones. Chosen empirically: the smallest
of 1, √2 and √3 at which intervals of mean squares reach nominal coverage with 20 rows
(docs/studies/honesty.md).
"""


@dataclass(frozen=True, eq=False)
class Ratios:
    """A loss in terms of sums: ``loss(Σ_i above_ik / Σ_i below_ik)`` for k ratios.

    A mean is one ratio; an error that is averaged over classes has one for each class. Resampling
    rows changes only the sums.

    Attributes:
        numerators, denominators: Shape (k, n). Weighted contributions of rows to numerators and
            denominators, at least 0. A ratio with an empty denominator, such as that of a class
            without rows, counts as 0.
        loss: From ratios, shape (…, k), to losses, shape (…); increasing in each ratio.
        has_errors: Shape (k,). Whether any row is wrong in each ratio.
        worst_ratios: Shape (k,). The ratio if all rows were wrong (or guessed, for an unbounded
            loss).
        max_excess: How far unseen rows may exceed the worst ratio, at least 1; 1 for a bounded
            loss.
        is_estimated: Whether the denominator is a spread estimated from the rows, not only their
            weight.
        is_first_order: Whether the loss is no sum over rows, and these are its ratios to first
            order.
    """

    numerators: Floats
    denominators: Floats
    loss: Callable[[Floats], Floats]
    has_errors: Flags
    worst_ratios: Floats
    max_excess: float = 1.0
    is_estimated: bool = False
    is_first_order: bool = False


def make_row_mean(
    losses: Floats,
    weights: Floats,
    loss: Callable[[Floats], Floats],
    *,
    worst: float,
    has_wrong_rows: bool | None = None,
    beyond: float = 1.0,
) -> Ratios:
    """Return a loss that is a function of one weighted mean over rows.

    Args:
        losses, weights: Shape (n,).
        loss: From means, any shape, to losses.
        worst, beyond: As in :class:`Ratios`.
        has_wrong_rows: Whether any row is wrong; ``None``: whether any loss is positive.
    """
    numerators = (weights * losses)[None]
    any_wrong = bool(numerators.any()) if has_wrong_rows is None else has_wrong_rows
    return Ratios(
        numerators=numerators,
        denominators=weights[None],
        loss=lambda ratios: loss(ratios[..., 0]),
        has_errors=np.full(1, any_wrong),
        worst_ratios=np.array([worst]),
        max_excess=beyond,
    )


def make_class_error_mean(numerators: Floats, denominators: Floats) -> Ratios:
    """Return the mean of the classes' error rates, in [0, 1], from contributions (C, n)."""
    occurs = denominators.any(axis=1)

    def compute_loss(ratios: Floats) -> Floats:
        mean: Floats = ratios[..., occurs].mean(axis=-1)
        return mean

    return Ratios(
        numerators,
        denominators,
        compute_loss,
        np.asarray(numerators.any(axis=1)),
        np.ones(len(numerators)),
    )


def make_influence_mean(loss: float, slopes: Floats, weights: Floats, *, worst: float) -> Ratios:
    """Return a loss that is not a sum over rows, to first order: a mean of the rows' influences.

    Args:
        loss: Of all rows, at least 0.
        slopes: Shape (n,). Derivative of the loss by each row's weight; Σ weights·slopes = 0.
        weights: Shape (n,). Positive.
        worst: The slope of the most harmful possible row.
    """
    changes = loss + weights.sum() * slopes
    min_change = float(changes.min())
    return Ratios(
        numerators=(weights * (changes - min_change))[None],
        denominators=weights[None],
        loss=lambda ratios: np.maximum(ratios[..., 0] + min_change, 0.0),
        # The largest observed influence does not bound unseen ones, so it counts as 0.
        has_errors=np.zeros(1, dtype=np.bool_),
        worst_ratios=np.array([loss + weights.sum() * worst - min_change]),
        is_first_order=True,
    )
