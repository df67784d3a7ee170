"""Task ``column_effects``: go on finding out what an ensemble looks at."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer

SLICE = 1.0
"""Seconds that one request works: between two, other tasks have their turn."""


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.column_effects.column_effects`; to be asked until it is done.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: whose ensemble; column: one more whose dependence is wanted, or
        empty.

    Returns
    -------
    dict, arrays
        done, phase, share and, when done: plan (:class:`studio.analysis.column_plan.Plan`), loss,
        notes, labels and missing (by column number), and the arrays rises and, for each column
        number k, grid-k, means-k, edges-k and counts-k. reason: why there is nothing.
    """
    from dataclasses import asdict

    from studio.analysis.by_hand import NO_ENSEMBLE
    from studio.analysis.column_effects import column_effects

    work = column_effects(
        Path(arguments["document"]),
        int(arguments["run"]),
        int(arguments["iteration"]),
        str(arguments["column"]),
        SLICE,
    )
    if work is None:
        return {"done": True, "reason": NO_ENSEMBLE}, {}
    words: dict[str, Any] = {"done": work.done, "phase": work.phase, "share": work.share}
    words["reason"] = ""
    if not work.done:
        return words, {}
    words |= {
        "plan": asdict(work.start.plan),
        "loss": work.loss,
        "notes": work.notes,
        "labels": {str(column): each.labels for column, each in work.dependences.items()},
        "missing": {str(column): each.missing for column, each in work.dependences.items()},
    }
    arrays = {"rises": work.rises}
    for column, each in work.dependences.items():
        for name in ("grid", "means", "edges", "counts"):
            arrays[f"{name}-{column}"] = getattr(each, name)
    return words, arrays
