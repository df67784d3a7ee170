import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from studio.errors import RunError
from studio.runs.causes import Failure
from studio.runs.jobs import RefitResult, TrialOutcome, make_refit_job
from studio.runs.limits import MEGABYTE, TrialLimits
from studio.runs.pool import WorkerPool
from studio.runs.staging import get_data_folder
from studio.runs.worker_group import WorkerProcess
from studio.system.processes import MARK
from tests.facts import about

pytestmark = pytest.mark.slow

HOSTILE = "hostile_learners"
MARGIN = 60.0
PATIENCE = 120.0

FAILURES = {
    "raises": "The learner that raises could not be trained: the matrix is not to my taste "
    "(ValueError).",
    "hangs-in-c-with-the-gil": "It did not finish within 1 second, the time limit of a trial.",
    "ignores-every-signal-that-it-can": "It did not finish within 1 second, the time limit of a "
    "trial.",
    "exits": "It ended its own process (exit code 3) instead of returning a result.",
    "exits-politely": "The learner that exits-politely tried to end the program instead of "
    "returning a result.",
    "interrupts": "The learner that interrupts tried to end the program instead of "
    "returning a result.",
    "segfaults": "It crashed (segmentation fault, signal 11): a bug in the model's library, "
    "or it needed more than 600 MB.",
    "is-killed": "The system killed it, most likely because the machine ran out of memory.",
    "eats-memory": "It needed more than 600 MB, the memory limit of a trial.",
    "eats-shared-memory": "It needed more than 600 MB, the memory limit of a trial.",
    "lets-children-eat-memory": "It needed more than 600 MB, the memory limit of a trial.",
    "recurses": "The learner that recurses could not be trained: maximum recursion depth exceeded "
    "(RecursionError).",
    "starts-a-runaway-and-exits": "It ended its own process (exit code 0) instead of "
    "returning a result.",
    "closes-every-file": "Its result was damaged or incomplete.",
    "scribbles-on-every-pipe": "Its result was damaged or incomplete.",
    "says-deep-json": "Its result was damaged or incomplete.",
    "says-infinities": "Its result was damaged or incomplete.",
    "says-nothing-a-worker-says": "Its result was damaged or incomplete.",
    "gives-nan": "The learner that gives-nan predicted non-finite probabilities; "
    "expected: numbers from 0 to 1.",
    "gives-the-wrong-shape": "The learner that gives-the-wrong-shape predicted an array of shape "
    "(13, 2); expected: one of shape (12, 2).",
    "gives-too-many-classes": "The learner that gives-too-many-classes predicted an array of "
    "shape (12, 3); expected: one of shape (12, 2).",
    "gives-no-probabilities": "The learner that gives-no-probabilities predicted invalid "
    "probabilities; expected: rows that sum to 1.",
    "gives-negative-probabilities": "The learner that gives-negative-probabilities predicted "
    "invalid probabilities; expected: rows that sum to 1.",
    "gives-words": "The learner that gives-words predicted something non-numeric; "
    "expected: numbers.",
    "gives-nothing": "The learner that gives-nothing predicted an array of shape (); expected: "
    "one of shape (12, 2).",
}

HARMLESS = (
    "prints-a-gigabyte",
    "reads-its-input",
    "starts-a-process",
    "starts-a-runaway",
    "starts-a-thread",
    "forks-and-continues-in-both",
    "keeps-memory",
    "changes-global-state",
)

LIMITS = TrialLimits(seconds=PATIENCE, memory=600 * MEGABYTE)
HANGING = {key: TrialLimits(1.0) for key, cause in FAILURES.items() if "finish within" in cause}
"""Only hanging learners have short limits: the others must not depend on the machine's load."""


def collect(pool, wanted):
    """Wait for a number of results, and return them by job id."""
    results = {}
    while len(results) < wanted:
        results |= {each.job_id: each.result for each in pool.wait(1.0)}
    return results


def get_process_prefix(pool):
    """Return the common prefix of a pool's process marks."""
    return pool._group._environment.mark


def list_pool_processes(mark):
    """Return the remaining processes of a pool."""
    pool_processes = []
    for process in psutil.process_iter():
        try:
            mine = process.environ().get(MARK, "").startswith(mark)
            if mine and process.status() != psutil.STATUS_ZOMBIE:
                pool_processes.append(process)
        except psutil.Error:
            continue
    return pool_processes


@pytest.fixture(scope="module")
def hostile_results(table, make_job, tmp_path_factory):
    """Run every misbehaving learner, each followed by a well-behaved one, in one pool."""
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(Path(__file__).parent))
    keys = [*FAILURES, *HARMLESS]
    scratch = tmp_path_factory.mktemp("scratch")
    me = psutil.Process()
    files = me.num_fds()
    with WorkerPool(2, scratch, LIMITS, table, learners_module=HOSTILE) as pool:
        for number, key in enumerate(keys):
            pool.submit(2 * number, make_job(key), HANGING.get(key))
            pool.submit(2 * number + 1, make_job("well-behaved"))
        results = collect(pool, 2 * len(keys))
        mark = get_process_prefix(pool)
    n_open_files = me.num_fds() - files
    patch.undo()
    well_behaved_results = [results[2 * number + 1] for number in range(len(keys))]
    hostile_outcomes = {key: results[2 * number] for number, key in enumerate(keys)}
    return hostile_outcomes, well_behaved_results, scratch, mark, n_open_files


@pytest.mark.parametrize("key", FAILURES)
def test_trial_of_misbehaving_learner_fails_with_cause(hostile_results, key):
    result = hostile_results[0][key]
    assert isinstance(result, Failure)
    # A worker that cannot reply exits by itself; on a busy machine the watch may kill it first.
    ended = "It ended its own process (exit code 1) instead of returning a result."
    assert result.cause in {FAILURES[key], ended if key == "closes-every-file" else FAILURES[key]}


@pytest.mark.parametrize("key", HARMLESS)
def test_side_effects_of_learner_do_not_affect_run(hostile_results, key):
    result = hostile_results[0][key]
    assert isinstance(result, TrialOutcome), result
    assert result.validation.tolist() == [[0.5, 0.5]] * 12


def test_run_survives_worker_failures(hostile_results):
    first = hostile_results[1][0]
    for result in hostile_results[1]:
        assert isinstance(result, TrialOutcome), result
        assert result.validation.tobytes() == first.validation.tobytes()
        assert result.test.tobytes() == first.test.tobytes()


def test_pool_leaves_no_processes_or_files(hostile_results):
    _, _, scratch, mark, n_open_files = hostile_results
    assert list_pool_processes(mark) == []
    assert not list(scratch.glob("*.log"))
    assert n_open_files == 0, "files of this process that stayed open"


def test_slowly_terminating_worker_is_reaped(table, make_job, tmp_path, hostile_path, monkeypatch):
    # As if the worker were reaped before the system has reclaimed its 600 MB.
    monkeypatch.setattr("studio.runs.pool.REAP_TIMEOUT", 0.0)
    started = []
    monkeypatch.setattr(
        "studio.runs.worker_group.WorkerProcess",
        lambda *arguments: started.append(WorkerProcess(*arguments)) or started[-1],
    )
    with WorkerPool(1, tmp_path, LIMITS, table, learners_module=HOSTILE) as pool:
        pool.submit(0, make_job("eats-memory"))
        pool.submit(1, make_job("well-behaved"))
        assert len(collect(pool, 2)) == 2
    assert len(started) > 1
    assert all(each.process.returncode is not None for each in started)


def list_busy_workers(pool):
    """Return the busy workers."""
    return [worker for worker in pool._group.workers if worker.job is not None]


def test_stopping_pool_kills_hung_workers(table, make_job, tmp_path, hostile_path):
    limits = TrialLimits(seconds=600.0)
    with WorkerPool(2, tmp_path, limits, table, learners_module=HOSTILE) as pool:
        pool.submit(1, make_job("hangs-in-c-with-the-gil"))
        pool.submit(2, make_job("ignores-every-signal-that-it-can"))
        pool.submit(3, make_job("well-behaved"))
        while len(list_busy_workers(pool)) < 2:
            assert pool.wait(0.1) == []
        pool.cancel_all()
        assert list_busy_workers(pool) == []
        while list_pool_processes(get_process_prefix(pool)):
            time.sleep(0.05)
        pool.submit(4, make_job("well-behaved"))
        assert isinstance(collect(pool, 1)[4], TrialOutcome)


def test_time_limit_is_enforced_while_engine_is_busy(table, make_job, tmp_path, hostile_path):
    with WorkerPool(1, tmp_path, TrialLimits(1.0), table, learners_module=HOSTILE) as pool:
        pool.submit(1, make_job("hangs-in-c-with-the-gil"))
        while not list_busy_workers(pool):
            pool.wait(0.1)
        worker = pool._group.slots[0].process
        while worker.returncode is None:
            sum(range(10_000))
        assert worker.returncode == -signal.SIGKILL
        assert isinstance(collect(pool, 1)[1], Failure)


def test_killed_idle_worker_is_replaced_with_data_rewritten(
    table, make_job, tmp_path, hostile_path
):
    with WorkerPool(1, tmp_path, TrialLimits(60.0), table, learners_module=HOSTILE) as pool:
        pool.submit(1, make_job("well-behaved"))
        collect(pool, 1)
        (get_data_folder(tmp_path, 0) / "X.npy").unlink()
        os.kill(pool._group.slots[0].process.pid, signal.SIGKILL)
        pool.submit(2, make_job("well-behaved"))
        assert isinstance(collect(pool, 1)[2], TrialOutcome)


def test_job_result_is_identical_in_every_worker(table, make_job, tmp_path):
    keys = ["forest", "adaboost", "rbf-svm", "linear-svm", "knn", "qda"]
    with WorkerPool(2, tmp_path, TrialLimits(60.0), table) as pool:
        for number, key in enumerate(keys * 2):
            pool.submit(number, make_job(key, seed=5))
        results = collect(pool, 2 * len(keys))
    for number, _ in enumerate(keys):
        bits = {results[number + shift].validation.tobytes() for shift in (0, 6)}
        assert len(bits) == 1


def test_one_worker_evaluates_and_refits(table, make_job, make_space, tmp_path):
    configuration = {"algorithm": "knn", "knn.n_neighbors": 500}
    with WorkerPool(1, tmp_path, TrialLimits(60.0, 1000 * MEGABYTE), table) as pool:
        pool.submit(2, make_job("tree"))
        collect(pool, 1)
        first = pool._group.slots[0].process.pid
        for number, key in enumerate(["knn", "forest"], start=3):
            pool.submit(number, make_job(key))
        collect(pool, 2)
        rows = pool.stage_array("rows", np.arange(48))
        matrix = pool.stage_array("new", table.X[48:])
        job = make_refit_job(
            make_space(configuration),
            configuration,
            1,
            rows=rows,
            pickle=tmp_path / "member.pkl",
            matrix_paths=[matrix, matrix],
        )
        pool.submit(1, job, TrialLimits())
        result = collect(pool, 1)[1]
        assert pool._group.slots[0].process.pid == first
    assert isinstance(result, RefitResult)
    assert [each.shape for each in result.predictions] == [(12, 2), (12, 2)]
    assert result.predictions[0].dtype == np.float64
    assert result.used == {"knn.n_neighbors": 48}
    assert (tmp_path / "member.pkl").stat().st_size > 0


def test_spare_worker_survives_cancelled_jobs(table, make_job, tmp_path, hostile_path):
    with WorkerPool(1, tmp_path, LIMITS, table, learners_module=HOSTILE) as pool:
        pool.prepare_spare()
        pool.submit(1, make_job("well-behaved"))
        collect(pool, 1)
        while pool.restart_seconds:
            pool.wait(0.1)
        spare = pool._group._spare_worker
        pool.submit(2, make_job("hangs-in-c-with-the-gil"))
        pool.cancel_all()
        pool.submit(3, make_job("well-behaved"))
        collect(pool, 1)
        assert pool._group.slots == [spare]
        pool.prepare_spare()
        while pool.restart_seconds:
            pool.wait(0.1)
        pool.set_data(LIMITS, table)
        assert pool.restart_seconds > 0


def test_run_fails_with_message_if_folder_is_uncreatable(table, make_job, tmp_path, hostile_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    with WorkerPool(1, folder, LIMITS, table, learners_module=HOSTILE) as pool:
        shutil.rmtree(folder, ignore_errors=True)
        folder.write_text("somebody else's")
        is_folder_error = about(reason=f"{folder} is not a folder of this user any more")
        with pytest.raises(RunError, match="continue the run", check=is_folder_error):
            pool.submit(1, make_job("well-behaved"))


def test_early_workers_use_engine_priority_and_one_thread(table, make_job, tmp_path, hostile_path):
    with WorkerPool(1, tmp_path, TrialLimits(), None, learners_module=HOSTILE) as pool:
        pool.set_data(LIMITS, table)
        pool.submit(1, make_job("well-behaved"))
        assert isinstance(collect(pool, 1)[1], TrialOutcome)
        worker = psutil.Process(pool._group.slots[0].process.pid)
        assert worker.nice() == psutil.Process().nice()
        assert worker.environ()["OMP_NUM_THREADS"] == "1"
        assert os.getsid(worker.pid) == os.getsid(0)


def test_run_fails_with_message_if_learners_are_unimportable(table, make_job, tmp_path):
    with WorkerPool(1, tmp_path, LIMITS, table, learners_module="no_such_module") as pool:
        pool.submit(1, make_job("tree"))
        with pytest.raises(RunError, match="'no_such_module'"):
            for _ in range(100):
                pool.wait(1.0)


ENGINE = """
import sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}, {root!r}]
import numpy as np
from studio.runs.limits import TrialLimits
from studio.runs.pool import WorkerPool
from studio.runs.staging import TrialData

rows = np.arange(20)
data = TrialData(np.ones((20, 1)), rows % 2, "binary", 2, np.array([False]), ((rows, rows),), rows,
                 rows)
pool = WorkerPool(3, Path({scratch!r}), TrialLimits(), data, learners_module="hostile_learners")
for number, key in enumerate({keys!r}):
    configuration = {{"algorithm": key}}
    pool.submit(number, {{"kind": "evaluate", "sets": {{"algorithm": "algorithm"}}, "seed": 1,
                        "configuration": configuration, "models": None, "seconds": None,
                        "training_seconds": None, "thresholds": None, "max_bytes": None,
                        "max_rows": None}})
while sum(worker.job is not None for worker in pool._group.workers) < 3:
    pool.wait(0.1)
print(pool._group._environment.mark, flush=True)
time.sleep(600)
"""


def test_workers_terminate_with_killed_engine(tmp_path):
    tests = Path(__file__).parent
    keys = [
        "hangs-in-c-with-the-gil",
        "ignores-every-signal-that-it-can",
        "lets-children-eat-memory",
    ]
    code = ENGINE.format(
        tests=str(tests), root=str(tests.parents[1]), scratch=str(tmp_path), keys=keys
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as engine:
        mark = engine.stdout.readline().decode().strip()
        while len(ours := list_pool_processes(mark)) < 3 + 8:
            time.sleep(0.1)
        guards = [each for each in psutil.Process(engine.pid).children() if each not in ours]
        engine.kill()
        _, survivors = psutil.wait_procs([*ours, *guards], timeout=MARGIN)
    assert len(ours) == 3 + 8
    assert len(guards) == 1
    assert survivors == []


@pytest.mark.parametrize(
    ("at_import", "reason"),
    [
        ("os._exit(3)", "one ended while it was starting (exit code 3)"),
        ("os.kill(os.getpid(), 9)", "the system killed one while it was starting"),
        ("print('no room', file=sys.stderr); sys.stderr.flush(); os._exit(1)", "no room"),
        ("time.sleep(600)", "one had not started after ten minutes"),
    ],
)
def test_run_fails_with_reason_without_workers(
    table, make_job, tmp_path, monkeypatch, at_import, reason
):
    (tmp_path / "odd_learners.py").write_text(f"import os, sys, time\n{at_import}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    if "sleep" in at_import:
        monkeypatch.setattr("studio.runs.pool.START_SECONDS", 0.5)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with WorkerPool(1, scratch, LIMITS, table, learners_module="odd_learners") as pool:
        pool.submit(1, make_job("tree"))
        with pytest.raises(RunError) as error_info:
            while True:
                pool.wait(1.0)
    assert reason in str(error_info.value)


def test_slow_worker_start_is_measured(table, make_job, tmp_path, monkeypatch, hostile_path):
    gate = tmp_path / "gate"
    (tmp_path / "late_learners.py").write_text(
        f"import os, time\nwhile not os.path.exists({str(gate)!r}):\n    time.sleep(0.01)\n"
        "from hostile_learners import PRELOADED, REGISTRY\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with WorkerPool(1, scratch, LIMITS, table, learners_module="late_learners") as pool:
        pool.submit(1, make_job("well-behaved"))
        assert pool.wait(0.3) == []
        assert pool.starting_seconds >= 0.3
        gate.touch()
        assert isinstance(collect(pool, 1)[1], TrialOutcome)
        assert pool.starting_seconds == 0.0
