"""Task ``surrogate_map``: the surrogate over two hyperparameters."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.surrogate.planes.surrogate_plane`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all;
        x, y: two different hyperparameters.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.surrogate.planes.Plane`: words, and arrays.
    """
    from studio.analysis.surrogate.planes import surrogate_plane
    from studio.helper.fields import split_fields

    found = surrogate_plane(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
        str(arguments["x"]),
        str(arguments["y"]),
    )
    return split_fields(found)
