"""Final models of selected trials: one trained on all rows, or an ensemble of fold models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.arrays import Floats, Integers
from studio.errors import RunError
from studio.phrases import phrase
from studio.runs.causes import Failure
from studio.runs.checked_predictions import average_predictions
from studio.runs.jobs import RefitResult, make_refit_job
from studio.runs.model_files import FoldModels
from studio.runs.pool import Pool
from studio.runs.prepare import PreparedRun
from studio.runs.reserve import RefitTimeError
from studio.trial import History


class StoppedError(RunError):
    """The user stopped the refit; earlier results are kept."""


@dataclass(frozen=True)
class FinalModel:
    """A final model of a selected trial.

    Attributes:
        files: Fitted pipelines: a refit, or one per fold, or a refit followed by one per fold;
            averaged with the weights of
            :func:`studio.runs.checked_predictions.get_model_weights`.
        predictions: For each given matrix, shape (n, C) or (n,): the mean over the models.
    """

    files: tuple[Path, ...]
    predictions: tuple[Floats, ...] = ()


def train_final_models(
    prepared_run: PreparedRun,
    history: History,
    numbers: Sequence[int],
    pool: Pool,
    stopped: Callable[[], bool],
    *,
    folder: Path,
    search_models: FoldModels | None = None,
    rows: Integers | None = None,
    matrix_paths: Sequence[Path] = (),
    progress: Callable[[int, int], None] = lambda done, of: None,
    is_too_late: Callable[[bool], bool] = lambda ready: False,
) -> tuple[dict[int, FinalModel], list[str]]:
    """Refit selected trials on all rows except test rows, each with its own seed.

    In a run without refit, a trial's final model is the ensemble of its fold models (with a
    hold-out its only model); missing models are retrained on the same rows, with the same rows for
    early stopping. With an averaged refit it consists of both.

    Args:
        numbers: Successful trials, each once.
        search_models: Models kept from the search, which are not retrained; the caller averages a
            refit with them.
        rows: Shape (k,). Train on these rows instead.
        matrix_paths: .npy files to predict, only with trials trained here.
        is_too_late: Returns whether it is too late for further training, given whether any model
            is ready.

    Returns:
        The final model of each trial without a failure, and a sentence for each failure.

    Raises:
        StoppedError: If ``stopped`` returned true.
        RefitTimeError: If ``is_too_late`` returned true before any model was ready.
    """
    models: dict[int, FinalModel] = {}
    specs: list[_TrainingSpec] = []
    settings = prepared_run.settings
    training_rows = prepared_run.split.development if settings.refit and rows is None else rows
    is_averaged = settings.averaged_refit and rows is None and search_models is None
    for number in numbers:
        if search_models is not None and not settings.refit:
            files = search_models.list_files(number)
            if files:
                models[number] = FinalModel(files)
                continue
        if training_rows is not None:
            specs.append(_TrainingSpec(number, training_rows, None, folder / f"{number}.pkl"))
        if training_rows is None or is_averaged:
            specs += _make_fold_specs(prepared_run, history, number, folder)
    _submit(prepared_run, history, specs, pool, matrix_paths)
    results, failures = _gather(specs, pool, stopped, progress, is_too_late)
    for number in dict.fromkeys(spec.number for spec in specs):
        if number not in failures:
            positions = [position for position, spec in enumerate(specs) if spec.number == number]
            files = tuple(specs[position].file for position in positions)
            predictions = [results[position].predictions for position in positions]
            mean = average_predictions(predictions, len(prepared_run.split.folds))
            models[number] = FinalModel(files, mean)
    notes = [
        phrase(
            "Trial {number} could not be refitted in the time given, so it is left out.",
            number=number,
        )
        if cause is None
        else phrase(
            "Trial {number} could not be trained {again}, so it is left out: {cause}",
            number=number,
            again=phrase("on all rows") if prepared_run.settings.refit else phrase("again"),
            cause=cause,
        )
        for number, cause in failures.items()
    ]
    return {number: models[number] for number in numbers if number in models}, notes


@dataclass(frozen=True)
class _TrainingSpec:
    """Specification of a training: trial, training rows (n,), validation rows (k,), output file."""

    number: int
    rows: Integers
    validation_rows: Integers | None
    file: Path


def _make_fold_specs(
    prepared_run: PreparedRun, history: History, number: int, folder: Path
) -> list[_TrainingSpec]:
    folds = prepared_run.get_trial_data().get_folds(history.trials[number - 1].seed)
    return [
        _TrainingSpec(number, training, held_out, folder / f"{number}-{fold}.pkl")
        for fold, (training, held_out) in enumerate(folds)
    ]


def _submit(
    prepared_run: PreparedRun,
    history: History,
    orders: Sequence[_TrainingSpec],
    pool: Pool,
    matrix_paths: Sequence[Path],
) -> None:
    """Submit the orders as jobs, numbered by position."""
    staged_paths: dict[int, Path] = {}

    def stage_rows(rows: Integers) -> Path:
        # The orders keep the arrays alive, so their ids are unique.
        if id(rows) not in staged_paths:
            staged_paths[id(rows)] = pool.stage_array(f"final-rows-{len(staged_paths)}", rows)
        return staged_paths[id(rows)]

    for position, spec in enumerate(orders):
        trial = history.trials[spec.number - 1]
        job = make_refit_job(
            prepared_run.space,
            trial.configuration,
            trial.seed,
            rows=stage_rows(spec.rows),
            early_stopping_rows=None
            if spec.validation_rows is None
            else stage_rows(spec.validation_rows),
            pickle=spec.file,
            matrix_paths=matrix_paths,
            # With early stopping, each fold determines these settings itself.
            settled=trial.used if spec.validation_rows is None else None,
        )
        pool.submit(position, job)


def _gather(
    orders: Sequence[_TrainingSpec],
    pool: Pool,
    stopped: Callable[[], bool],
    progress: Callable[[int, int], None],
    is_too_late: Callable[[bool], bool],
) -> tuple[dict[int, RefitResult], dict[int, str | None]]:
    """Return results by order position, and failure causes by trial (``None`` if too late)."""
    results: dict[int, RefitResult] = {}
    failures: dict[int, str | None] = {}
    waiting = set(range(len(orders)))
    while waiting:
        if stopped():
            pool.cancel_all()
            raise StoppedError("Stopped while the chosen models were trained; everything is kept.")
        unready = {orders[position].number for position in waiting} | failures.keys()
        ready = any(spec.number not in unready for spec in orders)
        if is_too_late(ready):
            pool.cancel_all()
            if not ready:
                raise RefitTimeError
            for position in sorted(waiting):
                failures.setdefault(orders[position].number, None)
            break
        for finished in pool.wait(0.1):
            waiting.discard(finished.job_id)
            progress(len(orders) - len(waiting), len(orders))
            if isinstance(finished.result, RefitResult):
                results[finished.job_id] = finished.result
            elif isinstance(finished.result, Failure):
                failures.setdefault(orders[finished.job_id].number, finished.result.cause)
    return results, failures


def get_mean_predictions(models: Mapping[int, FinalModel], index: int) -> dict[int, Floats]:
    """Return final models' predictions for the matrix at an index, shape (n, C) or (n,)."""
    return {number: each.predictions[index] for number, each in models.items()}
