"""Removing a run with everything that belongs to it, so that the file's room is used again."""

from functools import partial

from studio.document.drafts import of_run
from studio.document.ensembles import Ensembles
from studio.document.runs import CANNOT_BE_SHOWN
from studio.errors import DocumentError

_DELETIONS = (
    "DELETE FROM trials WHERE run = ?",
    "DELETE FROM running WHERE run = ?",
    "DELETE FROM requests WHERE run = ?",
    "DELETE FROM messages WHERE run = ?",
    "DELETE FROM runs WHERE id = ?",
)


class Removal(Ensembles):
    """The part of a document that removes runs."""

    def remove_run(self, run_id: int) -> None:
        """Remove a run, its trials, its predictions and what it has said; its table stays.

        All of it or nothing is removed, and followers are notified. The run's number is not given
        to another run. Of a run whose record is damaged go the trials and all else that is known to
        be its own; arrays that only that record names stay, and take room.

        Raises:
            DocumentError: If there is no such run, or a living process computes it.
        """
        with self.transaction():
            alive = self.owner_alive(run_id)
            row = self.sound(partial(self.run, run_id), run_id, CANNOT_BE_SHOWN)
            if alive:
                raise DocumentError(
                    "Run {row!r} is in progress, so it cannot be removed. Stop it first.",
                    row=row.name if row else str(run_id),
                )
            rows = self._split_arrays(run_id) if row else ()
            for array_id in (*rows, *self._prediction_arrays(run_id)):
                self._remove_array(array_id)
            self.forget_ensemble(run_id)
            for deletion in _DELETIONS:
                self._write(deletion, (run_id,))
            # A name is stored as JSON in the table: after a quotation mark.
            notes = of_run(run_id, "")
            self._write("DELETE FROM notes WHERE instr(name, ?) = 2", (notes,))
            self._note_removed(run_id)
