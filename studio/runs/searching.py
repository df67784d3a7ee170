"""The search loop of a run: suggest, train, record, until the budget is used or a stop."""

import contextlib
import dataclasses
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.data.metrics.weighting import compute_mean
from studio.document.journal import RunningJob
from studio.document.store import Document
from studio.ensembles.weights import count_effective_rows
from studio.errors import ExhaustedError, OutOfTimeError
from studio.phrases import phrase
from studio.proposers.base import SuggestionContext
from studio.runs import causes
from studio.runs.causes import Failure
from studio.runs.clock import RunClock
from studio.runs.finish import find_best_single
from studio.runs.jobs import EarlyStopThresholds, RefitResult, TrialOutcome, make_evaluation_job
from studio.runs.limits import TrialLimits
from studio.runs.model_files import FoldModels
from studio.runs.pool import Pool
from studio.runs.prepare import PreparedRun, derive_ensemble_seed
from studio.runs.progress import Progress
from studio.runs.record import Recorder, ScoredTrial
from studio.runs.requests import RequestQueue
from studio.runs.reserve import FALLBACK_ROWS, FALLBACK_TIMEOUT
from studio.runs.suggesting import SuggestionSource, SuggestionWithBasis, get_suggestion_basis
from studio.runs.time_limits import TimeLimits
from studio.runs.utilisation import Utilisation
from studio.runs.worker_group import NO_FOLD, FinishedJob, Fold
from studio.seeds import derive
from studio.trial import Configuration, History

MIN_TRIALS = 3
"""Minimum number of successful trials before early rejection."""


def compute_early_stop_thresholds(
    prepared_run: PreparedRun, history: History
) -> EarlyStopThresholds | None:
    """Return the thresholds of early rejection; ``None`` if disabled or not yet possible."""
    evaluation, folds = prepared_run.method.evaluation, prepared_run.split.folds
    if (
        not evaluation.rejects_early
        or prepared_run.metric.local
        or len(folds) < 3
        or len(history.succeeded) < MIN_TRIALS
    ):
        return None
    best = history.get_predictions(find_best_single(history).number)
    losses, best_losses = [], []
    for n_done in range(1, len(folds)):
        rows = np.sort(np.concatenate([held_out for _, held_out in folds[:n_done]]))
        row_predictions = best[np.searchsorted(prepared_run.split.validation, rows)]
        lowest = prepared_run.compute_loss(rows, row_predictions)
        guess = prepared_run.predict_constant(rows, len(rows))
        slack = _compute_slack(prepared_run, rows, row_predictions, lowest)
        guess_loss = prepared_run.compute_loss(rows, guess)
        losses.append(evaluation.compute_max_loss(lowest, guess_loss, slack))
        best_losses.append(lowest)
    return EarlyStopThresholds(prepared_run.metric, tuple(losses), tuple(best_losses))


def _compute_slack(
    prepared_run: PreparedRun, rows: Integers, predictions: AnyArray, loss: float
) -> float:
    """Return twice the standard error of a loss that is a mean over rows, (n,)."""
    row_losses = prepared_run.metric.compute_row_losses(prepared_run.problem.y[rows], predictions)
    if row_losses is None:
        return 0.0
    weights = prepared_run.get_weights(rows)
    average = compute_mean(row_losses, weights)
    spread = math.sqrt(compute_mean(np.square(row_losses - average), weights))
    upper = average + 2.0 * spread / math.sqrt(count_effective_rows(weights, len(rows)))
    return float(prepared_run.metric.transform_mean(np.array([upper]))[0]) - loss


@dataclass(frozen=True)
class StartedTrial:
    """A running trial.

    Attributes:
        timing: The run's working seconds when a worker started waiting for the suggestion, and at
            the trial's start.
        max_seconds: Wall seconds after which the trial is ended because of the run's time limit.
    """

    suggestion_with_basis: SuggestionWithBasis
    seed: int
    started_at: float
    timing: tuple[float, float]
    max_seconds: float | None

    def make_entry(self, slot: int, fold: Fold = NO_FOLD) -> RunningJob:
        """Return the document's record of this running trial during a fold."""
        suggestion = self.suggestion_with_basis.suggestion
        return RunningJob(
            slot, dict(suggestion.configuration), self.started_at, suggestion.origin, *fold
        )

    def make_result(self, finished: FinishedJob) -> TrialOutcome | Failure:
        """Return its result, with the run's time limit as the cause of failure if applicable."""
        result = finished.result
        assert not isinstance(result, RefitResult), "no refit was asked for"
        if self.max_seconds is None or isinstance(result, TrialOutcome) or result.kind != "time":
            return result
        if result.fit_seconds < self.max_seconds:
            return result
        time_failure = causes.make_run_time_failure(self.max_seconds)
        return dataclasses.replace(result, cause=time_failure.cause, remedy=time_failure.remedy)


TICK_SECONDS = 0.1
"""Interval of checking requests during trials; Stop must react within a second."""

SLOW_START_SECONDS = 20.0
"""Seconds after which a slow start of all workers is reported."""

SLOW_START_MESSAGE = phrase(
    "The worker processes are slow to start, perhaps because the machine is busy. The search "
    "begins when they are ready."
)

FOLD_INTERVAL = 1.0

SHORT_TICK_SECONDS = 0.005
"""The same while a worker is idle and about to receive a suggestion."""


class Reporter(Protocol):
    """Interface of the engine as used by its loop."""

    stopping: bool

    def report_message(self, message: str) -> None:
        """Record a message in the document and report it."""

    def report(self, progress: Progress) -> None:
        """Report progress."""


@dataclass(frozen=True)
class RunContext:
    """A run with its document, pool, limits and scratch folder, which outlives the session."""

    document: Document
    run_id: int
    prepared_run: PreparedRun
    pool: Pool
    limits: TrialLimits
    scratch: Path


@dataclass(frozen=True)
class RunSession:
    """One working session of a run."""

    reporter: Reporter
    context: RunContext
    recorder: Recorder
    requests: RequestQueue
    time: TimeLimits
    utilisation: Utilisation
    models: FoldModels

    @classmethod
    def begin(cls, reporter: Reporter, context: RunContext, clock: RunClock) -> Self:
        """Resume a run from the document."""
        prepared_run = context.prepared_run
        recorder = Recorder(context.document, context.run_id, prepared_run)
        requests = RequestQueue(
            context.document, context.run_id, prepared_run.settings, clock.read_seconds
        )
        clock.earlier_seconds = recorder.previous_seconds
        models = FoldModels.make(prepared_run, context.scratch)
        time = TimeLimits(prepared_run, recorder, requests, clock, context.pool, models=models)
        utilisation = Utilisation(recorder.latest.details.get("spent"))
        return cls(reporter, context, recorder, requests, time, utilisation, models)

    @property
    def is_stop_requested(self) -> bool:
        """Whether a stop was requested."""
        return self.reporter.stopping or self.requests.stop

    def get_time_use(self) -> dict[str, float]:
        """Return the workers' use of time so far."""
        return self.utilisation.compute_seconds_by_kind(
            self.time.get_session_seconds(), self.context.pool.size
        )


class SearchLoop:
    """Keeps the workers of a session busy and records their results.

    Attributes:
        exhausted: Why there is nothing left to try; empty otherwise.
        used_fallback_trial: Whether a trial on few rows
            (:data:`studio.runs.reserve.FALLBACK_ROWS`) was started because no trial had
            succeeded and time was nearly up.
    """

    def __init__(self, session: RunSession) -> None:
        self.exhausted = ""
        self.used_fallback_trial = False
        self._session = session
        self._document = session.context.document
        self._run_id = session.context.run_id
        self._prepared_run = session.context.prepared_run
        self._settings = session.context.prepared_run.settings
        self._pool = session.context.pool
        self._limits = session.context.limits
        self._recorder = session.recorder
        self._requests = session.requests
        self._time = session.time
        self._utilisation = session.utilisation
        self._models = session.models
        self._suggesting = SuggestionSource(
            self._prepared_run, separate_process=self._pool.uses_processes
        )
        self._running: dict[int, StartedTrial] = {}
        self._next_job = 1
        self._folds: Mapping[int, Fold] = {}
        self._folds_recorded_at = 0.0
        self._waiting_since: float | None = None
        self._ready_time = 0.0
        self._out_of_time = False
        self._logged_texts = {
            message.text for message in self._document.journal.list_messages(self._run_id)
        }

    def run_to_end(self) -> bool:
        """Try configurations until the budget is used; return False after a stop."""
        self._out_of_time = False
        try:
            self._resume_suggestion()
            while not self._is_done():
                self._requests.poll()
                if self._session.is_stop_requested:
                    return False
                if self._time.is_ending():
                    self._pool.prepare_spare()
                if not self.used_fallback_trial and self._is_worth_restarting():
                    # Trials may begin late, for example if workers are slow to start.
                    self._cancel_running()
                self._fill_workers()
                self._collect()
        finally:
            self._suggesting.close()
        self._cancel_running()
        return True

    def conclude(self) -> bool:
        """Train the proposer's final configuration, even if tried; return False after a stop.

        It does not count towards the budget and may exceed the time limit, as it is part of the
        selection, like the refit. If it fails, the selection proceeds without it.
        """
        start = time.process_time()
        asked_at = self._time.get_seconds_worked()
        search = self._make_search()
        suggestion = self._prepared_run.method.proposer.conclude(search)
        if suggestion is None:
            return True
        cpu_seconds, basis = time.process_time() - start, get_suggestion_basis(search)
        proposal = SuggestionWithBasis(suggestion, cpu_seconds, basis)
        self._submit(proposal, asked_at, concluding=True)
        while self._running:
            self._requests.poll()
            if self._session.is_stop_requested:
                return False
            self._collect(concluding=True)
        return True

    # -- start and end of trials ------------------------------------------------------------

    def _is_done(self) -> bool:
        if self._running:
            return self._is_time_up()
        return self._is_budget_used() or self._is_time_up() or self._has_nothing_to_try()

    def _is_worth_restarting(self) -> bool:
        """Whether only the fallback trial, on a newly started worker, can still end in time.

        A trial that has run for less time than a worker takes to start may still finish earlier.
        """
        if not self._time.is_fallback_due():
            return False
        ready_at = max([self._ready_time, *(each.timing[1] for each in self._running.values())])
        return self._time.get_seconds_worked() - ready_at >= self._pool.restart_seconds

    def _has_nothing_to_try(self) -> bool:
        return bool(self.exhausted) or self._out_of_time

    def _is_budget_used(self) -> bool:
        budget = self._requests.budget
        return budget is not None and self._recorder.n_budget_trials + len(self._running) >= budget

    def _is_time_up(self) -> bool:
        seconds_left = self._time.get_search_time(running=bool(self._running))
        if seconds_left is None or seconds_left > 0:
            return False
        # Otherwise such a short run would end without a result.
        is_fallback_over = self.used_fallback_trial and not self._running
        return bool(self._recorder.history.succeeded) or is_fallback_over

    def _has_idle_worker(self) -> bool:
        """Whether another trial can be started now."""
        return (
            len(self._running) < self._pool.size
            and not self._requests.pause
            and not self._session.is_stop_requested
            and not self._is_budget_used()
            and not self._is_time_up()
            and not self._has_nothing_to_try()
            and not (self._running and self.used_fallback_trial)
        )

    # -- suggestions -----------------------------------------------------------------------

    def _fill_workers(self) -> None:
        while self._has_idle_worker():
            if self._waiting_since is None:
                self._waiting_since = self._time.get_seconds_worked()
            if self._suggesting.is_computing():
                return
            suggestion = self._get_next_suggestion()
            waited_seconds = self._time.get_seconds_worked() - self._waiting_since
            n_idle = self._pool.size - len(self._running)
            self._utilisation.add("suggesting", waited_seconds * n_idle)
            waiting_since, self._waiting_since = self._waiting_since, None
            if suggestion is None:
                return
            self._submit(suggestion, waiting_since)
            if not self._is_budget_used():
                self._suggesting.suggest_ahead(self._make_search_ahead())

    def _get_next_suggestion(self) -> SuggestionWithBasis | None:
        """Return the next suggestion; ``None`` if none can be started."""
        try:
            if self._suggesting.is_pending:
                # The remaining time may differ from the prediction at the time of the suggestion:
                # if the suggested trial no longer fits, a shorter one may, and if none was expected
                # to fit, one may fit now.
                with contextlib.suppress(OutOfTimeError):
                    suggestion = self._suggesting.get_ahead_suggestion()
                    if self._time.can_finish(suggestion.suggestion.seconds):
                        return suggestion
            suggestion = self._suggesting.suggest(self._make_search())
        except ExhaustedError as error:
            self.exhausted = str(error)
            return None
        except OutOfTimeError:
            self._out_of_time = True
            return None
        self._out_of_time = not self._time.can_finish(suggestion.suggestion.seconds)
        return None if self._out_of_time else suggestion

    def _make_search(self) -> SuggestionContext:
        running = (each.suggestion_with_basis.suggestion for each in self._running.values())
        configurations = tuple(each.configuration for each in running)
        return self._build_search(self._recorder.search_history, configurations)

    def _make_search_ahead(self) -> SuggestionContext:
        """Return the query for the trial after the next to finish."""
        search = self._make_search()
        if search.seconds_left is None or len(self._running) < self._pool.size:
            return search
        running = (each.suggestion_with_basis.suggestion for each in self._running.values())
        seconds_left = search.seconds_left - min(each.seconds or 0.0 for each in running)
        return dataclasses.replace(search, seconds_left=seconds_left)

    def _build_search(
        self, history: History, pending: tuple[Configuration, ...]
    ) -> SuggestionContext:
        n_started = len(history) + len(pending)
        return SuggestionContext(
            space=self._prepared_run.space,
            history=history,
            pending=pending,
            seed=derive(self._settings.seed, "suggest", n_started + 1),
            ensemble_seed=derive_ensemble_seed(self._settings),
            budget=self._requests.budget,
            metric=self._prepared_run.objective,
            seconds_left=self._time.get_trial_limit(),
            size=self._prepared_run.size,
        )

    def _resume_suggestion(self) -> None:
        """Start the pending suggestion of an earlier session, based on the same trials."""
        history = self._recorder.search_history
        if self._pool.size == 1 and len(history) and not self._is_budget_used():
            last_trial = history.trials[-1]
            history_before = history.take_first(len(history) - 1)
            search = self._build_search(history_before, (last_trial.configuration,))
            self._suggesting.suggest_ahead(search)

    # -- trials ----------------------------------------------------------------------------

    @property
    def _n_started(self) -> int:
        return len(self._recorder.history) + len(self._running)

    def _submit(
        self, suggestion: SuggestionWithBasis, waited_since: float, *, concluding: bool = False
    ) -> None:
        configuration = suggestion.suggestion.configuration
        seed = derive(self._settings.seed, "fit", self._n_started + 1)
        is_last = not concluding and self._time.is_last_trial_possible()
        self.used_fallback_trial |= is_last
        limit: float | None
        training_seconds = None
        if concluding:
            limit = seconds = self._time.get_conclusion_limit()
        elif is_last:
            limit, seconds = FALLBACK_TIMEOUT, self._time.get_fallback_limit()
        else:
            limit, seconds = self._time.get_hard_limit(), self._time.get_trial_limit()
            training_seconds = suggestion.suggestion.limit
        job = make_evaluation_job(
            self._prepared_run.space,
            configuration,
            seed,
            seconds=seconds,
            training_seconds=training_seconds,
            models=self._models.get_folder(self._next_job),
            thresholds=compute_early_stop_thresholds(self._prepared_run, self._recorder.history),
            max_bytes=self._models.max_bytes_per_trial,
            max_rows=FALLBACK_ROWS if is_last else None,
        )
        self._pool.submit(self._next_job, job, self._cap_limits(limit))
        timing = (waited_since, self._time.get_seconds_worked())
        self._running[self._next_job] = StartedTrial(suggestion, seed, time.time(), timing, limit)
        self._next_job += 1
        self._record_running()

    def _cap_limits(self, seconds: float | None) -> TrialLimits:
        default_seconds = self._limits.seconds
        if seconds is None or (default_seconds is not None and default_seconds <= seconds):
            return self._limits
        return dataclasses.replace(self._limits, seconds=seconds)

    def _collect(self, *, concluding: bool = False) -> None:
        """Collect finished trials; the workers continue before results are stored."""
        if not self._running and self._suggesting.is_computing(TICK_SECONDS):
            return
        results = self._pool.wait(self._get_max_wait())
        if self._running and not results:
            self._record_folds()
        if self._pool.starting_seconds > 0:
            self._ready_time = self._time.get_seconds_worked()
        if self._pool.starting_seconds > SLOW_START_SECONDS:
            self._report_once(SLOW_START_MESSAGE)
        for outcome in results:
            trial = self._running.pop(outcome.job_id)
            suggestion, result = trial.suggestion_with_basis, trial.make_result(outcome)
            elapsed = self._time.get_seconds_worked()
            self._utilisation.add("training", max(outcome.seconds, result.fit_seconds))
            proposal, cpu_seconds = suggestion.suggestion, suggestion.cpu_seconds
            scored = self._recorder.score(
                proposal, trial.seed, cpu_seconds, result, concluding=concluding
            )
            number, succeeded = scored.trial.number, scored.trial.loss is not None
            self._models.assign_files(outcome.job_id, number, succeeded=succeeded)
            if not concluding:
                self._fill_workers()
            time_use = self._session.get_time_use()
            self._recorder.record(scored, elapsed, trial.timing, suggestion.basis, time_use)
            members = [number for number, _ in self._recorder.latest.members]
            self._models.free_disk_space(self._recorder.history, members)
            if isinstance(result, TrialOutcome):
                self._report_once(result.note)
            self._report(scored)
            self._record_running()

    def _get_max_wait(self) -> float:
        """Return the maximum wait for results before checking requests and the clock again."""
        waiting = self._waiting_since is not None and self._suggesting.is_pending
        if waiting and not self._requests.pause:
            return SHORT_TICK_SECONDS
        seconds_left = self._time.get_search_time(running=True)
        if seconds_left is None:
            return TICK_SECONDS
        return min(TICK_SECONDS, max(seconds_left, SHORT_TICK_SECONDS))

    def _cancel_running(self) -> None:
        """Kill running trials when the search is over, or before its fallback trial."""
        elapsed = self._time.get_seconds_worked()
        for trial in self._running.values():
            self._utilisation.add("training", elapsed - trial.timing[1])
        self._pool.cancel_all()
        self._running.clear()

    def _report_once(self, note: str) -> None:
        if note and note not in self._logged_texts:
            self._logged_texts.add(note)
            self._session.reporter.report_message(note)

    def _report(self, scored: ScoredTrial) -> None:
        latest_row = self._recorder.latest
        self._session.reporter.report(
            Progress(
                trial=scored.trial,
                total=self._requests.budget,
                best=latest_row.single_validation,
                ensemble=latest_row.ensemble_validation,
                unit=self._prepared_run.unit,
            )
        )

    def _record_running(self) -> None:
        self._folds, self._folds_recorded_at = dict(self._pool.current_folds), time.monotonic()
        running = [
            trial.make_entry(slot, self._folds.get(job_id, NO_FOLD))
            for slot, (job_id, trial) in enumerate(self._running.items())
        ]
        self._document.journal.set_running(self._run_id, running)

    def _record_folds(self) -> None:
        """Record the current folds if changed and not recorded very recently."""
        is_due = time.monotonic() - self._folds_recorded_at > FOLD_INTERVAL
        if is_due and self._pool.current_folds != self._folds:
            self._record_running()
