"""Data tables in a document: a description and arrays, written in small steps."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.data.numbers import parse_format
from studio.document import arrays, sealing, shapes
from studio.document.arrays import ArrayStore
from studio.document.connection import Store
from studio.document.processes import Owner
from studio.errors import DocumentError
from studio.phrases import phrase
from studio.plain_json import JsonError, read_json

_STEP_BYTES = 8 << 20
"""Stored bytes per transaction, so that a run's writes are delayed by a few ms only."""


@dataclass(frozen=True)
class StoredTable:
    """A table of the document without contents; times are Unix times, sizes refer to memory."""

    id: int
    created: float
    n_bytes: int


@dataclass(frozen=True)
class _Body:
    """The sealed record of a table; the array called "" is its description."""

    created: float
    n_bytes: int
    arrays: tuple[tuple[str, int], ...]


class Tables:
    """The tables of data in a document."""

    def __init__(self, store: Store, arrays: ArrayStore) -> None:
        self._store = store
        self._arrays = arrays

    def add(self, description: Mapping[str, Any], columns: Mapping[str, AnyArray]) -> int:
        """Store a table, which becomes visible when it is complete; return its id.

        Args:
            description: JSON values from :meth:`studio.data.table.Table.to_description`.
            columns: Arrays of numbers or flags, each shape (n_rows,), by name.

        Raises:
            DocumentWriteError: If writing failed; the document is unchanged.
        """
        text = sealing.seal(description, "description")
        parts = {"": np.frombuffer(text.encode("ascii"), dtype=np.uint8), **columns}
        if len(parts) != len(columns) + 1:
            raise DocumentError("Every array of a table needs a name.")
        layouts = {name: arrays.BlockLayout.from_array(array) for name, array in parts.items()}
        self._store.enable_log_checkpoints()
        with self._store.run_transaction():
            self._drop_drafts()
            writer = json.dumps(asdict(self._store.get_current_owner()))
            table_id = self._store.execute(
                "INSERT INTO data (revision, writer) VALUES (0, ?)", (writer,)
            )
            ids = {
                name: self._arrays.add_header(layout, table_id) for name, layout in layouts.items()
            }
        try:
            self._add_in_steps(
                (ids[name], block_index, block)
                for name, array in parts.items()
                for block_index, block in enumerate(arrays.encode(array))
            )
            self._publish(table_id, ids, sum(layout.n_bytes for layout in layouts.values()))
        except BaseException:
            self._drop_unfinished(table_id)
            raise
        return table_id

    def list_all(self) -> tuple[StoredTable, ...]:
        """Return the undamaged tables in order of creation."""
        rows = self._store.query("SELECT id, body FROM data WHERE writer IS NULL ORDER BY id")
        reads = (partial(_unseal_row, *columns) for columns in rows)
        consequence = phrase("Runs on that table cannot continue.")
        return tuple(self._store.read_undamaged(reads, None, consequence))

    def list_ids_added_since(self, revision: int) -> tuple[int, ...]:
        """Return the ids of the tables added after a revision of the document."""
        rows = self._store.query(
            "SELECT id FROM data WHERE writer IS NULL AND revision > ? ORDER BY id", (revision,)
        )
        return tuple(int(table_id) for (table_id,) in rows)

    def describe(self, table_id: int) -> dict[str, Any]:
        """Return a table's description only, in constant time."""
        ids = self._find_arrays(table_id)
        with sealing.attribute_damage(_make_label(table_id)):
            return self._read_description(ids)

    def read(self, table_id: int) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return a table's description and arrays, each shape (n_rows,)."""
        ids = self._find_arrays(table_id)
        with sealing.attribute_damage(_make_label(table_id)):
            columns = {name: self._arrays.read(ids[name]) for name in ids if name}
            return self._read_description(ids), columns

    def _read_description(self, ids: Mapping[str, int]) -> dict[str, Any]:
        text = self._arrays.read(ids[""]).tobytes().decode("ascii", errors="replace")
        description = sealing.unseal(text, "description")
        if not isinstance(description, dict):
            sealing.raise_damaged("description")
        return description

    def _find_arrays(self, table_id: int) -> dict[str, int]:
        rows = self._store.query(
            "SELECT body FROM data WHERE id = ? AND writer IS NULL", (table_id,)
        )
        if not rows:
            raise DocumentError(
                "The document {path!r} has no table {table_id}.",
                path=self._store.path.name,
                table_id=table_id,
            )
        label = _make_label(table_id)
        ids = dict(shapes.unseal(_Body, rows[0][0], label).arrays)
        if "" not in ids:
            sealing.raise_damaged(label)
        return ids

    def _add_in_steps(self, blocks: Iterator[tuple[int, int, bytes]]) -> None:
        waiting: list[tuple[int, int, bytes]] = []
        size = 0
        for array_id, block_index, block in blocks:
            waiting.append((array_id, block_index, block))
            size += len(block)
            if size >= _STEP_BYTES:
                self._add_waiting(waiting)
                waiting, size = [], 0
        self._add_waiting(waiting)

    def _add_waiting(self, waiting: list[tuple[int, int, bytes]]) -> None:
        with self._store.run_transaction():
            for array_id, block_index, block in waiting:
                self._arrays.add_block(array_id, block_index, block)

    def _publish(self, table_id: int, ids: Mapping[str, int], n_bytes: int) -> None:
        body = asdict(_Body(time.time(), n_bytes, tuple(ids.items())))
        with self._store.run_transaction():
            self._store.execute("UPDATE arrays SET draft = NULL WHERE draft = ?", (table_id,))
            self._store.execute(
                "UPDATE data SET writer = NULL, revision = ?, body = ? WHERE id = ?",
                (
                    self._store.advance_revision(),
                    sealing.seal(body, _make_label(table_id)),
                    table_id,
                ),
            )

    def _drop_unfinished(self, table_id: int) -> None:
        """Remove an unfinished table; if that fails, the next writer removes it."""
        with suppress(DocumentError), self._store.run_transaction():
            self._drop_draft(table_id)

    def _drop_drafts(self) -> None:
        """Remove unfinished tables of dead processes."""
        drafts = self._store.query("SELECT id, writer FROM data WHERE writer NOT NULL")
        for table_id, writer in drafts:
            if not self._is_writer_alive(writer):
                self._drop_draft(table_id)

    def _is_writer_alive(self, writer: str) -> bool:
        try:
            owner = shapes.build(Owner, read_json(writer), "writer")
        except (DocumentError, JsonError):
            return False
        return self._store.is_owner_alive_here(owner) and owner.is_alive(heartbeat=0.0)

    def _drop_draft(self, table_id: int) -> None:
        for (array_id,) in self._store.query("SELECT id FROM arrays WHERE draft = ?", (table_id,)):
            self._arrays.remove(array_id)
        self._store.execute("DELETE FROM data WHERE id = ? AND writer NOT NULL", (table_id,))


def _make_label(table_id: int) -> str:
    return f"table {table_id}"


def _unseal_row(table_id: int, sealed: object) -> StoredTable:
    body = shapes.unseal(_Body, sealed, _make_label(table_id))
    return StoredTable(table_id, body.created, body.n_bytes)


def get_target_unit(description: Mapping[str, Any]) -> str:
    """Return the unit of a described table's target; empty without one."""
    columns = (each for each in description["columns"] if each["role"] == "target")
    return "".join(parse_format(each).unit for each in columns)


def list_feature_names(description: Mapping[str, Any]) -> set[str]:
    """Return the names of the file's columns from which models learn, of a described table."""
    features = (each for each in description["columns"] if each["role"] == "feature")
    return {
        str(each["aliases"][-1] if each.get("date") or each.get("term") else each["name"])
        for each in features
    }
