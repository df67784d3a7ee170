"""The end of a run: choose, train once more on all rows but the test rows, and test (METHODS 5)."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric
from studio.data.metrics.weighting import loss_of
from studio.ensembles.base import Ensemble, combine
from studio.errors import RunError
from studio.runs.final_models import final_models, predicted_together
from studio.runs.paired import difference_interval
from studio.runs.pools import Pool
from studio.runs.prepare import Prepared, build_ensemble
from studio.runs.reserve import Within
from studio.seeds import derive
from studio.trial import History, Trial

RESAMPLES = 400
"""Bootstrap samples of the test rows behind an interval."""

CONFIDENCE = 0.95


def best_single(history: History) -> Trial:
    """Return the trial with the lowest validation loss, the earliest of equals."""
    return min(history.succeeded, key=lambda trial: (trial.loss, trial.number))


def finish(
    prepared: Prepared,
    history: History,
    pool: Pool,
    stopped: Callable[[], bool],
    stored: Mapping[int, AnyArray],
    *,
    folder: Path,
    told: Callable[[int, int], None] = lambda done, of: None,
    within: Within | None = None,
) -> dict[str, Any]:
    """Build the final ensemble, train its members on all rows but the test rows, and test them.

    Parameters
    ----------
    prepared : Prepared
        The run.
    history : History
        With at least one successful trial.
    pool : Pool
        Idle workers.
    stopped : callable
        Asked several times a second whether to give up.
    stored : Mapping
        The trials' own predictions for the test rows: what is tested where the run's final models
        stay as the search trained them.
    folder : Path
        Where the workers leave the final models.
    told : callable
        Called with how many final models are trained, of how many.
    within : Within or None
        The time in which that has to end; ``None`` where it may take as long as it does.

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
        "difference_interval": None,
        "refitted": prepared.settings.refit,
        "notes": [],
    }
    if not test.size:
        return result
    predictions = stored
    if prepared.settings.refit:
        matrix = pool.stage("test-matrix", np.ascontiguousarray(prepared.problem.X[test]))
        numbers = list(dict.fromkeys([*ensemble.members, best.number]))
        left_out: list[str] = []
        if within is not None:
            ensemble, numbers, left_out = within.choose(ensemble, best.number, history.trials)
        refitted, notes = final_models(
            prepared,
            history,
            numbers,
            pool,
            stopped,
            folder=folder,
            matrices=[matrix],
            told=told,
            late=(lambda: False) if within is None else within.is_over,
        )
        ensemble = without_failed(ensemble, refitted)
        predictions = predicted_together(refitted, 0)
        result["notes"] = left_out + notes
    together = combine(predictions.__getitem__, ensemble)
    result["members"] = _members(ensemble)
    result["test_error_ensemble"] = prepared.loss(test, together)
    result["test_interval"] = test_interval(prepared, together)
    if best.number in predictions:
        alone = predictions[best.number]
        result["test_error_single"] = prepared.loss(test, alone)
        result["single_interval"] = test_interval(prepared, alone)
        weights = prepared.problem.weights
        result["difference_interval"] = difference_interval(
            prepared.metric,
            prepared.problem.y[test],
            together,
            alone,
            None if weights is None else weights[test],
        )
    return result


def _members(ensemble: Ensemble) -> list[dict[str, Any]]:
    pairs = zip(ensemble.members, ensemble.weights, strict=True)
    return [{"trial": number, "weight": weight} for number, weight in pairs]


def without_failed(ensemble: Ensemble, refitted: Mapping[int, Any]) -> Ensemble:
    """Return the ensemble of the members that could be trained, weights summing to 1 again.

    Raises
    ------
    RunError
        If none could.
    """
    if not any(number in refitted for number in ensemble.members):
        raise RunError(
            "None of the chosen models could be trained within the limits of a trial; "
            "raise its time or memory and continue the run."
        )
    return ensemble.keeping(refitted)


def test_interval(prepared: Prepared, predictions: AnyArray) -> list[float] | None:
    """Return the interval of the run's metric for predictions of the test rows."""
    test, weights = prepared.split.test, prepared.problem.weights
    return interval(
        prepared.metric,
        prepared.problem.y[test],
        predictions,
        None if weights is None else weights[test],
    )


def interval(
    metric: Metric, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
) -> list[float] | None:
    """Return the 95 % bootstrap interval of a loss over the test rows; ``None`` if undefined.

    For the plain error of rows without weights the exact beta interval (Clopper and Pearson) takes
    its place, since no resampling of a faultless prediction can ever show an error.
    """
    tail = (1 - CONFIDENCE) / 2
    if metric.key == "error" and weights is None:
        # The beta distribution's quantiles, without scipy.stats, which takes half a second to load.
        from scipy.special import betaincinv

        wrong = round(metric.loss(truth, predictions) * truth.size)
        low = betaincinv(wrong, truth.size - wrong + 1, tail) if wrong else 0.0
        high = betaincinv(wrong + 1, truth.size - wrong, 1 - tail) if wrong < truth.size else 1.0
        return [float(low), float(high)]
    rng = np.random.default_rng(derive(0, "interval"))
    losses: list[float] = []
    for _ in range(RESAMPLES):
        rows = rng.integers(truth.size, size=truth.size)
        drawn = None if weights is None else weights[rows]
        loss = loss_of(metric, truth[rows], predictions[rows], drawn)
        if np.isfinite(loss):
            losses.append(loss)
    if len(losses) < RESAMPLES // 2:
        return None
    bounds: Floats = np.quantile(losses, [tail, 1 - tail])
    return [float(bounds[0]), float(bounds[1])]
