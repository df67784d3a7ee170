"""Task ``calibration``: what the surrogate predicted for each trial, and what came."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.surrogate.calibration.one_step_ahead`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all.

    Returns
    -------
    dict, arrays
        The fields of
        :class:`studio.analysis.surrogate.calibration.OneStepAhead`: words, and arrays.
    """
    from studio.analysis.surrogate.calibration import one_step_ahead
    from studio.helper.fields import split_fields

    found = one_step_ahead(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
    )
    return split_fields(found)
