import os
import subprocess
import sys

import numpy as np
import psutil
import pytest

from studio.errors import UsageError
from studio.runs.choices import TrialSettings
from studio.runs.limits import (
    LEAST_MEMORY,
    MEGABYTE,
    Limits,
    forget_peak,
    limits_of,
    memory_limited,
    memory_of,
    memory_of_tree,
    memory_share,
    peak_memory,
)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_time_limit_must_be_positive(seconds):
    with pytest.raises(UsageError, match="needs some time"):
        limits_of(TrialSettings(trial_seconds=seconds), 1)


def test_a_memory_limit_must_leave_room_for_the_program():
    with pytest.raises(UsageError, match=r"at least 400 MB.*100 MB was given"):
        limits_of(TrialSettings(trial_memory=100), 1)
    assert limits_of(TrialSettings(trial_memory=500), 3).memory == 500 * MEGABYTE


def test_no_limits_are_limits_too():
    assert Limits() == Limits(None, None)


def test_the_share_of_memory_is_what_was_asked_for_or_a_part_of_the_machine():
    assert memory_share(700, 2) == 700 * MEGABYTE
    total = psutil.virtual_memory().total
    assert memory_share(None, 2) == max(LEAST_MEMORY, int(total * 0.8) // 2)
    assert memory_share(None, 10**6) == LEAST_MEMORY


def test_memory_beyond_the_limit_is_a_memory_error_and_then_all_is_as_before():
    with pytest.raises(MemoryError), memory_limited(memory_of(os.getpid()) + 400 * MEGABYTE):
        np.ones(2**30)
    assert np.ones(2**20).sum() == 2**20


def test_memory_that_a_process_holds_is_seen():
    before = memory_of(os.getpid())
    block = np.ones(8 * MEGABYTE)
    assert 60 * MEGABYTE < memory_of(os.getpid()) - before < 70 * MEGABYTE
    assert block.all()


def test_memory_of_children_is_added():
    code = "block = b'x' * (100 * 2**20); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        me = os.getpid()
        assert memory_of_tree(me, [child.pid]) > memory_of_tree(me, [me]) / 2 + 90 * MEGABYTE
        child.communicate(b"\n")


def test_a_process_that_is_gone_holds_nothing():
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert memory_of(child.pid) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no peak of their own")
def test_the_peak_is_that_since_it_was_forgotten():
    block = np.ones(16 * MEGABYTE)
    del block
    forget_peak()
    low = peak_memory()
    block = np.ones(16 * MEGABYTE)
    assert peak_memory() - low > 100 * MEGABYTE
    assert block.all()
