"""Trials on a real Dask cluster: equal results, limits, and replacement of workers."""

import pickle
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.errors import RunError, UsageError
from studio.runs.causes import Failure
from studio.runs.cluster.pool import ClusterPool
from studio.runs.engine import Engine
from studio.runs.jobs import RefitResult, TrialOutcome, make_refit_job
from studio.runs.limits import TrialLimits
from studio.runs.pool import Pool, WorkerPool
from studio.runs.staging import TrialData

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Sending large graph"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
PATIENCE = 300.0


def wait_for_all(pool: Pool, count: int) -> dict[int, Any]:
    results: dict[int, Any] = {}
    while len(results) < count:
        results |= {over.job_id: over.result for over in pool.wait(1.0)}
    return results


def open_pool(cluster: Any, scratch: Path, data: TrialData, **changes: Any) -> ClusterPool:
    scratch.mkdir(exist_ok=True)
    return ClusterPool(
        changes.pop("workers", 4),
        scratch,
        changes.pop("limits", TrialLimits(60.0)),
        data,
        address=cluster.address,
        shares_memory=True,
        **changes,
    )


def test_cluster_results_equal_local_results(
    shared_cluster: Any,
    tmp_path: Path,
    table: TrialData,
    make_job: Callable[..., Any],
    make_space: Any,
) -> None:
    jobs = [make_job("forest", seed=number, n_estimators=3) for number in range(4)]
    jobs.append(make_job("no-such-learner"))
    local = tmp_path / "local"
    local.mkdir()
    with WorkerPool(1, local, TrialLimits(60.0), table) as pool:
        for number, job in enumerate(jobs):
            pool.submit(number, job)
        expected = wait_for_all(pool, len(jobs))
    with open_pool(shared_cluster, tmp_path / "far", table) as pool:
        assert 1 <= pool.size <= 2
        for number, job in enumerate(jobs):
            pool.submit(number, job)
        results = wait_for_all(pool, len(jobs))
        repeated = make_refit_job(
            make_space(jobs[0]["configuration"]),
            jobs[0]["configuration"],
            7,
            rows=pool.stage_array("rows", np.arange(48)),
            pickle=tmp_path / "kept.pkl",
            matrix_paths=[pool.stage_array("matrix", table.X[48:])],
        )
        pool.submit(99, repeated)
        refitted = wait_for_all(pool, 1)[99]
    for number in range(4):
        assert isinstance(results[number], TrialOutcome)
        np.testing.assert_array_equal(results[number].validation, expected[number].validation)
        np.testing.assert_array_equal(results[number].test, expected[number].test)
    assert isinstance(results[4], Failure)
    assert results[4].cause == expected[4].cause
    assert isinstance(refitted, RefitResult)
    pipeline = pickle.loads((tmp_path / "kept.pkl").read_bytes())
    np.testing.assert_array_equal(pipeline.predict_proba(table.X[48:]), refitted.predictions[0])
    marker = shared_cluster.folder / "marker"
    assert (shared_cluster.folder / "json.py").exists()
    assert not marker.exists(), f"run where the workers were started: {marker.read_text()}"


def test_hanging_fit_is_killed_and_worker_survives(
    shared_cluster: Any,
    tmp_path: Path,
    table: TrialData,
    make_job: Callable[..., Any],
    hostile_path: None,
) -> None:
    with open_pool(
        shared_cluster, tmp_path / "far", table, learners_module="hostile_learners"
    ) as pool:
        pool.submit(1, make_job("hangs-in-c-with-the-gil"), TrialLimits(2.0))
        assert "time limit" in wait_for_all(pool, 1)[1].cause
        pool.submit(2, make_job("raises"))
        assert "my taste" in wait_for_all(pool, 1)[2].cause


def test_cancelled_job_is_killed_and_next_job_runs(
    shared_cluster: Any,
    tmp_path: Path,
    table: TrialData,
    make_job: Callable[..., Any],
    hostile_path: None,
) -> None:
    with open_pool(
        shared_cluster, tmp_path / "far", table, learners_module="hostile_learners"
    ) as pool:
        for number in range(4):
            pool.submit(number, make_job("hangs-in-c-with-the-gil"))
        assert pool.wait(3.0) == []
        pool.cancel_all()
        pool.submit(5, make_job("raises"))
        assert set(wait_for_all(pool, 1)) == {5}


def test_lost_worker_loses_no_trial(
    cluster: Any, tmp_path: Path, new_run: Callable[..., tuple[Path, int]]
) -> None:
    path, run_id = new_run(budget=8, workers=2, method="RS-post")
    n_trials = 0

    def tell(progress: Any) -> None:
        nonlocal n_trials
        if progress.trial is not None:
            n_trials += 1
            if n_trials == 3:
                cluster.workers[0].kill()
                cluster.add_worker()

    make_pool = partial(ClusterPool, address=cluster.address, shares_memory=True)
    with Document.open(path) as document:
        assert Engine(document, run_id, tell, make_pool).execute_run() == "finished"
        trials = document.trials.list_all(run_id)
        result = document.runs.get(run_id).result
    assert len(trials) == 8
    assert all(trial.loss is not None for trial in trials)
    assert result is not None and result.test_error_ensemble is not None


def test_job_lost_by_scheduler_is_resubmitted(
    shared_cluster: Any,
    tmp_path: Path,
    table: TrialData,
    make_job: Callable[..., Any],
    hostile_path: None,
) -> None:
    distributed = pytest.importorskip("distributed")
    limits = TrialLimits(4.0)
    with open_pool(
        shared_cluster, tmp_path / "far", table, limits=limits, learners_module="hostile_learners"
    ) as pool:
        pool.submit(1, make_job("hangs-in-c-with-the-gil"))
        with distributed.Client(shared_cluster.address, set_as_default=False) as stranger:
            first = _wait_for_job(stranger)
            stranger.cancel([distributed.Future(first, stranger)], force=True)
            assert pool.wait(PATIENCE) == []
            assert _wait_for_job(stranger) != first
        assert "time limit" in wait_for_all(pool, 1)[1].cause


def test_job_with_lost_result_is_recomputed(
    shared_cluster: Any,
    tmp_path: Path,
    table: TrialData,
    make_job: Callable[..., Any],
    hostile_path: None,
) -> None:
    class LostFuture:
        status = "finished"

        def result(self) -> Any:
            raise CancelledError("its worker is lost")

    lost_future = LostFuture()
    with open_pool(
        shared_cluster, tmp_path / "far", table, learners_module="hostile_learners"
    ) as pool:
        pool.submit(1, make_job("well-behaved"))
        ((future, job),) = pool._jobs.items()
        del pool._jobs[future]
        pool._jobs[lost_future] = job
        assert pool._collect_result(lost_future) is None
        assert isinstance(wait_for_all(pool, 1)[1], TrialOutcome)


def _wait_for_job(client: Any) -> str:
    """Wait for the only job of a run known to the scheduler; return its key."""

    def keys(dask_scheduler: Any) -> list[str]:
        return [key for key in dask_scheduler.tasks if str(key).startswith("studio-")]

    while not (job_keys := client.run_on_scheduler(keys)):
        pass
    return str(job_keys[0])


def test_unreachable_cluster_is_reported(
    tmp_path: Path, table: TrialData, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("studio.runs.cluster.connection.CONNECT_TIMEOUT", 1.0)
    with pytest.raises(RunError, match="cannot be reached"):
        ClusterPool(
            1, tmp_path, TrialLimits(), table, address="tcp://127.0.0.1:9", shares_memory=True
        )


def test_missing_dask_names_extra(
    tmp_path: Path, table: TrialData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install \"distributed"):
        ClusterPool(1, tmp_path, TrialLimits(), table, address="tcp://x:1", shares_memory=True)
