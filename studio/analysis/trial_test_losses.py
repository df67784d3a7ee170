"""Test loss of each trial of a run, from its stored predictions."""

from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from studio.analysis.answers.predictions import TrialTestLosses
from studio.document.store import Document
from studio.errors import DamagedError
from studio.runs.load import follow, load_test_predictions
from studio.runs.prepare import PreparedRun
from studio.trial import History, Trial

_CACHE: WeakKeyDictionary[History, list[float]] = WeakKeyDictionary()
"""Cached losses of each history, which only grows."""


def compute_trial_test_losses(path: Path, run_id: int) -> TrialTestLosses:
    """Return the test losses, computing only those of new trials."""
    with Document.open(path, writable=False) as document:
        if not document.runs.get(run_id).prepared:
            return TrialTestLosses()
        prepared, history = follow(document, run_id)
        cached = _CACHE.setdefault(history, [])
        for trial in history.trials[len(cached) :]:
            cached.append(_compute_loss(document, run_id, prepared, trial))
    return TrialTestLosses(np.array(cached, dtype=np.float64))


def _compute_loss(
    document: Document, run_id: int, prepared_run: PreparedRun, trial: Trial
) -> float:
    if trial.loss is None:
        return float("nan")
    try:
        predictions = load_test_predictions(document, run_id, trial.number, prepared_run)
    except DamagedError:
        return float("nan")
    return (
        float("nan")
        if predictions is None
        else prepared_run.compute_loss(prepared_run.split.test, predictions)
    )
