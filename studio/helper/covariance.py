"""Task ``covariance``: the covariance matrix of a run's trials, sorted by condition."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.runs.explain.covariances.trial_covariance`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.runs.explain.covariances.Covariance`: words, and arrays.
    """
    from studio.helper.fields import split_fields
    from studio.runs.explain.covariances import trial_covariance

    found = trial_covariance(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
    )
    return split_fields(found)
