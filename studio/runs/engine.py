"""The loop of one run: suggest, train, record, until the budget is used or someone says stop.

The engine is the only writer of a run. All it knows is in the document: it can be killed at any
moment and another one goes on where it was, with the same next suggestion.
"""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from studio.document.journal import Running
from studio.document.store import Document
from studio.errors import (
    DocumentError,
    DocumentWriteError,
    ExhaustedError,
    RunError,
    StudioError,
)
from studio.proposers.base import Search, Suggestion
from studio.runs.evaluate import Outcome, Refitted
from studio.runs.finish import StoppedError, finish
from studio.runs.jobs import evaluate_job
from studio.runs.limits import Limits, memory_share
from studio.runs.pools import Pool, PoolMaker, maker_for
from studio.runs.prepare import Prepared, ensemble_seed, prepare
from studio.runs.record import Recorder
from studio.runs.settings import RunSettings
from studio.runs.wishes import Wishes, forget_old_wishes
from studio.seeds import derive
from studio.trial import Trial

TICK_SECONDS = 0.1
"""How often requests are looked at while trials run; Stop must answer within a second."""


@dataclass(frozen=True)
class Progress:
    """What a run has to tell while it works: a finished trial, or a message.

    Attributes
    ----------
    message : str
        A sentence; empty when a trial finished.
    trial : Trial or None
        The trial that finished.
    total : int or None
        The budget in evaluations.
    best : float or None
        Lowest validation loss so far.
    ensemble : float or None
        Validation loss of the ensemble so far.
    unit : str
        "%" where losses are shares.
    """

    message: str = ""
    trial: Trial | None = None
    total: int | None = None
    best: float | None = None
    ensemble: float | None = None
    unit: str = ""

    def line(self) -> str:
        """Return the progress as one line of text."""
        if self.trial is None:
            return self.message
        total = f"/{self.total}" if self.total else ""
        if self.trial.concluding:
            total = " (final choice)"
        what = self.trial.cause or self._shown(self.trial.loss)
        algorithm = str(self.trial.configuration.get("algorithm", ""))
        return (
            f"{self.trial.number:4}{total}  {algorithm:20} {what:>10}   "
            f"best {self._shown(self.best)}   ensemble {self._shown(self.ensemble)}"
        )

    def _shown(self, loss: float | None) -> str:
        if loss is None:
            return "–"
        return f"{100 * loss:.2f} %" if self.unit == "%" else f"{loss:.5g}"


class Engine:
    """Work on one run of a document.

    Parameters
    ----------
    document : Document
        Open for writing; stays the caller's.
    run_id : int
        The run.
    tell : callable
        Called with each :class:`Progress`, from the thread that calls :meth:`work`.
    make_pool : callable
        Makes what trials are trained in; ``None`` for what the settings say: worker processes
        on this machine, or a cluster.
    """

    def __init__(
        self,
        document: Document,
        run_id: int,
        tell: Callable[[Progress], None],
        make_pool: PoolMaker | None = None,
    ) -> None:
        self._document = document
        self._run_id = run_id
        self._tell = tell
        self._make_pool = make_pool
        self._stopping = False

    def stop(self) -> None:
        """Ask the run to stop and keep everything; safe to call from a signal handler."""
        self._stopping = True

    def work(self) -> str:
        """Work until the run is finished or stopped; return its state.

        Raises
        ------
        StudioError
            If the run cannot go on; the reason is in the document too.
        """
        self._document.claim(self._run_id)
        try:
            forget_old_wishes(self._document, self._run_id)
            if self._is_finished():
                return "finished"
            return self._work()
        except DocumentWriteError:
            # What cannot be written cannot be told in the document either.
            raise
        except StudioError as error:
            self._document.set_running(self._run_id, [])
            self._document.set_state(self._run_id, "failed", str(error))
            raise
        except Exception as error:
            # Raised again below: whoever follows the document must learn of it, too.
            self._document.set_state(
                self._run_id,
                "failed",
                f"A fault of the program ended this run ({type(error).__name__}: {error}). "
                "Everything finished is kept; please report it, then continue the run.",
            )
            raise
        finally:
            with contextlib.suppress(DocumentError):
                self._document.release(self._run_id)

    def _is_finished(self) -> bool:
        """Whether there is nothing left to do: a larger budget makes a finished run go on."""
        row = self._document.run(self._run_id)
        if row.state != "finished" or row.result is None:
            return False
        settings = RunSettings.from_json(row.settings)
        searched = row.result["trials"] - row.result.get("concluding", 0)
        enough_trials = settings.budget is not None and searched >= settings.budget
        enough_time = settings.seconds is not None and row.result["seconds"] >= settings.seconds
        return enough_trials or enough_time or bool(row.result["exhausted"])

    def _work(self) -> str:
        self._document.set_state(self._run_id, "running", "Reading the table")
        prepared = prepare(self._document, self._run_id)
        for note in prepared.notes:
            self.say(note)
        settings = prepared.settings
        memory = memory_share(settings.trial_memory, settings.workers)
        with (
            TemporaryDirectory(prefix="studio-", ignore_cleanup_errors=True) as scratch,
            (self._make_pool or maker_for(settings))(
                settings.workers,
                Path(scratch),
                Limits(settings.trial_seconds, memory),
                prepared.data(),
            ) as pool,
        ):
            return _Loop(self, self._document, self._run_id, prepared, pool).run()

    def say(self, message: str) -> None:
        """Leave a sentence in the document and tell it."""
        self._document.add_message(self._run_id, "info", message)
        self._tell(Progress(message=message))

    @property
    def stopping(self) -> bool:
        """Whether someone asked for a stop."""
        return self._stopping

    def tell(self, progress: Progress) -> None:
        """Pass progress on to whoever started the engine."""
        self._tell(progress)


class _Loop:
    """One working session of a run, from where the document stands to its end or a stop."""

    def __init__(
        self,
        engine: Engine,
        document: Document,
        run_id: int,
        prepared: Prepared,
        pool: Pool,
    ) -> None:
        self._engine = engine
        self._document = document
        self._run_id = run_id
        self._prepared = prepared
        self._settings = prepared.settings
        self._pool = pool
        self._recorder = Recorder(document, run_id, prepared)
        self._wishes = Wishes(document, run_id, self._settings)
        self._running: dict[int, tuple[Suggestion, int, float, float]] = {}
        self._next_job = 1
        self._exhausted = ""
        self._concluded_at: int | None = None
        self._said = {message.text for message in document.messages(run_id)}

    def run(self) -> str:
        """Work; return the state in which the run is left."""
        self._document.set_state(self._run_id, "running", "")
        completed = self._search_to_the_end()
        while completed and self._is_conclusion_due():
            completed = self._conclude() and self._search_to_the_end()
        return self._finished() if completed else self._stopped()

    def _search_to_the_end(self) -> bool:
        """Try configurations until the budget is used; return whether nobody said stop."""
        while not self._is_done():
            self._wishes.look()
            if self._engine.stopping or self._wishes.stop:
                return False
            if not self._wishes.pause:
                self._fill_workers()
            self._collect()
        self._pool.cancel_all()
        self._running.clear()
        return True

    # -- the loop's steps ------------------------------------------------------------------

    def _is_done(self) -> bool:
        if self._running:
            return self._time_is_up()
        return self._is_budget_used() or self._time_is_up() or bool(self._exhausted)

    def _is_budget_used(self) -> bool:
        budget = self._wishes.budget
        return budget is not None and self._recorder.searched + len(self._running) >= budget

    def _time_is_up(self) -> bool:
        seconds = self._wishes.seconds
        if seconds is None or self._recorder.elapsed(self._wishes.paused_seconds) < seconds:
            return False
        # A time so short that nothing was learnt would leave the user with nothing at all.
        return bool(self._recorder.history.succeeded) or not self._running

    def _fill_workers(self) -> None:
        while (
            len(self._running) < self._pool.size
            and not self._is_budget_used()
            and not self._time_is_up()
            and not self._exhausted
        ):
            begun = time.process_time()
            try:
                suggestion = self._prepared.method.proposer.suggest(self._search())
            except ExhaustedError as error:
                self._exhausted = str(error)
                break
            self._submit(suggestion, time.process_time() - begun)
            if self._engine.stopping:
                break

    def _search(self) -> Search:
        return Search(
            space=self._prepared.space,
            history=self._recorder.visible,
            pending=tuple(suggestion.configuration for suggestion, *_ in self._running.values()),
            seed=derive(self._settings.seed, "suggest", self._started + 1),
            ensemble_seed=ensemble_seed(self._settings),
            budget=self._wishes.budget,
            metric=self._prepared.objective,
        )

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
        """Train what the proposer concludes on, tried before or not; tell whether nobody said stop.

        It does not count towards the budget, and is not held up by a time that is used up: like
        the final training it belongs to the choice. If it fails the choice is made without it.
        """
        self._concluded_at = len(self._recorder.history)
        self._document.set_state(self._run_id, "running", "Training the surrogate's final choice")
        begun = time.process_time()
        suggestion = self._prepared.method.proposer.conclude(self._search())
        if suggestion is None:
            return True
        self._submit(suggestion, time.process_time() - begun)
        while self._running:
            self._wishes.look()
            if self._engine.stopping or self._wishes.stop:
                return False
            self._collect(concluding=True)
        return True

    @property
    def _started(self) -> int:
        return len(self._recorder.history) + len(self._running)

    def _submit(self, suggestion: Suggestion, suggest_seconds: float) -> None:
        seed = derive(self._settings.seed, "fit", self._started + 1)
        job = evaluate_job(self._prepared.space, suggestion.configuration, seed)
        self._pool.submit(self._next_job, job)
        self._running[self._next_job] = (suggestion, seed, suggest_seconds, time.time())
        self._next_job += 1
        self._show_running()

    def _collect(self, *, concluding: bool = False) -> None:
        for finished in self._pool.wait(TICK_SECONDS):
            suggestion, seed, suggest_seconds, _ = self._running.pop(finished.job_id)
            assert not isinstance(finished.result, Refitted), "no refit was asked for"
            trial = self._recorder.record(
                suggestion,
                seed,
                suggest_seconds,
                finished.result,
                self._recorder.elapsed(self._wishes.paused_seconds),
                concluding=concluding,
            )
            if isinstance(finished.result, Outcome):
                self._say_once(finished.result.note)
            self._tell(trial)
            self._show_running()

    def _say_once(self, note: str) -> None:
        if note and note not in self._said:
            self._said.add(note)
            self._engine.say(note)

    def _tell(self, trial: Trial) -> None:
        latest = self._recorder.latest
        self._engine.tell(
            Progress(
                trial=trial,
                total=self._wishes.budget,
                best=latest.single_validation,
                ensemble=latest.ensemble_validation,
                unit=self._prepared.metric.unit,
            )
        )

    def _show_running(self) -> None:
        now = [
            Running(slot, dict(suggestion.configuration), since, suggestion.origin)
            for slot, (suggestion, _, _, since) in enumerate(self._running.values())
        ]
        self._document.set_running(self._run_id, now)

    # -- ends ------------------------------------------------------------------------------

    def _stopped(self) -> str:
        self._pool.cancel_all()
        self._document.set_running(self._run_id, [])
        self._document.set_state(self._run_id, "stopped", "Stopped; everything is kept.")
        return "stopped"

    def _finished(self) -> str:
        self._document.set_running(self._run_id, [])
        if not self._recorder.history.succeeded:
            raise RunError(self._nothing_worked())
        self._document.set_state(self._run_id, "running", "Training the chosen models on all rows")
        try:
            result = finish(
                self._prepared,
                self._recorder.history,
                self._pool,
                lambda: self._engine.stopping or self._wishes.look_for_stop(),
                self._recorder.test,
            )
        except StoppedError:
            return self._stopped()
        result["trials"] = len(self._recorder.history)
        result["concluding"] = len(self._recorder.history) - self._recorder.searched
        result["seconds"] = self._recorder.elapsed(self._wishes.paused_seconds)
        result["exhausted"] = self._exhausted
        if self._exhausted:
            result["notes"].append(self._exhausted)
        with self._document.transaction():
            self._document.set_result(self._run_id, result)
            self._document.set_state(self._run_id, "finished", self._exhausted)
        return "finished"

    def _nothing_worked(self) -> str:
        trials = self._recorder.history.trials
        if not trials:
            return "No configuration could be tried; see the search space."
        last = trials[-1]
        return (
            f"All {len(trials)} trials failed, the last one because: {last.cause} {last.remedy}"
        ).strip()
