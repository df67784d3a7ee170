import dataclasses
import os
import subprocess
import sys
import time

import psutil
import pytest

from studio.document import processes
from studio.document.processes import Owner
from studio.system import processes as system_processes


def test_current_process_is_alive():
    me = Owner.for_current_process()
    assert me.pid == os.getpid()
    assert me.is_alive(heartbeat=0.0)


def test_child_process_is_alive_until_exit():
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    start = system_processes.get_start_id(other.pid)
    owner = dataclasses.replace(Owner.for_current_process(), pid=other.pid, started=start)
    assert owner.is_alive(0.0)
    other.kill()
    psutil.wait_procs([psutil.Process(other.pid)], timeout=10)
    other.wait()
    other.stdin.close()
    assert not owner.is_alive(time.time())


def test_remote_process_is_alive_while_heartbeats_arrive():
    here = Owner.for_current_process()
    for elsewhere in (
        dataclasses.replace(here, host="other"),
        dataclasses.replace(here, namespace="pid:[1]"),
    ):
        assert elsewhere.is_alive(time.time() - 5)
        assert not elsewhere.is_alive(time.time() - 100)


def test_stale_heartbeat_is_detected_after_clock_jump():
    elsewhere = dataclasses.replace(Owner.for_current_process(), host="other")
    assert not elsewhere.is_alive(time.time() + 3600)


def test_process_of_earlier_boot_is_dead():
    assert not dataclasses.replace(Owner.for_current_process(), boot="earlier").is_alive(
        time.time()
    )


@pytest.mark.skipif(sys.platform != "linux", reason="compares the two ways of asking")
def test_process_start_is_known_on_every_system():
    assert system_processes.get_start_time_portable(
        os.getpid()
    ) == system_processes.get_start_time_portable(os.getpid())
    assert system_processes.get_start_time_portable(2**22 + 1) is None
    assert system_processes.get_start_id(2**22 + 1) is None


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_program_name_with_brackets_is_parsed(tmp_path):
    program = tmp_path / "a) Z 1 (b"
    program.write_text("#!/bin/sh\nread x\n")
    program.chmod(0o755)
    with subprocess.Popen([program], stdin=subprocess.PIPE) as other:
        ticks = psutil.Process(other.pid).create_time() - psutil.boot_time()
        ticks *= os.sysconf("SC_CLK_TCK")
        assert system_processes.get_start_id(other.pid) == str(round(ticks))
        other.kill()


def test_owner_is_alive_after_suspension(monkeypatch):
    """Neither suspension nor a wall clock set forward counts."""
    awake, wall = 100.0, 1e9
    monkeypatch.setattr(processes, "read_awake_seconds", lambda: awake)
    monkeypatch.setattr(processes.time, "time", lambda: wall)
    elsewhere = dataclasses.replace(Owner.for_current_process(), namespace="pid:[2]")
    beat = wall - 5
    assert elsewhere.is_alive(beat)
    awake, wall = awake + 1, wall + 8 * 3600
    assert elsewhere.is_alive(beat)
    awake += processes.STALE_SECONDS
    assert not elsewhere.is_alive(beat)
    assert elsewhere.is_alive(wall)


@pytest.mark.skipif(sys.platform != "linux", reason="compares the two ways of asking")
def test_process_age_ignores_wall_clock(monkeypatch):
    here = time.time() - psutil.Process().create_time()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert system_processes.get_process_age() == pytest.approx(here, abs=5.0)
