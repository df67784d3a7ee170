"""The end of a run: selection, refit on all rows except the test rows, test."""

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.document.ensembles import EncodedEnsemble
from studio.document.results import BestSingleModel, LossInterval, Member, Result
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine
from studio.errors import RunError
from studio.phrases import count_phrase, join_phrases, phrase
from studio.runs.checked_predictions import average_predictions
from studio.runs.cluster import get_pool_maker
from studio.runs.correcting import correct_ensemble
from studio.runs.final_models import FinalModel, get_mean_predictions, train_final_models
from studio.runs.headline import make_test_headline, make_validation_headline
from studio.runs.kept_ensemble import serialize_ensemble
from studio.runs.limits import get_trial_limits, get_worker_count
from studio.runs.load import load_history
from studio.runs.model_files import FoldModels, advise_refit
from studio.runs.pool import Pool, PoolMaker
from studio.runs.prepare import PreparedRun, build_ensemble, prepare
from studio.runs.reserve import RefitSelection, RefitTimeError
from studio.runs.trust import resolve_resume_settings
from studio.runs.uncertainty import compute_interval, compute_test_difference_interval
from studio.scratch import make_scratch_folder
from studio.trial import History, Trial


def find_best_single(history: History) -> Trial:
    """Return the trial with the lowest validation loss, the earliest of ties."""
    return min(history.succeeded, key=lambda trial: (trial.loss, trial.number))


@dataclass(frozen=True)
class FinishedRun:
    """The result of a run, and its encoded ensemble if that can be stored."""

    result: Result
    ensemble: EncodedEnsemble | None


REFIT_TOO_LATE = phrase(
    "Refitting the members would have taken longer than the time left, so they were tested "
    "without it. Refit them when there is time."
)

_STOPPED = advise_refit(
    phrase("The run was stopped, so its members are trained again for each prediction and export.")
)


def set_refit(prepared_run: PreparedRun, *, averaged: bool = False) -> PreparedRun:
    """Return the same run with a refit that replaces the search's models or is averaged in."""
    settings = dataclasses.replace(prepared_run.settings, refit=True, averaged_refit=averaged)
    return dataclasses.replace(prepared_run, settings=settings)


@dataclass(frozen=True)
class Finisher:
    """Builds the final ensemble, trains its members on all rows except test rows, and tests them.

    Attributes:
        history: With at least one successful trial.
        test_cache: The trials' test predictions, shape (n, C) or (n,), used if the search's models
            are the final models.
        folder: The folder into which workers write the final models.
        search_models: Models kept from the search.
        earlier: Adds stored models of trials of earlier sessions.
    """

    history: History
    pool: Pool
    stopped: Callable[[], bool]
    test_cache: Mapping[int, AnyArray]
    folder: Path
    search_models: FoldModels | None = None
    earlier: Callable[[Sequence[int]], None] = lambda numbers: None
    progress: Callable[[int, int], None] = lambda done, of: None
    refit_selection: RefitSelection | None = None

    def finish(self, prepared_run: PreparedRun) -> FinishedRun:
        """Return the result of a run.

        Without refit, only missing models are retrained. If too few members can be refitted in
        time, all are tested without a refit; if the refit is optional, members that cannot be
        refitted in time are also tested without one.

        Raises:
            StoppedError: If ``stopped`` returned true.
            RunError: If no member could be trained.
        """
        if self._is_refit_optional:
            with contextlib.suppress(RefitTimeError):
                return self._train_and_test(set_refit(prepared_run, averaged=True))
        try:
            return self._train_and_test(prepared_run)
        except RefitTimeError:
            return finish_without_training(
                prepared_run, self.history, self.test_cache, REFIT_TOO_LATE
            )

    @property
    def _is_refit_optional(self) -> bool:
        selection = self.refit_selection
        return selection is not None and selection.refit_estimate.optional

    def _train_and_test(self, prepared_run: PreparedRun) -> FinishedRun:
        history, refit_selection = self.history, self.refit_selection
        ensemble = build_ensemble(prepared_run, history)
        n_members = len(ensemble.members)
        best = find_best_single(history)
        test = prepared_run.split.test
        refit = prepared_run.settings.refit
        keep = prepared_run.settings.keep
        matrix_paths, numbers = [], list(ensemble.members) if keep else []
        not_refitted: tuple[int, ...] = ()
        if refit and test.size:
            matrix = np.ascontiguousarray(prepared_run.problem.X[test])
            matrix_paths = [self.pool.stage_array("test-matrix", matrix)]
            numbers = list(dict.fromkeys([*ensemble.members, best.number]))
        if not refit or self._is_refit_optional:
            self.earlier(numbers)
        skipped_members: list[str] = []
        if refit and numbers and refit_selection is not None:
            ensemble, numbers, skipped_members = refit_selection.select_members(
                ensemble, best.number, history.trials
            )
        if not refit and refit_selection is not None and self.search_models is not None:
            # Retraining only for storage is not worth a delay.
            numbers = [each for each in numbers if self.search_models.list_files(each)]
        models, notes = train_final_models(
            prepared_run,
            history,
            numbers,
            self.pool,
            self.stopped,
            folder=self.folder,
            search_models=self.search_models,
            matrix_paths=matrix_paths,
            progress=self.progress,
            is_too_late=refit_selection.is_over if refit_selection else lambda ready: False,
        )
        if refit and numbers:
            if refit_selection is not None and not refit_selection.is_sufficient(ensemble, models):
                raise RefitTimeError
            if self._is_refit_optional and self.search_models is not None:
                not_refitted = tuple(each for each in ensemble.members if each not in models)
                notes = self._add_models_of_search(models, prepared_run, ensemble)
            else:
                ensemble = drop_failed_members(ensemble, models, notes)
        has_time = not refit_selection or refit_selection.refit_estimate.correction_seconds
        if len(ensemble.members) == n_members and has_time:
            is_late = refit_selection.is_late_to_correct if refit_selection else lambda: False
            ensemble = correct_ensemble(
                prepared_run, history, ensemble, stopped=lambda: self.stopped() or is_late()
            )
        has_refit_tests = refit and test.size
        predictions = get_mean_predictions(models, 0) if has_refit_tests else self.test_cache
        result = _build_result(prepared_run, history, ensemble, predictions)
        if refit:
            result = replace(
                result,
                refitted=True,
                averaged_refit=prepared_run.settings.averaged_refit,
                not_refitted=not_refitted,
                notes=(*result.notes, *skipped_members, *notes),
            )
        missing = [number for number in ensemble.members if number not in models]
        encoded, reason = None, join_phrases(notes) if keep and not refit else ""
        if keep and missing and not refit and self.search_models is not None:
            reason = reason or self.search_models.explain_missing(missing)
        if keep and not missing:
            encoded, reason = serialize_ensemble(
                prepared_run,
                history,
                ensemble,
                models,
                pool=self.pool,
                stopped=self.stopped,
                folder=self.folder,
            )
        n_bytes = encoded.n_bytes if encoded else 0
        return FinishedRun(replace(result, kept_bytes=n_bytes, kept_reason=reason), encoded)

    def _add_models_of_search(
        self, models: dict[int, FinalModel], prepared_run: PreparedRun, ensemble: Ensemble
    ) -> list[str]:
        """Add the search's models to the refitted ones; return a note on members without a refit.

        The mean of both is better than a refit alone (docs/studies/portfolio.md).

        Args:
            models: The refitted models, by trial number; modified in place.

        Raises:
            RefitTimeError: If the search's models of a member have been removed.
        """
        assert self.search_models is not None, "the caller has checked this"
        test_cache = self.test_cache
        remaining = [number for number in ensemble.members if number not in models]
        has_test = bool(prepared_run.split.test.size)
        for number, refit in list(models.items()):
            files = self.search_models.list_files(number)
            if files and (number in test_cache or not has_test):
                mean_of_folds = (test_cache[number],) if has_test else ()
                predictions = average_predictions([refit.predictions, mean_of_folds], n_folds=1)
                models[number] = FinalModel((*refit.files, *files), predictions)
        for number in remaining:
            files = self.search_models.list_files(number)
            if not files:
                raise RefitTimeError
            tested = (test_cache[number],) if number in test_cache else ()
            models[number] = FinalModel(files, tested)
        if not remaining:
            return []
        return [
            count_phrase(
                "1 of {n_members} members could not be refitted, and stays unchanged.",
                "{count:,} of {n_members} members could not be refitted, and stay unchanged.",
                len(remaining),
                n_members=len(ensemble.members),
            )
        ]


def finish_without_training(
    prepared_run: PreparedRun,
    history: History,
    test_cache: Mapping[int, AnyArray],
    reason: str = _STOPPED,
) -> FinishedRun:
    """Select and test without training: the result of a stopped run.

    Args:
        history, test_cache: See :class:`Finisher`.
        reason: Why the members are not refitted, in a sentence or two.
    """
    ensemble = build_ensemble(prepared_run, history)
    result = _build_result(prepared_run, history, ensemble, test_cache)
    return FinishedRun(replace(result, kept_bytes=0, kept_reason=reason), None)


def _build_result(
    prepared_run: PreparedRun,
    history: History,
    ensemble: Ensemble,
    predictions: Mapping[int, AnyArray],
) -> Result:
    """Return the selection and, with test rows, (n, C) or (n,), its test losses."""
    test, best = prepared_run.split.test, find_best_single(history)

    def score_prediction(prediction: AnyArray | None) -> tuple[float | None, LossInterval | None]:
        if prediction is None:
            return None, None
        interval = compute_interval(prepared_run, test, prediction)
        return prepared_run.compute_loss(test, prediction), interval

    ensemble_prediction = combine(predictions.__getitem__, ensemble) if test.size else None
    best_test = predictions.get(best.number) if test.size else None
    headline = None
    if ensemble_prediction is not None:
        headline = make_test_headline(prepared_run, ensemble_prediction)
    elif history.comparable:
        validation_prediction = combine(history.get_predictions, ensemble)
        headline = make_validation_headline(prepared_run, best.seed, validation_prediction)
    difference = None
    if ensemble_prediction is not None and best_test is not None:
        difference = compute_test_difference_interval(prepared_run, ensemble_prediction, best_test)
    validation_loss = None
    if ensemble.correction is not None:
        corrected = combine(history.get_predictions, ensemble)
        validation_loss = prepared_run.compute_loss(prepared_run.split.validation, corrected)
    error, interval = score_prediction(ensemble_prediction)
    single_error, single_interval = score_prediction(best_test)
    return Result(
        members=tuple(map(Member, ensemble.members, ensemble.weights)),
        combination=ensemble.combination,
        temperature=ensemble.temperature,
        correction=0.0 if ensemble.correction is None else ensemble.correction.share,
        corrected_validation=validation_loss,
        single=BestSingleModel(best.number),
        metric=prepared_run.metric.key,
        unit=prepared_run.metric.unit,
        test_rows=int(test.size),
        test_error_single=single_error,
        test_error_ensemble=error,
        test_interval=interval,
        single_interval=single_interval,
        difference_interval=difference,
        test_error_guess=compute_guess_error(prepared_run),
        headline=headline,
        refitted=False,
        notes=prepared_run.test_notes,
        test_notes=prepared_run.test_notes,
        overruled=prepared_run.overruled,
        trials=len(history),
        concluding=sum(trial.concluding for trial in history.trials),
        failed=sum(trial.status == "failed" for trial in history.trials),
    )


def compute_guess_error(prepared_run: PreparedRun) -> float | None:
    """Return the test loss of the best constant prediction fitted to all other rows."""
    rows = prepared_run.split.test
    training_rows = np.setdiff1d(np.arange(len(prepared_run.problem.y)), rows)
    if not rows.size or not training_rows.size:
        return None
    return prepared_run.compute_loss(rows, prepared_run.predict_constant(training_rows, rows.size))


def store_result(document: Document, run_id: int, run_result: FinishedRun) -> None:
    """Store a run's result and its trained ensemble within the caller's transaction."""
    if run_result.result.refitted:
        averaged = run_result.result.averaged_refit
        document.runs.change_settings(run_id, {"refit": True, "averaged_refit": averaged})
    document.runs.set_result(run_id, run_result.result)
    if run_result.ensemble is None:
        document.ensembles.remove(run_id)
    else:
        document.ensembles.store(run_id, run_result.ensemble)


def drop_failed_members(
    ensemble: Ensemble, refitted: Mapping[int, Any], notes: Sequence[str]
) -> Ensemble:
    """Return the ensemble of the successfully trained members, with normalised weights.

    Args:
        refitted: The successfully trained members, by trial number.

    Raises:
        RunError: If no member could be trained, with the first failure's reason.
    """
    if not any(number in refitted for number in ensemble.members):
        raise RunError(
            "None of the chosen models could be trained. {note}", note=join_phrases(notes[:1])
        )
    return ensemble.select_members(refitted)


_FINAL_STATES = {"finished", "stopped", "failed"}

_SEARCH_FIELDS = ("seconds", "time_budget", "utilisation", "exhausted")


def refit_run(
    document: Document,
    run_id: int,
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, of: None,
    make_pool: PoolMaker | None = None,
    *,
    resources: Mapping[str, Any] | None = None,
) -> Result:
    """Refit, test, and store and return the new result.

    Args:
        stopped: Polled several times a second; if it returns true, nothing is changed.
        make_pool: Creates the pool; ``None`` for the pool of the settings.
        resources: Overrides the settings: "workers" of this machine, or a "cluster" allowed by a
            user of this machine.

    Raises:
        RunError: If the run is still in progress, or has no model yet.
        UntrustedClusterError: If the run was trained on a cluster and ``resources`` names no
            workers or cluster.
        StoppedError: If ``stopped`` returned true.
    """
    row = document.runs.get(run_id)
    if row.state not in _FINAL_STATES:
        raise RunError(
            "This run has not ended. Stop it first (everything is kept), then refit its members."
        )
    resources = dict(resources or {})
    if make_pool is None:
        resources = resolve_resume_settings(str(row.settings.get("cluster", "")), resources)
    document.owners.claim(run_id)
    try:
        prepared_run = prepare(document, run_id)
        settings = dataclasses.replace(prepared_run.settings, **resources)
        prepared_run = set_refit(dataclasses.replace(prepared_run, settings=settings))
        history = load_history(document, run_id, prepared_run)
        if not history.succeeded:
            raise RunError(
                "This run has no model yet, so there is nothing to refit. Let it continue."
            )
        settings = prepared_run.settings
        cluster = str(resources.get("cluster", ""))
        workers = settings.workers if cluster else get_worker_count(settings.workers)
        with (
            make_scratch_folder() as scratch,
            (make_pool or get_pool_maker(settings, cluster))(
                workers, scratch, get_trial_limits(settings, workers), prepared_run.get_trial_data()
            ) as pool,
        ):
            # No model of the search is tested.
            finisher = Finisher(history, pool, stopped, {}, scratch, progress=progress)
            finished_run = finisher.finish(prepared_run)
        latest_row = document.trials.list_iterations(run_id)[-1]
        result = dataclasses.replace(
            finished_run.result, seconds=float(latest_row.details.get("elapsed", 0.0))
        )
        if row.result is not None:
            # From the search, unchanged.
            search_fields = {name: getattr(row.result, name) for name in _SEARCH_FIELDS}
            result = dataclasses.replace(result, **search_fields)
        with document.run_transaction():
            store_result(document, run_id, dataclasses.replace(finished_run, result=result))
    finally:
        document.owners.release(run_id)
    return result
