"""Task ``search_diversity``: how unlike the ensemble before it each suggestion turned out."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Compare every trial's stored predictions with those of the members before it.

    Parameters
    ----------
    arguments : dict
        document, run.

    Returns
    -------
    dict, arrays
        more: whether to ask again; numbers, least and nearest (k,) as
        :class:`studio.analysis.search_diversity.LeastDiversity` has them.
    """
    from studio.analysis.search_diversity import least_diversity

    found = least_diversity(Path(arguments["document"]), int(arguments["run"]))
    return {"more": found.more}, {
        "numbers": found.numbers,
        "least": found.least,
        "nearest": found.nearest,
    }
