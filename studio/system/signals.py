"""Signals of processes, as far as supported, and exits by a signal."""

import signal
from collections.abc import Callable
from types import FrameType

from studio.phrases import phrase

INTERRUPT = "SIGINT"
"""Ctrl+C."""

TERMINATE = "SIGTERM"
"""The request to terminate; missing on Windows."""

HANG_UP = "SIGHUP"
"""The end of the terminal or session; missing on Windows."""

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)

Handler = Callable[[int, FrameType | None], None]

_MIN_CRASH_CODE = 0xC0000000
"""Smallest exit code of a crash on Windows."""


def ignore_signals(*names: str) -> None:
    """Ignore these signals, as far as they exist."""
    for number in _list_existing_signals(names):
        signal.signal(number, signal.SIG_IGN)


def restore_default_handlers(*names: str) -> None:
    """Restore the default actions of these signals."""
    for number in _list_existing_signals(names):
        signal.signal(number, signal.SIG_DFL)


def handle_signals(handler: Handler, *names: str) -> Callable[[], None]:
    """Handle these signals by a function; return a function that undoes this."""
    previous_handlers = {
        number: signal.signal(number, handler) for number in _list_existing_signals(names)
    }

    def restore() -> None:
        for number, previous_handler in previous_handlers.items():
            signal.signal(number, previous_handler)

    return restore


def was_killed(code: int | None) -> bool:
    """Return whether a process with this exit code was killed externally; unknown on Windows."""
    return code == -getattr(signal, "SIGKILL", 9)


def describe_crash(code: int) -> str:
    """Describe the crash of a process by exit code; empty without a crash."""
    if code >= _MIN_CRASH_CODE:
        return f"0x{code:08X}"
    if code >= 0:
        return ""
    name = {int(each): each.name for each in signal.Signals}.get(-code, "")
    match name:
        case "SIGSEGV":
            return phrase("segmentation fault, signal {code}", code=-code)
        case "SIGABRT":
            return phrase("abort, signal {code}", code=-code)
        case "SIGFPE":
            return phrase("arithmetic error, signal {code}", code=-code)
    return f"{name}, signal {-code}" if name else f"signal {-code}"


def _list_existing_signals(names: tuple[str, ...]) -> list[signal.Signals]:
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
