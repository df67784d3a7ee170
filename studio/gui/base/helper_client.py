"""The window's side of the helper processes: ask, and be called back with small arrays."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from studio.children import studio_command
from studio.gui.base.helper_lane import Lane, Pending
from studio.helper.answers import Encoded
from studio.helper.protocol import pack
from studio.helper.registry import SLOW

IDLE_SECONDS = 120.0
"""The slow lane's process ends after so long without work: it holds some 200 MB of libraries."""


def helper_command() -> list[str]:
    """Return the command line of the helper process."""
    return studio_command("helper")


class Ticket:
    """A request under way."""

    def __init__(self, client: "HelperClient", number: int) -> None:
        self._client = client
        self._number = number

    @property
    def waiting(self) -> bool:
        """Whether an answer is still to come."""
        return self._client.is_waiting(self._number)

    def cancel(self) -> None:
        """Give the request up: no callback will be called; a long computation is ended."""
        self._client.cancel(self._number)


class HelperClient(QObject):
    """Starts a helper at the first request and again whenever it has died.

    There are two lanes, each a process of its own: tasks that may take seconds
    (:data:`studio.helper.registry.SLOW`) do not keep the others waiting. Within a lane, answers
    come in the order of the requests. Callbacks run in the window's thread.

    Args:
        command: The helper's command line (tests give their own).
        idle_seconds: The slow lane's process is ended after so long without work.
    """

    def __init__(
        self,
        parent: QObject | None = None,
        command: list[str] | None = None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        super().__init__(parent)
        made = command or helper_command()
        self.quick = Lane(made, self)
        self.slow = Lane(made, self, idle_seconds)
        self._lanes = (self.quick, self.slow)
        self._next = 1

    def request(
        self,
        task: str,
        arguments: dict[str, Any],
        done: Callable[[Encoded], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> Ticket:
        """Ask for a task (a name of :mod:`studio.helper.registry`).

        Args:
            done: Called with the answer.
            failed: Called with a sentence for the user.
            channel: A new request of a channel replaces older ones, whose answers are dropped.
        """
        if channel is not None:
            for lane in self._lanes:
                lane.replace(channel)
        number, self._next = self._next, self._next + 1
        packed = pack({"id": number, "task": task, "arguments": arguments})
        lane = self.slow if task in SLOW else self.quick
        lane.send(Pending(number, packed, done, failed, channel))
        return Ticket(self, number)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return any(lane.busy for lane in self._lanes)

    def is_waiting(self, number: int) -> bool:
        """Whether the request's answer is still wanted and has not come."""
        return any(lane.is_waiting(number) for lane in self._lanes)

    def cancel(self, number: int) -> None:
        """Give a request up; if it has been computed for long, end its process to free it."""
        for lane in self._lanes:
            lane.cancel(number)

    def close(self) -> None:
        """End the helpers; nothing is called back any more."""
        for lane in self._lanes:
            lane.close()
