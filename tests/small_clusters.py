"""A Dask scheduler with two workers on the loopback interface, as a user would start them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent


QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "60s",
}
"""Without it each process of a cluster profiles itself a hundred times per second."""


class Cluster:
    """Processes of a small cluster."""

    def __init__(self, folder: Path, *protection: str) -> None:
        folder.mkdir(exist_ok=True)
        self._file = folder / "scheduler.json"
        self.folder = folder
        self._protection = protection
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start(
            "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
            "--no-dashboard", "--no-show", "--scheduler-file", str(self._file), *protection,
        )  # fmt: skip
        self.address = str(self._description()["address"])

    def _description(self) -> dict[str, str]:
        while not (self._file.exists() and self._file.read_text().strip().endswith("}")):
            assert self.scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        return dict(json.loads(self._file.read_text()))

    def _start(self, module: str, *arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-m", module, *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                **QUIET,
                "PYTHONPATH": os.pathsep.join([*sys.path, str(HERE / "runs")]),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def add_worker(self) -> "subprocess.Popen[bytes]":
        worker = self._start(
            "distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny",
            "--no-dashboard", "--memory-limit", "0", "--local-directory", str(self.folder),
            *self._protection,
        )  # fmt: skip
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.kill()
        for process in [*self.workers, self.scheduler]:
            process.wait()


def started(folder: Path) -> Iterator[Cluster]:
    """Yield a cluster of two workers, or skip."""
    pytest.importorskip("distributed", reason="the extra “cluster” is not installed")
    cluster = Cluster(folder)
    try:
        cluster.add_worker()
        cluster.add_worker()
        yield cluster
    finally:
        cluster.close()
