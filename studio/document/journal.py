"""The current activity of a run, and its messages."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal, get_args

from studio.document import sealing, shapes
from studio.document.connection import Store
from studio.document.shapes import check_time
from studio.errors import DocumentError
from studio.phrases import phrase
from studio.trial import Configuration

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class RunningJob:
    """The current job of a worker.

    Attributes:
        slot: The worker's index, from 0.
        fold, folds: The current fold, from 1, and the number of folds; 0 if unknown.
    """

    slot: int
    configuration: Configuration
    since: float
    origin: str = ""
    fold: int = 0
    folds: int = 0


@dataclass(frozen=True)
class Message:
    """A message of a run, or of the program.

    Attributes:
        id: Ascending in time.
        run_id: ``None`` for the document as a whole.
        time: Unix time.
    """

    id: int
    run_id: int | None
    time: float
    level: Level
    text: str


class Journal:
    """Current activity and messages of a document's runs."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set_running(self, run_id: int, workers: Sequence[RunningJob]) -> None:
        """Replace the current jobs of a run's workers; empty if idle."""
        body = sealing.seal(asdict(_Workers(tuple(map(asdict, workers)))), f"running {run_id}")
        with self._store.run_transaction():
            self._store.execute(
                "INSERT OR REPLACE INTO running (run, revision, body) VALUES (?, ?, ?)",
                (run_id, self._store.advance_revision(), body),
            )

    def list_running(self, run_id: int) -> tuple[RunningJob, ...]:
        """Return the current jobs of a run's workers, as last reported."""
        rows = self._store.query("SELECT body FROM running WHERE run = ?", (run_id,))
        return self._read_workers(run_id, rows[0][0]) if rows else ()

    def add_message(self, run_id: int | None, level: Level, text: str) -> None:
        """Add a message."""
        if level not in get_args(Level):
            raise DocumentError("A message cannot be of level {level!r}.", level=level)
        body = sealing.seal(asdict(_StoredMessage(time.time(), level, text)), "message")
        with self._store.run_transaction():
            # Ids come from the revision counter, so deleted ids are never reused.
            self._store.execute(
                "INSERT INTO messages (id, run, body) VALUES (?, ?, ?)",
                (self._store.advance_revision(), run_id, body),
            )

    def list_messages(self, run_id: int | None = None, after: int = 0) -> tuple[Message, ...]:
        """Return messages about a run (all for ``None``) after a message id."""
        rows = self._store.query(
            "SELECT id, run, body FROM messages WHERE id > ? AND (run = ? OR ? IS NULL) "
            "ORDER BY id",
            (after, run_id, run_id),
        )
        messages = (
            self._store.read_or_record_damage(
                partial(_unseal_message, *columns), columns[1], phrase("It is left out.")
            )
            for columns in rows
        )
        return tuple(message for message in messages if message is not None)

    def get_running_since(self, revision: int) -> dict[int, tuple[RunningJob, ...]]:
        """Return the current jobs of the runs whose jobs changed after a revision."""
        rows = self._store.query("SELECT run, body FROM running WHERE revision > ?", (revision,))
        return {run_id: self._read_workers(run_id, body) for run_id, body in rows}

    def _read_workers(self, run_id: int, body: str) -> tuple[RunningJob, ...]:
        workers = partial(_unseal_workers, run_id, body)
        consequence = phrase("The state of its workers is unknown.")
        return self._store.read_or_record_damage(workers, run_id, consequence) or ()


@dataclass(frozen=True)
class _Workers:
    """The sealed record of a run's workers."""

    workers: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class _StoredMessage:
    time: float
    level: Level
    text: str

    def __post_init__(self) -> None:
        check_time(self.time)


def _unseal_workers(run_id: int, sealed: str) -> tuple[RunningJob, ...]:
    label = f"running {run_id}"
    body = shapes.unseal(_Workers, sealed, label)
    return tuple(shapes.build(RunningJob, worker, label) for worker in body.workers)


def _unseal_message(message_id: int, run_id: int | None, sealed: str) -> Message:
    # (Sealed without its number, which the transaction assigns.)
    message = shapes.unseal(_StoredMessage, sealed, "message")
    return Message(message_id, run_id, message.time, message.level, message.text)
