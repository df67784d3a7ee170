"""The window's side of the helper process: ask, and be called back with small arrays."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, QProcess, Signal

from studio.arrays import AnyArray
from studio.helper.protocol import Message, ProtocolError, Unpacker, pack

Reply = tuple[dict[str, Any], dict[str, AnyArray]]
"""An answer: plain JSON, and arrays by name."""

_PATIENCE = 1.0
"""Seconds after which giving up a request that is being computed ends the process."""

_CRASHED = "The helper process ended while it worked on this. It was started again; try once more."


def helper_command() -> list[str]:
    """Return the command line of the helper process."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "helper"]
    return [sys.executable, "-m", "studio", "helper"]


@dataclass
class _Pending:
    number: int
    packed: bytes
    done: Callable[[Reply], None]
    failed: Callable[[str], None]
    channel: str | None
    wanted: bool = True


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
    """Starts the helper at the first request and again whenever it has died.

    Answers come in the order of the requests. Callbacks run in the window's thread.

    Parameters
    ----------
    command : list of str, optional
        The helper's command line (tests give their own).
    """

    busy_changed = Signal(bool)
    """Whether anything is being computed."""

    def __init__(self, parent: QObject | None = None, command: list[str] | None = None) -> None:
        super().__init__(parent)
        self._command = command or helper_command()
        self._process: QProcess | None = None
        self._unpacker = Unpacker()
        self._pending: dict[int, _Pending] = {}
        self._next = 1
        self._head_since = monotonic()
        self._closed = False

    def request(
        self,
        task: str,
        arguments: dict[str, Any],
        done: Callable[[Reply], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> Ticket:
        """Ask for a task (a name of :mod:`studio.helper.registry`).

        Parameters
        ----------
        done : callable
            Called with the answer.
        failed : callable
            Called with a sentence for the user.
        channel : str, optional
            A new request of a channel replaces older ones, whose answers are dropped.
        """
        if channel is not None:
            for older in list(self._pending.values()):
                if older.channel == channel and older.wanted:
                    self._drop(older)
        number, self._next = self._next, self._next + 1
        packed = pack({"id": number, "task": task, "arguments": arguments})
        if not self._pending:
            self._head_since = monotonic()
            self.busy_changed.emit(True)
        self._pending[number] = _Pending(number, packed, done, failed, channel)
        self._started().write(packed)
        return Ticket(self, number)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._pending)

    def is_waiting(self, number: int) -> bool:
        """Whether the request's answer is still wanted and has not come."""
        return number in self._pending and self._pending[number].wanted

    def cancel(self, number: int) -> None:
        """Give a request up; if it has been computed for long, end the process to free it."""
        pending = self._pending.get(number)
        if pending is None or not pending.wanted:
            return
        is_head = next(iter(self._pending)) == number
        self._drop(pending)
        if is_head and monotonic() - self._head_since > _PATIENCE and self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the helper; nothing is called back any more."""
        self._closed = True
        self._pending.clear()
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._ended)
            process.kill()
            process.waitForFinished(2000)
            process.deleteLater()

    def _drop(self, pending: _Pending) -> None:
        pending.wanted = False
        if self._process is not None:
            self._process.write(pack({"cancel": pending.number}))
        # What waits behind the one being computed will never be answered now.
        if next(iter(self._pending)) != pending.number:
            del self._pending[pending.number]

    def _started(self) -> QProcess:
        if self._process is None:
            process = QProcess(self)
            process.setProgram(self._command[0])
            process.setArguments(self._command[1:])
            process.setStandardErrorFile(QProcess.nullDevice())
            process.readyReadStandardOutput.connect(self._read)
            process.finished.connect(self._ended)
            process.errorOccurred.connect(self._troubled)
            self._unpacker = Unpacker()
            self._process = process
            process.start()
        return self._process

    def _read(self) -> None:
        if self._process is None:
            return
        try:
            messages = self._unpacker.feed(bytes(self._process.readAllStandardOutput().data()))
        except ProtocolError:
            self._process.kill()
            return
        for message in messages:
            self._answered(message)

    def _answered(self, message: Message) -> None:
        pending = self._pending.pop(message.header["id"], None)
        self._head_since = monotonic()
        if pending is not None and pending.wanted:
            if "error" in message.header:
                pending.failed(message.header["error"])
            else:
                pending.done((message.header["reply"], message.arrays))
        if not self._pending:
            self.busy_changed.emit(False)

    def _ended(self) -> None:
        """Start again after a death: the request worked on has failed, the others are resent."""
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        if self._closed or not self._pending:
            return
        head = self._pending.pop(next(iter(self._pending)))
        self._head_since = monotonic()
        for each in self._pending.values():
            self._started().write(each.packed)
        if head.wanted:
            head.failed(_CRASHED)
        if not self._pending:
            self.busy_changed.emit(False)

    def _troubled(self, error: QProcess.ProcessError) -> None:
        if error is not QProcess.ProcessError.FailedToStart:
            return
        self._process = None
        waiting, self._pending = list(self._pending.values()), {}
        self.busy_changed.emit(False)
        for each in waiting:
            each.failed(
                f"The helper process ({self._command[0]}) could not be started. "
                "Is the installation complete?"
            )
