"""Recording of a worker's outcome in the document and the history."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from studio.arrays import AnyArray
from studio.awake_clock import read_awake_seconds
from studio.document.store import Document
from studio.document.trials import GAP_KEY, Iteration
from studio.ensembles.base import Ensemble, combine
from studio.errors import ScoreError
from studio.phrases import phrase
from studio.proposers.base import Suggestion
from studio.runs.causes import Failure
from studio.runs.clock import Slowdown
from studio.runs.finish import find_best_single
from studio.runs.jobs import TrialOutcome
from studio.runs.load import load_test_predictions, load_validation_predictions, make_empty_history
from studio.runs.prepare import PreparedRun, build_ensemble
from studio.runs.uncertainty import estimate_optimism
from studio.trial import History, Trial, check_no_lost_trials


@dataclass(frozen=True)
class ScoredTrial:
    """A finished trial with its predictions, in the history but not yet in the document.

    Attributes:
        validation, test: Shape (n, C) or (n,). Its predictions in stored form.
    """

    trial: Trial
    validation: AnyArray | None
    test: AnyArray | None
    details: Mapping[str, Any]
    seconds: float


class Recorder:
    """Keeps a run's history and document synchronised.

    Args:
        run_id: The run, whose finished trials are loaded.

    Attributes:
        search_history: The trials as passed to a search, without their losses on D_S.
        test: Stored test predictions, shape (n, C) or (n,), by trial number.
        n_budget_trials: Number of trials that count towards the budget.
        previous_seconds: The run's working seconds when the last loaded trial finished.
        record_seconds, loss_seconds: Duration of the last recording of a trial, and of one loss of
            the test rows.
        slowdown: Load of the machine by other programs, measured during recording.
    """

    def __init__(self, document: Document, run_id: int, prepared_run: PreparedRun) -> None:
        self._document = document
        self._run_id = run_id
        self._prepared = prepared_run
        self.record_seconds = 0.0
        self.loss_seconds = 0.0
        self.slowdown = Slowdown()
        self.test: dict[int, AnyArray] = {}
        self.history = make_empty_history(prepared_run)
        has_selection = prepared_run.split.selection.size > 0
        self.search_history = make_empty_history(prepared_run) if has_selection else self.history
        self.n_budget_trials = 0
        self.latest = Iteration(number=0)
        self._load()

    def _load(self) -> None:
        document, run_id = self._document, self._run_id
        rows = document.trials.list_rows(run_id)
        # Without the lost trials, suggestions would differ from those of the run.
        check_no_lost_trials(row.trial for row in rows)
        for row in rows:
            predictions = load_validation_predictions(document, run_id, row.trial, self.history)
            test = load_test_predictions(document, run_id, row.trial.number, self._prepared)
            self._append(row.trial, predictions, test)
            self.latest = row.iteration
        self.previous_seconds = float(self.latest.details.get("elapsed", 0.0))

    def _append(self, trial: Trial, predictions: AnyArray | None, test: AnyArray | None) -> None:
        self.history.append(trial, predictions)
        self.n_budget_trials += not trial.concluding
        if self.search_history is not self.history:
            self.search_history.append(replace(trial, selection=None), predictions)
        if test is not None:
            self.test[trial.number] = test

    def score(
        self,
        suggestion: Suggestion,
        seed: int,
        suggest_seconds: float,
        result: TrialOutcome | Failure,
        *,
        concluding: bool = False,
    ) -> "ScoredTrial":
        """Score a worker's result and add it to the history; :meth:`record` must follow."""
        start = read_awake_seconds()
        validation = test = loss = selection = failure = None
        if isinstance(result, Failure):
            failure = result
        else:
            try:
                loss, selection = self._compute_losses(seed, result)
                validation = result.validation
                test = result.test if self._prepared.split.test.size else None
            except ScoreError as error:
                remedy = "Choose another metric, or narrow the range of this hyperparameter."
                failure = Failure(str(error), phrase(remedy))
        trial = Trial(
            number=len(self.history) + 1,
            configuration=dict(suggestion.configuration),
            seed=seed,
            loss=loss,
            cause=failure.cause if failure else "",
            remedy=failure.remedy if failure else "",
            suggest_seconds=suggest_seconds,
            origin=suggestion.origin,
            selection=selection,
            concluding=concluding,
            failure=failure.kind if failure else Trial.failure,
            **result.get_measured(),
        )
        self._append(trial, validation, test)
        details: dict[str, Any] = dict(suggestion.details)
        if suggestion.predicted is not None:
            details["predicted"] = list(suggestion.predicted)
        return ScoredTrial(trial, validation, test, details, read_awake_seconds() - start)

    def record(
        self,
        scored_trial: "ScoredTrial",
        elapsed: float,
        timing: Sequence[float],
        suggestion_basis: Mapping[str, float | None],
        seconds_by_kind: Mapping[str, float],
    ) -> None:
        """Compute the current ensemble and store it with the trial, in one transaction.

        Args:
            elapsed: The run's working seconds when the result arrived.
            timing: The same at the request for the suggestion, and at the assignment to a worker.
            suggestion_basis: The basis of the suggestion, stored in the iteration's details with
                the surrogate's prediction.
            seconds_by_kind: The workers' time so far, by use (:mod:`studio.runs.utilisation`).
        """
        start, cpu_seconds = read_awake_seconds(), time.thread_time()
        details: dict[str, Any] = {
            **scored_trial.details,
            "elapsed": elapsed,
            "timing": list(timing),
            "seen": dict(suggestion_basis),
            "spent": dict(seconds_by_kind),
        }
        self.latest = compute_iteration(self._prepared, self.history, self.test, details)
        trial, validation, test = scored_trial.trial, scored_trial.validation, scored_trial.test
        self._document.trials.add(self._run_id, trial, validation, test, self.latest)
        self._document.checkpoint()
        duration = read_awake_seconds() - start
        self.record_seconds = scored_trial.seconds + duration
        self.slowdown.add(duration, time.thread_time() - cpu_seconds)
        if test is not None and not self.loss_seconds:
            start = read_awake_seconds()
            self._prepared.compute_loss(self._prepared.split.test, test)
            self.loss_seconds = read_awake_seconds() - start

    def _compute_losses(self, seed: int, result: TrialOutcome) -> tuple[float, float | None]:
        """Return the loss, and any mean loss of the fold models on D_S; or raise ScoreError."""
        prepared, selection = self._prepared, None
        loss = prepared.compute_loss(prepared.get_scored_rows(seed), result.validation)
        if result.selection is not None:
            rows = prepared.split.selection
            losses = [prepared.compute_loss(rows, predictions) for predictions in result.selection]
            selection = sum(losses) / len(losses)
        if not math.isfinite(loss) or not math.isfinite(selection or 0.0):
            raise ScoreError("The metric of its predictions is not a finite number.")
        return loss, selection


def compute_iteration(
    prepared_run: PreparedRun,
    history: History,
    test: Mapping[int, AnyArray],
    details: Mapping[str, Any],
) -> Iteration:
    """Return a run's state after the last trial of a history.

    Args:
        test: Stored test predictions, shape (n, C) or (n,), by trial number.
    """
    number = len(history)
    if not history.succeeded:
        return Iteration(number=number, details=details)

    def compute_test_loss(predictions: AnyArray | None) -> float | None:
        if predictions is None:
            return None
        return prepared_run.compute_loss(prepared_run.split.test, predictions)

    def test_ensemble(ensemble: Ensemble) -> AnyArray | None:
        return combine(test.__getitem__, ensemble) if prepared_run.split.test.size else None

    best = find_best_single(history)
    ensemble = build_ensemble(prepared_run, history)
    ensemble_test = test_ensemble(ensemble)
    ensemble_validation = combine(history.get_predictions, ensemble) if history.comparable else None
    optimism_gap = None
    if ensemble_test is not None and ensemble_validation is not None:
        optimism_gap = estimate_optimism(prepared_run, ensemble_validation, ensemble_test)
    return Iteration(
        number=number,
        best=best.number,
        single_validation=best.loss,
        single_test=compute_test_loss(test_ensemble(Ensemble.from_single_trial(best.number))),
        ensemble_validation=(
            history.trials[ensemble.members[0] - 1].loss
            if ensemble_validation is None
            else _compute_ensemble_loss(prepared_run, ensemble_validation)
        ),
        ensemble_test=compute_test_loss(ensemble_test),
        members=tuple(zip(ensemble.members, ensemble.weights, strict=True)),
        details={**details, GAP_KEY: optimism_gap},
    )


def _compute_ensemble_loss(prepared_run: PreparedRun, predictions: AnyArray) -> float | None:
    """Return the validation loss of predictions, (n, C) or (n,); ``None`` if not finite."""
    loss = prepared_run.objective(prepared_run.truth, predictions)
    return loss if math.isfinite(loss) else None
