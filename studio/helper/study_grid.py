"""Task ``study_grid``: where each cell of the document's study is."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.compare.grid.grid`.

    Parameters
    ----------
    arguments : dict
        document.

    Returns
    -------
    dict
        rows: the fields of each :class:`studio.compare.grid.GridRow`.
    """
    from studio.compare.grid import grid
    from studio.compare.study import load_study
    from studio.document.store import Document

    path = Path(arguments["document"])
    study = load_study(path)
    with Document.open(path, writable=False) as document:
        rows = grid(document, study)
    return {"rows": [asdict(row) for row in rows]}, {}
