"""Which run of a document is meant, and changes to it from outside its engine."""

from typing import Any

from studio.document.runs import RunRow
from studio.document.store import Document
from studio.errors import UsageError
from studio.runs.settings import RunSettings


def choose_run(document: Document, wanted: int | None) -> RunRow:
    """Return the row of the wanted run, or of the newest.

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
        return rows[-1]
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
    changed = {**document.run(run_id).settings, **changes}
    RunSettings.from_json(changed).check()
    document.set_settings(run_id, changed)
