"""Cores and memory available to this process: in a container less than the machine's.

Linux limits a process by its affinity (``taskset``) and by nested control groups (containers,
``systemd``); the smallest limit counts.
"""

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_GROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


@cache
def count_cores() -> int:
    """Return the number of cores available to this process, at least 1."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    limits = _iterate_limits("cpu.max", "cpu", "cpu.cfs_quota_us")
    core_limits = [_parse_share(text) for _, text in limits]
    whole_cores = [-int(-core_limit // 1) for core_limit in core_limits if core_limit]
    return max(1, min([len(os.sched_getaffinity(0)), *whole_cores]))


@cache
def get_memory() -> int:
    """Return the bytes available to this process, at most the machine's."""
    import psutil

    total = int(psutil.virtual_memory().total)
    if sys.platform != "linux":
        return total
    limits = (limit for _, limit in _iterate_memory_limits())
    return min([total, *(limit for limit in limits if limit)])


def get_free_memory() -> int:
    """Return the bytes of memory that are free for this process, at least 0.

    Under a limit this is the group's unused memory, including inactive file pages, which the system
    reclaims before killing a process.
    """
    import psutil

    available = int(psutil.virtual_memory().available)
    if sys.platform == "linux":
        for group, limit in _iterate_memory_limits():
            names = ("memory.current", "memory.usage_in_bytes")
            used = next((int(text) for text in map(_read, map(group.joinpath, names)) if text), 0)
            available = min(available, limit - used + _count_reclaimable(group))
    return max(0, available)


def _iterate_memory_limits() -> Iterator[tuple[Path, int]]:
    """Yield the folders of groups that limit the memory, and their limits in bytes, above 0."""
    for group, text in _iterate_limits("memory.max", "memory", "memory.limit_in_bytes"):
        if text.isdigit() and int(text):
            yield group, int(text)


def _count_reclaimable(group: Path) -> int:
    """Return the bytes of a group's inactive file pages."""
    statistics = dict(
        line.split(maxsplit=1) for line in _read(group / "memory.stat").splitlines() if " " in line
    )
    # The first version of control groups counts the subgroups under separate names.
    text = statistics.get("total_inactive_file") or statistics.get("inactive_file", "")
    return int(text) if text.isdigit() else 0


def _parse_share(limit: str) -> float:
    """Parse the cores of a limit, "QUOTA PERIOD" in microseconds; 0 without one."""
    quota, _, period = limit.partition(" ")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else 0.0


def _iterate_limits(name: str, controller: str, old_name: str) -> Iterator[tuple[Path, str]]:
    """Yield the folders of this process's cgroups, of both versions, with a limit's contents."""
    for line in _read(_OWN).splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, file = _GROUPS, name
        elif controller in controllers.split(","):
            # The name of a folder for several controllers may list them in another order.
            unified, separate = _GROUPS / controllers, _GROUPS / controller
            root, file = unified if unified.is_dir() else separate, old_name
        else:
            continue
        group = root / path.lstrip("/")
        for each in (group, *group.parents):
            if not each.is_relative_to(root):
                break
            text = _read(each / file)
            if text and file == "cpu.cfs_quota_us":
                text = f"{text} {_read(each / 'cpu.cfs_period_us')}"
            yield each, text


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
