"""Task ``advice``: which method, space, division and metric suit a table."""

from typing import Any

from studio.helper.preview import read_raw
from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Read a table as described and advise.

    Parameters
    ----------
    arguments : dict
        path, options, kinds, roles, target, task as for ``preview``.

    Returns
    -------
    dict
        method, space, metric: keys; plan: the division as JSON; sentence: all of it with the
        reasons.
    """
    from studio.data.problem import Problem
    from studio.data.table import Table
    from studio.runs.advice import advise

    table = Table.from_raw(
        read_raw(arguments),
        kinds=arguments.get("kinds", {}),
        roles=arguments.get("roles", {}),
        target=arguments.get("target"),
    )
    return advise(Problem.from_table(table, arguments.get("task", "auto"))).to_json(), {}
