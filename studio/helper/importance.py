"""Task ``importance``: how much each hyperparameter matters, by the surrogate."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.surrogate.importances.importances`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all;
        branch: whose hyperparameters are measured beside those that are always active, or "".

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.surrogate.importances.Importances`: words, and arrays.
    """
    from studio.analysis.surrogate.importances import importances
    from studio.helper.fields import split_fields

    found = importances(
        Path(arguments["document"]),
        int(arguments["run"]),
        arguments["iteration"],
        str(arguments["branch"]),
    )
    return split_fields(found)
