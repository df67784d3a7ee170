"""Task ``margins``: the losses over the margin, and the margins of the current ensemble."""

from pathlib import Path
from typing import Any

import numpy as np

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Work them out from the stored validation predictions.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: whose ensemble.

    Returns
    -------
    dict, arrays
        The fields of
        :class:`studio.analysis.margins.Margins`; the curves are curves (keys, titles and
        formulas) and the array values, shape (number of curves, g).
    """
    from studio.analysis.margins import ensemble_margins

    found = ensemble_margins(
        Path(arguments["document"]), int(arguments["run"]), int(arguments["iteration"])
    )
    words: dict[str, Any] = {
        name: getattr(found, name) for name in ("own", "size", "of_values", "meaning", "note")
    }
    for name in ("wrong", "low", "mean"):
        value = getattr(found, name)
        words[name] = None if np.isnan(value) else value
    words["curves"] = [
        {"key": each.key, "title": each.title, "formula": each.formula} for each in found.curves
    ]
    words["reason"] = found.reason
    arrays = {
        name: getattr(found, name) for name in ("grid", "points_x", "points_y", "edges", "counts")
    }
    values = [each.values for each in found.curves]
    arrays["values"] = np.array(values).reshape(len(values), len(found.grid))
    return words, arrays
