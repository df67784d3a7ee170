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

from studio.annotations import Reader, Reading, SchemaError
from studio.children import THREAD_VARIABLES, make_module_command, make_process_environment
from studio.errors import ExhaustedError, OutOfTimeError
from studio.proposers.base import PredictedObjective, Suggestion, SuggestionContext
from studio.runs.messages import Message, MessageError, get_pipe, read_message, write_message
from studio.runs.prepare import PreparedRun
from studio.runs.worker_group import THREADS
from studio.system.processes import get_process_tree_options
from studio.system.threads import start_thread

PROPOSERS = "studio.runs.suggester"
"""The module that creates the proposer in the other process."""

MAX_STARTS = 2
"""Maximum number of process starts; afterwards the engine computes suggestions itself."""


class SuggestionProcess:
    """Computes suggestions in a separate process, one at a time.

    A lost process is restarted once; afterwards the engine computes the suggestions, which are the
    same in any process.

    It must be used from one thread that outlives it, and closed.
    """

    def __init__(self, prepared_run: PreparedRun) -> None:
        self._prepared = prepared_run
        self._process: _Process | None = None
        self._n_starts_left = MAX_STARTS
        self._n_sent = 0
        self._question: SuggestionContext | None = None
        self._answer: SuggestionReply | None = None

    def open(self) -> None:
        """Start the process in advance: it takes a second or two to load."""
        if self._process is None and self._n_starts_left == MAX_STARTS:
            self._start()

    def send_query(self, context: SuggestionContext) -> None:
        """Start computing a suggestion.

        Args:
            context: Its history must extend that of the last query, and must not grow until the
                result is fetched.
        """
        self._question, self._answer = context, None
        self._send()

    def is_ready(self, timeout: float = 0.0) -> bool:
        """Return whether :meth:`wait_for_result` would not block, waiting up to a timeout."""
        if self._answer is None and self._process is not None:
            with contextlib.suppress(queue.Empty):
                self._answer = self._process.answers.get(timeout > 0, timeout)
                if self._answer is None:
                    self._drop()
                    self._send()
        return self._answer is not None or self._process is None

    def wait_for_result(self) -> tuple[Suggestion, float]:
        """Return the suggestion and its CPU seconds, waiting for it.

        Raises:
            ExhaustedError, OutOfTimeError: As raised by the proposer.
            StudioError: If the proposer fails, as it would in this process.
        """
        query = self._question
        assert query is not None, "something was asked"
        while not self.is_ready(1.0):
            pass
        reply, self._question, self._answer = self._answer or SuggestionReply(), None, None
        if reply.exhausted is not None:
            raise ExhaustedError(reply.exhausted)
        if reply.out_of_time is not None:
            raise OutOfTimeError(reply.out_of_time)
        if reply.suggestion is not None:
            return reply.suggestion, reply.cpu_seconds
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
        self._process.send(make_query_message(query, self._n_sent))
        self._n_sent = len(query.history)

    def _start(self) -> None:
        if not self._n_starts_left:
            return
        self._n_starts_left -= 1
        self._n_sent = 0
        with contextlib.suppress(OSError):
            self._process = _Process()
            self._process.send(make_opening_message(self._prepared))

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None


def make_opening_message(prepared_run: PreparedRun) -> Message:
    """Return the run's data for the process, sent before the first query."""
    arrays = {"truth": prepared_run.truth}
    if prepared_run.validation_weights is not None:
        arrays["weights"] = prepared_run.validation_weights
    header = {
        "settings": prepared_run.settings.to_json(),
        "task": prepared_run.problem.task,
        "n_classes": len(prepared_run.problem.classes),
        "comparable": prepared_run.comparable,
        "size": dataclasses.asdict(prepared_run.size),
    }
    return header, arrays


def make_query_message(context: SuggestionContext, n_known: int) -> Message:
    """Return a query with the trials finished after the first ``n_known``."""
    history = context.history
    new_trials = history.trials[n_known:]
    arrays = {
        str(trial.number): history.get_predictions(trial.number)
        for trial in new_trials
        if history.comparable and trial.loss is not None
    }
    query = {
        "pending": [dict(each) for each in context.pending],
        "seed": context.seed,
        "ensemble_seed": context.ensemble_seed,
        "budget": context.budget,
        "seconds_left": context.seconds_left,
    }
    return {"trials": [dataclasses.asdict(trial) for trial in new_trials], "asked": query}, arrays


@dataclass(frozen=True)
class SuggestionReply:
    """The other process's reply: a suggestion, or the reason why there is none.

    Attributes:
        cpu_seconds: CPU seconds spent on the suggestion.
        exhausted, out_of_time, fault: The message of an ExhaustedError, an OutOfTimeError, or any
            other error.
    """

    suggestion: Suggestion | None = None
    cpu_seconds: float = 0.0
    exhausted: str | None = None
    out_of_time: str | None = None
    fault: str | None = None


def _make_prediction_reader() -> Reader:
    pair = Reading().find_reader(tuple[float, float])
    return lambda value, arrays: PredictedObjective(*pair(value, arrays))


_READER = Reading(readers_by_type={PredictedObjective: _make_prediction_reader}).find_reader(
    SuggestionReply
)


def _parse(header: dict[str, Any]) -> SuggestionReply:
    try:
        reply: SuggestionReply = _READER(header, {})
    except SchemaError as error:
        raise MessageError from error
    if reply == SuggestionReply(cpu_seconds=reply.cpu_seconds):
        raise MessageError
    return reply


class _Process:
    """The started process, and a thread for its pipes so that the engine never blocks."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            make_module_command("studio.runs.suggester", os.getpid(), PROPOSERS),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=make_process_environment(
                **dict.fromkeys(THREAD_VARIABLES, THREADS), PYTHONHASHSEED="0"
            ),
            **get_process_tree_options(),
        )
        self.answers: queue.SimpleQueue[SuggestionReply | None] = queue.SimpleQueue()
        self._outgoing: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve_pipes, name="look-ahead", daemon=True)
        try:
            start_thread(self._thread)
        except OSError:
            self._process.kill()
            self._process.wait()
            raise

    def send(self, message: Message) -> None:
        self._outgoing.put(message)

    def kill(self) -> None:
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
    """A suggestion and its basis, for recomputation by a plot (:func:`get_suggestion_basis`)."""

    suggestion: Suggestion
    cpu_seconds: float
    basis: dict[str, float | None]


def get_suggestion_basis(context: SuggestionContext) -> dict[str, float | None]:
    """Return the basis of a suggestion, for the document.

    The number of finished trials (``after``) and of started ones (``started``: finished or
    running), the ``budget``, and the ``seconds_left`` for its trial.
    """
    return {
        "after": len(context.history),
        "started": context.n_started,
        "budget": context.budget,
        "seconds_left": context.seconds_left,
    }


class SuggestionSource:
    """Queries a run's proposer, on demand or ahead as declared.

    Args:
        separate_process: Whether suggestions ahead are computed by another process; otherwise in
            this process, in the same order.
    """

    def __init__(self, prepared_run: PreparedRun, *, separate_process: bool) -> None:
        self._proposer = prepared_run.method.proposer
        uses_process = separate_process and not prepared_run.metric.local
        uses_process = self._proposer.ahead and uses_process
        self._ahead_process = SuggestionProcess(prepared_run) if uses_process else None
        self._pending_search: SuggestionContext | None = None
        self._local_result: SuggestionWithBasis | ExhaustedError | OutOfTimeError | None = None

    def suggest_ahead(self, context: SuggestionContext) -> None:
        """Start computing the suggestion after the trials started so far.

        The other process is started one trial before its first query, as loading takes a second of
        CPU time and is unnecessary if the run ends while suggestions are immediate. Nothing is
        computed for a trial that is not expected to finish in time.
        """
        if not self._proposer.ahead or self.is_pending:
            return
        if self._proposer.is_immediate(context):
            if self._ahead_process is not None and self._is_last_immediate(context):
                self._ahead_process.open()
            return
        if context.seconds_left is not None and context.seconds_left <= 0:
            return
        if self._ahead_process is None:
            try:
                self._local_result = self.suggest(context)
            except (ExhaustedError, OutOfTimeError) as error:
                self._local_result = error
            return
        # The run's history grows before the reply arrives.
        frozen = context.history.take_first(len(context.history))
        self._pending_search = dataclasses.replace(context, history=frozen)
        self._ahead_process.send_query(self._pending_search)

    def _is_last_immediate(self, context: SuggestionContext) -> bool:
        """Whether the next suggestion is immediate but the one after it must be computed."""
        next_configuration = self._proposer.suggest(context).configuration
        search_after = dataclasses.replace(context, pending=(*context.pending, next_configuration))
        return not self._proposer.is_immediate(search_after)

    @property
    def is_pending(self) -> bool:
        """Whether a suggestion computed ahead has not been fetched yet."""
        return self._pending_search is not None or self._local_result is not None

    def is_computing(self, timeout: float = 0.0) -> bool:
        """Whether the next suggestion is still being computed after waiting up to a timeout."""
        if self._ahead_process is None or self._pending_search is None:
            return False
        return not self._ahead_process.is_ready(timeout)

    def get_ahead_suggestion(self) -> SuggestionWithBasis:
        """Return the suggestion computed ahead, or raise ExhaustedError or OutOfTimeError."""
        basis, self._local_result = self._local_result, None
        if isinstance(basis, SuggestionWithBasis):
            return basis
        if basis is not None:
            raise basis
        search, self._pending_search = self._pending_search, None
        assert self._ahead_process is not None and search is not None, "it was begun"
        suggestion, cpu = self._ahead_process.wait_for_result()
        return SuggestionWithBasis(suggestion, cpu, get_suggestion_basis(search))

    def suggest(self, context: SuggestionContext) -> SuggestionWithBasis:
        """Compute a suggestion in this process, or raise ExhaustedError or OutOfTimeError."""
        start, basis = time.process_time(), get_suggestion_basis(context)
        suggestion = self._proposer.suggest(context)
        return SuggestionWithBasis(suggestion, time.process_time() - start, basis)

    def close(self) -> None:
        """Cancel the computation."""
        self._pending_search, self._local_result = None, None
        if self._ahead_process is not None:
            self._ahead_process.close()
