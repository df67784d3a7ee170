"""Task ``calibration``: what the surrogate predicted for each trial, and what came."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.runs.explain.calibration.one_step_ahead`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.runs.explain.calibration.OneStepAhead`: words, and arrays.
    """
    from studio.helper.fields import split_fields
    from studio.runs.explain.calibration import one_step_ahead

    found = one_step_ahead(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
    )
    return split_fields(found)
