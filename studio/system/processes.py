"""Supervision of child processes, and termination of whole process trees."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from studio.system.signals import KILL

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
        name, _, value = variable.partition("=")
        try:
            return psutil.Process(pid).environ().get(name, "").startswith(value)
        except (psutil.Error, OSError):
            return False


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # Windows raises no specific error for a dead process
            os.kill(pid, KILL)
