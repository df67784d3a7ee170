"""Which run of a document is meant, and changes to it from outside its engine."""

from typing import Any

from studio.document.damage import sentences
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.errors import UsageError
from studio.phrases import phrase
from studio.runs.settings import RunSettings


def choose_run(
    document: Document, wanted: int | None, *, with_result: bool = False, to_look: bool = False
) -> RunRow:
    """Return the row of the wanted run, or of the newest (with a result, if there is one).

    Args:
        document: Where it is.
        wanted: Its id; ``None`` for the newest.
        with_result: Whether one that has a result goes before a newer one that has none.
        to_look: Whether it is only looked at: then the newest may be older than a damaged one.

    Raises:
        UsageError: If the document has no such run, or none at all; if the newest is damaged.
        DamagedError: If the wanted run is.
    """
    rows = document.runs.all()
    if wanted is not None and wanted in {each.run_id for each in document.damages}:
        return document.runs.get(wanted)
    if not rows and document.damages:
        raise UsageError(" ".join(sentences(document.damages)))
    if not rows:
        raise UsageError(
            "This document has no run yet; press Run in the window, or use 'studio run'."
        )
    if wanted is None:
        done = [row for row in rows if row.result is not None] if with_result else []
        chosen = (done or rows)[-1]
        newer = [each for each in document.damages if (each.run_id or 0) > chosen.id]
        if newer and not to_look:
            raise UsageError("{sentence} Choose the run with --run.", sentence=newer[-1].sentence)
        return chosen
    for row in rows:
        if row.id == wanted:
            return row
    raise UsageError(
        "This document has no run {wanted}; available: {rows}.",
        wanted=wanted,
        rows=", ".join(str(row.id) for row in rows),
    )


def which_run(document: Document, chosen: RunRow) -> str:
    """Return which run was chosen where another one has a result too; empty where none has."""
    if sum(row.result is not None for row in document.runs.all()) < 2:
        return ""
    return phrase(
        "This is run {number}, “{name}”, the newest one with a result. Choose another one with "
        "--run.",
        number=chosen.id,
        name=chosen.name,
    )


def change_settings(document: Document, run_id: int, changes: dict[str, Any]) -> None:
    """Change the budget, the time or the workers of a run.

    Raises:
        UsageError: If the changed settings cannot work.
    """
    RunSettings.from_json({**document.runs.get(run_id).settings, **changes}).check()
    document.runs.change_settings(run_id, changes)
