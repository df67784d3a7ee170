"""Task ``slice``: the surrogate along one hyperparameter, as the plot of that name draws it."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Ask the run's proposer again, with the history as it was.

    Parameters
    ----------
    arguments : dict
        document, run, parameter; iteration: trials finished by then, or ``None`` for all.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.surrogate.slices.Slice`: words, and arrays.
    """
    from studio.analysis.surrogate.slices import surrogate_slice
    from studio.helper.fields import split_fields

    found = surrogate_slice(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
        str(arguments["parameter"]),
    )
    return split_fields(found)
