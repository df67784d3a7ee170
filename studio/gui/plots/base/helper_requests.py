"""Requests of plots to the helper, at most one pending per plot.

Every finished trial outdates the last reply. Cancelling the pending request each time would starve
the plot in fast runs, so the newest query waits; only a query of another scope (another run or
hyperparameter) replaces it.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QScrollArea

from studio.gui.base.command_job import JobTracker
from studio.gui.drafts.run_model import RunModel
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.flow import HeightForWidthWidget
from studio.helper.answers import Encoded, decode
from studio.helper.protocol import ProtocolError
from studio.questions.columns import ColumnsWork
from studio.tasks import Task

A = TypeVar("A")


class CancellableRequest(Protocol):
    """A pending request."""

    def cancel(self) -> None:
        """Cancel the request."""


class Helper(Protocol):
    """The part of :class:`studio.gui.base.helper_client.HelperClient` that plots use."""

    def request(
        self,
        task: Task[..., Any],
        arguments: dict[str, Any],
        done: Callable[[Encoded], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> CancellableRequest:
        """Request a task."""


@dataclass(frozen=True)
class Query:
    """A requested computation; equal ``scope`` and ``version`` imply the same reply.

    By default the version is unique, so that the query is sent even if an equal one was answered.
    """

    arguments: dict[str, Any] = field(compare=False)
    scope: Hashable
    version: Hashable = field(default_factory=object)


@dataclass(eq=False)
class HelperRequester(Generic[A]):
    """Keeps one pending request for a task, and the newest query to follow it.

    Args:
        channel: Distinguishes it from other requesters with the same task.
    """

    helper: Helper
    task: Task[..., A]
    done: Callable[[Query, A], None]
    failed: Callable[[str], None]
    channel: str
    last_answer: tuple[Query, A] | None = None
    _pending_query: Query | None = None
    _ticket: CancellableRequest | None = None
    _next_query: Query | None = None
    _answered_query: Query | None = None

    def submit(self, query: Query) -> None:
        """Send a query, unless it is pending or was the last one answered."""
        pending_query = self._pending_query
        if query == (pending_query or self._answered_query):
            self._next_query = None
        elif pending_query is not None and pending_query.scope == query.scope:
            self._next_query = query
        else:
            self._send(query)

    def submit_arguments(
        self, arguments: dict[str, Any], scope: Hashable, version: Hashable
    ) -> None:
        """Send a query, as :meth:`submit` does."""
        self.submit(Query(arguments, scope, version))

    def get_answer(self, query: Query) -> A | None:
        """Return the last reply to a query of this scope, possibly of an earlier version."""
        answered, answer = self.last_answer or (None, None)
        return answer if answered and answered.scope == query.scope else None

    @property
    def is_pending(self) -> bool:
        """Whether a reply is awaited."""
        return self._pending_query is not None

    def clear(self) -> None:
        """Discard all queries and replies; cancel the pending request."""
        if self._ticket is not None:
            self._ticket.cancel()
        self._pending_query = self._ticket = self._next_query = self._answered_query = None

    def _send(self, query: Query) -> None:
        self._pending_query, self._next_query = query, None
        self._ticket = self.helper.request(
            self.task,
            query.arguments,
            lambda reply: self._on_answer(query, reply),
            lambda message: self._on_error(query, message),
            self.channel,
        )

    def _on_answer(self, query: Query, reply: Encoded) -> None:
        if query is not self._pending_query:
            return
        try:
            answer = decode(self.task.answer_type, *reply)
        except ProtocolError as error:
            self._on_error(query, str(error))
            return
        self._pending_query, self._answered_query, self.last_answer = None, query, (query, answer)
        self.done(query, answer)
        self._send_next()

    def _on_error(self, query: Query, message: str) -> None:
        if query is not self._pending_query:
            return
        self._pending_query, self._answered_query = None, query
        self.failed(message)
        self._send_next()

    def _send_next(self) -> None:
        waiting, self._next_query = self._next_query, None
        if waiting is not None and self._pending_query is None:
            self._send(waiting)


@dataclass(frozen=True)
class HelperRequesterFactory:
    """Creates requesters with the channels of one named owner."""

    helper: Helper
    name: str

    def __call__(
        self,
        task: Task[..., A],
        done: Callable[[Query, A], None],
        failed: Callable[[str], None] = lambda _: None,
    ) -> HelperRequester[A]:
        """Return a requester for a task; by default a failure is ignored."""
        channel = f"{self.name}:{task.name}"
        return HelperRequester(self.helper, task, done, failed, channel=channel)

    def make_part_factory(self, name: str) -> "HelperRequesterFactory":
        """Return a factory with separate channels, for a part that requests the same tasks."""
        return HelperRequesterFactory(self.helper, f"{self.name}:{name}")

    def for_task(
        self, task: Task[..., A], done: Callable[[A], None], failed: Callable[[str], None]
    ) -> HelperRequester[A]:
        """Return a requester for a :class:`Task`; ``done`` receives only the reply."""
        return self(task, lambda _, answer: done(answer), failed)


@dataclass(frozen=True)
class ViewContext:
    """Services for views; ``requesters`` creates requesters for expensive computations."""

    session: Session
    models: RunModel
    requesters: HelperRequesterFactory
    job_tracker: JobTracker
    effects: ColumnsWork


class ResultView(HeightForWidthWidget):
    """A view of one question about a result, built on first use."""

    view_requested = Signal(str)
    """Another view was requested: its key."""

    page_requested = Signal(str)
    """Another page was requested: its key."""

    action_finished = Signal(str)
    """A finished action, for the window to confirm."""

    trial_requested = Signal(int)
    """A single trial was chosen for predictions and exports: its number."""

    row_requested = Signal(int, str, object)
    """A row of a table of new rows was opened in the form: its number from 0, table, and values."""

    table_row_requested = Signal(int)
    """A row of the run's table was opened in the form: its number, from 1."""

    exclusion_requested = Signal(object)
    """A new run without some columns was requested: their names."""

    shows_effects: ClassVar[bool] = False
    """Whether the view shows column importance, which is computed while such a view is open."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__()
        self.tools = context
        self.area: QScrollArea = kit.scroll_area(self)

    def can_run_again(self, view: RunView) -> bool:
        """Whether a run can be repeated with changes: it has ended and belongs to no comparison."""
        return view.has_ended and view.row.id not in self.tools.session.runs.study_runs

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show a run with at least one model; ``ready``: whether it has a final, usable result."""
        raise NotImplementedError
