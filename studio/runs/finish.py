"""The end of a run: choose, train once more on all rows but the test rows, and test (METHODS 5)."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric
from studio.ensembles.base import Ensemble, combine
from studio.errors import RunError
from studio.runs.causes import Failure
from studio.runs.evaluate import Refitted
from studio.runs.jobs import refit_job
from studio.runs.pool import WorkerPool
from studio.runs.prepare import Prepared, build_ensemble
from studio.seeds import derive
from studio.trial import History, Trial

RESAMPLES = 400
"""Bootstrap samples of the test rows behind an interval."""

CONFIDENCE = 0.95


class StoppedError(RunError):
    """The user stopped the final training; everything before it is kept."""


def best_single(history: History) -> Trial:
    """Return the trial with the lowest validation loss, the earliest of equals."""
    return min(history.succeeded, key=lambda trial: (trial.loss, trial.number))


def finish(
    prepared: Prepared, history: History, pool: WorkerPool, stopped: Callable[[], bool]
) -> dict[str, Any]:
    """Build the final ensemble, train its members on training and validation rows, and test them.

    Parameters
    ----------
    prepared : Prepared
        The run.
    history : History
        With at least one successful trial.
    pool : WorkerPool
        Idle workers.
    stopped : callable
        Asked several times a second whether to give up.

    Returns
    -------
    dict
        The run's result as plain JSON: ``members``, ``single``, test errors with intervals
        (``None`` without test rows), ``notes``.

    Raises
    ------
    StoppedError
        If ``stopped`` said so.
    RunError
        If no member could be trained.
    """
    ensemble = build_ensemble(prepared, history)
    best = best_single(history)
    test = prepared.split.test
    result: dict[str, Any] = {
        "members": _members(ensemble),
        "combination": ensemble.combination,
        "single": {"trial": best.number},
        "metric": prepared.metric.key,
        "unit": prepared.metric.unit,
        "test_rows": int(test.size),
        "test_error_single": None,
        "test_error_ensemble": None,
        "test_interval": None,
        "single_interval": None,
        "refitted": True,
        "notes": [],
    }
    if not test.size:
        return result
    matrix = pool.stage("test-matrix", np.ascontiguousarray(prepared.problem.X[test]))
    numbers = dict.fromkeys([*ensemble.members, best.number])
    refitted, notes = refit_members(
        prepared, history, list(numbers), pool, stopped, matrices=[matrix]
    )
    ensemble = without_failed(ensemble, refitted)
    predictions = {number: each.predictions[0] for number, each in refitted.items()}
    truth = prepared.problem.y[test]
    together = combine(predictions.__getitem__, ensemble)
    result["members"] = _members(ensemble)
    result["notes"] = notes
    result["test_error_ensemble"] = float(prepared.metric.loss(truth, together))
    result["test_interval"] = interval(prepared.metric, truth, together)
    if best.number in predictions:
        alone = predictions[best.number]
        result["test_error_single"] = float(prepared.metric.loss(truth, alone))
        result["single_interval"] = interval(prepared.metric, truth, alone)
    return result


def _members(ensemble: Ensemble) -> list[dict[str, Any]]:
    pairs = zip(ensemble.members, ensemble.weights, strict=True)
    return [{"trial": number, "weight": weight} for number, weight in pairs]


def refit_members(
    prepared: Prepared,
    history: History,
    numbers: Sequence[int],
    pool: WorkerPool,
    stopped: Callable[[], bool],
    *,
    matrices: Sequence[Path] = (),
    folder: Path | None = None,
) -> tuple[dict[int, Refitted], list[str]]:
    """Train trials once more on all rows but the test rows, each with its own seed.

    Parameters
    ----------
    numbers : sequence of int
        Successful trials, each once.
    matrices : sequence of Path
        .npy files of what each shall predict.
    folder : Path or None
        Where each fitted pipeline is written as ``NUMBER.pkl``.

    Returns
    -------
    dict, list of str
        What each trial gave, without those that failed; a sentence for each failure.
    """
    split = prepared.split
    rows = np.union1d(np.concatenate([train for train, _ in split.folds]), split.validation)
    staged = pool.stage("refit-rows", rows.astype(np.int64))
    for number in numbers:
        trial = history.trials[number - 1]
        pool.submit(
            number,
            refit_job(
                prepared.space,
                trial.configuration,
                trial.seed,
                rows=staged,
                pickle=None if folder is None else folder / f"{number}.pkl",
                matrices=matrices,
            ),
        )
    refitted: dict[int, Refitted] = {}
    notes: list[str] = []
    waiting = set(numbers)
    while waiting:
        if stopped():
            pool.cancel_all()
            raise StoppedError("Stopped while the chosen models were trained; everything is kept.")
        for finished in pool.wait(0.1):
            waiting.discard(finished.job_id)
            if isinstance(finished.result, Refitted):
                refitted[finished.job_id] = finished.result
            elif isinstance(finished.result, Failure):
                notes.append(
                    f"Trial {finished.job_id} could not be trained on all rows, so it is left "
                    f"out: {finished.result.cause}"
                )
    return refitted, notes


def without_failed(ensemble: Ensemble, refitted: Mapping[int, Any]) -> Ensemble:
    """Return the ensemble of the members that could be trained, weights summing to 1 again.

    Raises
    ------
    RunError
        If none could.
    """
    kept = [
        (number, weight)
        for number, weight in zip(ensemble.members, ensemble.weights, strict=True)
        if number in refitted
    ]
    if not kept:
        raise RunError(
            "None of the chosen models could be trained on all rows within the limits of a trial; "
            "raise its time or memory and continue the run."
        )
    total = sum(weight for _, weight in kept)
    return Ensemble(
        tuple(number for number, _ in kept),
        tuple(weight / total for _, weight in kept),
        ensemble.combination,
    )


def interval(metric: Metric, truth: AnyArray, predictions: AnyArray) -> list[float] | None:
    """Return the 95 % bootstrap interval of a loss over the test rows; ``None`` if undefined.

    For the plain error the exact beta interval (Clopper and Pearson) takes its place, since no
    resampling of a faultless prediction can ever show an error.
    """
    tail = (1 - CONFIDENCE) / 2
    if metric.key == "error":
        from scipy.stats import beta

        wrong = round(metric.loss(truth, predictions) * truth.size)
        low = beta.ppf(tail, wrong, truth.size - wrong + 1) if wrong else 0.0
        high = beta.ppf(1 - tail, wrong + 1, truth.size - wrong) if wrong < truth.size else 1.0
        return [float(low), float(high)]
    rng = np.random.default_rng(derive(0, "interval"))
    losses: list[float] = []
    for _ in range(RESAMPLES):
        rows = rng.integers(truth.size, size=truth.size)
        loss = metric.loss(truth[rows], predictions[rows])
        if np.isfinite(loss):
            losses.append(loss)
    if len(losses) < RESAMPLES // 2:
        return None
    bounds: Floats = np.quantile(losses, [tail, 1 - tail])
    return [float(bounds[0]), float(bounds[1])]
