import os
import subprocess
import sys

import numpy as np
import pytest

from studio.system.memory import get_peak_memory, get_private_memory, get_tree_memory, reset_peak
from studio.system.processes import limit_memory

pytestmark = pytest.mark.slow

MEGABYTE = 2**20


def test_exceeded_memory_limit_raises_memory_error():
    with pytest.raises(MemoryError), limit_memory(get_private_memory(os.getpid()) + 400 * MEGABYTE):
        np.ones(2**30)
    assert np.ones(2**20).sum() == 2**20


def test_allocated_memory_is_measured():
    before = get_private_memory(os.getpid())
    block = np.ones(8 * MEGABYTE)
    assert 60 * MEGABYTE < get_private_memory(os.getpid()) - before < 70 * MEGABYTE
    assert block.all()


def test_memory_of_child_processes_is_included():
    code = "block = b'x' * (100 * 2**20); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        me = os.getpid()
        assert get_tree_memory(me, [child.pid]) > get_tree_memory(me, [me]) / 2 + 90 * MEGABYTE
        child.communicate(b"\n")


def test_memory_of_dead_process_is_zero():
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert get_private_memory(child.pid) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems record no separate peak")
def test_peak_memory_is_measured_since_last_reset():
    block = np.ones(16 * MEGABYTE)
    del block
    reset_peak()
    low = get_peak_memory()
    block = np.ones(16 * MEGABYTE)
    assert get_peak_memory() - low > 100 * MEGABYTE
    assert block.all()


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is another one")
def test_freed_memory_is_reused():
    code = (
        "import resource, sys\nimport numpy as np\nfrom studio.system.memory import reuse_freed\n"
        "if sys.argv[1:]:\n    reuse_freed()\n"
        "def faults():\n    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "def use():\n    return [np.ones(400_000) for _ in range(6)]\n"
        "use()\nbefore = faults()\n"
        "for _ in range(10):\n    use()\n"
        "print(faults() - before)"
    )
    default_faults, reuse_faults = (
        int(subprocess.check_output([sys.executable, "-c", code, *argument], text=True))
        for argument in ([], ["keep"])
    )
    assert reuse_faults < default_faults / 4
