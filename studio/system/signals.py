"""Signals of processes, as far as the system has them, and exits by a signal."""

import signal
from collections.abc import Callable
from types import FrameType

from studio.phrases import phrase

INTERRUPT = "SIGINT"
"""Ctrl+C."""

END = "SIGTERM"
"""A request to the process to end; Windows has none."""

HANG_UP = "SIGHUP"
"""The terminal or the session is gone; Windows has none."""

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that kills a process."""

Handler = Callable[[int, FrameType | None], None]

_MIN_CRASH_CODE = 0xC0000000
"""Exit codes of Windows from this one on are those of crashes."""


def ignore(*names: str) -> None:
    """Ignore these signals from now on, those that there are."""
    for number in _known(names):
        signal.signal(number, signal.SIG_IGN)


def obey(*names: str) -> None:
    """Let these signals do again what the system means them to do."""
    for number in _known(names):
        signal.signal(number, signal.SIG_DFL)


def hear(handler: Handler, *names: str) -> Callable[[], None]:
    """Let a function answer these signals; return what undoes that."""
    before = {number: signal.signal(number, handler) for number in _known(names)}

    def restore() -> None:
        for number, earlier in before.items():
            signal.signal(number, earlier)

    return restore


def was_killed(code: int | None) -> bool:
    """Return whether a process that ended so was killed from outside; unknown on Windows."""
    return code == -getattr(signal, "SIGKILL", 9)


def crash(code: int) -> str:
    """Describe the crash of a process with this exit code; empty if it ended by itself."""
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
            return phrase("arithmetic fault, signal {code}", code=-code)
    return f"{name}, signal {-code}" if name else f"signal {-code}"


def _known(names: tuple[str, ...]) -> list[signal.Signals]:
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
