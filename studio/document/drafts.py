"""What a person edits in the window: spaces with their revisions, and small notes."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from studio.document import sealing, shapes
from studio.document.connection import Store
from studio.errors import DocumentError
from studio.phrases import phrase
from studio.plain_json import JsonError, read_json

T = TypeVar("T")

KEPT_REVISIONS = 100
"""Revisions of a space that are kept."""


def of_run(run_id: int, name: str) -> str:
    """Return the name of a note that belongs to a run, and goes with it."""
    return f"run.{run_id}.{name}"


class Drafts(Store):
    """The part of a document that holds what a person edits."""

    def save_space(self, name: str, space: Mapping[str, Any]) -> int:
        """Save a space's JSON as its newest revision; return that.

        Saving what is there already changes nothing.
        """
        key = json.dumps(name)
        with self.transaction():
            newest = self.sound(partial(self._newest, key), None, _NOT_SAVED)
            if newest is not None and newest[1].space == space:
                return newest[0]
            revision = self._tick()
            body = {"space": space, "saved": time.time()}
            self._write(
                "INSERT INTO spaces (id, revision, name, body) VALUES (?, ?, ?, ?)",
                (revision, revision, key, sealing.seal(body, f"space {revision}")),
            )
            self._write(
                "DELETE FROM spaces WHERE name = ? AND id NOT IN "
                "(SELECT id FROM spaces WHERE name = ? ORDER BY id DESC LIMIT ?)",
                (key, key, KEPT_REVISIONS),
            )
        return revision

    def spaces(self) -> tuple[str, ...]:
        """Return the names of the saved spaces, of the one saved last at the end."""
        rows = self._read("SELECT name FROM spaces GROUP BY name ORDER BY max(id)")
        newest = {key: self.sound(partial(self._newest, key), None, _NOT_SAVED) for (key,) in rows}
        return tuple(_name(key) for key, found in newest.items() if found is not None)

    def spaces_since(self, revision: int) -> tuple[str, ...]:
        """Return the names of the spaces that were saved after a revision of the document."""
        rows = self._read(
            "SELECT name FROM spaces WHERE revision > ? GROUP BY name ORDER BY max(id)", (revision,)
        )
        return tuple(_name(key) for (key,) in rows)

    def space(self, name: str, revision: int | None = None) -> dict[str, Any]:
        """Return a saved space's JSON.

        Args:
            name: Its name.
            revision: Which one; the newest where ``None``.

        Raises:
            DocumentError: If it was not saved, or so long ago that it is no longer kept.
        """
        key = json.dumps(name)
        if revision is None:
            found = self._newest(key)
        else:
            rows = self._read(
                "SELECT id, body FROM spaces WHERE name = ? AND id = ?", (key, revision)
            )
            found = _open(*rows[0]) if rows else None
        if found is None:
            raise DocumentError(
                phrase(
                    "The document {path!r} has no space {name!r}.", path=self.path.name, name=name
                )
                if revision is None
                else phrase(
                    "The document {path!r} has no space {name!r} in revision {revision}.",
                    path=self.path.name,
                    name=name,
                    revision=revision,
                )
            )
        return found[1].space

    def set_note(self, name: str, value: object) -> None:
        """Keep a small JSON value under a name."""
        key = json.dumps(name)
        with self.transaction():
            self._write(
                "INSERT OR REPLACE INTO notes (name, revision, body) VALUES (?, ?, ?)",
                (key, self._tick(), sealing.seal(value, f"note {key}")),
            )

    def note(self, name: str) -> Any:
        """Return the value kept under a name, ``None`` where there is none, or a damaged one."""
        return self.kept(name, lambda content, _: content)

    def kept(self, name: str, read: Callable[[Any, str], T]) -> T | None:
        """Return what a note holds; ``None`` where there is none, or a damaged one.

        Args:
            name: The note's.
            read: Takes the JSON value and what the record is called, as
                :func:`studio.document.shapes.pick` does after the kind of record; raises
                :class:`studio.errors.DamagedError` where the value is another one.
        """
        key = json.dumps(name)
        found = self._read("SELECT body FROM notes WHERE name = ?", (key,))
        if not found:
            return None
        return self.sound(
            lambda: _opened(found[0][0], f"note {key}", read),
            None,
            phrase("It counts as not kept."),
        )

    def _newest(self, key: str) -> "tuple[int, _Body] | None":
        found = self._read(
            "SELECT id, body FROM spaces WHERE name = ? ORDER BY id DESC LIMIT 1", (key,)
        )
        return _open(*found[0]) if found else None


def _opened(sealed: str, label: str, read: Callable[[Any, str], T]) -> T | None:
    content = sealing.unseal(sealed, label)
    return None if content is None else read(content, label)


_NOT_SAVED = phrase("That revision of the space cannot be used.")


def _name(key: str) -> str:
    """Return a name as it was given, or the raw text where it is damaged."""
    try:
        name = read_json(key)
    except JsonError:
        return key
    return name if isinstance(name, str) else key


@dataclass(frozen=True)
class _Body:
    """What is sealed about a revision of a space."""

    space: dict[str, Any]
    saved: float


def _open(revision: int, sealed: str) -> tuple[int, _Body]:
    label = f"space {revision}"
    return revision, shapes.build(_Body, sealing.unseal(sealed, label), label)
