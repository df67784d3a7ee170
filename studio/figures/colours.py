"""Inks with a fixed meaning in every plot: the ensemble, single models, runs."""

from studio.figures.ink import HUES, Ink, make_series_ink

SINGLE, ENSEMBLE = 0, 5
"""Indices in ``Theme.series`` of the best single model and of the ensemble, in all plots."""

CHOICE_INDEX = 7
"""Index of the choice by the surrogate's posterior mean."""

RUN_INDICES = (2, 3, 1, 4, 6)
"""Indices in ``Theme.series`` of runs, distinct from those of ensembles and single models."""


def get_run_ink(run_id: int) -> Ink:
    """Return a run's ink where runs are distinguished; from the sixth on, hues repeat darker."""
    cycle, index = divmod(run_id - 1, len(RUN_INDICES))
    return make_series_ink(RUN_INDICES[index] + HUES * (cycle % 2))
