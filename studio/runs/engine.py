"""The engine: the process of one run, from claim to end.

The engine is the only writer of a run. Its state is entirely in the document: it can be killed at
any moment, and another engine continues from there with the same next suggestion.

A continued run or a fork takes over stored models of earlier trials. The document stores the
members of a result as one record, so these models are written again with the new result.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from studio.data.findings import get_findings_at_start
from studio.data.read_cost import StoppedReadingError, allow_interruption, estimate_read_time
from studio.document.store import Document
from studio.errors import (
    DocumentError,
    DocumentWriteError,
    RunError,
    SerializationError,
    StudioError,
)
from studio.phrases import count_phrase, join_phrases, phrase
from studio.printable import sanitise_line
from studio.runs.clock import RunClock
from studio.runs.cluster import get_pool_maker
from studio.runs.final_models import StoppedError
from studio.runs.finish import (
    REFIT_TOO_LATE,
    FinishedRun,
    Finisher,
    finish_without_training,
    store_result,
)
from studio.runs.jobs import RefitResult, make_unpack_job
from studio.runs.kept_ensemble import await_only_job, read_metadata, read_records
from studio.runs.limits import get_trial_limits, limit_workers
from studio.runs.model_files import FoldModels
from studio.runs.pool import PoolMaker
from studio.runs.prepare import prepare
from studio.runs.progress import Progress
from studio.runs.requests import forget_old_requests
from studio.runs.reserve import FALLBACK_ROWS
from studio.runs.searching import Reporter, RunContext, RunSession, SearchLoop
from studio.runs.settings import RunSettings
from studio.runs.trust import check_trusted
from studio.runs.utilisation import compute_shares
from studio.scratch import make_scratch_folder
from studio.serialization.codec import SerializedModels, list_versions
from studio.system_faults import explain_system_error
from studio.trial import History

_REFITTING = phrase("Training the chosen models on all rows except the test rows")
_TESTING = phrase("Testing the ensemble")
"""Status texts for the phase after the search, with and without a refit."""


def add_stored_models(
    context: RunContext,
    history: History,
    models: FoldModels,
    numbers: Sequence[int],
    stopped: Callable[[], bool],
) -> None:
    """Add stored models from the document to those kept from the search.

    Models that are missing from the document, or were stored with other library versions, are
    omitted.

    Raises:
        StoppedError: If ``stopped`` returned true.
    """
    for run_id, last_number in _iterate_lineage(context.document, context.run_id):
        missing_numbers = [
            each for each in numbers if each <= last_number and not models.list_files(each)
        ]
        if not missing_numbers:
            continue
        try:
            stored_members = _find_stored_members(context.document, run_id)
        except (DocumentError, SerializationError):
            continue  # it is trained again, as without stored models
        if stored_members is None:
            continue
        members, fit = stored_members
        available = [each for each in missing_numbers if each in members]
        if not available:
            continue
        packed = context.scratch / f"kept-{run_id}.npz"
        np.savez(packed, allow_pickle=False, **fit.to_arrays())
        files = [models.allocate_files(each) if each in available else () for each in members]
        configuration = history.trials[available[0] - 1].configuration
        context.pool.submit(
            0,
            make_unpack_job(context.prepared_run.space, configuration, packed=packed, files=files),
        )
        if isinstance(await_only_job(context.pool, stopped), RefitResult):
            for number in available:
                models.mark_written(number)


def _iterate_lineage(document: Document, run_id: int) -> Iterator[tuple[int, int]]:
    """Yield the run and its fork ancestors, each with the last shared trial."""
    last_number = document.trials.count(run_id)
    run_ids = {row.id for row in document.runs.list_all()}
    while run_id in run_ids:
        run_ids.discard(run_id)
        yield run_id, last_number
        fork_origin = RunSettings.from_row(document.runs.get(run_id)).forked
        run_id = fork_origin.get("run", 0)
        last_number = min(last_number, fork_origin.get("iteration", 0))


def _find_stored_members(
    document: Document, run_id: int
) -> tuple[tuple[int, ...], SerializedModels] | None:
    """Return the stored members and their serialised models of the search, if still valid."""
    metadata = read_metadata(document, run_id)
    if metadata is None or (metadata.refitted and not metadata.averaged_refit):
        return None
    fit, _ = read_records(document, run_id)
    if metadata.versions != list_versions(fit) or metadata.checksum != fit.compute_checksum():
        return None
    return metadata.members, fit


class EngineLoop:
    """One working session of a run, from the document's last state to its end or a stop."""

    def __init__(self, reporter: Reporter, context: RunContext, clock: RunClock) -> None:
        self._document: Document = context.document
        self._run_id = context.run_id
        self._prepared_run = context.prepared_run
        self._pool = context.pool
        self._session = RunSession.begin(reporter, context, clock)
        self._recorder = self._session.recorder
        self._searching = SearchLoop(self._session)
        self._conclusion_start: int | None = None
        result = self._document.runs.get(self._run_id).result
        forked = self._prepared_run.settings.forked
        self._n_earlier = result.trials if result else forked.get("iteration", 0)

    def run(self) -> str:
        """Work; return the final state of the run."""
        self._document.runs.set_state(self._run_id, "running", "")
        is_complete = self._searching.run_to_end()
        while is_complete and self._is_conclusion_due():
            is_complete = self._conclude() and self._searching.run_to_end()
        return self._finish() if is_complete else self._stop()

    def _is_conclusion_due(self) -> bool:
        """Whether the final selection requires one more trial that has not yet been run."""
        history = self._recorder.history
        return (
            self._prepared_run.method.ensemble.adds_final_trial
            and bool(history.succeeded)
            and not history.trials[-1].concluding
            and self._conclusion_start != len(history)
        )

    def _conclude(self) -> bool:
        self._conclusion_start = len(self._recorder.history)
        self._document.runs.set_state(
            self._run_id, "running", phrase("Training the surrogate's final choice")
        )
        return self._searching.conclude()

    def _stop(self) -> str:
        self._pool.cancel_all()
        self._document.journal.set_running(self._run_id, [])
        self._document.runs.set_state(self._run_id, "stopped", phrase("Everything is kept."))
        if self._recorder.history.succeeded:
            # A stopped run also ends with a result: its models are selected and tested.
            result = finish_without_training(
                self._prepared_run, self._recorder.history, self._recorder.test
            )
            result = self._add_statistics(result)
            with self._document.run_transaction():
                store_result(self._document, self._run_id, result)
        return "stopped"

    def _finish(self) -> str:
        self._document.journal.set_running(self._run_id, [])
        if not self._recorder.history.succeeded:
            raise RunError(self._explain_no_success())
        refit_selection = self._session.time.get_refit_selection()
        if refit_selection is not None and self._trained_on_fewer_rows:
            refit_selection = refit_selection.without_option()
        has_option = refit_selection is not None and refit_selection.refit_estimate.optional
        refits = has_option or (
            self._prepared_run.settings.refit and not self._trained_on_fewer_rows
        )
        self._document.runs.set_state(self._run_id, "running", _REFITTING if refits else _TESTING)
        search_ended = self._session.time.get_seconds_worked()
        no_trial_note = self._explain_no_trial()
        try:
            finisher = Finisher(
                self._recorder.history,
                self._pool,
                self._is_stop_requested,
                self._recorder.test,
                self._session.context.scratch,
                self._session.models,
                earlier=self._add_stored_models,
                refit_selection=refit_selection,
            )
            result = self._finish_on_few_rows() or finisher.finish(self._prepared_run)
        except StoppedError:
            return self._stop()
        finishing_seconds = self._session.time.get_seconds_worked() - search_ended
        self._session.utilisation.add("finishing", finishing_seconds * self._pool.size)
        result = self._add_statistics(result, no_trial_note)
        if no_trial_note:
            self._session.reporter.report_message(no_trial_note)
        with self._document.run_transaction():
            store_result(self._document, self._run_id, result)
            self._document.runs.set_state(self._run_id, "finished", self._searching.exhausted)
        return "finished"

    def _add_stored_models(self, numbers: Sequence[int]) -> None:
        context, models = self._session.context, self._session.models
        add_stored_models(context, self._recorder.history, models, numbers, self._is_stop_requested)

    def _finish_on_few_rows(self) -> FinishedRun | None:
        """Return a result without refit if the search only had time for few training rows.

        A refit on all rows would then not finish in time.
        """
        if not (self._trained_on_fewer_rows and self._prepared_run.settings.refit):
            return None
        recorder = self._recorder
        return finish_without_training(
            self._prepared_run, recorder.history, recorder.test, REFIT_TOO_LATE
        )

    @property
    def _trained_on_fewer_rows(self) -> bool:
        """Whether the last trial was trained on fewer rows for lack of time."""
        rows = min(len(training) for training, _ in self._prepared_run.split.folds)
        return self._searching.used_fallback_trial and rows > FALLBACK_ROWS

    def _explain_no_trial(self) -> str:
        """Return why a fork or a longer run had no time for a trial; empty otherwise."""
        time_left, budget = self._session.time, self._session.requests.budget
        seconds_left = time_left.estimate_remaining_seconds()
        has_tried = len(self._recorder.history) > self._n_earlier
        is_budget_used = budget is not None and self._recorder.n_budget_trials >= budget
        if has_tried or is_budget_used or seconds_left is None or self._searching.exhausted:
            return ""
        worked = time_left.get_session_seconds()
        if worked + seconds_left <= 0:
            return phrase(
                "The time of the run was used up before this session, so no model was trained. "
                "Give the run more time."
            )
        return phrase(
            "The {total:.0f} s were not enough to train another model: starting and choosing one "
            "took {worked:.0f} s, and the end of the run needs time as well. Give the run more "
            "time.",
            total=worked + seconds_left,
            worked=worked,
        )

    def _add_statistics(self, finished_run: FinishedRun, *further_notes: str) -> FinishedRun:
        exhausted = self._searching.exhausted
        notes = [*finished_run.result.notes, *filter(None, (exhausted, *further_notes))]
        test_notes = finished_run.result.test_notes
        if self._trained_on_fewer_rows:
            few_rows = phrase(
                "The time was nearly over before a single model was ready, so the last one was "
                "trained on at most {rows:,} rows. Give the run more time for a better result.",
                rows=FALLBACK_ROWS,
            )
            notes.append(few_rows)
            test_notes = (few_rows, *test_notes)
        result = replace(
            finished_run.result,
            notes=tuple(notes),
            test_notes=test_notes,
            seconds=self._session.time.get_seconds_worked(),
            time_budget=self._session.requests.seconds,
            utilisation=compute_shares(self._session.get_time_use()),
            exhausted=exhausted,
        )
        return replace(finished_run, result=result)

    def _is_stop_requested(self) -> bool:
        return self._session.reporter.stopping or self._session.requests.check_stop()

    def _explain_no_success(self) -> str:
        trials = self._recorder.history.trials
        if not trials:
            return phrase("No configuration could be tried; see the search space.")
        last_trial = trials[-1]
        if all(each.status == "not finished" for each in trials):
            explanation = count_phrase(
                "The only trial did not finish: {cause}",
                "None of the {count:,} trials finished. The last one: {cause}",
                len(trials),
                cause=last_trial.cause,
            )
        else:
            explanation = count_phrase(
                "The only trial failed: {cause}",
                "All {count:,} trials failed; the last one failed with: {cause}",
                len(trials),
                cause=last_trial.cause,
            )
        return join_phrases((explanation, last_trial.remedy))


POLL_SECONDS = 0.2
"""Interval of checking requests while the table is read."""


class Engine:
    """Runs one run of a document.

    Args:
        document: Open for writing; closed by the caller.
        report: Called with each :class:`Progress`, from the thread that calls :meth:`execute_run`.
        make_pool: Creates the pool; ``None`` for worker processes on this machine as set, or for
            the settings' cluster if it is the approved one.
        started: Start of the run's time, by :func:`studio.awake_clock.read_awake_seconds`; ``None``
            for the current time.
        at_once: Number of runs that share this machine's memory, including this one.
        cluster: The address of a cluster allowed by a user of this machine; empty for none.
    """

    def __init__(
        self,
        document: Document,
        run_id: int,
        report: Callable[[Progress], None],
        make_pool: PoolMaker | None = None,
        started: float | None = None,
        *,
        at_once: int = 1,
        cluster: str = "",
    ) -> None:
        self._document = document
        self._run_id = run_id
        self.report = report
        self._make_pool = make_pool
        self._clock = RunClock(started)
        self._at_once = at_once
        self._cluster = cluster
        self.stopping = False
        self._last_poll = 0.0

    def stop(self) -> None:
        """Request a stop, keeping all results; safe to call from a signal handler."""
        self.stopping = True

    def execute_run(self) -> str:
        """Work until the run is finished or stopped; return its state.

        Raises:
            UntrustedClusterError: If the run names a cluster that was not approved; the document is
                not changed.
            StudioError: If the run cannot continue; the reason is also stored in the document.
        """
        if self._make_pool is None and not self._is_finished():
            row = self._document.runs.get(self._run_id)
            check_trusted(str(row.settings.get("cluster", "")), self._cluster)
        self._document.owners.claim(self._run_id)
        try:
            forget_old_requests(self._document, self._run_id)
            if self._is_finished():
                return "finished"
            if self._document.runs.get(self._run_id).settings.get("averaged_refit"):
                # It is undecided again whether this session ends with the optional refit.
                self._document.runs.change_settings(
                    self._run_id, {"refit": False, "averaged_refit": False}
                )
            return self._execute_run()
        except DocumentWriteError:
            # Errors of writing cannot be recorded in the document either.
            raise
        except StudioError as error:
            self._document.journal.set_running(self._run_id, [])
            self._document.runs.set_state(self._run_id, "failed", str(error))
            raise
        except Exception as error:
            # Raised again below; followers of the document also need the state.
            self._document.runs.set_state(self._run_id, "failed", _explain_unexpected_end(error))
            raise
        finally:
            with contextlib.suppress(DocumentError):
                self._document.owners.release(self._run_id)
            self._document.checkpoint()

    def _is_finished(self) -> bool:
        """Whether the run is finished and its budget has not been increased."""
        row = self._document.runs.get(self._run_id)
        if row.state != "finished" or row.result is None:
            return False
        settings = RunSettings.from_row(row)
        searched = row.result.trials - row.result.concluding
        enough_trials = settings.budget is not None and searched >= settings.budget
        # A run reserves time for its end, so it may be over slightly earlier.
        used = max(row.result.seconds, row.result.time_budget or 0.0)
        enough_time = settings.seconds is not None and used >= settings.seconds
        return enough_trials or enough_time or bool(row.result.exhausted)

    def _execute_run(self) -> str:
        self._document.journal.set_running(self._run_id, [])  # those of a killed engine
        self._document.runs.set_state(self._run_id, "running", "Reading the table")
        limit_workers(self._document, self._run_id, self._cluster)
        if self._document.runs.get(self._run_id).table_id is None:
            self._announce_reading()
        try:
            with allow_interruption(self._is_stop_requested):
                prepared_run = prepare(self._document, self._run_id, starts_run=True)
        except StoppedReadingError as error:
            self._document.runs.set_state(self._run_id, "stopped", str(error))
            return "stopped"
        roles = prepared_run.settings.source.roles
        feature_names = [name for name, role in roles.items() if role == "feature"]
        for message in (
            *get_findings_at_start(prepared_run.table.findings, feature_names),
            *prepared_run.notes,
        ):
            self.report_message(message)
        settings = prepared_run.settings
        limits = get_trial_limits(settings, settings.workers * self._at_once)
        with (
            make_scratch_folder() as scratch,
            (self._make_pool or get_pool_maker(settings, self._cluster))(
                settings.workers, scratch, limits, prepared_run.get_trial_data()
            ) as pool,
        ):
            context = RunContext(self._document, self._run_id, prepared_run, pool, limits, scratch)
            return EngineLoop(self, context, self._clock).run()

    def _announce_reading(self) -> None:
        path = RunSettings.from_row(self._document.runs.get(self._run_id)).source.path
        read = phrase("The table is read from {path}.", path=sanitise_line(path))
        self._document.journal.add_message(self._run_id, "info", read)
        if patience := estimate_read_time(Path(path)):
            self.report_message(patience)

    def _is_stop_requested(self) -> bool:
        """Whether a stop was requested before the loop exists."""
        if not self.stopping and time.monotonic() - self._last_poll > POLL_SECONDS:
            self._last_poll = time.monotonic()
            requests = self._document.requests.list_all(self._run_id)
            self.stopping = any(each.kind == "stop" for each in requests)
        return self.stopping

    def report_message(self, message: str) -> None:
        """Record a message in the document and report it."""
        self._document.journal.add_message(self._run_id, "info", message)
        self.report(Progress(message=message))


def _explain_unexpected_end(error: Exception) -> str:
    reason = explain_system_error(error)
    if reason is not None:
        return phrase(
            "{reason} Everything finished is kept; continue the run afterwards.", reason=reason
        )
    return phrase(
        "An error in the program ended this run ({fault}: {error}). Everything finished is kept; "
        "please report it, then continue the run.",
        fault=type(error).__name__,
        error=error,
    )
