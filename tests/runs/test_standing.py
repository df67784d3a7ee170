"""Workers that stay from run to run work for each as workers of its own would."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from studio.errors import RunError
from studio.runs.limits import Limits
from studio.runs.pool import WorkerPool
from studio.runs.standing import StandingWorkers

LIMITS = Limits(60.0)


@pytest.fixture
def mirrored(table):
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
    """Return what a trial on the pool's data gives, and the worker that it kept busy."""
    pool.submit(1, make_job("tree", max_depth=3))
    (running,) = pool._crew.slots
    while not (over := pool.wait(1.0)):
        pass
    return over[0].result, running.process.pid


def test_each_run_is_worked_on_with_its_own_data_by_the_same_worker(
    table, mirrored, make_job, tmp_path: Path
) -> None:
    workers = []
    with StandingWorkers() as standing:
        for number, data in enumerate((table, mirrored, table)):
            with standing.lend(1, tmp_path, LIMITS, data) as pool:
                found, worker = outcome(pool, make_job)
            workers.append(worker)
            folder = tmp_path / str(number)
            folder.mkdir()
            with WorkerPool(1, folder, LIMITS, data) as own:
                wanted, _ = outcome(own, make_job)
            np.testing.assert_array_equal(found.validation, wanted.validation)
            np.testing.assert_array_equal(found.test, wanted.test)
            assert len(found.test) == len(data.test)
    assert len(set(workers)) == 1


def test_what_a_run_leaves_unfinished_does_not_reach_the_next(
    table, make_job, tmp_path: Path
) -> None:
    with StandingWorkers() as standing:
        with standing.lend(1, tmp_path, LIMITS, table) as pool:
            for job_id in (1, 2, 3):
                pool.submit(job_id, make_job("tree"))
        with standing.lend(1, tmp_path, LIMITS, table) as pool:
            pool.submit(4, make_job("tree"))
            while not (over := pool.wait(1.0)):
                pass
            assert [each.job_id for each in over] == [4]
            assert pool.wait(0.1) == []


def test_a_failed_run_or_another_number_of_workers_gets_new_ones(
    table, make_job, tmp_path: Path
) -> None:
    with StandingWorkers() as standing:
        with pytest.raises(RunError), standing.lend(1, tmp_path, LIMITS, table) as first:
            raise RunError("It failed.")
        with standing.lend(1, tmp_path, LIMITS, table) as second:
            assert second is not first
            outcome(second, make_job)
        with standing.lend(2, tmp_path, LIMITS, table) as third:
            assert third.size == 2
