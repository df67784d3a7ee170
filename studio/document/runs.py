"""Runs in a document: their settings, state, and requests from the window."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from studio.arrays import AnyArray
from studio.document import arrays, sealing, shapes
from studio.document.arrays import ArrayStore
from studio.document.connection import Store
from studio.document.decision import Decision
from studio.document.notes import Notes
from studio.document.processes import UNKNOWN, Owner
from studio.document.results import Result
from studio.document.shapes import check_time
from studio.errors import DocumentError
from studio.phrases import phrase
from studio.version import VERSION

RunState = Literal["waiting", "running", "paused", "stopped", "finished", "failed"]


RESULT_LOST = phrase(
    "The end and the result of this run are lost; its trials are kept. Continue it to get the "
    "result again."
)


@dataclass(frozen=True)
class Body:
    """The sealed record of a run; ``program`` is the version that created it."""

    name: str
    settings: dict[str, Any]
    table: int | None
    split: tuple[tuple[str, int], ...]
    created: float
    decision: Decision | None = None
    program: str = ""

    def __post_init__(self) -> None:
        check_time(self.created)


@dataclass(frozen=True)
class Status:
    """The sealed status of a run; newer versions may add fields."""

    state: RunState = "waiting"
    message: str = ""
    result: Result | None = None


def unseal_body(run_id: int, sealed: object) -> Body:
    """Return a run's body; raise DamagedError if it is damaged."""
    return shapes.unseal(Body, sealed, f"run {run_id}")


def unseal_status(run_id: int, sealed: object) -> Status:
    """Return the status of a run."""
    label = f"status {run_id}"
    return shapes.pick(Status, sealing.unseal(sealed, label), label)


_NOTE = "document.removed_runs"

_MAX_RUN_ID = 1 << 62
"""Maximum run number, with a reserve for later runs."""


class RemovedRuns:
    """The numbers of removed runs, which are never reused."""

    def __init__(self, store: Store, notes: Notes) -> None:
        self._store = store
        self._notes = notes

    def list_removed_ids(self, revision: int = -1) -> tuple[int, ...]:
        """Return all removed ids, or none if no removal is newer than the revision."""
        rows = self._store.query(
            "SELECT 1 FROM notes WHERE name = ? AND revision > ?", (json.dumps(_NOTE), revision)
        )
        return self._read_ids() if rows else ()

    def get_next_id(self) -> int:
        """Return an unused number, as followers identify runs by it."""
        ((newest,),) = self._store.query("SELECT coalesce(max(id), 0) FROM runs")
        return max(int(newest), *self._read_ids(), 0) + 1

    def record_removal(self, run_id: int) -> None:
        """Record that a run was removed."""
        self._notes.set(_NOTE, [*self._read_ids(), run_id])

    def _read_ids(self) -> tuple[int, ...]:
        return self._notes.read_value(_NOTE, _parse_run_ids) or ()


def _parse_run_ids(content: Any, label: str) -> tuple[int, ...]:
    if not isinstance(content, list) or not all(
        type(each) is int and 0 < each < _MAX_RUN_ID for each in content
    ):
        sealing.raise_damaged(label)
    return tuple(content)


@dataclass(frozen=True)
class RunRow:
    """A run, without its trials.

    Attributes:
        settings: JSON of :class:`studio.runs.settings.RunSettings`.
        table_id: The training table; ``None`` until the engine has read it from its file.
        prepared: Whether its split is fixed (:meth:`Runs.split`).
        created: Unix time.
        state: The last state set by the engine; "running" with a dead owner is an interrupted run.
        message: A sentence about the state, possibly empty.
        result: The final result; for a continued run, that of an earlier end.
        owner: The process that computes the run, or the last one that did not release it.
        heartbeat: Unix time of the owner's last sign of life; 0 without any.
        decision: ``None`` for the method's own labels.
        program: The version of Ensemble Studio that began it; empty before 0.2.0.
    """

    id: int
    name: str
    settings: dict[str, Any]
    table_id: int | None
    prepared: bool
    created: float
    state: RunState
    message: str
    result: Result | None
    owner: Owner | None
    heartbeat: float
    decision: Decision | None = None
    program: str = ""

    @property
    def decision_note(self) -> str:
        """A note if the decision was made for an earlier result; empty otherwise."""
        return "" if self.decision is None else self.decision.describe_outdated(self.result)

    @property
    def positive_class(self) -> str | None:
        """The positive class of its decision, if any."""
        return None if self.decision is None else self.decision.looked_for

    @property
    def is_owner_alive(self) -> bool:
        """Whether its process is alive (a system call)."""
        return self.owner is not None and self.owner.is_alive(self.heartbeat)


class Runs:
    """The runs of a document."""

    def __init__(self, store: Store, arrays: ArrayStore, removed_runs: RemovedRuns) -> None:
        self._store = store
        self._arrays = arrays
        self._removed = removed_runs

    def add(
        self,
        name: str,
        settings: Mapping[str, Any],
        table_id: int | None = None,
        split: Mapping[str, AnyArray] | None = None,
    ) -> int:
        """Store a new run, state "waiting"; return its id.

        Args:
            name: The display name; need not be unique.
            table_id: The training table, if already in the document.
            split: Arrays of row numbers, each shape (k,), by name ("train", "test", …), if already
                fixed.
        """
        encoded = _encode(split or {})
        with self._store.run_transaction():
            run_id = self._removed.get_next_id()
            split_ids = self._add_split(encoded)
            body = Body(name, dict(settings), table_id, split_ids, time.time(), program=VERSION)
            label = f"run {run_id}"
            self._store.execute(
                "INSERT INTO runs (id, revision, body, status, heartbeat) VALUES (?, ?, ?, ?, 0)",
                (
                    run_id,
                    self._store.advance_revision(),
                    sealing.seal(asdict(body), label),
                    sealing.seal(asdict(Status()), f"status {run_id}"),
                ),
            )
        return run_id

    def prepare(
        self,
        run_id: int,
        settings: Mapping[str, Any],
        table_id: int,
        split: Mapping[str, AnyArray],
        name: str | None = None,
    ) -> None:
        """Complete a run with its open settings, its table, its rows, and optionally its name.

        Args:
            settings, table_id, split: As in :meth:`add`. Rows fixed earlier are kept, as trials
                depend on them.
            name: ``None`` keeps the current one.
        """
        encoded = _encode(split)
        with self._store.run_transaction():
            body = self._read_body(run_id)
            rows = body.split or self._add_split(encoded)
            complete = replace(body, settings=dict(settings), table=table_id, split=rows)
            self._set_body(run_id, complete if name is None else replace(complete, name=name))

    def list_all(self) -> tuple[RunRow, ...]:
        """Return all undamaged runs in order of creation."""
        return self._read_valid_rows(self._store.query(f"{_SELECT} ORDER BY id"))

    def get(self, run_id: int) -> RunRow:
        """Return one run; raise DocumentError if it is missing or damaged."""
        rows = self._store.query(f"{_SELECT} WHERE id = ?", (run_id,))
        if not rows:
            raise self.make_missing_error(run_id)
        return self._parse_row(*rows[0])

    def split(self, run_id: int) -> dict[str, AnyArray]:
        """Return the run's arrays of row numbers, each shape (k,); empty until it is prepared."""
        array_ids = self._read_body(run_id).split
        with sealing.attribute_damage(_make_split_label(run_id)):
            return {part: self._arrays.read(array_id) for part, array_id in array_ids}

    def test_rows(self, run_id: int) -> AnyArray:
        """Return the numbers of the run's test rows, shape (k,); empty until it is prepared."""
        ids = dict(self._read_body(run_id).split)
        with sealing.attribute_damage(_make_split_label(run_id)):
            return self._arrays.read(ids["test"]) if "test" in ids else np.empty(0, dtype=np.int64)

    def rename(self, run_id: int, name: str) -> None:
        """Rename a run; raise DocumentError if it is missing, or the name empty."""
        new_name = " ".join(name.split())
        if not new_name:
            raise DocumentError("A run needs a name; none was given. Type at least one letter.")
        with self._store.run_transaction():
            self._set_body(run_id, replace(self._read_body(run_id), name=new_name))

    def decide(self, run_id: int, decision: Decision | None) -> None:
        """Store a run's decision; ``None`` restores its method's labels."""
        with self._store.run_transaction():
            result = self.get(run_id).result
            if decision is not None and result is not None:
                decision = replace(decision, result=result.key)
            self._set_body(run_id, replace(self._read_body(run_id), decision=decision))

    def change_settings(self, run_id: int, changes: Mapping[str, Any]) -> None:
        """Change some of a run's settings (a larger budget)."""
        with self._store.run_transaction():
            body = self._read_body(run_id)
            self._set_body(run_id, replace(body, settings={**body.settings, **changes}))

    def set_state(self, run_id: int, state: RunState, message: str = "") -> None:
        """Set the state of a run, keeping its result."""
        if state not in get_args(RunState):
            raise DocumentError("A run cannot be {state!r}.", state=state)
        with self._store.run_transaction():
            self._change_status(run_id, state=state, message=message)

    def set_result(self, run_id: int, result: Result) -> None:
        """Store a run's result, keeping its state."""
        with self._store.run_transaction():
            self._change_status(run_id, result=result.to_json())

    def _add_split(
        self, encoded: Mapping[str, tuple[arrays.BlockLayout, list[bytes]]]
    ) -> tuple[tuple[str, int], ...]:
        return tuple((part, self._arrays.add_blocks(*blocks)) for part, blocks in encoded.items())

    def get_split_array_ids(self, run_id: int) -> tuple[int, ...]:
        """Return the ids of the arrays with a run's rows."""
        return tuple(array_id for _, array_id in self._read_body(run_id).split)

    def _set_body(self, run_id: int, body: Body) -> None:
        self._store.execute(
            "UPDATE runs SET revision = ?, body = ? WHERE id = ?",
            (self._store.advance_revision(), sealing.seal(asdict(body), f"run {run_id}"), run_id),
        )

    def _change_status(self, run_id: int, **changes: Any) -> None:
        """Change part of a run's status, keeping fields of other versions."""
        row, label = self.get(run_id), f"status {run_id}"
        status = {"state": row.state, "message": row.message, "result": None}
        if row.result is not None:
            ((sealed,),) = self._store.query("SELECT status FROM runs WHERE id = ?", (run_id,))
            status = sealing.unseal(sealed, label)
        self._store.execute(
            "UPDATE runs SET revision = ?, status = ? WHERE id = ?",
            (self._store.advance_revision(), sealing.seal({**status, **changes}, label), run_id),
        )

    def list_changed_since(self, revision: int) -> tuple[RunRow, ...]:
        """Return undamaged runs created or changed after a revision."""
        return self._read_valid_rows(
            self._store.query(f"{_SELECT} WHERE revision > ? ORDER BY id", (revision,))
        )

    def _read_valid_rows(self, stored_rows: Sequence[Any]) -> tuple[RunRow, ...]:
        rows = (
            self._store.read_or_record_damage(
                partial(self._parse_row, *columns), columns[0], DAMAGED_RUN_MESSAGE
            )
            for columns in stored_rows
        )
        return tuple(row for row in rows if row is not None)

    def _parse_row(
        self, run_id: int, body: str, status: str, owner: str | None, heartbeat: float
    ) -> RunRow:
        """Return a run; its status and owner may be damaged."""
        run_body = unseal_body(run_id, body)
        current = self._store.read_or_record_damage(
            partial(unseal_status, run_id, status), run_id, RESULT_LOST
        )
        return RunRow(
            id=run_id,
            name=run_body.name,
            settings=run_body.settings,
            table_id=run_body.table,
            prepared=bool(run_body.split),
            created=run_body.created,
            state="failed" if current is None else current.state,
            message=RESULT_LOST if current is None else current.message,
            result=None if current is None else current.result,
            owner=self.process(run_id, owner),
            heartbeat=heartbeat,
            decision=run_body.decision,
            program=run_body.program,
        )

    def process(self, run_id: int, owner: str | None) -> Owner | None:
        """Return the process of a run, as far as readable; ``None`` in a copy."""
        if owner is None:
            return None
        read = partial(shapes.unseal, Owner, owner, f"owner {run_id}")
        process_owner = self._store.read_or_record_damage(read, run_id, _HEARTBEAT_NOTE) or UNKNOWN
        return process_owner if self._store.is_owner_alive_here(process_owner) else None

    def _read_body(self, run_id: int) -> Body:
        rows = self._store.query("SELECT body FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise self.make_missing_error(run_id)
        return unseal_body(run_id, rows[0][0])

    def make_missing_error(self, run_id: int) -> DocumentError:
        """Return the error for a missing run."""
        return DocumentError(
            "The document {path!r} has no run {run_id}.", path=self._store.path.name, run_id=run_id
        )


DAMAGED_RUN_MESSAGE = phrase("That run cannot be shown or continued; it can be removed.")

_HEARTBEAT_NOTE = phrase("That run counts as in progress while its engine responds.")

_SELECT = "SELECT id, body, status, owner, heartbeat FROM runs"


def _make_split_label(run_id: int) -> str:
    return f"split of run {run_id}"


def _encode(split: Mapping[str, AnyArray]) -> dict[str, tuple[arrays.BlockLayout, list[bytes]]]:
    """Encode a split, arrays of any shape, before the transaction."""
    return {
        part: (arrays.BlockLayout.from_array(rows), list(arrays.encode(rows)))
        for part, rows in split.items()
    }


RequestKind = Literal["pause", "continue", "stop", "budget"]


@dataclass(frozen=True)
class Request:
    """A request of a window for a run.

    Attributes:
        value: For "budget" the new total number of trials, or a mapping of the settings "budget"
            and "seconds".
    """

    kind: RequestKind
    value: Any = None


class RequestTable:
    """The pending requests in a document."""

    def __init__(self, store: Store, runs: Runs) -> None:
        self._store = store
        self._runs = runs

    def post(self, run_id: int, kind: RequestKind, value: Any = None) -> None:
        """Add a request for the engine."""
        if kind not in get_args(RequestKind):
            raise DocumentError("Unknown request to a run: {kind!r}.", kind=kind)
        with self._store.run_transaction():
            self._runs.get(run_id)
            body = sealing.seal({"kind": kind, "value": value}, f"request {run_id}")
            self._store.execute("INSERT INTO requests (run, body) VALUES (?, ?)", (run_id, body))

    def has_any(self, run_id: int) -> bool:
        """Return whether there are requests; cheap, and without a transaction."""
        return bool(self._store.query("SELECT 1 FROM requests WHERE run = ? LIMIT 1", (run_id,)))

    def list_all(self, run_id: int) -> list[Request]:
        """Return the requests for a run, oldest first, without removing them."""
        rows = self._store.query("SELECT body FROM requests WHERE run = ? ORDER BY id", (run_id,))
        reads = (partial(shapes.unseal, Request, body, f"request {run_id}") for (body,) in rows)
        return self._store.read_undamaged(reads, run_id, phrase("That request is left out."))

    def pop_all(self, run_id: int) -> list[Request]:
        """Remove and return the requests for a run, oldest first.

        Cheap if there is none. In one transaction with the request's effect
        (:meth:`studio.document.runs.Runs.change_settings`), neither is lost in a crash.
        """
        if not self.has_any(run_id):
            return []
        with self._store.run_transaction():
            requests = self.list_all(run_id)
            self._store.execute("DELETE FROM requests WHERE run = ?", (run_id,))
        return requests
