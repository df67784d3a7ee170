"""Task ``import_table``: put a file's table into the document."""

from pathlib import Path
from typing import Any

from studio.helper.preview import read_raw
from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Read a file, convert its columns, and write the table into a document.

    Parameters
    ----------
    arguments : dict
        document; path, options, kinds, roles, target as for ``preview``.

    Returns
    -------
    dict
        table: the id in the document; n_rows.
    """
    from studio.data.table import Table
    from studio.document.store import Document

    raw = read_raw(arguments)
    table = Table.from_raw(
        raw,
        kinds=arguments.get("kinds", {}),
        roles=arguments.get("roles", {}),
        target=arguments["target"],
    )
    with Document.open(Path(arguments["document"])) as document:
        number = document.add_table(table.description(), table.arrays())
    return {"table": number, "n_rows": raw.n_rows}, {}
