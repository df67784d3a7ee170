"""Processes: their identity, start options, priority, limits, and the end of whole trees.

A process id alone does not identify a process: after a crash it may be reused. A process is
therefore identified by its id *and* its start. On Linux the start is counted in clock ticks since
boot, independently of the wall clock (unlike psutil's ``create_time``); elsewhere psutil's creation
time is used, as recorded by the system.

psutil is imported where it is used, as most of this is needed when any process starts.
"""

import contextlib
import os
import platform
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.system.signals import (
    HANG_UP,
    INTERRUPT,
    KILL,
    TERMINATE,
    ignore_signals,
    restore_default_handlers,
)

if TYPE_CHECKING:
    import subprocess

MARK = "STUDIO_PROCESS_MARK"
"""Environment variable of every process of a pool, inherited by descendants regardless of parent,
group or session, so that leftovers can be found without any other link.
"""

CONSOLE = "conhost.exe"
"""The console's process, which Windows lists as a child of its program."""

ROUNDS = 50
ROUND_SECONDS = 0.01
"""Seconds for killed processes to end, as they may have started others just before."""


def list_descendants(pid: int) -> list[int]:
    """Return the process ids of all descendants."""
    pids: list[int] = []
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    pids += [int(child) for child in (thread / "children").read_text().split()]
        return pids + [deeper for child in pids for deeper in list_descendants(child)]
    else:  # noqa: RET505 - the type checker leaves out the other systems' branch only so
        import psutil

        with contextlib.suppress(psutil.Error, OSError):
            for child in psutil.Process(pid).children(recursive=True):
                with contextlib.suppress(psutil.Error, OSError):
                    if child.name() != CONSOLE:
                        pids.append(child.pid)
        return pids


def kill_tree(process: "subprocess.Popen[bytes]", mark: str) -> None:
    """Kill a process and all its descendants.

    Args:
        process: Started in its own process group (where there are groups), alive or not.
        mark: Its value of :data:`MARK`.
    """
    if process.poll() is None:
        if sys.platform != "win32":
            # The processes are stopped first, so that none starts others meanwhile. The group is
            # only killed while its leader lives, as its number may be reused later.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                process.send_signal(signal.SIGSTOP)
                children = list_descendants(process.pid)
                os.killpg(process.pid, KILL)
                _kill(children)
        else:
            _kill(list_descendants(process.pid))
        process.kill()
    kill_marked(mark)


def kill_marked(mark: str) -> None:
    """Kill every process whose :data:`MARK` has this prefix, except this one."""
    for _ in range(ROUNDS):
        pids = _list_marked(mark)
        if not pids:
            return
        _kill(pids)
        time.sleep(ROUND_SECONDS)


def _list_marked(mark: str) -> list[int]:
    import psutil

    variable = f"{MARK}={mark}"
    pids = []
    for pid in psutil.pids():
        if pid != os.getpid() and _has_in_environment(pid, variable):
            pids.append(pid)
    return pids


def _has_in_environment(pid: int, variable: str) -> bool:
    if sys.platform == "linux":
        # Empty for zombies, unreadable for other users' processes.
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
        return any(entry.startswith(variable.encode()) for entry in environment.split(b"\0"))
    else:  # noqa: RET505 - as above
        import psutil

        name, _, value = variable.partition("=")
        try:
            return psutil.Process(pid).environ().get(name, "").startswith(value)
        except (psutil.Error, OSError):
            return False


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # Windows raises no specific error for a dead process
            os.kill(pid, KILL)


def get_process_tree_options() -> dict[str, Any]:
    """Return ``Popen`` options for a process tree without Ctrl+C, to be killed as a whole.

    It gets a separate process group, but no new session, as niceness only applies within a session.
    """
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NO_WINDOW}
    return {"process_group": 0}


def get_detached_options() -> dict[str, Any]:
    """Return ``Popen`` options of a process that outlives this one.

    It stays in this process's POSIX session, for the same reason, and must ignore
    :data:`studio.system.signals.HANG_UP` instead.
    """
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {}


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


BACKGROUND_NICENESS = 5
"""Niceness of background computation: 0 delays the window, and more than this gained nothing
(docs/decisions/0007-threads-and-niceness.md). Child processes inherit it.
"""

_DIE_WITH_PARENT = 1
_ADOPT_GRANDCHILDREN = 36
"""Options of ``prctl``: PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER."""

_OOM_SCORE = "500"
"""If memory runs out, the system should kill a trial rather than the engine or the window."""


def lower_priority(niceness: int) -> None:
    """Lower this process's priority; Windows has a single step only."""
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(niceness)


def tie_to_parent(engine: int) -> None:
    """Tie this process's life to its parent's.

    Args:
        engine: The parent's process id. If the system does not support this,
            :mod:`studio.runs.guard` is used instead.
    """
    ignore_signals(INTERRUPT, HANG_UP)
    restore_default_handlers(TERMINATE)
    disable_core_dumps()
    if sys.platform == "linux":
        import ctypes

        system = ctypes.CDLL(None, use_errno=True)
        system.prctl(_DIE_WITH_PARENT, KILL)
        system.prctl(_ADOPT_GRANDCHILDREN, 1)  # orphaned grandchildren stay descendants
        if os.getppid() != engine:
            os._exit(1)
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)


def get_address_limit() -> int | None:
    """Return the remaining address space in bytes under a limit; ``None`` without one."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


@contextlib.contextmanager
def limit_memory(limit: int | None) -> Iterator[None]:
    """Limit this process's private writable memory in bytes, if supported.

    By ``RLIMIT_DATA`` and not ``RLIMIT_AS``, as numeric libraries reserve far more address space
    than they use on machines with many cores. macOS accepts the limit but does not enforce it.
    """
    if sys.platform != "linux" or limit is None:
        yield
        return
    import resource

    limits_before = resource.getrlimit(resource.RLIMIT_DATA)
    hard_limit = limits_before[1]
    new_limit = min(limit, sys.maxsize if hard_limit == resource.RLIM_INFINITY else hard_limit)
    resource.setrlimit(resource.RLIMIT_DATA, (new_limit, hard_limit))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, limits_before)


def disable_core_dumps() -> None:
    """Disable core dumps of this process."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
