"""Key-value notes of a document."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from studio.document import sealing
from studio.document.connection import Store
from studio.phrases import phrase

T = TypeVar("T")


def make_run_note_name(run_id: int, name: str) -> str:
    """Return the name of a run's note, which is removed with the run."""
    return f"run.{run_id}.{name}"


class Notes:
    """The notes of a document."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set(self, name: str, value: object) -> None:
        """Store a small JSON value under a name."""
        key = json.dumps(name)
        with self._store.run_transaction():
            self._store.execute(
                "INSERT OR REPLACE INTO notes (name, revision, body) VALUES (?, ?, ?)",
                (key, self._store.advance_revision(), sealing.seal(value, f"note {key}")),
            )

    def get(self, name: str) -> Any:
        """Return the value of a name, ``None`` if missing or damaged."""
        return self.read_value(name, lambda content, _: content)

    def read_value(self, name: str, read: Callable[[Any, str], T]) -> T | None:
        """Return the content of a note; ``None`` if missing or damaged.

        Args:
            read: Converts the JSON value, given the record's name
                (:func:`studio.document.shapes.pick` for a kind of record). Raises
                :class:`studio.errors.DamagedError` for an invalid value.
        """
        key = json.dumps(name)
        rows = self._store.query("SELECT body FROM notes WHERE name = ?", (key,))
        if not rows:
            return None

        def unseal() -> T | None:
            content = sealing.unseal(rows[0][0], f"note {key}")
            return None if content is None else read(content, f"note {key}")

        consequence = phrase("It is treated as missing.")
        return self._store.read_or_record_damage(unseal, None, consequence)
