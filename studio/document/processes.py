"""Processes that compute a run, and their liveness (:mod:`studio.system.processes`)."""

import os
import time
from dataclasses import dataclass
from functools import cache

from studio.awake_clock import read_awake_seconds
from studio.system.processes import get_machine_id, get_start_id

STALE_SECONDS = 60.0
"""Seconds after its last heartbeat at which an invisible process counts as dead."""


@dataclass(frozen=True)
class Owner:
    """The process that computes a run.

    Attributes:
        started: See :func:`studio.system.processes.get_start_id`.
        boot: The machine's boot id; empty if the system has none.
        namespace: The process id namespace (separate for a container); empty if there is none.
        file: The machine's numbers of the file in which the run was claimed; empty if unknown, as
            in older documents. A moved file keeps them; a copy has different ones.
    """

    pid: int
    started: str
    host: str
    boot: str
    namespace: str
    file: str = ""

    @classmethod
    def for_current_process(cls, file: str = "") -> "Owner":
        """Return this process, working on a file."""
        return _make_owner(os.getpid(), file)

    def is_working_on(self, file: str) -> bool:
        """Return whether the claim is on this file, as far as known.

        Another machine, or another boot of this one, may number the same file differently.
        """
        is_this_machine = (self.host, self.boot, self.namespace) == get_machine_id()
        return self.file in {"", file} or not is_this_machine

    def is_alive(self, heartbeat: float) -> bool:
        """Return whether the process is alive.

        Args:
            heartbeat: Unix time of its last sign of life, used only for invisible processes (in
                another container, or on another machine).
        """
        host, boot, namespace = get_machine_id()
        if (self.host, self.boot, self.namespace) == (host, boot, namespace):
            return get_start_id(self.pid) == self.started
        if self.host == host and self.boot != boot:
            return False
        return _is_fresh(self, heartbeat)


_heartbeats: dict[Owner, tuple[float, float]] = {}
"""The last heartbeats of processes on other machines, and when they expire."""


def _is_fresh(owner: Owner, heartbeat: float) -> bool:
    """Return whether a heartbeat is still valid.

    Its age is computed once from the wall clock. Afterwards a clock that stops during sleep is
    used, so that suspended processes do not count as dead when a laptop resumes.
    """
    last, expires_at = _heartbeats.get(owner, (None, 0.0))
    if last != heartbeat:
        expires_at = read_awake_seconds() + STALE_SECONDS - abs(time.time() - heartbeat)
        _heartbeats[owner] = heartbeat, expires_at
    return read_awake_seconds() < expires_at


@cache
def _make_owner(pid: int, file: str) -> Owner:
    # Called for every trial, and constant during the life of a process.
    return Owner(pid, get_start_id(pid) or "", *get_machine_id(), file)


UNKNOWN = Owner(0, "", "", "", "")
"""A process known only by its heartbeats."""
