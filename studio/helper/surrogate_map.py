"""Task ``surrogate_map``: the surrogate over two hyperparameters."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.runs.explain.planes.surrogate_plane`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all;
        x, y: two different hyperparameters.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.runs.explain.planes.Plane`: words, and arrays.
    """
    from studio.helper.fields import split_fields
    from studio.runs.explain.planes import surrogate_plane

    found = surrogate_plane(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
        str(arguments["x"]),
        str(arguments["y"]),
    )
    return split_fields(found)
