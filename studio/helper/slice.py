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
        The fields of :class:`studio.runs.explain.Slice`: words, and arrays.
    """
    from studio.runs.explain import surrogate_slice

    found = surrogate_slice(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
        str(arguments["parameter"]),
    )
    words = {
        "parameter": found.parameter,
        "log": found.log,
        "choices": list(found.choices),
        "next_value": found.next_value,
        "objective": found.objective,
        "explanation": found.explanation,
        "reason": found.reason,
    }
    arrays = {
        "grid": found.grid,
        "mean": found.mean,
        "sd": found.sd,
        "acquisition": found.acquisition,
        "trial_values": found.trial_values,
        "trial_targets": found.trial_targets,
        "trial_numbers": found.trial_numbers,
    }
    return words, arrays
