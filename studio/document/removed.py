"""Runs that were removed: their numbers, which no later run is given."""

import json
from typing import Any

from studio.document import sealing
from studio.document.connection import Store
from studio.document.notes import Notes

_NOTE = "document.removed_runs"

_LARGEST = 1 << 62
"""A run's number that leaves room for those of later ones."""


class RemovedRuns:
    """The numbers of runs that were removed, which no later run is given.

    Args:
        store: The open file.
        notes: Its notes.
    """

    def __init__(self, store: Store, notes: Notes) -> None:
        self._store = store
        self._notes = notes

    def since(self, revision: int = -1) -> tuple[int, ...]:
        """Return the ids of all runs that were ever removed.

        Args:
            revision: Only if one was removed after this revision of the document; else nothing is
                returned.
        """
        found = self._store.query(
            "SELECT 1 FROM notes WHERE name = ? AND revision > ?", (json.dumps(_NOTE), revision)
        )
        return self._ids() if found else ()

    def next_id(self) -> int:
        """Return a number that no run has or had: followers know runs by it."""
        ((newest,),) = self._store.query("SELECT coalesce(max(id), 0) FROM runs")
        return max(int(newest), *self._ids(), 0) + 1

    def note(self, run_id: int) -> None:
        """Remember that a run was removed."""
        self._notes.set(_NOTE, [*self._ids(), run_id])

    def _ids(self) -> tuple[int, ...]:
        return self._notes.kept(_NOTE, _numbers) or ()


def _numbers(content: Any, label: str) -> tuple[int, ...]:
    if not isinstance(content, list) or not all(_is_number(each) for each in content):
        sealing.damaged(label)
    return tuple(content)


def _is_number(each: object) -> bool:
    return type(each) is int and 0 < each < _LARGEST
