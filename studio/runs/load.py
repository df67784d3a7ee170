"""Loading a run: its finished trials as a history, and its ensemble."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from studio.arrays import AnyArray, Integers
from studio.document.results import Result
from studio.document.runs import RunRow
from studio.document.sealing import raise_damaged
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.ensembles.calibration import is_valid_temperature
from studio.errors import DamagedError
from studio.runs.correcting import refit_correction
from studio.runs.prepare import PreparedRun, build_ensemble, prepare
from studio.trial import History, Trial, check_no_lost_trials


def make_empty_history(prepared_run: PreparedRun) -> History:
    """Return a history for the run's validation rows, before any trial."""
    return History(
        prepared_run.truth,
        len(prepared_run.problem.classes),
        prepared_run.comparable,
        prepared_run.validation_weights,
    )


def load_history(document: Document, run_id: int, prepared_run: PreparedRun) -> History:
    """Return a run's history from the document."""
    history = make_empty_history(prepared_run)
    extend_history(document, run_id, history)
    return history


def extend_history(document: Document, run_id: int, history: History) -> None:
    """Add the trials finished since the history was read."""
    for trial in document.trials.list_all(run_id, after=len(history)):
        try:
            history.append(trial, load_validation_predictions(document, run_id, trial, history))
        except DamagedError:
            history.append(document.trials.make_lost_trial(run_id, trial), None)


def load_validation_predictions(
    document: Document, run_id: int, trial: Trial, history: History
) -> AnyArray | None:
    """Return stored predictions, (n, C) or (n,), if its rows are shared, or raise DamagedError."""
    if trial.loss is None or not history.comparable:
        return None
    predictions = document.trials.read_predictions(run_id, trial.number, "validation")
    rows, n_classes = history.truth.size, history.n_classes
    return _check_predictions(predictions, run_id, trial.number, rows, n_classes)


def load_scored_predictions(
    document: Document, run_id: int, number: int, prepared_run: PreparedRun, seed: int = 0
) -> AnyArray:
    """Return a trial's validation predictions, (n, C) or (n,); raise DamagedError if changed."""
    predictions = document.trials.read_predictions(run_id, number, "validation")
    rows, n_classes = prepared_run.get_scored_rows(seed).size, len(prepared_run.problem.classes)
    return _check_predictions(predictions, run_id, number, rows, n_classes)


def load_selection_predictions(
    document: Document, run_id: int, prepared_run: PreparedRun, history: History, ensemble: Ensemble
) -> tuple[Integers, Callable[[int], AnyArray]] | None:
    """Return the rows, (n,), by which an ensemble was chosen, and its members' predictions there.

    They are the validation rows, or those of a single trial if every trial has its own; ``None``
    for several such trials. The predictions, (n, C) or (n,), are by trial number.

    Raises:
        DamagedError: If the single trial's predictions were changed.
    """
    if history.comparable:
        return prepared_run.split.validation, history.get_predictions
    if len(ensemble.members) > 1:
        return None
    member = history.trials[ensemble.members[0] - 1]
    stored = load_scored_predictions(document, run_id, member.number, prepared_run, member.seed)
    return prepared_run.get_scored_rows(member.seed), {member.number: stored}.__getitem__


def load_test_predictions(
    document: Document, run_id: int, number: int, prepared_run: PreparedRun
) -> AnyArray | None:
    """Return stored test predictions, (n, C) or (n,), if any, or raise DamagedError."""
    predictions = document.trials.read_predictions(run_id, number, "test")
    if predictions is None or not prepared_run.split.test.size:
        return None
    rows, n_classes = prepared_run.split.test.size, len(prepared_run.problem.classes)
    return _check_predictions(predictions, run_id, number, rows, n_classes)


def _check_predictions(
    predictions: AnyArray | None, run_id: int, number: int, n_rows: int, n_classes: int
) -> AnyArray:
    """Return predictions, (n, C) or (n,), after checking their existence and number of rows."""
    shape = (n_rows, n_classes) if n_classes else (n_rows,)
    if predictions is None or predictions.shape != shape:
        raise_damaged(f"trial {run_id} {number}")
    return predictions


def follow(document: Document, run_id: int) -> tuple[PreparedRun, History]:
    """Return a run and all its finished trials, reading only those not read before."""
    row = document.runs.get(run_id)
    if not row.prepared:
        prepared_run = prepare(document, run_id)
        return prepared_run, load_history(document, run_id, prepared_run)
    prepared_run, history = _find_cached(document, row)
    extend_history(document, run_id, history)
    return prepared_run, history


def follow_prepared(document: Document, run_id: int) -> PreparedRun:
    """Return a run like :func:`follow`, sharing its cache but without reading trials."""
    row = document.runs.get(run_id)
    return _find_cached(document, row)[0] if row.prepared else prepare(document, run_id)


def _find_cached(document: Document, row: RunRow) -> tuple[PreparedRun, History]:
    file, refit = document.path.stat().st_ino, bool(row.settings.get("refit"))
    return _get_cached_run(document.path, file, row.id, row.created, refit)


@lru_cache(maxsize=2)
def _get_cached_run(
    path: Path, file: int, run_id: int, created: float, refit: bool
) -> tuple[PreparedRun, History]:
    """Return a prepared run with a history to be extended.

    ``file`` and ``created`` distinguish a run from that of another document at the same path;
    ``refit`` distinguishes its states before and after a refit.
    """
    del file, created, refit
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
    return prepared_run, make_empty_history(prepared_run)


def select_ensemble(row: RunRow, prepared_run: PreparedRun, history: History) -> Ensemble:
    """Return the ensemble of a run's complete history.

    The recorded temperature is kept, as earlier versions fitted a different one. If a lost trial is
    not a member, the result's ensemble is returned, as a selection without that trial might differ.

    Raises:
        DocumentError: If a lost trial is a member, or the result does not fully describe the
            ensemble.
    """
    result, numbers = row.result, {trial.number for trial in history.succeeded}
    if not any(trial.damaged_record for trial in history.trials):
        built = build_ensemble(prepared_run, history)
        weights = dict(zip(built.members, built.weights, strict=True))
        if result is None or (result.trials, result.weights) != (len(history), weights):
            return built
        if not is_valid_temperature(result.temperature):
            return built
        built = replace(built, temperature=result.temperature)
        share = result.correction
        return refit_correction(prepared_run, history, built, share) if share else built
    if (
        result is None
        or not result.members
        or not result.weights.keys() <= numbers
        or result.trials != len(history)
        or result.combination == "stack"  # its second model is missing in the result
        or result.correction
    ):
        check_no_lost_trials(history.trials)
    assert result is not None, "a lost trial was rejected"
    members = result.weights
    return Ensemble(
        tuple(members), tuple(members.values()), result.combination, temperature=result.temperature
    )


def get_final_ensemble(row: RunRow, prepared_run: PreparedRun, history: History) -> Ensemble:
    """Return the result's or newest ensemble for predictions, as :func:`select_ensemble`."""
    if row.result is None:
        return build_ensemble(prepared_run, history)
    return select_result_members(select_ensemble(row, prepared_run, history), row.result)


def select_result_members(ensemble: Ensemble, result: Result) -> Ensemble:
    """Return the ensemble of a complete history, without members that could not be refitted.

    A run that was continued after its result and stopped may have new members; then the newest
    ensemble is returned.
    """
    members = result.weights.keys()
    return ensemble.select_members(members) if members <= set(ensemble.members) else ensemble
