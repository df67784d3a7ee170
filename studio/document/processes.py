"""Which process computes a run, and whether it still lives.

A process number alone says nothing: after a crash the number goes to somebody else. A process is
therefore named by its number *and* its start. On Linux the start is counted in clock ticks since
boot, which no change of the wall clock moves (psutil's ``create_time`` does move with it there);
elsewhere psutil's creation time, which the system wrote down once, serves.
"""

import os
import platform
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STALE_SECONDS = 60.0
"""A process that this machine cannot see counts as gone this long after its last sign of life."""

_STATE = 0
_START_TICKS = 19


@dataclass(frozen=True)
class Owner:
    """The process that computes a run.

    Attributes
    ----------
    pid : int
        Its number.
    started : str
        Its start, as :func:`started` tells it.
    host : str
        The machine's name.
    boot : str
        Names this boot of the machine; empty where the system does not tell.
    namespace : str
        Names the process-number space (a container has one of its own); empty where there is none.
    """

    pid: int
    started: str
    host: str
    boot: str
    namespace: str

    @classmethod
    def current(cls) -> "Owner":
        """Return this process."""
        pid = os.getpid()
        return cls(pid, started(pid) or "", *_place())

    def lives(self, heartbeat: float) -> bool:
        """Tell whether the process is still there.

        Parameters
        ----------
        heartbeat : float
            Unix time of its last sign of life; it decides only about processes that this one
            cannot see (in another container, or on another machine).
        """
        host, boot, namespace = _place()
        if (self.host, self.boot, self.namespace) == (host, boot, namespace):
            return started(self.pid) == self.started
        if self.host == host and self.boot != boot:
            return False
        return abs(time.time() - heartbeat) < STALE_SECONDS


def started(pid: int) -> str | None:
    """Return a text that names the start of a living process, ``None`` for one that is gone.

    A zombie (ended, but not yet waited for by its parent) is gone.
    """
    return _started_linux(pid) if sys.platform == "linux" else _started_elsewhere(pid)


def _started_linux(pid: int) -> str | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, which may itself hold brackets.
    fields = text.rpartition(")")[2].split()
    return None if fields[_STATE] in "ZXx" else fields[_START_TICKS]


def _started_elsewhere(pid: int) -> str | None:
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return f"{process.create_time():.3f}"
    except psutil.Error:
        return None


@cache
def _place() -> tuple[str, str, str]:
    boot = Path("/proc/sys/kernel/random/boot_id")
    namespace = Path("/proc/self/ns/pid")
    return (
        platform.node(),
        boot.read_text(encoding="ascii").strip() if boot.is_file() else "",
        str(namespace.readlink()) if namespace.is_symlink() else "",
    )
