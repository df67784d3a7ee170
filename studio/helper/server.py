"""The helper's loop: requests on standard input, answers on standard output.

Requests are processed one at a time, in the order of their arrival. A thread reads ahead, so that
requests cancelled by the window are skipped, and the helper ends with the window even during a
computation.
"""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from studio.deferred import defer_imports
from studio.errors import StudioError
from studio.helper.answers import encode
from studio.helper.protocol import MessageUnpacker, ProtocolError, pack
from studio.helper.registry import run_task
from studio.phrases import phrase
from studio.system.processes import BACKGROUND_NICENESS, lower_priority
from studio.system_faults import explain_system_error

_READ_SIZE = 1 << 16


class Inbox:
    """Queued requests, in order, each of which the window may cancel."""

    def __init__(self) -> None:
        self._queue: deque[dict[str, Any]] = deque()
        self._condition = threading.Condition()
        self._closed = False

    def put(self, header: dict[str, Any]) -> None:
        """Add a request, or cancel one by ``{"cancel": id}``; the latter is still answered."""
        with self._condition:
            match header:
                case {"cancel": int(number)}:
                    cancellation = {"id": number, "cancelled": True}
                    self._queue = deque(
                        cancellation if each["id"] == number else each for each in self._queue
                    )
                case {"id": int(), "task": str(), "arguments": dict()}:
                    self._queue.append(header)
                case _:
                    raise ProtocolError("The helper was sent an invalid request.")
            self._condition.notify()

    def close(self) -> None:
        """Mark the end of the requests."""
        with self._condition:
            self._closed = True
            self._condition.notify()

    def get(self) -> dict[str, Any] | None:
        """Return the next request, waiting for it; ``None`` at the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._queue or self._closed)
            return self._queue.popleft() if self._queue else None


def make_answer(header: dict[str, Any]) -> bytes:
    """Execute a request; return ``{"id", "reply": JSON}``, or ``{"id", "error": sentence}``."""
    number = header["id"]
    if "cancelled" in header:
        return pack({"id": number, "error": phrase("It was cancelled.")})
    try:
        reply, arrays = encode(run_task(str(header["task"]), header["arguments"]))
        return pack({"id": number, "reply": reply}, arrays)
    except StudioError as error:
        return pack({"id": number, "error": str(error)})
    except Exception as error:  # noqa: BLE001  a fault in one task must not end the helper
        message = f"{type(error).__name__}: {error}"
        fault = phrase(
            "This could not be computed because of an error in the program ({place}).",
            place=message,
        )
        return pack({"id": number, "error": explain_system_error(error) or fault})


def serve() -> int:
    """Serve requests until standard input ends; return the exit code."""
    output = _reserve_output()
    lower_priority(BACKGROUND_NICENESS)
    defer_imports()  # stored models need scikit-learn, which would import all of it
    inbox = Inbox()
    thread = threading.Thread(target=_read_requests, args=(inbox, lambda: os._exit(0)), daemon=True)
    thread.start()
    while (header := inbox.get()) is not None:
        data = memoryview(make_answer(header))
        try:
            while data:
                data = data[os.write(output, data) :]
        except BrokenPipeError:
            return 0
    return 0


def _reserve_output() -> int:
    """Reserve standard output for messages: output of libraries is discarded."""
    message_fd = os.dup(sys.stdout.fileno())
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)
    return message_fd


def _read_requests(inbox: Inbox, ended: Callable[[], None]) -> None:
    unpacker = MessageUnpacker()
    try:
        with suppress(ProtocolError):
            while piece := os.read(sys.stdin.fileno(), _READ_SIZE):
                for message in unpacker.feed(piece):
                    inbox.put(message.header)
    finally:
        inbox.close()
        # The window has ended, or sent garbage, so the result has no recipient.
        ended()
