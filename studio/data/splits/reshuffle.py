"""New training and validation rows, or new folds, out of the same development rows."""

import numpy as np

from studio.arrays import Integers
from studio.data.split_plan import SplitPlan
from studio.data.splits.rule import SplitRule
from studio.data.splits.split import Folds, Split
from studio.errors import UsageError

_DRAW = 0x5E5


def reshuffled(
    split: Split, plan: SplitPlan, strata: Integers, groups: Integers | None, seed: int
) -> Folds:
    """Divide D_T ∪ D_V again; test and selection rows stay what they are (thesis 3.2.1).

    Args:
        split: The run's split.
        plan: The proportions, or the number of folds, the cap, and what becomes of equal rows; its
            own seed does not matter here.
        strata: Shape (n,). Class codes of all rows; zeros for regression.
        groups: Shape (n,), or None. Group codes of all rows: no group is in two parts.
        seed: Of the draw, not negative; the same seed gives the same rows.

    Returns:
        One pair for hold-out; with folds one for each, their validation parts together all of
        ``split.validation``.

    Raises:
        UsageError: If the rows are in order of time: there is only one such order.
        DataError: If there are fewer groups than parts.
    """
    if split.by_time:
        raise UsageError(
            "Rows in order of time cannot be reshuffled: only one split has all validation rows "
            "later than the training rows. Choose an evaluation on the same rows for every trial, "
            "or remove the role “time” from its column."
        )
    rng = np.random.default_rng([seed, _DRAW])
    rows = np.union1d(split.train, split.validation)
    together = plan.equal_rows == "together"
    records = split.records(len(strata)) if together else None
    rule = SplitRule(strata, groups, records=records)
    if plan.folds is not None:
        return rule.folds(rows, plan, rng)
    train, validation, _ = rule.hold_out(rows, plan, 0.0, rng)
    return ((train, validation),)
