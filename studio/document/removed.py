"""Runs that were removed: their numbers, which no later run is given."""

import json
from typing import Any

from studio.document import sealing
from studio.document.drafts import Drafts

_NOTE = "document.removed_runs"

_LARGEST = 1 << 62
"""A run's number that leaves room for those of later ones."""


class Removed(Drafts):
    """The part of a document that remembers which runs were removed."""

    def removed_runs(self, revision: int = -1) -> tuple[int, ...]:
        """Return the ids of all runs that were ever removed.

        Args:
            revision: Only if one was removed after this revision of the document; else nothing is
                returned.
        """
        found = self._read(
            "SELECT 1 FROM notes WHERE name = ? AND revision > ?", (json.dumps(_NOTE), revision)
        )
        return self._removed() if found else ()

    def _next_run(self) -> int:
        """Return a number that no run has or had: followers know runs by it."""
        ((newest,),) = self._read("SELECT coalesce(max(id), 0) FROM runs")
        return max(int(newest), *self._removed(), 0) + 1

    def _note_removed(self, run_id: int) -> None:
        self.set_note(_NOTE, [*self._removed(), run_id])

    def _removed(self) -> tuple[int, ...]:
        return self.kept(_NOTE, _numbers) or ()


def _numbers(content: Any, label: str) -> tuple[int, ...]:
    if not isinstance(content, list) or not all(_is_number(each) for each in content):
        sealing.damaged(label)
    return tuple(content)


def _is_number(each: object) -> bool:
    return type(each) is int and 0 < each < _LARGEST
