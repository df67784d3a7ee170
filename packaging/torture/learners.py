"""Group 8: misbehaving learners: exceptions, hangs, crashes, endless output."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from studio.runs.causes import Failure
from studio.runs.jobs import TrialOutcome, make_evaluation_job
from studio.runs.limits import MEGABYTE, TrialLimits
from studio.runs.pool import WorkerPool
from studio.runs.staging import TrialData
from torture.execution import LIMIT
from torture.test_modules import import_test_module
from torture.verdict import Try, Verdict, judge_exit

LIMITS = TrialLimits(seconds=5.0, memory=600 * MEGABYTE)
TOGETHER = 4
"""Number of them in the pool of a case, in turn with well-behaved ones."""


def learners(folder: Path) -> Try:
    """Return the cases with hostile learners, each beside a well-behaved one."""
    hostile = import_test_module("runs", "hostile_learners")
    return partial(_attempt, [*hostile.BEHAVIOURS, *hostile.ANSWERS], _rows())


def _attempt(
    names: list[str], data: TrialData, folder: Path, rng: Random, number: int
) -> Iterator[Verdict]:
    first = number * TOGETHER % len(names)
    chosen = [*names, *names][first : first + TOGETHER]
    rng.shuffle(chosen)
    results: dict[int, Any] = {}
    with WorkerPool(
        rng.choice((1, 2)), folder, LIMITS, data, learners_module="hostile_learners"
    ) as pool:
        for place, name in enumerate(chosen):
            pool.submit(2 * place, _job(name))
            pool.submit(2 * place + 1, _job("tree"))
        idle, retried = 0, Counter[int]()
        while idle < LIMIT and len(results) < 2 * len(chosen):
            found = pool.wait(1.0)
            idle = 0 if found else idle + 1
            for each in found:
                slow = each.job_id % 2 and ran_out_of_time(each.result)
                if slow and retried[each.job_id] < _RETRIES:  # possible on a busy machine
                    retried[each.job_id] += 1
                    pool.submit(each.job_id, _job("tree"))
                else:
                    results[each.job_id] = each.result
    honest = [results.get(2 * place + 1) for place in range(len(chosen))]
    for place, name in enumerate(chosen):
        yield _verdict(f"a learner that {name}", results.get(2 * place), honest[place], honest[0])
    if logs := list(folder.glob("*.log")):
        yield Verdict("fault", str(chosen), f"files are left: {logs}")


_RETRIES = 3
"""Number of time-outs of the well-behaved learner from which they are a fault."""


def ran_out_of_time(result: Any) -> bool:
    """Return whether a trial reached its time limit."""
    return isinstance(result, Failure) and result.kind == "time"


def _verdict(what: str, result: Any, honest: Any, first: Any) -> Verdict:
    if not isinstance(first, TrialOutcome):
        return Verdict("fault", what, f"the first honest learner of the case gave {first}")
    if (
        not isinstance(honest, TrialOutcome)
        or honest.validation.tobytes() != first.validation.tobytes()
    ):
        return Verdict("fault", what, f"the honest learner after it gave {honest}")
    if isinstance(result, Failure):
        return judge_exit(what, 1, result.cause)
    if isinstance(result, TrialOutcome) and result.validation.tolist() == [[0.5, 0.5]] * 12:
        return Verdict("unharmed", what)
    return Verdict("fault", what, f"it gave {result}")


def _job(learner: str) -> dict[str, Any]:
    space: Any = SimpleNamespace(parameters=[SimpleNamespace(name="algorithm", sets="algorithm")])
    return make_evaluation_job(space, {"algorithm": learner}, 1)


def _rows() -> TrialData:
    rng, rows = np.random.default_rng(0), np.arange(60)
    X = rng.normal(size=(60, 3))
    return TrialData(
        X=X,
        y=(X[:, 0] > 0).astype(np.int64),
        task="binary",
        n_classes=2,
        categorical=np.zeros(3, dtype=bool),
        folds=((rows[:36], rows[36:48]),),
        validation=rows[36:48],
        test=rows[48:],
    )
