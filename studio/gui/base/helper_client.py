"""Client of the helper process: requests, and callbacks with small arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QProcess, Qt, QTimer

from studio.awake_clock import read_awake_seconds
from studio.children import make_studio_command
from studio.gui.base.command_job import make_process
from studio.helper.answers import Encoded, decode
from studio.helper.protocol import HelperMessage, MessageUnpacker, ProtocolError, pack
from studio.language import tr, translate
from studio.tasks import Task

A = TypeVar("A")

KILL_TIMEOUT = 1.0
"""Seconds after which cancelling a running request kills the process."""


OUTDATED_TIMEOUT = 3.0
"""The same for a request replaced by a newer one on its channel; most finish soon."""


@dataclass(eq=False)
class HelperRequest:
    """A request; ``is_wanted`` is False once it is cancelled."""

    process: "HelperProcess"
    number: int
    payload: bytes
    on_answer: Callable[[Encoded], None]
    on_error: Callable[[str], None]
    channel: str | None
    is_wanted: bool = True

    @property
    def is_pending(self) -> bool:
        """Whether the reply is pending."""
        return self.process.is_waiting(self)

    def cancel(self) -> None:
        """Cancel the request: no callback will be called, and a long computation is ended."""
        self.process.cancel(self, KILL_TIMEOUT)


def _parse_answer(message: HelperMessage) -> tuple[int, Encoded, str | None]:
    """Return the number of the answered request, the reply, and the error if there is one."""
    match message.header:
        case {"id": int(number), "error": str(error)}:
            return number, (None, {}), error
        case {"id": int(number), "reply": reply}:
            return number, (reply, message.arrays), None
    raise ProtocolError("The helper process sent something that is not an answer.")


class HelperProcess(QObject):
    """Requests processed sequentially by a process, which ends after ``idle_seconds``, if given."""

    def __init__(
        self, command: list[str], parent: QObject | None = None, idle_seconds: float | None = None
    ) -> None:
        super().__init__(parent)
        self._command = command
        self._process: QProcess | None = None
        self._unpacker = MessageUnpacker()
        self._pending: dict[int, HelperRequest] = {}
        self._running_since = read_awake_seconds()
        self._closed = False
        self._idle_timer: QTimer | None = None
        if idle_seconds is not None:
            self._idle_timer = QTimer(self, interval=round(1000 * idle_seconds), singleShot=True)
            self._idle_timer.timeout.connect(self._end_process)

    @property
    def is_busy(self) -> bool:
        """Whether a reply is pending."""
        return bool(self._pending)

    @property
    def has_process(self) -> bool:
        """Whether a process exists."""
        return self._process is not None

    def send(self, request: HelperRequest) -> None:
        """Send a request."""
        if self._idle_timer is not None:
            self._idle_timer.stop()
        if not self._pending:
            self._running_since = read_awake_seconds()
        self._pending[request.number] = request
        process = self._ensure_process()
        if process.isOpen():  # false if the start failed, which is reported separately
            process.write(request.payload)

    def is_waiting(self, request: HelperRequest) -> bool:
        """Whether a request is still pending and not cancelled."""
        return request.is_wanted and request.number in self._pending

    def replace(self, channel: str) -> None:
        """Cancel pending requests of this channel."""
        for older in list(self._pending.values()):
            if older.channel == channel:
                self.cancel(older, OUTDATED_TIMEOUT)

    def cancel(self, request: HelperRequest, timeout: float) -> None:
        """Cancel a request; kill the process if it has worked on it for longer than a timeout."""
        if not self.is_waiting(request):
            return
        request.is_wanted = False
        if self._process is not None:
            self._process.write(pack({"cancel": request.number}))
        if next(iter(self._pending)) != request.number:
            # Requests queued behind the running one can no longer be answered.
            del self._pending[request.number]
        elif read_awake_seconds() - self._running_since > timeout and self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process; no callbacks are called afterwards."""
        self._closed = True
        self._pending.clear()
        self._end_process()

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._on_crash)
            process.kill()
            process.waitForFinished(2000)
            process.deleteLater()

    def _ensure_process(self) -> QProcess:
        if self._process is None:
            process = make_process(self._command, self)
            process.setStandardErrorFile(QProcess.nullDevice())
            process.readyReadStandardOutput.connect(self._read_output)
            process.finished.connect(self._on_crash)
            # Without a free file descriptor, the error is emitted within start(), before the ticket
            # exists.
            process.errorOccurred.connect(
                self._on_process_error, Qt.ConnectionType.QueuedConnection
            )
            self._unpacker = MessageUnpacker()
            self._process = process
            process.start()
        return self._process

    def _read_output(self) -> None:
        if self._process is None:
            return
        try:
            messages = self._unpacker.feed(bytes(self._process.readAllStandardOutput().data()))
            answers = [_parse_answer(each) for each in messages]
        except ProtocolError:
            # Other output is ignored; the end of the process is reported separately.
            self._process.readyReadStandardOutput.disconnect(self._read_output)
            self._process.kill()
            return
        for answer in answers:
            self._on_answer(*answer)

    def _on_answer(self, number: int, reply: Encoded, error: str | None) -> None:
        request = self._pending.pop(number, None)
        self._running_since = read_awake_seconds()
        if request is not None and request.is_wanted:
            if error is not None:
                request.on_error(translate(error))
            else:
                request.on_answer(reply)
        self._start_idle_timer()

    def _start_idle_timer(self) -> None:
        if not self._pending and not self._closed and self._idle_timer is not None:
            self._idle_timer.start()

    def _on_crash(self) -> None:
        """Restart after a crash: the running request fails, the others are resent."""
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        if self._closed or not self._pending:
            return
        failed_request = self._pending.pop(next(iter(self._pending)))
        self._running_since = read_awake_seconds()
        for each in self._pending.values():
            self._ensure_process().write(each.payload)
        if failed_request.is_wanted:
            failed_request.on_error(
                tr("The helper process ended during this task and was restarted. Try again.")
            )
        self._start_idle_timer()

    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        if error is not QProcess.ProcessError.FailedToStart:
            return
        self._process = None
        waiting, self._pending = list(self._pending.values()), {}
        self._start_idle_timer()
        for each in waiting:
            each.on_error(
                tr(
                    "The helper process ({command}) could not be started. "
                    "Is the installation complete?",
                    command=self._command[0],
                )
            )


IDLE_SECONDS = 120.0
"""Idle seconds after which the slow process ends: its libraries occupy about 200 MB."""


class HelperClient(QObject):
    """Starts a helper at the first request, and again after each crash.

    There are two processes: slow tasks do not delay the others. Within a process, replies arrive in
    the order of the requests. Callbacks run in the window's thread.

    Args:
        idle_seconds: Time without work after which the slow process is ended.
    """

    def __init__(
        self,
        parent: QObject | None = None,
        command: list[str] | None = None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        super().__init__(parent)
        helper_command = command or make_studio_command("helper")
        self.quick_process = HelperProcess(helper_command, self)
        self.slow_process = HelperProcess(helper_command, self, idle_seconds)
        self._processes = (self.quick_process, self.slow_process)
        self._next_number = 1

    def request(
        self,
        task: Task[..., Any],
        arguments: dict[str, Any],
        done: Callable[[Encoded], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> HelperRequest:
        """Request a task.

        Args:
            channel: A new request on a channel replaces earlier ones, whose replies are dropped.
        """
        if channel is not None:
            for process in self._processes:
                process.replace(channel)
        number, self._next_number = self._next_number, self._next_number + 1
        payload = pack({"id": number, "task": task.name, "arguments": arguments})
        process = self.slow_process if task.is_slow else self.quick_process
        request = HelperRequest(process, number, payload, done, failed, channel)
        process.send(request)
        return request

    @property
    def is_busy(self) -> bool:
        """Whether a reply is pending."""
        return any(process.is_busy for process in self._processes)

    def close(self) -> None:
        """End the helpers; no callbacks are called afterwards."""
        for process in self._processes:
            process.close()


def request_task(
    helper: HelperClient,
    task: Task[..., A],
    arguments: dict[str, Any],
    done: Callable[[A], None],
    failed: Callable[[str], None],
    *,
    channel: str | None = None,
) -> HelperRequest:
    """Request a task by reference; ``done`` receives its result."""

    def decode_reply(reply: Encoded) -> None:
        done(decode(task.answer_type, *reply))

    return helper.request(task, arguments, decode_reply, failed, channel)
