"""Task ``search_agreement``: how well the diversity surrogate orders pairs that it has not seen."""

from pathlib import Path
from typing import Any

import numpy as np

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Judge the run's diversity surrogate at one more iteration, and return all known.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: up to where.

    Returns
    -------
    dict, arrays
        applies: whether the method has such a surrogate; more: whether to ask again; numbers and
        taus (c,) as :func:`studio.analysis.search_diversity.surrogate_agreement` has them.
    """
    from studio.analysis.search_diversity import surrogate_agreement

    found = surrogate_agreement(
        Path(arguments["document"]), int(arguments["run"]), int(arguments["iteration"])
    )
    if found is None:
        nothing = {"numbers": np.empty(0, dtype=np.int64), "taus": np.empty(0)}
        return {"applies": False, "more": False}, nothing
    numbers, taus, more = found
    return {"applies": True, "more": more}, {"numbers": numbers, "taus": taus}
