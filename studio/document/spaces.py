"""Search spaces stored in a document, with their revisions."""

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

MAX_REVISIONS = 100
"""Maximum number of stored revisions of a space."""


class Spaces:
    """The search spaces of a document, with their revisions."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def save(self, name: str, space: Mapping[str, Any]) -> int:
        """Save a space's JSON as a new revision, unless unchanged; return its number."""
        key = json.dumps(name)
        with self._store.run_transaction():
            newest = self._read_newest(key)
            if newest is not None and newest[1].space == space:
                return newest[0]
            revision = self._store.advance_revision()
            body = {"space": space, "saved": time.time()}
            self._store.execute(
                "INSERT INTO spaces (id, revision, name, body) VALUES (?, ?, ?, ?)",
                (revision, revision, key, sealing.seal(body, f"space {revision}")),
            )
            self._store.execute(
                "DELETE FROM spaces WHERE name = ? AND id NOT IN "
                "(SELECT id FROM spaces WHERE name = ? ORDER BY id DESC LIMIT ?)",
                (key, key, MAX_REVISIONS),
            )
        return revision

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

    def read(self, name: str, revision: int | None = None) -> dict[str, Any]:
        """Return a saved space's JSON, by default the newest; raise DocumentError if not stored."""
        key = json.dumps(name)
        if revision is None:
            revision_body = self._find_newest(key)
        else:
            rows = self._store.query(
                "SELECT id, body FROM spaces WHERE name = ? AND id = ?", (key, revision)
            )
            revision_body = _unseal_revision(*rows[0]) if rows else None
        if revision_body is None:
            raise DocumentError(
                phrase(
                    "The document {path!r} has no space {name!r}.",
                    path=self._store.path.name,
                    name=name,
                )
                if revision is None
                else phrase(
                    "The document {path!r} has no space {name!r} in revision {revision}.",
                    path=self._store.path.name,
                    name=name,
                    revision=revision,
                )
            )
        return revision_body[1].space

    def _read_newest(self, key: str) -> "tuple[int, _Body] | None":
        read = partial(self._find_newest, key)
        return self._store.read_or_record_damage(read, None, _NOT_SAVED)

    def _find_newest(self, key: str) -> "tuple[int, _Body] | None":
        rows = self._store.query(
            "SELECT id, body FROM spaces WHERE name = ? ORDER BY id DESC LIMIT 1", (key,)
        )
        return _unseal_revision(*rows[0]) if rows else None


_NOT_SAVED = phrase("That revision of the space cannot be used.")


def _decode_name(key: str) -> str:
    """Return a name, or the raw text if damaged."""
    try:
        name = read_json(key)
    except JsonError:
        return key
    return name if isinstance(name, str) else key


@dataclass(frozen=True)
class _Body:
    """The sealed record of a revision of a space."""

    space: dict[str, Any]
    saved: float


def _unseal_revision(revision: int, sealed: str) -> tuple[int, _Body]:
    return revision, shapes.unseal(_Body, sealed, f"space {revision}")
