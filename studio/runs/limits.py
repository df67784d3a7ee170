"""What a trial may use, and the measuring and holding of memory.

The engine's side watches from outside (a fit stuck in C cannot watch itself); the worker's side
sets the kernel's own limit, so that most learners get a clean ``MemoryError`` first.
"""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from studio.runs.choices import LEAST_MEGABYTES, TrialSettings

MEGABYTE = 2**20
"""Bytes of what the user calls a MB."""

LEAST_MEMORY = LEAST_MEGABYTES * MEGABYTE

SHARE_OF_MACHINE = 0.8
"""Part of the machine's memory that all workers together may use by default."""


@dataclass(frozen=True)
class Limits:
    """The limits of one trial.

    Attributes
    ----------
    seconds : float or None
        Wall seconds from the moment a worker takes the trial; ``None`` for no limit.
    memory : int or None
        Bytes of the worker process and everything it starts, the program's own included;
        ``None`` for no limit.
    """

    seconds: float | None = None
    memory: int | None = None


def limits_of(settings: TrialSettings, workers: int) -> Limits:
    """Return the limits of each trial when ``workers`` of them run at once, as the settings ask.

    Raises
    ------
    UsageError
        If the settings cannot work: a document may come from anybody.
    """
    settings.check()
    return Limits(settings.trial_seconds, memory_share(settings.trial_memory, workers))


def memory_share(megabytes: int | None, workers: int) -> int:
    """Return a trial's memory limit in bytes: the one given in MB, or a share of the machine's.

    Parameters
    ----------
    megabytes : int or None
        What the user asked for; ``None`` for an equal share of 80 % of the machine's memory.
    workers : int
        Trials at the same time, at least 1.
    """
    if megabytes is not None:
        return megabytes * MEGABYTE
    share = int(psutil.virtual_memory().total * SHARE_OF_MACHINE) // workers
    return max(LEAST_MEMORY, share)


@contextlib.contextmanager
def memory_limited(limit: int | None) -> Iterator[None]:
    """Limit this process's own writable memory to ``limit`` bytes, where the system can.

    ``RLIMIT_DATA`` and not ``RLIMIT_AS``: numeric libraries reserve far more addresses than they
    ever use on machines with many cores.
    """
    if sys.platform != "linux" or limit is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    hard = before[1]
    wanted = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def memory_of(pid: int) -> int:
    """Return the bytes that a process holds by itself: anonymous, shared and swapped out.

    Pages of mapped files are left out on Linux, for the system can drop them at any time, and all
    workers share those of the data. 0 if the process is gone.
    """
    if sys.platform == "linux":
        fields = _fields(Path(f"/proc/{pid}/status"))
        return sum(fields.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap"))
    else:  # noqa: RET505 - the type checker leaves out the other systems' branch only so
        try:
            return int(psutil.Process(pid).memory_info().rss)
        except psutil.Error:
            return 0


def memory_of_tree(pid: int, children: list[int]) -> int:
    """Return the bytes of a process and its descendants; pages that they share count once."""
    if not children:
        return memory_of(pid)
    if sys.platform != "linux":
        return memory_of(pid) + sum(memory_of(child) for child in children)
    total = 0
    for each in (pid, *children):
        fields = _fields(Path(f"/proc/{each}/smaps_rollup"))
        total += sum(fields.get(name, 0) for name in ("Pss_Anon", "Pss_Shmem", "SwapPss"))
    return total


def forget_peak() -> None:
    """Start measuring this process's highest memory afresh, where the system can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    """Return this process's highest resident bytes since :func:`forget_peak` (0 if unknown)."""
    if sys.platform == "linux":
        return _fields(Path("/proc/self/status")).get("VmHWM", 0)
    else:  # noqa: RET505 - as above
        return int(getattr(psutil.Process().memory_info(), "peak_wset", 0))


def _fields(path: Path) -> dict[str, int]:
    """Read lines like ``RssAnon:  1234 kB`` as bytes; nothing of a process that is gone."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        name, _, value = line.partition(":")
        if value.endswith(" kB"):
            found[name] = int(value[:-3]) * 1024
    return found
