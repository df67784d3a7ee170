"""Task ``advice``: which method, space and split suit a table."""

from collections.abc import Mapping
from typing import Any

from studio.data.splits import SplitPlan
from studio.helper.table_spec import TableSpec
from studio.runs.advised import Advice


def advice(table: TableSpec, plan: Mapping[str, Any], seconds: float | None = None) -> Advice:
    """Read a table as described and advise.

    Args:
        table: The table.
        plan: The split as JSON, whose share of test rows, limit of rows and seed are kept.
        seconds: The time that is given.
    """
    from studio.runs.advice import advise

    return advise(table.problem(), SplitPlan.from_json(plan), seconds)
