"""Cores and memory available to this process: in a container less than the machine's.

Linux limits a process by its affinity (``taskset``) and by control groups (containers,
``systemd``), each of which lies within those above it; the smallest limit counts.
"""

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_GROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


@cache
def cores() -> int:
    """Return the number of cores available to this process, at least 1."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    shares = [_share(text) for text in _limits("cpu.max", "cpu", "cpu.cfs_quota_us")]
    whole = [-int(-share // 1) for share in shares if share]
    return max(1, min([len(os.sched_getaffinity(0)), *whole]))


@cache
def memory() -> int:
    """Return the bytes available to this process, at most the machine's."""
    import psutil

    total = int(psutil.virtual_memory().total)
    if sys.platform != "linux":
        return total
    limits = _limits("memory.max", "memory", "memory.limit_in_bytes")
    return min([total, *(int(text) for text in limits if text.isdigit() and int(text))])


def _share(limit: str) -> float:
    """Parse the cores of a limit, "QUOTA PERIOD" in microseconds; 0 without one."""
    quota, _, period = limit.partition(" ")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else 0.0


def _limits(name: str, controller: str, old_name: str) -> Iterator[str]:
    """Yield the contents of a limit's files in this process's cgroups, of both versions."""
    for line in _read(_OWN).splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, file = _GROUPS, name
        elif controller in controllers.split(","):
            root, file = _GROUPS / controllers, old_name
        else:
            continue
        group = root / path.lstrip("/")
        for each in (group, *group.parents):
            if not each.is_relative_to(root):
                break
            text = _read(each / file)
            if text and file == "cpu.cfs_quota_us":
                text = f"{text} {_read(each / 'cpu.cfs_period_us')}"
            yield text


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
