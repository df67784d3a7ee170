"""Task ``study_results``: tables and diagrams of the document's study, as far as it is."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.helper.registry import Answer

if TYPE_CHECKING:
    from studio.compare.so_far import SoFar

_KEPT: "dict[str, SoFar]" = {}
"""What was read of the last document: every finished cell is read once while this process lives."""


def run(arguments: dict[str, Any]) -> Answer:
    """See :class:`studio.compare.so_far.SoFar`.

    Parameters
    ----------
    arguments : dict
        document; thorough: whether probabilities from the test rows are worked out, too.

    Returns
    -------
    dict
        finished, methods, report; tables and diagrams as :mod:`studio.compare.exchange` has them.
    """
    from studio.compare.exchange import diagram_to_json, table_to_json
    from studio.compare.so_far import SoFar

    path = str(arguments["document"])
    if path not in _KEPT:
        _KEPT.clear()
        _KEPT[path] = SoFar(Path(path))
    found = _KEPT[path].read(thorough=bool(arguments["thorough"]))
    return {
        "finished": found.finished,
        "methods": list(found.methods),
        "report": found.report,
        "tables": [table_to_json(each) for each in found.tables],
        "diagrams": [diagram_to_json(each) for each in found.diagrams],
    }, {}
