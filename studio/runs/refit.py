"""Refit the chosen models of an ended run on all rows but the test rows, and test them.

For a run that went without that, and for one that was stopped before its end. Its state, its trials
and its iterations stay as they are; only its result is another one.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from studio.arrays import AnyArray
from studio.document.results import Result
from studio.document.store import Document
from studio.errors import RunError
from studio.runs.finish import finish, keep_result
from studio.runs.limits import limits_of, workers_here
from studio.runs.load import load_history
from studio.runs.pool_protocol import PoolMaker, maker_for
from studio.runs.prepare import prepare
from studio.runs.trust import continued
from studio.scratch import scratch_folder

_ENDED = {"finished", "stopped", "failed"}

_OF_THE_SEARCH = ("seconds", "time_budget", "utilisation", "exhausted")


def refit_run(
    document: Document,
    run_id: int,
    stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, of: None,
    make_pool: PoolMaker | None = None,
    *,
    place: Mapping[str, Any] | None = None,
) -> Result:
    """Refit, test and keep the result.

    Args:
        document: Open for writing.
        run_id: A run that has ended.
        stopped: Asked several times a second whether to give up; then nothing is changed.
        progress: Called with how many models are trained, of how many.
        make_pool: Makes what they are trained in; ``None`` for what the run's settings say.
        place: Where, if not where they say: "workers" of this machine, or a "cluster" that somebody
            here allows.

    Returns:
        The run's new one.

    Raises:
        RunError: If the run is still in progress, or has no model yet.
        UntrustedClusterError: If it was trained on a cluster and no place is given.
        StoppedError: If ``stopped`` said so.
    """
    row = document.runs.get(run_id)
    if row.state not in _ENDED:
        raise RunError(
            "This run has not ended. Stop it first (everything is kept), then refit its members."
        )
    place = dict(place or {})
    if make_pool is None:
        place = continued(str(row.settings.get("cluster", "")), place)
    document.owners.claim(run_id)
    try:
        prepared = prepare(document, run_id)
        prepared = dataclasses.replace(
            prepared, settings=dataclasses.replace(prepared.settings, refit=True, **place)
        )
        history = load_history(document, run_id, prepared)
        if not history.succeeded:
            raise RunError(
                "This run has no model yet, so there is nothing to refit. Let it continue."
            )
        settings = prepared.settings
        cluster = str(place.get("cluster", ""))
        workers = settings.workers if cluster else workers_here(settings.workers)
        with (
            scratch_folder() as scratch,
            (make_pool or maker_for(settings, cluster))(
                workers,
                scratch,
                limits_of(settings, workers),
                prepared.data(),
            ) as pool,
        ):
            stored: dict[int, AnyArray] = {}  # nothing of the search's models is tested
            finished = finish(
                prepared, history, pool, stopped, stored, folder=scratch, progress=progress
            )
        latest = document.trials.iterations(run_id)[-1]
        result = dataclasses.replace(
            finished.result, seconds=float(latest.details.get("elapsed", 0.0))
        )
        if row.result is not None:
            # Of the search, which stays as it was.
            known = {name: getattr(row.result, name) for name in _OF_THE_SEARCH}
            result = dataclasses.replace(result, **known)
        with document.transaction():
            document.runs.change_settings(run_id, {"refit": True})
            keep_result(document, run_id, dataclasses.replace(finished, result=result))
    finally:
        document.owners.release(run_id)
    return result
