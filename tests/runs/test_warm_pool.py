"""Workers reused between runs give the results of new workers."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from studio.document.store import Document
from studio.errors import RunError
from studio.runs import pool as pool_room
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.jobs import TrialOutcome
from studio.runs.limits import TrialLimits
from studio.runs.pool import WarmPool, WorkerPool, start_early_workers

pytestmark = pytest.mark.slow

LIMITS = TrialLimits(60.0)


@pytest.fixture
def mirrored_table(table):
    """Return a table of the same size with other values, folds and test rows."""
    rows = np.arange(60)
    return dataclasses.replace(
        table,
        X=-2.0 * table.X[::-1],
        y=table.y[::-1].copy(),
        folds=((rows[20:], rows[10:20]), (rows[:10], rows[10:20])),
        validation=rows[10:20],
        test=rows[:7],
    )


def outcome(pool, make_job):
    """Return the outcome of a trial on the pool's data."""
    pool.submit(1, make_job("tree", max_depth=3))
    while not (over := pool.wait(1.0)):
        pass
    return over[0].result


def get_next_worker(pool):
    """Return the process of the pool's next job."""
    (worker,) = pool._group.slots
    return worker.process.pid


def test_warm_worker_uses_data_of_each_run(table, mirrored_table, make_job, tmp_path: Path) -> None:
    workers = []
    with WarmPool() as warm_pool:
        for number, data in enumerate((table, mirrored_table, table)):
            with warm_pool.lease(1, tmp_path, LIMITS, data) as pool:
                shared_outcome = outcome(pool, make_job)
                workers.append(get_next_worker(pool))
            with InlinePool(1, tmp_path / str(number), LIMITS, data) as own:
                expected_outcome = outcome(own, make_job)
            np.testing.assert_array_equal(shared_outcome.validation, expected_outcome.validation)
            np.testing.assert_array_equal(shared_outcome.test, expected_outcome.test)
            assert len(shared_outcome.test) == len(data.test)
    assert len(set(workers)) == 1


def test_warm_pool_does_not_charge_memory_of_previous_run(
    table, make_job, tmp_path: Path, hostile_path
) -> None:
    with WorkerPool(1, tmp_path, LIMITS, table, "hostile_learners") as pool:

        def work(key: str) -> int:
            pool.submit(1, make_job(key))
            while not (over := pool.wait(1.0)):
                pass
            assert isinstance(over[0].result, TrialOutcome)
            return get_next_worker(pool)

        first = work("well-behaved")
        assert work("keeps-some-memory") == first, "within a run that is allowed"
        pool.set_data(LIMITS, table)
        second = work("well-behaved")
        assert second != first
        # The first one may still be ending.
        workers = {each.process.pid for each in pool._group.workers}
        assert workers <= {first, second}, "no spare one is kept"
        pool.set_data(LIMITS, table)
        assert work("well-behaved") == second


def test_warm_pool_cancels_unfinished_jobs(table, make_job, tmp_path: Path) -> None:
    with WarmPool() as warm_pool:
        with warm_pool.lease(1, tmp_path, LIMITS, table) as pool:
            for job_id in (1, 2, 3):
                pool.submit(job_id, make_job("tree"))
        with warm_pool.lease(1, tmp_path, LIMITS, table) as pool:
            pool.submit(4, make_job("tree"))
            while not (over := pool.wait(1.0)):
                pass
            assert [each.job_id for each in over] == [4]
            assert pool.wait(0.1) == []


def test_failure_or_changed_worker_count_starts_new_workers(
    table, make_job, tmp_path: Path
) -> None:
    with WarmPool() as warm_pool:
        with pytest.raises(RunError), warm_pool.lease(1, tmp_path, LIMITS, table) as first:
            raise RunError("It failed.")
        with warm_pool.lease(1, tmp_path, LIMITS, table) as second:
            assert second is not first
            outcome(second, make_job)
        with warm_pool.lease(2, tmp_path, LIMITS, table) as third:
            assert third.size == 2


def test_failed_early_start_is_left_to_engine(new_run, monkeypatch: pytest.MonkeyPatch) -> None:
    error = RunError("No process can be started.")

    def fails(*_: object) -> None:
        raise error

    path, run_id = new_run(budget=1)
    monkeypatch.setattr(WarmPool, "start", fails)
    with Document.open(path) as document:
        with start_early_workers(document, run_id) as make_pool:
            assert make_pool is None
        monkeypatch.setattr(pool_room, "_start_guard", lambda mark: fails())
        with pytest.raises(RunError):
            Engine(document, run_id, lambda progress: None).execute_run()
        row = document.runs.get(run_id)
        assert (row.state, row.message) == ("failed", str(error))
