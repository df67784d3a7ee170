"""Task ``second_file``: whether a second file can be the test set of a table."""

from pathlib import Path
from typing import Any

from studio.helper.preview import read_raw
from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Read both files and encode the second as a run would.

    Parameters
    ----------
    arguments : dict
        path, options, kinds, roles, target, task as for ``preview``; test_path: the second file.

    Returns
    -------
    dict
        rows: how many rows of it can be used; notes: what is missing, unknown or unused in it.

    Raises
    ------
    DataError
        If it cannot be read, lacks a needed column, or no row of it has a known target.
    """
    from studio.data.problem import Problem
    from studio.data.reading import read
    from studio.data.table import Table

    table = Table.from_raw(
        read_raw(arguments),
        kinds=arguments.get("kinds", {}),
        roles=arguments.get("roles", {}),
        target=arguments.get("target"),
    )
    problem = Problem.from_table(table, arguments.get("task", "auto"))
    labelled = problem.codec().encode_labelled(read(Path(arguments["test_path"]), table.options))
    return {"rows": len(labelled.y), "notes": list(labelled.notes)}, {}
