"""Task ``column_plan``: what it would take to find out what an ensemble looks at."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.column_plan.column_plan`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: whose ensemble.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.column_plan.Plan`; no arrays.
    """
    from studio.analysis.column_plan import column_plan
    from studio.helper.fields import split_fields

    return split_fields(
        column_plan(Path(arguments["document"]), int(arguments["run"]), int(arguments["iteration"]))
    )
