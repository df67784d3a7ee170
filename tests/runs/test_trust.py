"""Documents cannot cause connections or an excessive number of processes."""

import contextlib
import io
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.cli.entry import main
from studio.document.store import Document
from studio.runs.choices import SearchSettings
from studio.runs.cluster import connection, get_pool_maker
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.limits import get_worker_count
from studio.runs.pool import WorkerPool
from studio.runs.settings import RunSettings
from studio.runs.trust import UntrustedClusterError, is_elsewhere, resolve_resume_settings

Make = Callable[..., tuple[Path, int]]

CLUSTER = "tcp://10.0.0.5:8786"


class FakeScheduler:
    """A listener at the scheduler address of a document."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.address = f"tcp://127.0.0.1:{self._socket.getsockname()[1]}"

    def has_connected(self) -> bool:
        """Return whether there was a connection since the last call."""
        with contextlib.suppress(BlockingIOError):
            self._socket.accept()[0].close()
            return True
        return False

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def foreign_scheduler(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeScheduler]:
    monkeypatch.setattr(connection, "CONNECT_TIMEOUT", 0.2)
    scheduler = FakeScheduler()
    yield scheduler
    scheduler.close()


@pytest.fixture
def foreign_document(finished_run: Make, foreign_scheduler: FakeScheduler, tmp_path: Path) -> Path:
    """Return a document with a stopped run of a foreign cluster."""
    path, run_id = finished_run(method="RS", budget=3)
    with Document.open(path) as document:
        document.runs.change_settings(run_id, {"cluster": foreign_scheduler.address, "budget": 4})
        document.runs.set_state(run_id, "stopped")
    return Path(shutil.copy(path, tmp_path / "from-a-stranger.studio"))


def run_command(*words: object) -> tuple[int, str]:
    stdout = io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stdout):
        code = main([str(word) for word in words])
    return code, stdout.getvalue()


COMMANDS = {
    "resume": ("resume", "--quiet"),
    "with more trials": ("resume", "--budget", "9", "--quiet"),
    "refit": ("refit",),
    "fork": ("fork", "--method", "RS", "--quiet"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_foreign_document_opens_no_connection(
    foreign_document: Path, foreign_scheduler: FakeScheduler, command: str
) -> None:
    name, *rest = COMMANDS[command]
    with Document.open(foreign_document, writable=False) as document:
        before = document.runs.list_all()
    code, output = run_command(name, foreign_document, *rest)
    assert code == 2
    assert f"--cluster {foreign_scheduler.address}" in output
    assert "--workers" in output
    assert not foreign_scheduler.has_connected()
    with Document.open(foreign_document, writable=False) as document:
        assert document.runs.list_all() == before


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_run_with_workers_option_continues_locally(
    foreign_document: Path, foreign_scheduler: FakeScheduler, command: str
) -> None:
    name, *rest = COMMANDS[command]
    code, output = run_command(name, foreign_document, *rest, "--workers", "1")
    assert code == 0, output
    assert not foreign_scheduler.has_connected()


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_explicit_address_is_trusted(
    foreign_document: Path, foreign_scheduler: FakeScheduler, command: str
) -> None:
    pytest.importorskip("distributed")
    name, *rest = COMMANDS[command]
    code, output = run_command(
        name, foreign_document, *rest, "--cluster", foreign_scheduler.address
    )
    assert code == 1
    assert "cannot be reached" in output
    assert foreign_scheduler.has_connected()


@pytest.mark.slow
def test_finished_cluster_run_is_shown_without_confirmation(
    finished_run: Make, foreign_scheduler: FakeScheduler
) -> None:
    path, run_id = finished_run(method="RS", budget=3)
    with Document.open(path) as document:
        document.runs.change_settings(run_id, {"cluster": foreign_scheduler.address})
    code, output = run_command("resume", path, "--quiet")
    assert code == 0, output
    assert not foreign_scheduler.has_connected()


def test_engine_rejects_untrusted_cluster_without_changing_document(new_run: Make) -> None:
    path, run_id = new_run(cluster=CLUSTER)
    with Document.open(path) as document:
        run_before = document.runs.get(run_id)
        for allowed in ("", "tcp://10.0.0.6:8786"):
            engine = Engine(document, run_id, lambda progress: None, cluster=allowed)
            with pytest.raises(UntrustedClusterError):
                engine.execute_run()
        assert document.runs.get(run_id) == run_before


def test_cluster_pool_requires_allowed_address() -> None:
    assert get_pool_maker(RunSettings()) is WorkerPool
    with pytest.raises(UntrustedClusterError):
        get_pool_maker(RunSettings(cluster=CLUSTER))
    assert get_pool_maker(RunSettings(cluster=CLUSTER), CLUSTER) is not WorkerPool
    assert get_pool_maker(RunSettings(cluster="local:2")) is not WorkerPool


@pytest.mark.slow
def test_workers_are_bounded_for_any_cluster(
    new_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.runs.limits.MAX_WORKERS_PER_CORE", 1)
    path, run_id = new_run(method="RS", budget=1, workers=10**6, cluster=CLUSTER)
    with Document.open(path) as document:  # as a cell worker of a study does
        assert (
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run() == "finished"
        )
        assert document.runs.get(run_id).settings["workers"] == get_worker_count(10**6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_local_cluster_is_in_process_with_bounded_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("studio.runs.limits.MAX_WORKERS_PER_CORE", 1)
    opened = connection.Connection("local:1000000")
    try:
        opened.client.wait_for_workers(get_worker_count(10**6), timeout=60)
        threads = opened.count_threads()
        assert len(threads) == get_worker_count(10**6)
        assert all(address.startswith("inproc://") for address in threads)
        assert opened.client.scheduler.address.startswith("inproc://")
    finally:
        opened.close()


@pytest.mark.parametrize(
    ("address", "elsewhere"),
    [
        ("", False),
        ("local:4", False),
        ("local:4:8786", True),
        ("tcp://local:4", True),
        (CLUSTER, True),
        ("nonsense", True),
    ],
)
def test_local_workers_require_no_trust(address: str, elsewhere: bool) -> None:
    assert is_elsewhere(address) is elsewhere


def test_explicit_location_overrides_document() -> None:
    assert resolve_resume_settings("", {"budget": 3}) == {"budget": 3}
    assert resolve_resume_settings("local:2", {"workers": 3}) == {"workers": 3}
    assert resolve_resume_settings(CLUSTER, {"workers": 3}) == {"workers": 3, "cluster": ""}
    assert resolve_resume_settings(CLUSTER, {"cluster": ""}) == {"cluster": ""}
    assert resolve_resume_settings(CLUSTER, {"cluster": "tcp://10.0.0.6:1"}) == {
        "cluster": "tcp://10.0.0.6:1"
    }
    with pytest.raises(UntrustedClusterError):
        resolve_resume_settings(CLUSTER, {"budget": 3})


@pytest.mark.parametrize(
    "address",
    ["tcp://a\u202eb:8786", "tcp://\u0430pple.com:1", "tcp://a b:1", "local:\u0663", "a:1\n"],
)
def test_similar_address_is_not_trusted(address: str) -> None:
    assert SearchSettings(cluster=address).list_problems()
