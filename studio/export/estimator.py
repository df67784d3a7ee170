"""The trained ensemble as one scikit-learn estimator of raw tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from studio.document.decision import Decision
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import ExportError
from studio.export.members import (
    complete_classes,
    make_correction_steps,
    make_feature_union,
    make_fold_ensemble,
    make_linear_model,
    make_temperature_steps,
    make_threshold_classifier,
    make_voting_estimator,
    to_whole_weights,
)
from studio.export.preprocessing import RawColumn, make_matrix_transformer
from studio.export.progress import SILENT_REPORTER, TRAINING, ProgressReporter
from studio.phrases import phrase
from studio.runs.final_models import train_final_models
from studio.runs.finish import drop_failed_members
from studio.runs.kept_ensemble import read_kept
from studio.runs.limits import get_trial_limits, get_worker_count
from studio.runs.load import load_history, select_ensemble
from studio.runs.model_files import advise_refit, load_model
from studio.runs.pool import PoolMaker, WorkerPool
from studio.runs.prepare import PreparedRun, prepare
from studio.scratch import make_scratch_folder
from studio.trial import History


@dataclass(frozen=True)
class TrainedEnsemble:
    """A run's trained ensemble.

    Attributes:
        pipeline: The pipeline from the trials' matrix. Its labels follow the run's decision.
        ensemble: Members by trial number, and weights.
        member_estimators: The members, in the ensemble's order: pipelines, or ensembles of
            pipelines, from the matrix of :attr:`studio.data.problem.Problem.X` to class codes or
            values.
        models: Each member's models: itself, or its fold models.
        decision: ``None`` for the ensemble's own labels.
        decision_note: Result of :meth:`studio.document.decision.Decision.describe_outdated`.
    """

    pipeline: Any
    ensemble: Ensemble
    columns: tuple[RawColumn, ...]
    prepared_run: PreparedRun
    notes: tuple[str, ...]
    member_estimators: tuple[Any, ...] = ()
    models: tuple[tuple[Any, ...], ...] = ()
    is_from_document: bool = False
    decision: Decision | None = None
    decision_note: str = ""
    is_single_trial: bool = False

    @cached_property
    def estimator(self) -> Any:
        """The trained ensemble as a scikit-learn pipeline for the raw table (DataFrame).

        It consists of scikit-learn, pandas, numpy (and LightGBM or PyTorch) objects only.
        """
        import pandas as pd
        from sklearn.pipeline import Pipeline

        sample = pd.DataFrame({column.name: ["0"] for column in self.columns})
        transformer = make_matrix_transformer(self.columns, sample)
        return Pipeline([("table", transformer), *self.pipeline.steps])


def train(
    document: Document,
    run_id: int,
    stopped: Callable[[], bool] = lambda: False,
    make_pool: PoolMaker = WorkerPool,
    progress: ProgressReporter = SILENT_REPORTER,
    *,
    trial: int | None = None,
    prepared_run: PreparedRun | None = None,
    only_to_predict: bool = False,
) -> TrainedEnsemble:
    """Return the trained ensemble of a run, or one of its trials, as an estimator.

    It is read from the document if stored there; otherwise its members are trained under the run's
    limits.

    Args:
        stopped: Polled several times a second.
        make_pool: Creates the training pool: worker processes by default.
        only_to_predict: See :func:`studio.serialization.codec.decode`.

    Raises:
        ExportError: If the run has no successful trial (or the given trial failed), or its parts
            cannot be combined as scikit-learn objects.
        StoppedError: If ``stopped`` returned true.
    """
    prepared_run = prepare(document, run_id) if prepared_run is None else prepared_run
    document.trials.list_all(run_id)  # damage is recorded, even if the stored models are used
    stored_models, reason = read_kept(
        document, run_id, prepared_run, only_to_predict=only_to_predict
    )
    notes = [reason] if reason else []
    if stored_models is not None and trial is not None:
        stored_models = stored_models.select_member(trial)
    if stored_models is not None:
        ensemble, models = stored_models.ensemble, stored_models.models
    else:
        history, ensemble = _select_members(document, run_id, prepared_run, trial)
        progress.report_note(
            reason or explain_training(document.runs.get(run_id), prepared_run, trial)
        )
        ensemble, models, member_notes = _train_members(
            prepared_run, history, ensemble, stopped=stopped, make_pool=make_pool, progress=progress
        )
        notes += member_notes
    n_classes, n_folds = len(prepared_run.problem.classes), len(prepared_run.split.folds)
    member_estimators = tuple(make_fold_ensemble(each, n_classes, n_folds) for each in models)
    columns = tuple(RawColumn.from_column(column) for column in prepared_run.table.features)
    # A decision applies to the ensemble's probabilities, not to those of a single trial.
    row = document.runs.get(run_id)
    decision = row.decision if trial is None else None
    decision_note = row.decision_note if trial is None else ""
    if decision is not None:
        notes += filter(None, (decision.sentence, decision_note))
    return TrainedEnsemble(
        assemble_pipeline(None, prepared_run, ensemble, member_estimators, decision)[1:],
        ensemble,
        columns,
        prepared_run,
        tuple(notes),
        member_estimators,
        models,
        is_from_document=stored_models is not None,
        decision=decision,
        decision_note=decision_note,
        is_single_trial=trial is not None,
    )


def explain_training(row: RunRow, prepared_run: PreparedRun, trial: int | None) -> str:
    """Return the reason for training a run's models, or one trial, before prediction or export."""
    result = row.result
    if trial is not None and result is not None and trial not in result.weights:
        return phrase(
            "The document contains no model of trial {trial}, which is not a member of the "
            "ensemble, so it is trained first.",
            trial=trial,
        )
    if result is not None and result.kept_reason:
        return result.kept_reason
    if not prepared_run.settings.keep:
        return phrase(
            "This run was started without keeping its trained ensemble in the document, so the "
            "members are trained again for each prediction and export."
        )
    return advise_refit(
        phrase(
            "The document contains no trained ensemble of this result, so the members are trained "
            "again for each prediction and export."
        )
    )


def _select_members(
    document: Document, run_id: int, prepared_run: PreparedRun, trial: int | None
) -> tuple[History, Ensemble]:
    """Return the history and the members to train; raise ExportError if there are none."""
    history = load_history(document, run_id, prepared_run)
    if not history.succeeded:
        raise ExportError(
            "This run has no successful trial yet, so there is nothing to train. Let it run first."
        )
    if trial is not None:
        return history, _make_single_trial_ensemble(history, trial)
    return history, select_ensemble(document.runs.get(run_id), prepared_run, history)


def _train_members(
    prepared_run: PreparedRun,
    history: History,
    ensemble: Ensemble,
    *,
    stopped: Callable[[], bool],
    make_pool: PoolMaker,
    progress: ProgressReporter,
) -> tuple[Ensemble, tuple[tuple[Any, ...], ...], list[str]]:
    settings = prepared_run.settings
    workers = get_worker_count(settings.workers)
    progress.report_progress(TRAINING, 0, len(ensemble.members))
    with (
        make_scratch_folder() as scratch,
        make_pool(
            min(workers, len(ensemble.members)),
            scratch,
            get_trial_limits(settings, workers),
            prepared_run.get_trial_data(),
        ) as pool,
    ):
        results, notes = train_final_models(
            prepared_run,
            history,
            ensemble.members,
            pool,
            stopped,
            folder=scratch,
            progress=lambda done, of: progress.report_progress(TRAINING, done, of),
        )
        ensemble = drop_failed_members(ensemble, results, notes)
        models = tuple(tuple(map(load_model, results[number].files)) for number in ensemble.members)
    return ensemble, models, notes


def _make_single_trial_ensemble(history: History, trial: int) -> Ensemble:
    if not 1 <= trial <= len(history):
        raise ExportError(
            "This run has no trial {trial}; it has {count:,}.", trial=trial, count=len(history)
        )
    chosen_trial = history.trials[trial - 1]
    if chosen_trial.loss is None:
        raise ExportError(
            "There is no model of trial {trial}: {cause} Choose another one.",
            trial=trial,
            cause=chosen_trial.cause,
        )
    return Ensemble.from_single_trial(trial)


def assemble_pipeline(
    matrix_preparation: Any,
    prepared_run: PreparedRun,
    ensemble: Ensemble,
    member_estimators: Sequence[Any],
    decision: Decision | None = None,
) -> Any:
    """Combine matrix preparation, fitted members and combination in one pipeline.

    Args:
        matrix_preparation: A fitted transformer from some table to the trials' matrix.
        member_estimators: The members, in the ensemble's order.
        decision: ``None`` for the ensemble's own labels.
    """
    from sklearn.pipeline import Pipeline

    classes = prepared_run.problem.classes
    *first_steps, last_step = _make_combination_steps(ensemble, member_estimators, classes)
    if decision is not None:
        last_step = make_threshold_classifier(last_step, decision, classes)
    return Pipeline([("table", matrix_preparation), *first_steps, ("ensemble", last_step)])


def _make_combination_steps(
    ensemble: Ensemble, member_estimators: Sequence[Any], classes: Sequence[Any]
) -> list[Any]:
    """Return the named steps after the matrix, and the unnamed last step."""
    if ensemble.layer is not None:
        union = make_feature_union(member_estimators, ensemble, len(classes))
        return [("members", union), make_linear_model(ensemble.layer, classes)]
    if ensemble.correction is not None:
        union = make_feature_union(member_estimators, ensemble, len(classes))
        return [("members", union), *make_correction_steps(ensemble, ensemble.correction, classes)]
    voting = _make_voting(ensemble, member_estimators, classes)
    if ensemble.temperature == 1.0:
        return [voting]
    return make_temperature_steps(voting, ensemble.temperature, classes)


def _make_voting(
    ensemble: Ensemble, member_estimators: Sequence[Any], classes: Sequence[Any]
) -> Any:
    is_soft = bool(classes) and ensemble.combination == "mean"
    members, weights = member_estimators, list(ensemble.weights)
    if classes:
        members = [complete_classes(each, len(classes)) for each in member_estimators]
        weights = to_whole_weights(ensemble.weights)
    names = [f"trial_{number}" for number in ensemble.members]
    return make_voting_estimator(names, members, classes, weights=weights, soft=is_soft)
