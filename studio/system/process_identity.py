"""Identification of processes across time, and their liveness.

A process id alone is not sufficient: after a crash it may be reused by another process. A process
is therefore identified by its id *and* its start. On Linux the start is counted in clock ticks
since boot, independently of the wall clock (unlike psutil's ``create_time``); elsewhere psutil's
creation time is used, as recorded by the system.
"""

import os
import platform
import sys
import time
from functools import cache
from pathlib import Path

_STATE_FIELD = 0
_START_TICKS_FIELD = 19


def get_start_id(pid: int) -> str | None:
    """Return an id of a living process's start; ``None`` for a dead process or a zombie."""
    return get_start_time_linux(pid) if sys.platform == "linux" else get_start_time_portable(pid)


def get_start_time_linux(pid: int) -> str | None:
    """Return the start time counted by Linux."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, which may itself contain brackets.
    fields = text.rpartition(")")[2].split()
    return None if fields[_STATE_FIELD] in "ZXx" else fields[_START_TICKS_FIELD]


def get_start_time_portable(pid: int) -> str | None:
    """Return the creation time on other systems."""
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return f"{process.create_time():.3f}"
    except psutil.Error:
        return None


def get_process_age() -> float:
    """Return the age of this process in seconds."""
    if sys.platform == "linux":
        # Both times are relative to boot, so they are independent of the wall clock.
        ticks = get_start_time_linux(os.getpid())
        assert ticks is not None, "this process lives"
        start_seconds = int(ticks) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - start_seconds)
    else:  # noqa: RET505 - the type checker leaves out the other systems' branch only so
        import psutil

        return max(0.0, time.time() - psutil.Process().create_time())


@cache
def get_machine_id() -> tuple[str, str, str]:
    """Return an id of this machine, its boot, and its process namespace.

    The boot is empty if unknown, and the namespace (each container has one) if there is none.
    """
    boot = Path("/proc/sys/kernel/random/boot_id")
    namespace = Path("/proc/self/ns/pid")
    return (
        platform.node(),
        boot.read_text(encoding="ascii").strip() if boot.is_file() else "",
        str(namespace.readlink()) if namespace.is_symlink() else "",
    )
