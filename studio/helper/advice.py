"""Task ``advice``: which method, space, division and metric suit a table."""

from collections.abc import Mapping
from typing import Any

from studio.helper.described import Described


def advice(
    table: Described, plan: Mapping[str, Any], seconds: float | None = None
) -> dict[str, Any]:
    """Read a table as described and advise.

    Parameters
    ----------
    table : Described
        The table.
    plan : Mapping
        The division as JSON, whose shares of test rows, cap and seed are kept.
    seconds : float or None
        The time that is given.

    Returns
    -------
    dict
        method, space, metric: keys; plan: the division as JSON; division: it in words; refit:
        whether final models are trained once more; sentence: all of it with the reasons.
    """
    from studio.data.splits import SplitPlan
    from studio.runs.advice import advise

    return advise(table.problem(), SplitPlan.from_json(plan), seconds).to_json()
