"""Runs that were removed: their numbers, which no later run is given."""

import json

from studio.document import sealing
from studio.document.drafts import Drafts
from studio.phrases import phrase

_NOTE = "document.removed_runs"


class Removed(Drafts):
    """The part of a document that remembers which runs were removed."""

    def removed_runs(self, revision: int = -1) -> tuple[int, ...]:
        """Return the ids of all runs that were ever removed.

        Parameters
        ----------
        revision : int
            Only if one was removed after this revision of the document; else nothing is returned.
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
        return self.sound(self._numbers, None, phrase("The list of removed runs is lost.")) or ()

    def _numbers(self) -> tuple[int, ...]:
        numbers = self.note(_NOTE) or []
        if not isinstance(numbers, list) or not all(isinstance(each, int) for each in numbers):
            sealing.damaged(_NOTE)
        return tuple(numbers)
