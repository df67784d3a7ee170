"""References to the helper's task functions, through which the window calls them.

A task's function imports what is heavy when it is called, so that its module can be imported by the
window, and an editor finds it from where it is asked for.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, get_type_hints

A = TypeVar("A")
P = ParamSpec("P")


@dataclass(frozen=True)
class Task(Generic[P, A]):
    """A function that the helper process calls.

    Attributes:
        function: The function; its parameters and its answer are of types that can be sent
            (:mod:`studio.helper.answers`).
        slow: Whether it may take seconds: a second process does it, so that no other task waits.
    """

    function: Callable[P, A]
    slow: bool = False

    def __call__(self, *given: P.args, **named: P.kwargs) -> A:
        """Do the task in this process."""
        return self.function(*given, **named)

    @property
    def name(self) -> str:
        """Its name in messages between processes."""
        return self.function.__name__

    @property
    def answer(self) -> type[A]:
        """The type of its answer."""
        kind: type[A] = get_type_hints(self.function)["return"]
        return kind


def task(*, slow: bool = False) -> Callable[[Callable[P, A]], Task[P, A]]:
    """Return a decorator that makes a function a task; ``slow`` as there."""
    return lambda function: Task(function, slow)


class Asker(Protocol):
    """Has one task under way, and the newest question behind it."""

    def ask_for(self, arguments: dict[str, Any], kind: Hashable, moment: Hashable) -> None:
        """Ask, unless that was answered last or is being computed.

        Args:
            arguments: The task's.
            kind: Questions of the same kind differ only in how new they are.
            moment: How new: equal kind and moment mean the same answer.
        """

    def forget(self) -> None:
        """Drop all that was asked and answered; cancel what is being computed."""


class Asks(Protocol):
    """Makes askers."""

    def of(
        self, task: Task[..., A], done: Callable[[A], None], failed: Callable[[str], None]
    ) -> Asker:
        """Return an asker for a task; ``failed`` is called with a sentence."""
