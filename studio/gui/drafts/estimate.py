"""How long the next run will take, going by runs on the same table; nothing is invented."""

from collections.abc import Sequence

from studio.data.tasks import Task
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import duration
from studio.language import tr

_FEWEST = 5
"""Fewest trials of a run by which the next is estimated."""


def seconds_a_trial(view: RunView, workers: int) -> float | None:
    """Return the wall seconds of one trial of a run, had it this many workers; ``None`` if unknown.

    Those that failed count: they take time too.
    """
    if len(view.trials) < _FEWEST or not view.elapsed or view.settings.cluster:
        return None
    at_once = max(1, view.settings.workers)
    return view.elapsed / len(view.trials) * at_once / max(1, workers)


def estimate(
    runs: Sequence[RunView], draft: RunDraft, table: int | None, task: Task | None
) -> tuple[float, RunView] | None:
    """Return the seconds that the next run should take, and the run that the estimate is based on.

    Args:
        runs: Oldest first; those of another table, or on a cluster, say nothing.
        draft: The next run.
        table: The table's id in the document.
        task: What is predicted.
    """
    if table is None or task is None or draft.cluster:
        return None
    known = [
        (view.method == draft.method_for(task), view.row.id, seconds, view)
        for view in runs
        if view.row.table_id == table
        and (seconds := seconds_a_trial(view, draft.workers)) is not None
    ]
    if not known:
        return None
    _, _, seconds, view = max(known, key=lambda each: each[:2])
    limits = [] if draft.seconds is None else [draft.seconds]
    if draft.budget is not None:
        limits.append(draft.budget * seconds)
    elif draft.seconds is None:
        limits.append(100 * seconds)
    return min(limits), view


def estimate_line(
    runs: Sequence[RunView], draft: RunDraft, table: int | None, task: Task | None
) -> str:
    """Write the estimate for people; empty where nothing is known, or time alone decides."""
    if draft.budget is None and draft.seconds is not None:
        return ""
    found = estimate(runs, draft, table, task)
    if found is None:
        return ""
    seconds, view = found
    return tr(
        "About {time} on this computer, going by “{run}” on this table.",
        time=duration(seconds),
        run=view.row.name,
    )
