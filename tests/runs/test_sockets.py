"""Local runs open no sockets to others."""

import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]


def open_to_others(process: psutil.Process) -> Iterator[str]:
    """Yield the sockets of a process with an address, unlike socket pairs."""
    for each in process.net_connections(kind="all"):
        if each.laddr or each.status == psutil.CONN_LISTEN:
            yield f"{each.family.name} {each.laddr} {each.status}"


def test_network_sockets_are_detected(tmp_path: Path) -> None:
    ours = psutil.Process()
    with contextlib.ExitStack() as opened:
        listening = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        unix_socket = opened.enter_context(socket.socket(socket.AF_UNIX))
        unix_socket.bind(str(tmp_path / "named"))
        for each in socket.socketpair():
            opened.enter_context(each)
        port = listening.getsockname()[1]
        open_sockets = list(open_to_others(ours))
        assert any(str(port) in each for each in open_sockets)
        assert any(str(tmp_path / "named") in each for each in open_sockets)
    assert not [each for each in open_to_others(ours) if str(port) in each or "named" in each]


def test_processes_of_run_open_no_network_sockets(tmp_path: Path, small_table: Path) -> None:
    command = [sys.executable, "-m", "studio", "run", str(small_table), "--method", "RS"]
    command += ["--budget", "2", "--workers", "2", "-o", str(tmp_path / "a.studio"), "--quiet"]
    open_sockets, kinds = set(), set()
    with subprocess.Popen(command, cwd=tmp_path) as run:
        while run.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(0.1)  # busy polling would slow down the run
            with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                for each in [psutil.Process(run.pid), *psutil.Process(run.pid).children(True)]:
                    kinds |= {
                        kind
                        for kind in ("runs.worker", "runs.guard")
                        if kind in str(each.cmdline())
                    }
                    open_sockets |= set(open_to_others(each))
    assert run.returncode == 0
    assert "runs.worker" in kinds
    assert open_sockets == set()
