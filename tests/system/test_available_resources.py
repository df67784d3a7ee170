"""Affinity and control groups limit the default numbers of cores and memory."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from studio.data.read_cost import get_free_memory
from studio.system import available_resources
from studio.system.processes import limit_memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these limits")


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return an empty tree of control groups, on a machine of 64 cores."""
    monkeypatch.setattr(available_resources, "_GROUPS", tmp_path)
    monkeypatch.setattr(available_resources, "_OWN", tmp_path / "own")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(64)))
    available_resources.count_cores.cache_clear()
    available_resources.get_memory.cache_clear()
    yield tmp_path
    available_resources.count_cores.cache_clear()
    available_resources.get_memory.cache_clear()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


@pytest.mark.parametrize(
    ("limit", "cores"),
    [("max 100000", 64), ("200000 100000", 2), ("150000 100000", 2), ("5000 100000", 1)],
)
def test_control_group_limits_cores(groups: Path, limit: str, cores: int) -> None:
    write(groups / "own", "0::/a/b")
    write(groups / "a/b/cpu.max", limit)
    assert available_resources.count_cores() == cores


def test_smallest_limit_applies(groups: Path) -> None:
    write(groups / "own", "0::/a/b")
    write(groups / "a/b/cpu.max", "800000 100000")
    write(groups / "a/cpu.max", "300000 100000")
    write(groups / "a/memory.max", str(2**30))
    write(groups / "a/b/memory.max", "max")
    assert available_resources.count_cores() == 3
    assert available_resources.get_memory() == 2**30


def test_cgroup_v1_limits_are_respected(groups: Path) -> None:
    write(groups / "own", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/")
    write(groups / "cpu,cpuacct/a/cpu.cfs_quota_us", "400000")
    write(groups / "cpu,cpuacct/a/cpu.cfs_period_us", "100000")
    write(groups / "memory/a/memory.limit_in_bytes", str(2**31))
    assert (available_resources.count_cores(), available_resources.get_memory()) == (4, 2**31)
    write(groups / "cpu,cpuacct/a/cpu.cfs_quota_us", "-1")
    write(groups / "memory/a/memory.limit_in_bytes", str(2**63 - 4096))
    available_resources.count_cores.cache_clear()
    available_resources.get_memory.cache_clear()
    assert (available_resources.count_cores(), available_resources.get_memory()) == (
        64,
        psutil.virtual_memory().total,
    )


def test_order_of_cgroup_controllers_is_irrelevant(groups: Path) -> None:
    write(groups / "own", "5:cpuacct,cpu:/a")
    write(groups / "cpu/a/cpu.cfs_quota_us", "300000")
    write(groups / "cpu/a/cpu.cfs_period_us", "100000")
    assert available_resources.count_cores() == 3


@pytest.mark.parametrize(
    ("place", "line", "names"),
    [
        ("a/b", "0::/a/b", ("memory.max", "memory.current", "inactive_file")),
        (
            "memory/a/b",
            "4:memory:/a/b",
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ),
    ],
    ids=["second version", "first version"],
)
def test_free_memory_is_remaining_group_limit(
    groups: Path, place: str, line: str, names: tuple[str, str, str]
) -> None:
    limit, used, unneeded = names
    write(groups / "own", line)
    write(groups / place / limit, str(80 * 2**20))
    write(groups / place / used, str(50 * 2**20))
    assert get_free_memory() == available_resources.get_free_memory() == 30 * 2**20
    write(groups / place / "memory.stat", f"inactive_file 1\nanon 7\n{unneeded} {8 * 2**20}")
    assert get_free_memory() == 38 * 2**20
    write(groups / place / used, str(90 * 2**20))  # temporarily
    assert get_free_memory() == 0


def test_free_memory_without_limit_is_machine_memory(groups: Path) -> None:
    write(groups / "own", "0::/a")
    write(groups / "a/memory.max", "max")
    assert 0 < get_free_memory() <= psutil.virtual_memory().total


def test_cpu_affinity_limits_cores(groups: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5})
    assert available_resources.count_cores() == 2


def test_memory_limit_larger_than_machine_has_no_effect() -> None:
    with limit_memory(10**30):
        assert bytearray(10)
