"""Which rows the members are trained on: nested shares, as like the whole as can be."""

import numpy as np

from studio.arrays import Integers
from studio.data.splits.rule import SplitRule
from studio.errors import DataError

MIN_ROWS = 160
"""Rows to learn from below which no curve is made: an eighth of fewer teaches nothing."""

PARTS = 8
SHARES = (1 / 8, 1 / 4, 1 / 2)
IN_TIME = (1 / 8, 1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3)
"""Shares where only the latest rows are like those that come: one line of them, so closer ones."""


def nested(rows: Integers, rule: SplitRule, rng: np.random.Generator) -> list[Integers]:
    """Return the rows of each training, from few to all.

    Two lines of nested shares, which have nothing in common before the whole, show how much hangs
    on which rows were drawn. Groups stay whole, and copies together. In time a share is the latest
    rows, as a shorter history would have been.

    Args:
        rows: Shape (k,). All rows to learn from, ascending.
        rule: Classes, copies, groups or times of all rows.
        rng: Draws the parts.

    Returns:
        Ascending row numbers, shape (m,) each.

    Raises:
        DataError: If there are fewer than :data:`MIN_ROWS` rows, or too few groups or different
            rows.
    """
    if len(rows) < MIN_ROWS:
        raise DataError(
            "There are {count:,} rows to learn from; a learning curve needs at least {least}.",
            count=len(rows),
            least=MIN_ROWS,
        )
    if rule.times is not None:
        order = rows[np.argsort(rule.times[rows], kind="stable")]
        latest = [np.sort(order[-round(len(rows) * share) :]) for share in IN_TIME]
        return [*latest, rows]
    part = rule.dealt(rows, PARTS, rng)
    return [
        *(
            rows[(first <= part) & (part < first + PARTS * share)]
            for share in SHARES
            for first in (0, PARTS // 2)
        ),
        rows,
    ]
