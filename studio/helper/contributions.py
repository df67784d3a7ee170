"""Task ``contributions``: what each member adds to an ensemble."""

import math
from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Work it out from the stored predictions.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: whose ensemble, or ``None`` for the final (or newest) one.

    Returns
    -------
    dict, arrays
        The fields of
        :class:`studio.analysis.contributions.Contributions`; numbers that are not known
        are null in the JSON and NaN in the arrays.
    """
    from studio.analysis.contributions import contributions

    found = contributions(
        Path(arguments["document"]), int(arguments["run"]), arguments.get("iteration")
    )
    words = {
        "reason": found.reason,
        "validation": None if math.isnan(found.validation) else found.validation,
        "test": None if math.isnan(found.test) else found.test,
        "guess": None if math.isnan(found.guess) else found.guess,
        "single": found.single,
        "difference": None if found.difference is None else list(found.difference),
    }
    arrays = {
        "members": found.members,
        "weights": found.weights,
        "own_validation": found.own_validation,
        "own_test": found.own_test,
        "without_validation": found.without_validation,
        "without_test": found.without_test,
    }
    return words, arrays
