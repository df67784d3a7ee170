"""Task ``ensemble_objective``: each trial's loss alone, and the ensemble's with it added."""

from pathlib import Path
from typing import Any

import numpy as np

from studio.helper.registry import Answer

_WORDS = ("slot", "searched", "loss", "of_metric", "note", "log", "reason")
_ARRAYS = (
    "numbers",
    "own",
    "together",
    "members",
    "places",
    "each_slot",
    "holders",
    "grid",
    "mean",
    "sd",
    "each_mean",
)


def run(arguments: dict[str, Any]) -> Answer:
    """Work out both from the stored predictions.

    Parameters
    ----------
    arguments : dict
        document, run, iteration; slot: EO's slot to leave out, or ``None`` for the next one's;
        parameter: a hyperparameter, or ``None``; every_slot: whether to leave out each in turn.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.ensemble_objective.EnsembleObjective`.
    """
    from studio.analysis.ensemble_objective import ensemble_objective

    found = ensemble_objective(
        Path(arguments["document"]),
        int(arguments["run"]),
        int(arguments["iteration"]),
        slot=arguments["slot"],
        parameter=arguments["parameter"],
        every_slot=bool(arguments["every_slot"]),
    )
    words = {name: getattr(found, name) for name in _WORDS}
    words["choices"] = list(found.choices)
    words["whole"] = None if np.isnan(found.whole) else found.whole
    arrays = {name: getattr(found, name) for name in _ARRAYS}
    return words, arrays
