"""Asking the helper for what a plot shows, without ever falling behind a fast run.

Every finished trial makes the last answer old. To give up the request under way each time would
starve the plot on fast runs, so the newest wish waits until the answer is there; only a wish of
another kind (another run, another hyperparameter) replaces what is being computed.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from studio.helper.answers import Encoded, decode
from studio.helper.protocol import ProtocolError

A = TypeVar("A")


class Ticket(Protocol):
    """A request under way."""

    def cancel(self) -> None:
        """Give it up."""


class Helper(Protocol):
    """The part of :class:`studio.gui.base.helper_client.HelperClient` that plots use."""

    def request(
        self,
        task: str,
        arguments: dict[str, Any],
        done: Callable[[Encoded], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> Ticket:
        """Ask for a task."""


@dataclass(frozen=True)
class Wish:
    """What is to be computed.

    Attributes
    ----------
    arguments : dict
        The task's arguments.
    kind : hashable
        Wishes of the same kind differ only in how new they are.
    moment : hashable
        How new: equal kind and moment mean the same answer.
    """

    arguments: dict[str, Any]
    kind: Hashable
    moment: Hashable


class Asker(Generic[A]):
    """Keeps one request of a task under way, and the newest wish behind it.

    Parameters
    ----------
    helper : Helper
        Who computes.
    task : str
        The task's name.
    answer : type
        What it answers (:mod:`studio.helper.answers`).
    done, failed : callable
        Called with the wish and its answer, or with a sentence.
    channel : str, optional
        Who asks, where several ask for the same task; the task's name by default.
    """

    def __init__(
        self,
        helper: Helper,
        task: str,
        answer: type[A],
        done: Callable[[Wish, A], None],
        failed: Callable[[str], None],
        *,
        channel: str | None = None,
    ) -> None:
        self._helper = helper
        self._task = task
        self._answer = answer
        self._channel = channel or task
        self._done = done
        self._failed = failed
        self._under_way: Wish | None = None
        self._ticket: Ticket | None = None
        self._next: Wish | None = None
        self._answered: Wish | None = None

    def wish(self, wish: Wish) -> None:
        """Want this; nothing happens if it is what was answered last or is under way."""
        now = self._under_way
        if now is None:
            if self._answered is None or not _same(self._answered, wish):
                self._send(wish)
        elif _same(now, wish):
            self._next = None
        elif now.kind == wish.kind:
            self._next = wish
        else:
            self._send(wish)

    def forget(self) -> None:
        """Want nothing any more."""
        if self._ticket is not None:
            self._ticket.cancel()
        self._under_way = self._ticket = self._next = self._answered = None

    def _send(self, wish: Wish) -> None:
        self._under_way, self._next = wish, None
        self._ticket = self._helper.request(
            self._task,
            wish.arguments,
            lambda reply: self._come(wish, reply),
            lambda message: self._refused(wish, message),
            self._channel,
        )

    def _come(self, wish: Wish, reply: Encoded) -> None:
        if wish is not self._under_way:
            return
        try:
            answer = decode(self._answer, *reply)
        except ProtocolError as error:
            self._refused(wish, str(error))
            return
        self._under_way, self._answered = None, wish
        self._done(wish, answer)
        self._go_on()

    def _refused(self, wish: Wish, message: str) -> None:
        if wish is not self._under_way:
            return
        self._under_way, self._answered = None, wish
        self._failed(message)
        self._go_on()

    def _go_on(self) -> None:
        waiting, self._next = self._next, None
        if waiting is not None and self._under_way is None:
            self._send(waiting)


def _same(first: Wish, second: Wish) -> bool:
    return first.kind == second.kind and first.moment == second.moment
