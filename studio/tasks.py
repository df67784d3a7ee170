"""References to the helper's task functions, for calls by the window.

A task's function imports heavy modules when called, so that the window can import its module, and
editors can navigate from the call to the function.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, get_type_hints

A = TypeVar("A")
P = ParamSpec("P")


@dataclass(frozen=True)
class Task(Generic[P, A]):
    """A function executed by the helper process.

    Attributes:
        name: Its name in messages between processes.
        function: The types of its parameters and result must be serialisable
            (:mod:`studio.helper.answers`).
        is_slow: Whether it may take seconds, in which case it is run by a second process, so that
            no other task waits.
    """

    name: str
    function: Callable[P, A]
    is_slow: bool = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> A:
        return self.function(*args, **kwargs)

    @property
    def answer_type(self) -> type[A]:
        """The type of its result."""
        answer_type: type[A] = get_type_hints(self.function)["return"]
        return answer_type


def task(name: str, *, slow: bool = False) -> Callable[[Callable[P, A]], Task[P, A]]:
    """Return a decorator that turns a function into a task, possibly a slow one."""
    return lambda function: Task(name, function, slow)


class Requester(Protocol):
    """Keeps one pending request of a task, and the newest query after it."""

    def submit_arguments(
        self, arguments: dict[str, Any], scope: Hashable, version: Hashable
    ) -> None:
        """Send a query, unless it is the last answered query or is pending.

        Args:
            scope: Queries of the same scope differ only in ``version``.
            version: The version: queries of equal scope and version have the same answer.
        """

    def clear(self) -> None:
        """Forget all queries and answers; cancel the pending request."""


class RequesterFactory(Protocol):
    """Creates requesters."""

    def for_task(
        self, task: Task[..., A], done: Callable[[A], None], failed: Callable[[str], None]
    ) -> Requester:
        """Return a requester for a task; ``failed`` is called with a sentence."""
