"""What an ensemble looks at: permutation importance and partial dependence of the columns.

The heaviest members of an ensemble are asked about rows that they did not see. Where the document
does not keep them trained, they are refitted, on the rows on which the search trained
them. The work is done in small steps, so that its progress can be shown and it can be cancelled.
"""

from collections.abc import Callable
from pathlib import Path

from studio.analysis.answers.column_effects import ColumnEffects
from studio.analysis.by_hand import NO_ENSEMBLE
from studio.analysis.column_plan import column_plan, start
from studio.analysis.column_work import Work
from studio.phrases import phrase

SLICE = 1.0
"""Seconds that one call works: between two, other questions have their turn."""

TOO_LONG = phrase("The members would first have to be refitted, which takes a long time.")


def column_effects(
    path: Path, run_id: int, iteration: int, column: str, seconds: float = SLICE
) -> ColumnEffects:
    """Continue finding out what an ensemble looks at for about ``seconds``; ask until it is done.

    What is known so far comes with every answer.

    Args:
        path, run_id, iteration: Whose ensemble; nothing later is used.
        column: A column whose partial dependence is wanted, too; empty for none.
        seconds: How long to work.
    """
    work = work_on(path, run_id, iteration, column, seconds)
    if work is None:
        return ColumnEffects(reason=NO_ENSEMBLE)
    low, high = work.intervals()
    return ColumnEffects(
        done=work.done,
        phase=work.phase,
        share=work.share,
        plan=work.start.plan,
        rises=work.rises[: max(1, int(work.tried.max(initial=0)))],
        low=low,
        high=high,
        loss=work.loss,
        dependences=dict(work.dependences),
        notes=tuple(work.notes),
        groups=work.groups,
        matters=work.matters(low),
        metric=phrase(work.metric.title),
        unit=work.metric.unit,
    )


def work_on(path: Path, run_id: int, iteration: int, column: str, seconds: float) -> Work | None:
    """Continue the work on an ensemble for about ``seconds``; begin it if it is another.

    One work is kept with its models: asked again for the same ensemble, it continues where it was.

    Args:
        path, run_id, iteration, column, seconds: As for :func:`column_effects`.

    Returns:
        ``None`` where there is no ensemble yet.
    """
    begun = start(path, run_id, iteration)
    if begun is None:
        _KEPT.clear()
        return None
    key = (id(begun.history), begun.ensemble.members, begun.ensemble.weights)
    # Taken out while it works: what ends in an error is not gone on with.
    work = _KEPT.pop(key, None) or Work(begun)
    _KEPT.clear()
    if column in begun.plan.names:
        work.want(begun.plan.names.index(column))
    work.go_on(seconds)
    _KEPT[key] = work
    return work


def affordable_effects(
    path: Path, run_id: int, progress: Callable[[str, float], None]
) -> ColumnEffects:
    """Find out all at once what the final ensemble looks at, unless that takes long refits.

    Args:
        path, run_id: The run.
        progress: Called with the phase and its share, in [0, 1], about every second.

    Returns:
        With a ``reason`` where there is nothing.
    """
    last = 1_000_000_000
    plan = column_plan(path, run_id, last)
    if not plan.affordable:
        return ColumnEffects(reason=plan.reason or TOO_LONG)
    while not (found := column_effects(path, run_id, last, "")).done:
        progress(found.phase, found.share)
    return found


_KEPT: dict[tuple[int, tuple[int, ...], tuple[float, ...]], Work] = {}
