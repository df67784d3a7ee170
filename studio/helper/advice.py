"""Task ``advice``: which method, space, division and metric suit a table."""

from typing import Any

from studio.helper.preview import read_raw
from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Read a table as described and advise.

    Parameters
    ----------
    arguments : dict
        path, options, kinds, roles, target, task as for ``preview``; plan: the division as JSON,
        whose shares of test rows, cap and seed are kept; seconds: the time that is given, or
        ``None``.

    Returns
    -------
    dict
        method, space, metric: keys; plan: the division as JSON; division: it in words; refit:
        whether final models are trained once more; sentence: all of it with the reasons.
    """
    from studio.data.problem import Problem
    from studio.data.splits import SplitPlan
    from studio.data.table import Table
    from studio.runs.advice import advise

    table = Table.from_raw(
        read_raw(arguments),
        kinds=arguments.get("kinds", {}),
        roles=arguments.get("roles", {}),
        target=arguments.get("target"),
    )
    problem = Problem.from_table(table, arguments.get("task", "auto"))
    plan = SplitPlan.from_json(arguments.get("plan", {}))
    return advise(problem, plan, arguments.get("seconds")).to_json(), {}
