"""Studies on a real Dask cluster give the same results as on one machine, despite kills."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.compare.coordinator import load_coordinator
from studio.compare.results import read_results
from studio.compare.study import Study, load_study
from studio.compare.study_runner import StudyRunResult, run_study
from studio.document.store import Document
from studio.errors import RunError, UsageError
from studio.runs.cluster import connection
from studio.runs.cluster.connection import EXACT_VERSION_PACKAGES, Connection
from tests.facts import about
from tests.small_clusters import Cluster, started

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

ROOT = Path(__file__).parents[3]
BUDGET = 12
"""Enough trials that a study never ends between a count of its trials and the next signal."""
CHANGES = {
    "methods": ["RS-post", "EO-sqm"], "spaces": ["svm-rbf"], "budget": BUDGET, "repetitions": 1
}  # fmt: skip
CELLS = 4
TIMES = ("cost", "runs")
"""Prefix of the files of times, which differ between runs."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of two small tables."""
    data_folder = tmp_path_factory.mktemp("tables")
    for number, name in enumerate(("one", "two")):
        rng = np.random.default_rng(number)
        lines = ["a,b,target"]
        for a, b, noise in rng.normal(size=(90, 3)):
            lines.append(f"{a:.4f},{b:.4f},{'yes' if a * b + 0.3 * noise > 0 else 'no'}")
        (data_folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return data_folder


@pytest.fixture(scope="module")
def local_results(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the study's results on this machine."""
    path = tmp_path_factory.mktemp("here") / "here.studio"
    return collect_results(
        path,
        run_study_command(folder),
        run_study(path, run_study_command(folder), 2, lambda step: None),
    )


def run_study_command(folder: Path, **changes: Any) -> Study:
    return load_study(folder, None, {**CHANGES, **changes})


def collect_results(path: Path, study: Study, study_result: StudyRunResult) -> dict[str, Any]:
    """Return all trials, results, tables and diagrams, without times."""
    tables = path.with_suffix("")
    read_results(path, study, study_result).write_tables(tables)
    with Document.open(path, writable=False) as document:
        assert document.damaged_records == ()
        runs = {
            row.name: (
                row.state,
                [
                    (each.configuration, each.loss, each.seed)
                    for each in document.trials.list_all(row.id)
                ],
                [
                    (each.members, each.ensemble_test)
                    for each in document.trials.list_iterations(row.id)
                ],
                document.trials.read_predictions(row.id, 1, "test").tobytes(),
                {name: rows.tobytes() for name, rows in document.runs.split(row.id).items()},
            )
            for row in sorted(document.runs.list_all(), key=lambda row: row.name)
        }
    files = {
        each.name: each.read_text()
        for each in sorted(tables.iterdir())
        if not each.name.startswith(TIMES)
    }
    return {"runs": runs, **files}


def start(folder: Path, document: Path, address: str) -> "subprocess.Popen[str]":
    argv = [
        sys.executable, "-m", "studio", "compare", str(folder), "--methods", "RS-post,EO-sqm",
        "--spaces", "svm-rbf", "--budget", str(BUDGET), "--repetitions", "1", "--json",
        "--cluster", address, "-o", str(document),
    ]  # fmt: skip
    return subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )


def count_trials(path: Path) -> int:
    if not path.exists():
        return 0
    with Document.open(path, writable=False) as document:
        return sum(document.trials.count(row.id) for row in document.runs.list_all())


def count_owned_runs(path: Path) -> int:
    """Return the number of runs of living processes."""
    if not path.exists():
        return 0
    with Document.open(path, writable=False) as document:
        return sum(document.owners.is_alive(row.id) for row in document.runs.list_all())


def wait_until(true: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Wait for a condition during a study."""
    while not true():
        assert process.poll() is None, f"the study ended too early: {process.communicate()}"
        time.sleep(0.02)  # only to leave the core to the study; nothing is timed


def test_study_on_cluster_survives_killed_processes(
    folder: Path, local_results: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "study.studio"
    for cluster in started(tmp_path / "cluster"):
        process = start(folder, path, cluster.address)
        wait_until(lambda: count_trials(path) >= 1, process)
        process.kill()  # the coordinator
        process.communicate()

        before = count_trials(path)
        process = start(folder, path, cluster.address)
        wait_until(lambda: count_owned_runs(path) == 2, process)
        cluster.workers[0].kill()
        cluster.add_worker()
        # The new worker starts after the surviving one, so wait for further trials.
        wait_until(lambda seen=before: count_trials(path) > seen, process)
        cluster.scheduler.kill()
        _, after_message = process.communicate()
        assert process.returncode == 1
        assert "cluster is lost" in after_message
        assert "Traceback" not in after_message
    with Document.open(path, writable=False) as document:
        last = load_coordinator(document)
        assert last is not None and "the cluster" in last.message
    assert count_owned_runs(path) == 0
    assert before < count_trials(path) < CELLS * BUDGET

    study = run_study_command(folder)
    assert (
        collect_results(path, study, run_study(path, study, 1, lambda step: None)) == local_results
    )


def test_data_are_sent_despite_lost_workers(tmp_path: Path) -> None:
    for cluster in started(tmp_path / "cluster"):
        with contextlib.closing(Connection(cluster.address)) as connection:
            for _ in range(4):
                connection.client.wait_for_workers(2)
                lost_worker = cluster.workers.pop(0)
                lost_worker.kill()
                [there] = connection.scatter([{"a": 1}])
                assert there.status == "finished"
                lost_worker.wait()
                cluster.add_worker()
            cluster.scheduler.kill()
            with pytest.raises(RunError, match="cluster is lost"):
                connection.scatter([{"a": 1}])


def test_lost_scheduler_is_reported_while_waiting_for_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with contextlib.closing(Connection("local:1")) as here:
        monkeypatch.setattr(here.client, "wait_for_workers", reset)
        with pytest.raises(RunError, match="cluster is lost"):
            here.scatter([{"a": 1}])


def test_in_process_cluster_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with contextlib.closing(Connection("local:1")) as here:
        here.scatter([{"a": 1}])
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_connection_closes_despite_lost_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Connection("local:1")
    close = here.client.close

    def close_and_reset() -> None:
        close()
        reset()

    monkeypatch.setattr(here.client, "close", close_and_reset)
    here.close()
    assert not here.is_alive


def reset(*_: object, **__: object) -> None:
    raise ConnectionResetError("Connection reset by peer")


@pytest.fixture
def key_folder(tmp_path: Path) -> Path:
    """Return a folder with a self-signed certificate and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make keys with")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=loopback", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return tmp_path


@pytest.fixture
def protected_cluster(key_folder: Path) -> Iterator[Cluster]:
    """Return a scheduler and a worker that require a key."""
    pytest.importorskip("distributed")
    cert, key = str(key_folder / "cert.pem"), str(key_folder / "key.pem")
    cluster = Cluster(
        key_folder / "cluster", "--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key,
        "--protocol", "tls",
    )  # fmt: skip
    cluster.add_worker()
    with contextlib.closing(cluster):
        yield cluster


def test_protected_scheduler_uses_dask_security_settings(
    protected_cluster: Cluster, key_folder: Path
) -> None:
    assert protected_cluster.address.startswith("tls://")
    with pytest.raises(RunError, match="TLS"):
        Connection(protected_cluster.address)
    plain = protected_cluster.address.replace("tls://", "tcp://")
    with pytest.raises(RunError, match="cannot be reached"):
        Connection(plain)
    cert, key = str(key_folder / "cert.pem"), str(key_folder / "key.pem")
    program = (
        "from studio.runs.cluster.connection import Connection as C; import sys;"
        "c = C(sys.argv[1]); print(len(c.count_threads())); c.close()"
    )
    process = subprocess.run(
        [sys.executable, "-c", program, protected_cluster.address],
        env={
            **os.environ,
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": cert,
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": cert,
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY": key,
        },
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.stdout.strip() == "1", process.stderr


def test_workers_with_other_package_versions_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")

    def get_versions(names: tuple[str, ...]) -> dict[str, str]:
        ours = threading.current_thread() is threading.main_thread()
        return dict.fromkeys(names, "2.0" if ours else "1.0")

    monkeypatch.setattr(connection, "get_versions", get_versions)
    with pytest.raises(RunError, check=about(name="ensemble-studio", found="1.0", known="2.0")):
        Connection("local:1", EXACT_VERSION_PACKAGES)


@pytest.mark.parametrize("address", ["local:0", "local:two", "local:"])
def test_local_worker_count_is_validated(address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UsageError, match="local:4"):
        Connection(address)


def test_missing_dask_is_reported_and_study_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "study.studio"
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install \"distributed"):
        run_study(
            path, run_study_command(folder), None, lambda step: None, cluster="tcp://127.0.0.1:9"
        )
    monkeypatch.undo()
    monkeypatch.setattr(connection, "CONNECT_TIMEOUT", 0.2)
    with pytest.raises(RunError, match="cannot be reached"):
        run_study(
            path, run_study_command(folder), None, lambda step: None, cluster="tcp://127.0.0.1:9"
        )
    with Document.open(path, writable=False) as document:
        last = load_coordinator(document)
        assert last is not None and last.stage == "refused" and "127.0.0.1:9" in last.message
        assert len(document.tables.list_all()) == 2
