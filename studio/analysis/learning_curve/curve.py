"""The learning curve of a run's ensemble: its members, with their weights, on growing shares."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from studio.analysis.answers.learning_curve import CurveCost, LearningCurve
from studio.analysis.learning_curve.judging import judged
from studio.arrays import AnyArray, Integers
from studio.data.splits.rule import SplitRule, strata_of
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.errors import DataError, RunError
from studio.phrases import phrase
from studio.runs.final_models import final_models, predicted_together
from studio.runs.limits import limits_of, workers_here
from studio.runs.load import chosen_ensemble, follow, load_history
from studio.runs.pool import WorkerPool
from studio.runs.pool_protocol import PoolMaker
from studio.runs.prepare import Prepared, prepare
from studio.runs.reserve import GROWTH, JOB_SECONDS, makespan
from studio.scratch import scratch_folder
from studio.seeds import derive

_NO_MODEL = phrase("This run has no result yet, so there is nothing to train. Let it finish first.")

_AGAIN = phrase(
    "The members were refitted for this curve: its error with all rows may differ a little from "
    "the result's."
)


def learning_curve(
    document: Document,
    run_id: int,
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, of: None,
    make_pool: PoolMaker = WorkerPool,
) -> LearningCurve:
    """Train the members of a run's ensemble on growing shares of the rows, and judge them.

    They are judged on the test rows, or where there are none on the validation rows (of the first
    fold), which no training sees. Nothing is written.

    Args:
        document: Open for reading at least.
        run_id: A run with at least one successful trial.
        stopped: Asked several times a second whether to give up.
        progress: Called with how many trainings are over, of how many.
        make_pool: Makes what members are trained in.

    Raises:
        DataError: If there are too few rows.
        RunError: If there is no model yet, or the members could not be trained on all rows.
        StoppedError: If ``stopped`` said so.
    """
    prepared = prepare(document, run_id)
    history = load_history(document, run_id, prepared)
    if not history.succeeded:
        raise RunError(_NO_MODEL)
    ensemble = chosen_ensemble(document.runs.get(run_id), prepared, history)
    members = ensemble.members
    learned, judging = rows_of(prepared)
    parts = _parts(prepared, learned)
    workers = workers_here(prepared.settings.workers)
    sizes: list[int] = []
    found: list[AnyArray] = []
    notes: list[str] = []
    progress(0, len(parts) * len(members))
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
                progress=partial(_progress_of, progress, place, len(parts)),
            )
            if failures:
                notes.append(
                    phrase("With {count:,} rows: {cause}", count=len(rows), cause=failures[0])
                )
            else:
                sizes.append(len(rows))
                found.append(combine(predicted_together(models, 0).__getitem__, ensemble))
    if not sizes or sizes[-1] != len(learned):
        raise RunError("The members could not be refitted on all rows. {why}", why=notes[-1])
    return judged(prepared, judging, np.array(sizes), found, (*notes, _beside_result(prepared)))


def _beside_result(prepared: Prepared) -> str:
    """Say why the error with all rows is not the result's."""
    folds, tested = len(prepared.split.folds), prepared.split.test.size > 0
    if folds == 1 or (tested and prepared.settings.refit):
        return _AGAIN
    if tested:
        return phrase(
            "The result joins {folds} models of each member, one per fold; for this curve each "
            "member was one model. Its error with all rows may therefore differ clearly from the "
            "result's.",
            folds=folds,
        )
    return phrase(
        "This curve is judged on the rows of the first fold alone, the result on those of all "
        "{folds} folds, so the two errors differ.",
        folds=folds,
    )


def rows_of(prepared: Prepared) -> tuple[Integers, Integers]:
    """Return the rows that a run's ensemble learns from, and those that judge it, shape (k,) each.

    What judges are the test rows, or the validation rows where there are none.
    """
    split = prepared.split
    if split.test.size:
        return split.development if prepared.settings.refit else split.train, split.test
    return split.folds[0]


def curve_cost(path: Path, run_id: int) -> CurveCost:
    """Return about how long a run's learning curve takes, or why there can be none.

    Args:
        path: The document.
        run_id: A run that has ended.
    """
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        result = document.runs.get(run_id).result
    if result is None:
        return CurveCost(reason=_NO_MODEL)
    learned, judging = rows_of(prepared)
    try:
        parts = _parts(prepared, learned)
    except DataError as error:
        return CurveCost(reason=str(error))
    numbers = [each.trial for each in result.members]
    searched = [history.trials[number - 1].fit_seconds for number in numbers]
    fitted = sum(float(training.size) ** GROWTH for training, _ in prepared.split.folds)
    factor = sum(float(rows.size) ** GROWTH for rows in parts) / fitted
    costs = (factor * each + len(parts) * JOB_SECONDS for each in searched)
    return CurveCost(
        seconds=makespan(costs, workers_here(prepared.settings.workers)),
        members=len(numbers),
        trainings=len(parts) * len(numbers),
        rows=len(judging),
        on="test" if prepared.split.test.size else "validation",
    )


def _parts(prepared: Prepared, learned: Integers) -> list[Integers]:
    problem = prepared.problem
    rng = np.random.default_rng(derive(prepared.settings.seed, "learning curve"))
    together = prepared.settings.plan.equal_rows == "together"
    records = prepared.split.records(len(problem.y)) if together else None
    strata = strata_of(problem.y, problem.n_classes)
    return nested(learned, SplitRule(strata, problem.groups, problem.times, records), rng)


def _progress_of(
    progress: Callable[[int, int], None], place: int, parts: int, done: int, of: int
) -> None:
    """Report how many trainings of all shares are over."""
    progress(place * of + done, parts * of)


MIN_ROWS = 160
"""Rows to learn from below which no curve is made: an eighth of fewer teaches nothing."""

_PARTS = 8
_SHARES = (1 / 8, 1 / 4, 1 / 2)
_IN_TIME = (1 / 8, 1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3)
"""Shares where only the latest rows are like those that come: one line of them, so closer ones."""


def nested(rows: Integers, rule: SplitRule, rng: np.random.Generator) -> list[Integers]:
    """Return the rows of each training, from few to all.

    Two lines of nested shares, which have nothing in common before the whole, show how much hangs
    on which rows were drawn. Groups stay whole, and copies together. In time a share is the latest
    rows, as a shorter history would have been.

    Args:
        rows: Shape (k,). All rows to learn from, ascending.
        rule: Classes, copies, groups or times of all rows.
        rng: Draws the parts.

    Returns:
        Ascending row numbers, shape (m,) each.

    Raises:
        DataError: If there are fewer than :data:`MIN_ROWS` rows, or too few groups or different
            rows.
    """
    if len(rows) < MIN_ROWS:
        raise DataError(
            "A learning curve needs at least {least} rows to learn from; there are {count:,}.",
            count=len(rows),
            least=MIN_ROWS,
        )
    if rule.times is not None:
        order = rows[np.argsort(rule.times[rows], kind="stable")]
        latest = [np.sort(order[-round(len(rows) * share) :]) for share in _IN_TIME]
        return [*latest, rows]
    part = rule.dealt(rows, _PARTS, rng)
    return [
        *(
            rows[(first <= part) & (part < first + _PARTS * share)]
            for share in _SHARES
            for first in (0, _PARTS // 2)
        ),
        rows,
    ]
