"""Search spaces stored in a document, by name."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from studio.document import sealing, shapes
from studio.document.connection import Store
from studio.errors import DocumentError
from studio.phrases import phrase
from studio.plain_json import JsonError, read_json


class Spaces:
    """The search spaces of a document; those of earlier versions may have older revisions."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def save(self, name: str, space: Mapping[str, Any]) -> None:
        """Save a space's JSON in place of the previous one, unless unchanged."""
        key = json.dumps(name)
        with self._store.run_transaction():
            newest = self._read_newest(key)
            if newest is not None and newest.space == space:
                return
            revision = self._store.advance_revision()
            body = {"space": space, "saved": time.time()}
            self._store.execute("DELETE FROM spaces WHERE name = ?", (key,))
            self._store.execute(
                "INSERT INTO spaces (id, revision, name, body) VALUES (?, ?, ?, ?)",
                (revision, revision, key, sealing.seal(body, f"space {revision}")),
            )

    def list_names(self) -> tuple[str, ...]:
        """Return the names of the saved spaces, the most recently saved last."""
        rows = self._store.query("SELECT name FROM spaces GROUP BY name ORDER BY max(id)")
        return tuple(_decode_name(key) for (key,) in rows if self._read_newest(key) is not None)

    def list_names_saved_since(self, revision: int) -> tuple[str, ...]:
        """Return the names of the spaces saved after a revision of the document."""
        rows = self._store.query(
            "SELECT name FROM spaces WHERE revision > ? GROUP BY name ORDER BY max(id)", (revision,)
        )
        return tuple(_decode_name(key) for (key,) in rows)

    def read(self, name: str) -> dict[str, Any]:
        """Return a saved space's JSON; raise DocumentError if not stored."""
        newest = self._find_newest(json.dumps(name))
        if newest is None:
            raise DocumentError(
                "The document {path!r} has no space {name!r}.",
                path=self._store.path.name,
                name=name,
            )
        return newest.space

    def _read_newest(self, key: str) -> "_Body | None":
        read = partial(self._find_newest, key)
        return self._store.read_or_record_damage(read, None, _NOT_SAVED)

    def _find_newest(self, key: str) -> "_Body | None":
        rows = self._store.query(
            "SELECT id, body FROM spaces WHERE name = ? ORDER BY id DESC LIMIT 1", (key,)
        )
        return shapes.unseal(_Body, rows[0][1], f"space {rows[0][0]}") if rows else None


_NOT_SAVED = phrase("That saved space cannot be used.")


def _decode_name(key: str) -> str:
    """Return a name, or the raw text if damaged."""
    try:
        name = read_json(key)
    except JsonError:
        return key
    return name if isinstance(name, str) else key


@dataclass(frozen=True)
class _Body:
    """The sealed record of a space."""

    space: dict[str, Any]
    saved: float
