"""Fixtures of all tests; the offscreen platform is set before Qt is imported."""

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Commands run by tests are not recorded in the user's history.
os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp()
atexit.register(shutil.rmtree, os.environ["XDG_DATA_HOME"], ignore_errors=True)

import hypothesis
import psutil
import pytest
from pytestqt.qtbot import QtBot

from studio.system.processes import list_descendants
from tests.unlimited_bot import PatientBot

# Examples are deterministic and have no deadline.
hypothesis.settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, max_examples=60
)
hypothesis.settings.load_profile("repeatable")

ROOT = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for additional, slower test cases."""
    parser.addoption("--kills", type=int, default=6, help="how often test_crash kills a process")
    help_text = "look at every so many forged records (a prime, so records of all kinds)"
    parser.addoption("--every", type=int, default=997, help=help_text)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a test by the beginning of a long text.

    Child processes have the test's name in their environment, which limits its length.
    """
    return ascii(val[:40]) if isinstance(val, str | bytes) and len(val) > 1000 else None


@pytest.fixture(scope="session")
def every(request: pytest.FixtureRequest) -> int:
    """Return the sampling interval of forged records, and the offset."""
    sampling_interval: int = request.config.getoption("--every")
    return sampling_interval


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data sets beside the checkout, or skip."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data sets are not beside this checkout")
    return folder


@pytest.fixture
def qtbot(qapp: object, request: pytest.FixtureRequest) -> QtBot:
    """Return a replacement of pytest-qt's bot without time limits."""
    return PatientBot(request)


@pytest.fixture(autouse=True)
def no_leaked_processes() -> Iterator[None]:
    """Fail a test with remaining child processes."""
    processes_before = set(list_descendants(os.getpid()))
    yield
    remaining_processes = [
        _process(pid) for pid in list_descendants(os.getpid()) if pid not in processes_before
    ]
    _, remaining_processes = psutil.wait_procs(
        [each for each in remaining_processes if each is not None], timeout=30
    )
    remaining_processes = [
        child
        for child in remaining_processes
        if "resource_tracker" not in " ".join(_command(child))
    ]
    for child in remaining_processes:
        child.kill()
    assert not remaining_processes, (
        f"processes left behind: {[_command(child) for child in remaining_processes]}"
    )


def pytest_collection() -> None:
    """Disable garbage collection while tests are collected."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Enable garbage collection again, excluding the collected tests."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Distribute the slow test files to the start of each worker's queue.

    pytest-xdist gives them consecutive parts of the list; idle workers take tests from the end of
    other parts, so slow files must not be there.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    slow: list[list[pytest.Item]] = []
    quick: list[list[pytest.Item]] = []
    for each in files.values():
        marked = any(item.get_closest_marker("slow") for item in each)
        (slow if marked else quick).append(each)
    # Tests of real windows take longest, so they start first.
    slow.sort(key=lambda each: each[0].get_closest_marker("window") is None)
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        for each in slow[worker::workers]:
            ordered += each
        while quick and len(ordered) < len(items) * (worker + 1) // workers:
            ordered += quick.pop(0)
    items[:] = ordered + [item for each in quick for item in each]


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
