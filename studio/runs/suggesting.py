"""Source of suggestions: the proposer, called on demand or ahead while trials run."""

import contextlib
import dataclasses
import os
import queue
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Any

from studio.annotations import Reader, Reading, ShapeError
from studio.children import module_command, process_environment
from studio.errors import ExhaustedError, OutOfTimeError
from studio.proposers.base import PredictedObjective, Search, Suggestion
from studio.runs.messages import Message, MessageError, get_pipe, read_message, write_message
from studio.runs.prepare import PreparedRun
from studio.runs.worker_process import THREAD_VARIABLES, THREADS
from studio.system.starting import separate_tree_options
from studio.system.threads import start_thread

PROPOSERS = "studio.runs.suggester"
"""The module that creates the proposer in the other process."""

MAX_STARTS = 2
"""Number of starts of the process before the engine computes suggestions itself."""


class AheadProcess:
    """Computes suggestions in a separate process, one at a time.

    Where that process is lost it is restarted once, and then the engine suggests by itself:
    the same question has the same answer wherever it is asked.

    Use it from one thread that lives as long as it does, and close it.
    """

    def __init__(self, prepared: PreparedRun) -> None:
        self._prepared = prepared
        self._process: _Process | None = None
        self._starts_left = MAX_STARTS
        self._known = 0
        self._question: Search | None = None
        self._answer: Answer | None = None

    def open(self) -> None:
        """Start the process in advance: it takes a second or two to load."""
        if self._process is None and self._starts_left == MAX_STARTS:
            self._start()

    def ask(self, search: Search) -> None:
        """Start computing a suggestion.

        Args:
            search: Its history must extend that of the last question, and must not grow until the
                answer is taken.
        """
        self._question, self._answer = search, None
        self._send()

    def is_ready(self, timeout: float = 0.0) -> bool:
        """Return whether :meth:`result` would return at once, waiting up to a timeout."""
        if self._answer is None and self._process is not None:
            with contextlib.suppress(queue.Empty):
                self._answer = self._process.answers.get(timeout > 0, timeout)
                if self._answer is None:
                    self._drop()
                    self._send()
        return self._answer is not None or self._process is None

    def result(self) -> tuple[Suggestion, float]:
        """Return the suggestion and its CPU seconds, waiting for it.

        Raises:
            ExhaustedError, OutOfTimeError: As the proposer raised them.
            StudioError: If it cannot suggest: as it would have in this process.
        """
        query = self._question
        assert query is not None, "something was asked"
        while not self.is_ready(1.0):
            pass
        reply, self._question, self._answer = self._answer or Answer(), None, None
        if reply.exhausted is not None:
            raise ExhaustedError(reply.exhausted)
        if reply.out_of_time is not None:
            raise OutOfTimeError(reply.out_of_time)
        if reply.suggestion is not None:
            return reply.suggestion, reply.cpu
        start = time.process_time()
        suggestion = self._prepared.method.proposer.suggest(query)
        return suggestion, time.process_time() - start

    def close(self) -> None:
        """End the process, and drop the query."""
        self._question, self._answer = None, None
        self._drop()

    def _send(self) -> None:
        query = self._question
        if query is None:
            return
        if self._process is None:
            self._start()
        if self._process is None:
            return  # the engine computes suggestions itself
        self._process.send(make_query_message(query, self._known))
        self._known = len(query.history)

    def _start(self) -> None:
        if not self._starts_left:
            return
        self._starts_left -= 1
        self._known = 0
        with contextlib.suppress(OSError):
            self._process = _Process()
            self._process.send(make_opening_message(self._prepared))

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None


def make_opening_message(prepared: PreparedRun) -> Message:
    """Return the run's data for the process, sent before the first query."""
    arrays = {"truth": prepared.truth}
    if prepared.validation_weights is not None:
        arrays["weights"] = prepared.validation_weights
    header = {
        "settings": prepared.settings.to_json(),
        "task": prepared.problem.task,
        "n_classes": len(prepared.problem.classes),
        "comparable": prepared.comparable,
        "size": dataclasses.asdict(prepared.size),
    }
    return header, arrays


def make_query_message(search: Search, n_known: int) -> Message:
    """Return a query with the trials finished after the first ``n_known``."""
    history = search.history
    new_trials = history.trials[n_known:]
    arrays = {
        str(trial.number): history.predictions(trial.number)
        for trial in new_trials
        if history.comparable and trial.loss is not None
    }
    query = {
        "pending": [dict(each) for each in search.pending],
        "seed": search.seed,
        "ensemble_seed": search.ensemble_seed,
        "budget": search.budget,
        "seconds_left": search.seconds_left,
    }
    return {"trials": [dataclasses.asdict(trial) for trial in new_trials], "asked": query}, arrays


@dataclass(frozen=True)
class Answer:
    """The other process's reply: a suggestion, or the reason why there is none.

    Attributes:
        cpu: Processor seconds.
        exhausted, out_of_time, fault: The messages of these errors, and of all others.
    """

    suggestion: Suggestion | None = None
    cpu: float = 0.0
    exhausted: str | None = None
    out_of_time: str | None = None
    fault: str | None = None


def _make_prediction_reader() -> Reader:
    pair = Reading().reader(tuple[float, float])
    return lambda value, beside: PredictedObjective(*pair(value, beside))


_READER = Reading(more={PredictedObjective: _make_prediction_reader}).reader(Answer)


def _parse(header: dict[str, Any]) -> Answer:
    try:
        reply: Answer = _READER(header, {})
    except ShapeError as error:
        raise MessageError from error
    if reply == Answer(cpu=reply.cpu):
        raise MessageError
    return reply


class _Process:
    """The started process, and a thread for its pipes so that the engine never blocks."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            module_command("studio.runs.suggester", os.getpid(), PROPOSERS),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=process_environment(**dict.fromkeys(THREAD_VARIABLES, THREADS), PYTHONHASHSEED="0"),
            **separate_tree_options(),
        )
        self.answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._outgoing: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve_pipes, name="look-ahead", daemon=True)
        try:
            start_thread(self._thread)
        except OSError:
            self._process.kill()
            self._process.wait()
            raise

    def send(self, message: Message) -> None:
        """Send a message; queries are answered in :attr:`answers`."""
        self._outgoing.put(message)

    def kill(self) -> None:
        """Kill the process and wait for its end."""
        self._process.kill()
        self._outgoing.put(None)
        self._thread.join()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                get_pipe(stream).close()

    def _serve_pipes(self) -> None:
        stdin, read = get_pipe(self._process.stdin), get_pipe(self._process.stdout)
        try:
            # Damaged or truncated output counts as the end.
            with contextlib.suppress(OSError, MessageError):
                while (message := self._outgoing.get()) is not None:
                    write_message(stdin, *message)
                    if "asked" in message[0]:
                        reply = read_message(read)
                        if reply is None:
                            break
                        self.answers.put(_parse(reply[0]))
        finally:
            self.answers.put(None)


@dataclass(frozen=True)
class SuggestionWithBasis:
    """A suggestion and its basis.

    Attributes:
        cpu: Processor seconds.
        seen: Its basis, with which a plot can recompute it (:func:`get_suggestion_basis`).
    """

    suggestion: Suggestion
    cpu: float
    seen: dict[str, float | None]


def get_suggestion_basis(search: Search) -> dict[str, float | None]:
    """Return the basis of a suggestion, for the document.

    The number of finished trials it comes ``after`` and of those ``started`` (finished or running),
    the ``budget``, and the ``seconds_left`` for its trial.
    """
    return {
        "after": len(search.history),
        "started": search.started,
        "budget": search.budget,
        "seconds_left": search.seconds_left,
    }


class SuggestionSource:
    """Queries a run's proposer, on demand or ahead as declared.

    Args:
        apart: Whether suggestions made ahead are computed by another process; else here, in the
            same order.
    """

    def __init__(self, prepared: PreparedRun, *, apart: bool) -> None:
        self._proposer = prepared.method.proposer
        elsewhere = apart and not prepared.metric.local
        self._ahead = AheadProcess(prepared) if self._proposer.ahead and elsewhere else None
        self._asked: Search | None = None
        self._known: SuggestionWithBasis | ExhaustedError | OutOfTimeError | None = None

    def suggest_ahead(self, search: Search) -> None:
        """Start computing the suggestion after the trials started so far.

        The other process starts a trial before its first query: loading it takes a second of a
        core, for nothing in a run whose time ends among immediate suggestions. Nor is anything
        computed for a trial for which no time is expected to be left.
        """
        if not self._proposer.ahead or self.is_begun:
            return
        if self._proposer.is_immediate(search):
            if self._ahead is not None and self._is_last_immediate(search):
                self._ahead.open()
            return
        if search.seconds_left is not None and search.seconds_left <= 0:
            return
        if self._ahead is None:
            try:
                self._known = self.suggest_now(search)
            except (ExhaustedError, OutOfTimeError) as error:
                self._known = error
            return
        # The run's history grows before the answer arrives.
        frozen = search.history.prefix(len(search.history))
        self._asked = dataclasses.replace(search, history=frozen)
        self._ahead.ask(self._asked)

    def _is_last_immediate(self, search: Search) -> bool:
        """Whether the suggestion after the next, immediate one has to be computed."""
        next_configuration = self._proposer.suggest(search).configuration
        search_after = dataclasses.replace(search, pending=(*search.pending, next_configuration))
        return not self._proposer.is_immediate(search_after)

    @property
    def is_begun(self) -> bool:
        """Whether a suggestion computed ahead has not been fetched yet."""
        return self._asked is not None or self._known is not None

    def is_awaited(self, timeout: float = 0.0) -> bool:
        """Whether the next suggestion is still being computed after this wait."""
        if self._ahead is None or self._asked is None:
            return False
        return not self._ahead.is_ready(timeout)

    def get_ahead_suggestion(self) -> SuggestionWithBasis:
        """Return the suggestion computed ahead; ExhaustedError, OutOfTimeError as the proposer."""
        basis, self._known = self._known, None
        if isinstance(basis, SuggestionWithBasis):
            return basis
        if basis is not None:
            raise basis
        search, self._asked = self._asked, None
        assert self._ahead is not None and search is not None, "it was begun"
        suggestion, cpu = self._ahead.result()
        return SuggestionWithBasis(suggestion, cpu, get_suggestion_basis(search))

    def suggest_now(self, search: Search) -> SuggestionWithBasis:
        """Compute a suggestion in this process; ExhaustedError, OutOfTimeError as the proposer."""
        start, basis = time.process_time(), get_suggestion_basis(search)
        suggestion = self._proposer.suggest(search)
        return SuggestionWithBasis(suggestion, time.process_time() - start, basis)

    def close(self) -> None:
        """Cancel the computation."""
        self._asked, self._known = None, None
        if self._ahead is not None:
            self._ahead.close()
