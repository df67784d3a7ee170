"""Task ``covariance``: the covariance matrix of a run's trials, sorted by condition."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.surrogate.covariances.trial_covariance`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.surrogate.covariances.Covariance`: words, and arrays.
    """
    from studio.analysis.surrogate.covariances import trial_covariance
    from studio.helper.fields import split_fields

    found = trial_covariance(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
    )
    return split_fields(found)
