"""The second layer of a run's final ensemble (:mod:`studio.ensembles.correction`)."""

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from studio.arrays import Integers
from studio.ensembles.base import Ensemble, combine
from studio.ensembles.correction import MAX_FOLDS, Correction, estimate_seconds, fit_correction
from studio.runs.prepare import PreparedRun, derive_ensemble_seed
from studio.trial import History

MAX_SHARE = 0.1
"""Maximum share of a run's time for fitting it; a slower one is not tried."""

MAX_SECONDS = 60.0
"""Maximum estimated seconds of fitting it, also without a time limit."""


def correct_ensemble(
    prepared_run: PreparedRun,
    history: History,
    ensemble: Ensemble,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> Ensemble:
    """Return the ensemble, with a correction if the run supports it and the gain is significant.

    Args:
        history: All trials of the run.
        stopped: Polled often; if it returns true, nothing is corrected.
    """
    if not estimate_correction_seconds(prepared_run, len(ensemble.members)):
        return ensemble
    return replace(ensemble, correction=_fit(prepared_run, history, ensemble, 0.0, stopped))


def refit_correction(
    prepared_run: PreparedRun, history: History, ensemble: Ensemble, share: float
) -> Ensemble:
    """Return the ensemble with the correction fitted at the end of its run, which is cached."""
    cached = _CORRECTION_CACHE.get(history)
    if cached is None or cached[0] != (ensemble, share):
        correction = _fit(prepared_run, history, ensemble, share, lambda: False)
        cached = _CORRECTION_CACHE[history] = ((ensemble, share), correction)
    return replace(ensemble, correction=cached[1])


_CORRECTION_CACHE: WeakKeyDictionary[History, tuple[tuple[Ensemble, float], Correction | None]] = (
    WeakKeyDictionary()
)


def is_correctable(prepared_run: PreparedRun, n_members: int) -> bool:
    """Return whether the final ensemble of this number of members may get a correction.

    All training rows must be predicted out of fold and count equally, by log loss, without
    constraints: trees of probabilities are not monotone.
    """
    split = prepared_run.split
    return (
        prepared_run.method.ensemble.supports_correction(prepared_run.metric)
        and n_members > 1
        and prepared_run.comparable
        and len(split.folds) > 1
        and len(split.validation) == len(split.development)
        and prepared_run.validation_weights is None
        and not prepared_run.settings.source.monotone
    )


def estimate_correction_seconds(
    prepared_run: PreparedRun, n_members: int, total: float = float("inf")
) -> float:
    """Return the seconds for fitting a correction; 0 if none is tried in a run of ``total`` s."""
    if not is_correctable(prepared_run, n_members):
        return 0.0
    rows, classes = len(prepared_run.split.validation), prepared_run.problem.n_classes
    seconds = estimate_seconds(rows, n_members, classes)
    return seconds if seconds <= min(MAX_SECONDS, MAX_SHARE * total) else 0.0


def get_correction_folds(prepared_run: PreparedRun) -> Integers:
    """Return each validation row's fold, shape (n,): the search's folds, merged to a few."""
    folds = np.zeros(len(prepared_run.problem.y), dtype=np.int64)
    for index, (_, validation_rows) in enumerate(prepared_run.split.folds):
        folds[validation_rows] = index % MAX_FOLDS
    return folds[prepared_run.split.validation]


def _fit(
    prepared_run: PreparedRun,
    history: History,
    ensemble: Ensemble,
    share: float,
    stopped: Callable[[], bool],
) -> Correction | None:
    return fit_correction(
        combine(history.get_predictions, ensemble),
        {number: history.get_predictions(number) for number in ensemble.members},
        history.truth,
        get_correction_folds(prepared_run),
        derive_ensemble_seed(prepared_run.settings),
        share=share,
        stopped=stopped,
    )
