"""Sentences comparing two test losses: ensemble and best single model, before and after a refit."""

from collections.abc import Callable, Sequence

from studio.language import tr
from studio.phrases import phrase

SAME_MODEL = phrase("The ensemble is the best single model itself, so there is nothing to compare.")
TOO_FEW_TEST_ROWS = phrase(
    "There are too few test rows to tell whether the difference is more than chance."
)
EQUALLY_GOOD = phrase("The ensemble and the best single model do equally well on the test rows.")
MAY_BE_CHANCE = phrase(
    "The difference may be chance: on other test rows the order could be the reverse."
)
ENSEMBLE_IS_BETTER = phrase(
    "The ensemble is better on the test rows by more than chance would explain (on 95 % of "
    "resamples of these rows)."
)
SINGLE_IS_BETTER = phrase(
    "The best single model is better on the test rows by more than chance would explain (on 95 % "
    "of resamples of these rows)."
)


def describe_loss_difference(
    difference: Sequence[float] | None, *, is_same_model: bool, are_equal: bool = False
) -> str:
    """Return the conclusion about the difference of two test losses.

    Args:
        difference: 95 % interval of the ensemble's loss minus the single model's, over the same
            rows (:func:`studio.runs.uncertainty.compute_test_difference_interval`).
        is_same_model: Whether the ensemble is just the best single model.
        are_equal: Whether both losses are equal, though not on the same rows.
    """
    if is_same_model:
        return SAME_MODEL
    if difference is None:
        return TOO_FEW_TEST_ROWS
    low, high = difference
    if low == high == 0 or (are_equal and low <= 0 <= high):
        return EQUALLY_GOOD
    if high < 0:
        return ENSEMBLE_IS_BETTER
    return SINGLE_IS_BETTER if low > 0 else MAY_BE_CHANCE


def describe_before_refit(
    before: float | None, after: float | None, formatter: Callable[[float], str]
) -> str:
    """Return the ensemble's test loss before and after a refit (translated); "" if they agree."""
    if before is None or after is None or formatter(before) == formatter(after):
        return ""
    return tr(
        "The ensemble before the refit: {before}; after it: {after}.",
        before=formatter(before),
        after=formatter(after),
    )
