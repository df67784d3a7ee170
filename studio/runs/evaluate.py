"""Training and prediction of one configuration inside a worker."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.awake_clock import read_awake_seconds
from studio.data.balance import compute_training_weights
from studio.errors import EarlyEndError, LateTrialError, LearnerError
from studio.learners.base import Learner
from studio.learners.choice import LearnerConfiguration
from studio.learners.facts import TableFacts
from studio.learners.self_replacing_steps import (
    ValidationData,
    extract_trained,
    fit_with_early_stopping,
)
from studio.learners.targets import TargetScale
from studio.phrases import phrase
from studio.runs.checked_predictions import predict
from studio.runs.jobs import EarlyStopThresholds, RefitResult, TrialOutcome
from studio.runs.model_files import (
    MAX_BYTES_PER_TRIAL,
    get_file_name,
    pack,
    unpack,
    write_if_possible,
    write_model,
)
from studio.runs.staging import TrialData, load_array
from studio.trial import Value


@dataclass(frozen=True)
class FittedPipeline:
    """A trained pipeline with its metadata; ``clipped_values`` by the space's names."""

    pipeline: Any
    clipped_values: dict[str, Value]
    note: str
    self_tuned_values: Mapping[str, Value] = field(default_factory=dict)


def fit(
    data: TrialData,
    learner: Learner,
    choice: LearnerConfiguration,
    seed: int,
    rows: Integers,
    *,
    held_out: Integers | None = None,
    seconds: float | None = None,
) -> FittedPipeline:
    """Train a pipeline on the given rows, with their weights if supported.

    Args:
        rows, held_out: Shape (k,). Training rows, and rows for early stopping by a learner that
            has ``self_tuned_hyperparameters``.
    """
    X, y = np.asarray(data.X[rows]), np.asarray(data.y[rows])
    facts = TableFacts.from_rows(
        X,
        y,
        task=data.task,
        n_classes=data.n_classes,
        categorical=data.categorical,
        seed=seed,
        level=data.aim.level,
        monotone=data.monotone,
    )
    if data.n_classes and np.all(y == y[0]):
        raise LearnerError(
            "The training rows are all of one class, so there is nothing to learn. Use more "
            "rows, or another split."
        )
    built = learner.build(choice.values, facts, choice.operators)
    aim = data.aim
    unit = aim.unit if built.uses_log_target else None
    scale = TargetScale(data.centre, unit, aim.floor, aim.unbiased)
    y = scale.transform(y)
    is_balanced = data.n_classes > 0 and (data.balanced or built.is_balanced)
    weights = compute_training_weights(_get_weights(data, rows), y, balanced=is_balanced)
    note, settled_values = "", {}
    if built.uses_log_target and scale.unit is None:
        note = phrase("Values may be negative here, so it is trained on them, not on logarithms.")
    if learner.self_tuned_hyperparameters:
        watched = _select_watched_rows(data, scale, held_out, seconds)
        settled_values = dict(fit_with_early_stopping(built.estimator, X, y, weights, watched))
    elif weights is None:
        built.estimator.fit(X, y)
    elif learner.supports_sample_weight:
        built.estimator.fit(X, y, learner__sample_weight=weights)
    else:
        note = phrase(
            "{learner} cannot weight rows, so all count the same when it is trained.",
            learner=phrase(learner.get_short_title()),
        )
        built.estimator.fit(X, y)
    pipeline = scale.wrap_pipeline(extract_trained(built.estimator), X, y, weights)
    return FittedPipeline(
        pipeline, choice.get_named_values(built.clipped_values), note, settled_values
    )


def _select_watched_rows(
    data: TrialData, scale: TargetScale, held_out: Integers | None, seconds: float | None
) -> ValidationData:
    if held_out is None:
        return ValidationData(seconds=seconds)
    return ValidationData(
        np.asarray(data.X[held_out]),
        scale.transform(np.asarray(data.y[held_out])),
        _get_weights(data, held_out),
        seconds,
        held_out.size + data.test.size + data.selection.size,
    )


def _get_weights(data: TrialData, rows: Integers) -> Floats | None:
    row_weights = None if data.weights is None else np.asarray(data.weights[rows])
    return data.aim.compute_weights(row_weights, np.asarray(data.y[rows]))


TIME_SAFETY_SHARE = 0.92
"""Share of a fold's time for the learner; the rest is for preparation and prediction."""


FoldCallback = Callable[[int, int], object]
"""Called at each fold of a trial with its number, from 1, and the number of folds."""


def _ignore_fold(fold: int, n_folds: int) -> None:
    """Ignore the progress."""


def execute_job(
    data: TrialData,
    learner: Learner,
    choice: LearnerConfiguration,
    job: Mapping[str, Any],
    on_fold: FoldCallback = _ignore_fold,
) -> TrialOutcome | RefitResult:
    """Execute a job of :mod:`studio.runs.jobs`."""
    if job["kind"] == "evaluate":
        thresholds = job["thresholds"]
        return evaluate(
            data,
            learner,
            choice,
            job["seed"],
            models=None if job["models"] is None else Path(job["models"]),
            seconds=job["seconds"],
            training_seconds=job["training_seconds"],
            thresholds=thresholds and EarlyStopThresholds.from_json(thresholds, data.task),
            max_bytes=job["max_bytes"],
            max_rows=job["max_rows"],
            on_fold=on_fold,
        )
    if job["kind"] == "refit":
        watched = job["watched"]
        return refit(
            data,
            learner,
            choice.with_fixed_values(job["settled"], learner.self_tuned_hyperparameters),
            job["seed"],
            rows=load_array(Path(job["rows"])),
            early_stopping_rows=None if watched is None else load_array(Path(watched)),
            destination=Path(job["pickle"]) if job["pickle"] else None,
            matrices=[load_array(Path(matrix)) for matrix in job["matrices"]],
        )
    start = read_awake_seconds()
    packed, files = Path(job["packed"]), [list(map(Path, each)) for each in job["files"]]
    if job["kind"] == "pack":
        pack(files, packed)
    else:
        unpack(packed, files)
    return RefitResult((), fit_seconds=read_awake_seconds() - start)


def evaluate(
    data: TrialData,
    learner: Learner,
    choice: LearnerConfiguration,
    seed: int,
    *,
    models: Path | None = None,
    seconds: float | None = None,
    training_seconds: float | None = None,
    thresholds: EarlyStopThresholds | None = None,
    max_bytes: int | None = None,
    max_rows: int | None = None,
    on_fold: FoldCallback = _ignore_fold,
) -> TrialOutcome:
    """Train on each fold's training rows; predict its validation rows and the test rows.

    Args:
        models: A folder for the fitted pipelines, up to a size.
        seconds: Wall-clock limit. A learner with early stopping gets an equal share for each fold;
            other learners are stopped if predicted to exceed the limit.
        training_seconds: A shorter time for learners with early stopping, in equal shares per fold.
            On a busy machine, loading libraries may take the first fold longer than that.
        thresholds: Losses above which the remaining folds are skipped; ``None``: all folds are
            trained.
        max_bytes: Limit of the total size of the folds' models, extrapolated from the first;
            ``None`` for none.
        max_rows: Train each fold on a sample of at most this many rows; ``None`` for all.

    Raises:
        LearnerError: If predictions have the wrong shape, are not finite or are not probabilities,
            if the folds would not finish in time, or if the first folds' losses are too high.
    """
    start = read_awake_seconds()
    folds = data.get_folds(seed)
    rows = np.sort(np.concatenate([held_out for _, held_out in folds]))
    validation = np.zeros((rows.size, data.n_classes) if data.n_classes else (rows.size,))
    test: Floats | None = None
    selection: list[AnyArray] = []
    used: dict[str, Value] = {}
    note = ""
    X_test = data.X[data.test] if data.test.size else None
    X_selection = data.X[data.selection] if data.selection.size else None
    settled_by_fold: list[Mapping[str, Value]] = []
    n_bytes = 0
    for fold, (training, held_out) in enumerate(folds):
        on_fold(fold + 1, len(folds))
        elapsed = read_awake_seconds() - start
        fold_seconds = _compute_fold_seconds(
            elapsed, fold, len(folds), seconds=seconds, training_seconds=training_seconds
        )
        sampled_rows = _sample_rows(data, training, max_rows, seed)
        fitted_pipeline = fit(
            data, learner, choice, seed, sampled_rows, held_out=held_out, seconds=fold_seconds
        )
        if models is not None and n_bytes <= MAX_BYTES_PER_TRIAL:
            n_bytes += write_if_possible(fitted_pipeline.pipeline, models / get_file_name(fold))
            if fold == 0 and max_bytes is not None:
                _check_size(learner, n_bytes * len(folds), max_bytes)
        used.update(fitted_pipeline.clipped_values)
        settled_by_fold.append(fitted_pipeline.self_tuned_values)
        note = fitted_pipeline.note
        positions = np.searchsorted(rows, held_out)
        predict_rows = partial(predict, fitted_pipeline.pipeline, learner, n_classes=data.n_classes)
        validation[positions] = predict_rows(data.X[held_out])
        if X_test is not None:
            test_prediction = predict_rows(X_test)
            test = test_prediction if test is None else test + test_prediction
        if X_selection is not None:
            selection.append(predict_rows(X_selection).astype(data.stored_type))
        elapsed = read_awake_seconds() - start
        if thresholds is not None and fold + 1 < len(folds):
            predicted_rows = np.sort(np.concatenate([each for _, each in folds[: fold + 1]]))
            weights = None if data.weights is None else data.weights[predicted_rows]
            predictions = validation[np.searchsorted(rows, predicted_rows)].astype(data.stored_type)
            thresholds.check(fold + 1, len(folds), data.y[predicted_rows], predictions, weights)
        if seconds is not None and max_rows is None:  # with few rows there is no further check
            _check_in_time(learner, fold + 1, len(folds), elapsed, seconds)
    if test is not None:
        test = test / len(folds)
    used.update(choice.get_named_values(_average_settings(settled_by_fold)))
    return TrialOutcome(
        validation=validation.astype(data.stored_type),
        test=None if test is None else test.astype(data.stored_type),
        used=used,
        fit_seconds=read_awake_seconds() - start,
        selection=np.stack(selection) if selection else None,
        note=note,
    )


def _compute_fold_seconds(
    elapsed: float,
    n_done: int,
    n_folds: int,
    *,
    seconds: float | None,
    training_seconds: float | None,
) -> float | None:
    """Return the next fold's time for a learner with early stopping; ``None`` without a limit.

    It is an equal share of the remaining time. Of the training time, it is at least the first
    fold's share, so that all folds' models are trained alike.
    """
    shares = []
    if seconds is not None:
        shares.append(max(0.0, seconds - elapsed) / (n_folds - n_done))
    if training_seconds is not None:
        remaining_share = (training_seconds - elapsed) / (n_folds - n_done)
        shares.append(max(remaining_share, training_seconds / n_folds))
    return TIME_SAFETY_SHARE * min(shares) if shares else None


def _sample_rows(data: TrialData, rows: Integers, max_rows: int | None, seed: int) -> Integers:
    """Sample at most ``max_rows`` rows (k,), in order, covering as many classes as possible."""
    if max_rows is None or rows.size <= max_rows:
        return rows
    shuffled_rows = np.random.default_rng(seed).permutation(rows)
    if data.n_classes:
        _, first = np.unique(data.y[shuffled_rows], return_index=True)
        shuffled_rows = np.concatenate([shuffled_rows[first], np.delete(shuffled_rows, first)])
    return np.sort(shuffled_rows[:max_rows])


def _check_size(learner: Learner, expected_bytes: int, max_bytes: int) -> None:
    if expected_bytes > max_bytes:
        raise EarlyEndError(
            "{learner} was stopped after its first fold: the models of all folds would take "
            "{expected:,} MB, and at most {most} MB of a trial are kept. Grow fewer or "
            "smaller trees, or take fewer rows.",
            learner=phrase(learner.get_short_title()),
            expected=expected_bytes >> 20,
            most=max_bytes >> 20,
        )


def _check_in_time(
    learner: Learner, n_done: int, n_folds: int, elapsed: float, seconds: float
) -> None:
    """Reject a trial that would exceed the remaining time by more than a tenth."""
    # With early stopping, the remaining time is divided among the remaining folds.
    expected_seconds = elapsed if learner.self_tuned_hyperparameters else elapsed / n_done * n_folds
    if n_done < n_folds and expected_seconds > 1.1 * seconds:
        raise LateTrialError(
            "{learner} was stopped after {done} of {folds} folds, which took {spent:.1f} s: all of "
            "them would take about {needed:.1f} s, and {seconds:.1f} s of the run's time were left "
            "when it began.",
            learner=phrase(learner.get_short_title()),
            done=n_done,
            folds=n_folds,
            spent=elapsed,
            needed=elapsed / n_done * n_folds,
            seconds=seconds,
        )


def _average_settings(settings_by_fold: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return the mean over the folds of self-tuned numbers, rounded for integers."""
    means: dict[str, Value] = {}
    for name, first in (settings_by_fold[0] if settings_by_fold else {}).items():
        mean = sum(float(each[name]) for each in settings_by_fold) / len(settings_by_fold)
        means[name] = round(mean) if isinstance(first, int) else mean
    return means


def refit(
    data: TrialData,
    learner: Learner,
    choice: LearnerConfiguration,
    seed: int,
    *,
    rows: Integers,
    early_stopping_rows: Integers | None = None,
    destination: Path | None,
    matrices: Sequence[Floats],
) -> RefitResult:
    """Train on the given rows, save the pipeline as a pickle, and predict the given matrices.

    The pickle contains plain scikit-learn objects and is written atomically. It stays in the run's
    scratch folder, and neither this module nor the engine loads it.

    Args:
        rows, early_stopping_rows: Shape (k,) each. Row numbers.
        matrices: Shape (n, d) each.
    """
    start = read_awake_seconds()
    fitted_pipeline = fit(data, learner, choice, seed, rows, held_out=early_stopping_rows)
    pipeline = fitted_pipeline.pipeline
    if destination is not None:
        write_model(pipeline, destination)
    predictions = tuple(predict(pipeline, learner, X, data.n_classes) for X in matrices)
    return RefitResult(
        predictions, used=fitted_pipeline.clipped_values, fit_seconds=read_awake_seconds() - start
    )
