"""Which run of a document is meant, and changes to it from outside its engine."""

from typing import Any

from studio.document.runs import RunRow
from studio.document.store import Document
from studio.errors import UsageError
from studio.runs.settings import RunSettings


def choose_run(document: Document, wanted: int | None, *, with_result: bool = False) -> RunRow:
    """Return the row of the wanted run, or of the newest (with a result, if there is one).

    Raises
    ------
    UsageError
        If the document has no such run, or none at all.
    """
    rows = document.runs()
    if not rows:
        raise UsageError(
            "This document holds no run yet; press Run in the window, or use 'studio run'."
        )
    if wanted is None:
        done = [row for row in rows if row.result is not None] if with_result else []
        return (done or rows)[-1]
    for row in rows:
        if row.id == wanted:
            return row
    raise UsageError(
        f"This document has no run {wanted}; there are: {', '.join(str(row.id) for row in rows)}."
    )


def change_settings(document: Document, run_id: int, changes: dict[str, Any]) -> None:
    """Change the budget, the time or the workers of a run.

    Raises
    ------
    UsageError
        If the changed settings cannot work.
    """
    RunSettings.from_json({**document.run(run_id).settings, **changes}).check()
    document.change_settings(run_id, changes)
