"""Task ``advice``: which method, space, split and metric suit a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.helper.described import Described


@dataclass(frozen=True)
class Advised:
    """What suits a table.

    Attributes
    ----------
    method, space, metric : str
        Their keys.
    plan : dict
        The split, as JSON.
    refit : bool
        Whether the final models are refitted on all rows.
    division : str
        The split in a few words, with the reason.
    sentence : str
        All of it in one sentence, with the reasons.
    """

    method: str
    space: str
    metric: str
    plan: dict[str, Any]
    refit: bool
    division: str
    sentence: str


def advice(table: Described, plan: Mapping[str, Any], seconds: float | None = None) -> Advised:
    """Read a table as described and advise.

    Parameters
    ----------
    table : Described
        The table.
    plan : Mapping
        The split as JSON, whose share of test rows, limit of rows and seed are kept.
    seconds : float or None
        The time that is given.
    """
    from studio.data.splits import SplitPlan
    from studio.runs.advice import advise

    found = advise(table.problem(), SplitPlan.from_json(plan), seconds)
    return Advised(
        found.method,
        found.space,
        found.metric,
        found.plan.to_json(),
        found.refit,
        found.division,
        found.sentence,
    )
