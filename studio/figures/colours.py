"""Inks with a fixed meaning in every plot: the ensemble, single models, overlaid runs."""

from studio.figures.ink import Ink, series

SINGLE, ENSEMBLE = 0, 5
"""Places in ``Theme.series`` of the best single model and of the ensemble, in every plot."""

CHOICE = 7
"""Place of the choice by the surrogate's posterior mean."""

OVERLAYS = (2, 3, 1, 4, 6)
"""Places in ``Theme.series`` of the runs overlaid on the one looked at, in their order."""


def overlay_ink(place: int) -> Ink:
    """Return the ink of the overlaid run number ``place``, counted from 0."""
    return series(OVERLAYS[place % len(OVERLAYS)])
