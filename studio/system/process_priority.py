"""Scheduling priority of processes, and termination together with their parent."""

import contextlib
import os
import sys
from pathlib import Path

from studio.system.limits import disable_core_dumps
from studio.system.signals import (
    HANG_UP,
    INTERRUPT,
    KILL,
    TERMINATE,
    ignore_signals,
    restore_default_handlers,
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
