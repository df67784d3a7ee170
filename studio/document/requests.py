"""What windows ask of the engines of runs."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

from studio.document import sealing, shapes
from studio.document.connection import Store
from studio.document.runs import Runs
from studio.errors import DocumentError
from studio.phrases import phrase

RequestKind = Literal["pause", "continue", "stop", "budget"]


@dataclass(frozen=True)
class Request:
    """A request of a window for a run.

    Attributes:
        kind: What is asked.
        value: What it is about: for "budget" the new number of trials in all, or a mapping of the
            settings "budget" and "seconds".
    """

    kind: RequestKind
    value: Any = None


class Requests:
    """The requests that a document holds until an engine takes them.

    Args:
        store: The open file.
        runs: Its runs.
    """

    def __init__(self, store: Store, runs: Runs) -> None:
        self._store = store
        self._runs = runs

    def post(self, run_id: int, kind: RequestKind, value: Any = None) -> None:
        """Leave a request for the engine."""
        if kind not in get_args(RequestKind):
            raise DocumentError("A run cannot be asked to {kind!r}.", kind=kind)
        with self._store.transaction():
            self._runs.get(run_id)
            body = sealing.seal({"kind": kind, "value": value}, f"request {run_id}")
            self._store.execute("INSERT INTO requests (run, body) VALUES (?, ?)", (run_id, body))

    def any(self, run_id: int) -> bool:
        """Return whether there are requests; cheap, and without a transaction."""
        return bool(self._store.query("SELECT 1 FROM requests WHERE run = ? LIMIT 1", (run_id,)))

    def all(self, run_id: int) -> list[Request]:
        """Return the requests for a run, oldest first, and leave them there."""
        rows = self._store.query("SELECT body FROM requests WHERE run = ? ORDER BY id", (run_id,))
        requests = (
            self._store.sound(
                partial(_request, run_id, body), run_id, phrase("That request is left out.")
            )
            for (body,) in rows
        )
        return [request for request in requests if request is not None]

    def take(self, run_id: int) -> list[Request]:
        """Return the requests for a run, oldest first, and remove them.

        Cheap when there is none. Inside a transaction together with what answers a request
        (:meth:`studio.document.runs.Runs.change_settings`), a crash loses neither.
        """
        if not self.any(run_id):
            return []
        with self._store.transaction():
            requests = self.all(run_id)
            self._store.execute("DELETE FROM requests WHERE run = ?", (run_id,))
        return requests


def _request(run_id: int, sealed: str) -> Request:
    label = f"request {run_id}"
    return shapes.build(Request, sealing.unseal(sealed, label), label)
