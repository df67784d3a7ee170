"""The learning curve of a run's ensemble: its members, with their weights, on growing shares."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from studio.analysis.answers.learning_curve import LearningCurve
from studio.analysis.learning_curve.judging import judged
from studio.analysis.learning_curve.shares import SHARES, nested
from studio.arrays import AnyArray, Integers
from studio.data.splits import strata_of
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine
from studio.errors import RunError
from studio.phrases import phrase
from studio.runs.chosen import chosen_ensemble
from studio.runs.final_models import final_models, predicted_together
from studio.runs.limits import limits_of
from studio.runs.load import load_history
from studio.runs.pool import WorkerPool
from studio.runs.pools import PoolMaker
from studio.runs.prepare import Prepared, prepare
from studio.runs.reserve import GROWTH, JOB_SECONDS, makespan
from studio.runs.workers_here import workers_here
from studio.scratch import scratch_folder
from studio.seeds import derive
from studio.trial import Trial

_WORK = 1 + 2 * sum(float(share) ** GROWTH for share in SHARES)
"""Seconds of all trainings of a member for each second of its training on all rows."""


def learning_curve(
    document: Document,
    run_id: int,
    stopped: Callable[[], bool] = lambda: False,
    told: Callable[[int, int], None] = lambda done, of: None,
    make_pool: PoolMaker = WorkerPool,
) -> LearningCurve:
    """Train the members of a run's ensemble on growing shares of the rows, and judge them.

    They are judged on the test rows, or where there are none on the validation rows (of the first
    fold), which no training sees. Nothing is written.

    Parameters
    ----------
    document : Document
        Open for reading at least.
    run_id : int
        A run with at least one successful trial.
    stopped : callable
        Asked several times a second whether to give up.
    told : callable
        Called with how many trainings are over, of how many.
    make_pool : callable
        Makes what members are trained in.

    Raises
    ------
    DataError
        If there are too few rows.
    RunError
        If there is no model yet, or the members could not be trained on all rows.
    StoppedError
        If ``stopped`` said so.
    """
    prepared = prepare(document, run_id)
    history = load_history(document, run_id, prepared)
    if not history.succeeded:
        raise RunError("This run has no model yet, so there is nothing to train. Let it continue.")
    ensemble = chosen_ensemble(document.run(run_id), prepared, history)
    members = ensemble.members
    learned, judging = rows_of(prepared)
    parts = _parts(prepared, learned)
    workers = workers_here(prepared.settings.workers)
    sizes: list[int] = []
    found: list[AnyArray] = []
    notes: list[str] = []
    told(0, len(parts) * len(members))
    with (
        scratch_folder() as folder,
        make_pool(workers, folder, limits_of(prepared.settings, workers), prepared.data()) as pool,
    ):
        matrix = pool.stage("judging", np.ascontiguousarray(prepared.problem.X[judging]))
        for place, rows in enumerate(parts):
            models, failures = final_models(
                prepared,
                history,
                members,
                pool,
                stopped,
                folder=folder,
                rows=rows,
                matrices=[matrix],
                told=partial(_told_of, told, place, len(parts)),
            )
            if failures:
                notes.append(
                    phrase("With {count:,} rows: {cause}", count=len(rows), cause=failures[0])
                )
            else:
                sizes.append(len(rows))
                found.append(combine(predicted_together(models, 0).__getitem__, ensemble))
    if not sizes or sizes[-1] != len(learned):
        raise RunError("The members could not be trained on all rows again. {why}", why=notes[-1])
    return judged(prepared, judging, np.array(sizes), found, tuple(notes))


def rows_of(prepared: Prepared) -> tuple[Integers, Integers]:
    """Return the rows that a run's ensemble learns from, and those that judge it, shape (k,) each.

    What judges are the test rows, or the validation rows where there are none.
    """
    split = prepared.split
    if split.test.size:
        return split.development if prepared.settings.refit else split.train, split.test
    return split.folds[0]


def expected_seconds(
    trials: Sequence[Trial], ensemble: Ensemble, factor: float, workers: int
) -> float:
    """Return how long a learning curve takes, about.

    Parameters
    ----------
    trials : sequence of Trial
        All of the run.
    ensemble : Ensemble
        Its final ensemble.
    factor : float
        Seconds of a final training for each second of a trial's fits
        (:func:`studio.runs.reserve.refit_factor`).
    workers : int
        Trainings at the same time.
    """
    costs = [trials[number - 1].fit_seconds * factor for number in ensemble.members]
    n_trainings = 1 + 2 * len(SHARES)
    return makespan((_WORK * each + n_trainings * JOB_SECONDS for each in costs), workers)


def _parts(prepared: Prepared, learned: Integers) -> list[Integers]:
    problem = prepared.problem
    rng = np.random.default_rng(derive(prepared.settings.seed, "learning curve"))
    strata = strata_of(problem.y, problem.n_classes)
    return nested(learned, strata, problem.groups, problem.times, rng)


def _told_of(told: Callable[[int, int], None], place: int, parts: int, done: int, of: int) -> None:
    """Tell how many trainings of all shares are over."""
    told(place * of + done, parts * of)
