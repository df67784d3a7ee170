"""Inks with a fixed meaning in every plot: the ensemble, single models, overlaid runs."""

from studio.figures.ink import Ink, series

SINGLE, ENSEMBLE = 0, 5
"""Indices in ``Theme.series`` of the best single model and of the ensemble, in all plots."""

CHOICE_INDEX = 7
"""Index of the choice by the surrogate's posterior mean."""

OVERLAY_INDICES = (2, 3, 1, 4, 6)
"""Indices in ``Theme.series`` of the overlaid runs, in order."""


def get_overlay_ink(index: int) -> Ink:
    """Return the ink of the overlaid run with index ``index``, from 0."""
    return series(OVERLAY_INDICES[index % len(OVERLAY_INDICES)])
