"""One run from where the document has it to its end: search, conclude, train the chosen models."""

from dataclasses import replace

from studio.document.store import Document
from studio.errors import RunError
from studio.phrases import counted, joined, phrase
from studio.runs.clock import Clock
from studio.runs.final_models import StoppedError
from studio.runs.finish import TOO_LATE, FinishedRun, as_searched, finish, keep_result
from studio.runs.reserve import LAST_ROWS
from studio.runs.searching import Searching
from studio.runs.session import Reporter, RunContext, RunSession
from studio.runs.utilisation import shares


class Loop:
    """One working session of a run, from the document's last state to its end or a stop.

    Parameters
    ----------
    reporter : Reporter
        Hears of progress, and knows whether someone asked for a stop.
    workshop : Workshop
        The run.
    clock : Clock
        Measures how long this session has worked.
    """

    def __init__(self, reporter: Reporter, workshop: RunContext, clock: Clock) -> None:
        self._document: Document = workshop.document
        self._run_id = workshop.run_id
        self._prepared = workshop.prepared
        self._pool = workshop.pool
        self._session = RunSession.begin(reporter, workshop, clock)
        self._recorder = self._session.recorder
        self._searching = Searching(self._session)
        self._concluded_at: int | None = None

    def run(self) -> str:
        """Work; return the state in which the run is left."""
        self._document.set_state(self._run_id, "running", "")
        completed = self._searching.to_the_end()
        while completed and self._is_conclusion_due():
            completed = self._conclude() and self._searching.to_the_end()
        return self._finished() if completed else self._stopped()

    def _is_conclusion_due(self) -> bool:
        """Whether the final choice asks for one more trial, and the last one was not that."""
        history = self._recorder.history
        return (
            self._prepared.method.ensemble.concludes
            and bool(history.succeeded)
            and not history.trials[-1].concluding
            and self._concluded_at != len(history)
        )

    def _conclude(self) -> bool:
        self._concluded_at = len(self._recorder.history)
        self._document.set_state(self._run_id, "running", "Training the surrogate's final choice")
        return self._searching.conclude()

    def _stopped(self) -> str:
        self._pool.cancel_all()
        self._document.set_running(self._run_id, [])
        self._document.set_state(self._run_id, "stopped", phrase("Stopped; everything is kept."))
        if self._recorder.history.succeeded:
            # Stopping is an end, too: what was found is chosen and tested as it is.
            stopped = as_searched(self._prepared, self._recorder.history, self._recorder.test)
            stopped = self._complete(stopped)
            with self._document.transaction():
                keep_result(self._document, self._run_id, stopped)
        return "stopped"

    def _finished(self) -> str:
        self._document.set_running(self._run_id, [])
        if not self._recorder.history.succeeded:
            raise RunError(self._nothing_worked())
        self._document.set_state(self._run_id, "running", "Training the chosen models on all rows")
        search_ended = self._session.time.worked()
        try:
            finished = self._on_few_rows() or finish(
                self._prepared,
                self._recorder.history,
                self._pool,
                self._is_to_stop,
                self._recorder.test,
                folder=self._session.workshop.scratch,
                there=self._session.models,
                within=self._session.time.within(),
            )
        except StoppedError:
            return self._stopped()
        self._session.utilisation.finished(
            self._session.time.worked() - search_ended, self._pool.size
        )
        finished = self._complete(finished)
        with self._document.transaction():
            keep_result(self._document, self._run_id, finished)
            self._document.set_state(self._run_id, "finished", self._searching.exhausted)
        return "finished"

    def _on_few_rows(self) -> FinishedRun | None:
        """Return the result as it is, where the search had only time to train on few rows.

        What a refit on all of them would take is not known, but that there is no time for it.
        """
        if not (self._had_fewer_rows and self._prepared.settings.refit):
            return None
        recorder = self._recorder
        return as_searched(self._prepared, recorder.history, recorder.test, TOO_LATE)

    @property
    def _had_fewer_rows(self) -> bool:
        """Whether the last trial was trained on fewer rows than there are, for want of time."""
        rows = min(len(training) for training, _ in self._prepared.split.folds)
        return self._searching.took_last_chance and rows > LAST_ROWS

    def _complete(self, finished: FinishedRun) -> FinishedRun:
        """Add what the session knows of the run as a whole."""
        exhausted, notes = self._searching.exhausted, list(finished.result.notes)
        if exhausted:
            notes.append(exhausted)
        if self._had_fewer_rows:
            notes.append(
                phrase(
                    "The time was nearly over before a single model was ready, so the last one was "
                    "trained on at most {rows:,} rows. Give the run more time for a better result.",
                    rows=LAST_ROWS,
                )
            )
        result = replace(
            finished.result,
            notes=tuple(notes),
            seconds=self._session.time.worked(),
            time_budget=self._session.requests.seconds,
            utilisation=shares(self._session.spent()),
            exhausted=exhausted,
        )
        return replace(finished, result=result)

    def _is_to_stop(self) -> bool:
        return self._session.reporter.stopping or self._session.requests.look_for_stop()

    def _nothing_worked(self) -> str:
        trials = self._recorder.history.trials
        if not trials:
            return phrase("No configuration could be tried; see the search space.")
        last = trials[-1]
        because = counted(
            "The only trial failed: {cause}",
            "All {count:,} trials failed; the last one failed with: {cause}",
            len(trials),
            cause=last.cause,
        )
        return joined((because, last.remedy))
