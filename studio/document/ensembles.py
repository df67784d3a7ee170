"""Trained ensembles: a run's final models as arrays, so that they need not be retrained.

The document does not interpret the arrays; it stores them like all others, and removes them with
the run or its next result.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from studio.arrays import AnyArray
from studio.document import arrays, sealing, shapes
from studio.document.arrays import ArrayStore
from studio.document.connection import Store
from studio.document.owners import Owners
from studio.errors import DocumentError
from studio.phrases import phrase

MAX_BYTES = 200 << 20
"""Maximum size of an ensemble in a document; larger ones are retrained on demand."""

MAX_RAW_BYTES = 1 << 30
"""Maximum size of its arrays in memory."""


@dataclass(frozen=True)
class EncodedEnsemble:
    """An encoded ensemble (encoding is slow, so it precedes the transaction)."""

    metadata: Mapping[str, Any]
    parts: Mapping[str, tuple[arrays.BlockLayout, list[bytes]]]

    @property
    def n_bytes(self) -> int:
        """Size in the document in bytes."""
        return sum(len(block) for _, blocks in self.parts.values() for block in blocks)


def encode_ensemble(
    metadata: Mapping[str, Any], arrays_by_name: Mapping[str, AnyArray]
) -> EncodedEnsemble | None:
    """Encode an ensemble, arrays of any shape; ``None`` if it is too large."""
    if sum(array.nbytes for array in arrays_by_name.values()) > MAX_RAW_BYTES:
        return None
    parts = {}
    for name, array in arrays_by_name.items():
        parts[name] = (arrays.BlockLayout.from_array(array), list(arrays.encode(array)))
        if EncodedEnsemble(metadata, parts).n_bytes > MAX_BYTES:
            return None
    return EncodedEnsemble(metadata, parts)


class Ensembles:
    """The trained ensembles of a document, at most one per run."""

    def __init__(self, store: Store, arrays: ArrayStore, owners: Owners) -> None:
        self._store = store
        self._arrays = arrays
        self._owners = owners

    def store(self, run_id: int, encoded: EncodedEnsemble) -> None:
        """Store a run's ensemble; raise DocumentError if the run is missing or another's."""
        with self._store.run_transaction():
            self._owners.check(run_id)
            self.remove(run_id)
            ids = {name: self._arrays.add_blocks(*part) for name, part in encoded.parts.items()}
            record = {"about": dict(encoded.metadata), "arrays": ids, "n_bytes": encoded.n_bytes}
            self._store.execute(
                "INSERT INTO ensembles (run, revision, body) VALUES (?, ?, ?)",
                (run_id, self._store.advance_revision(), sealing.seal(record, _make_label(run_id))),
            )

    def remove(self, run_id: int) -> None:
        """Remove a run's trained ensemble, if there is one."""
        with self._store.run_transaction():
            if not self._has_ensembles():
                return
            record = self._store.read_or_record_damage(
                partial(self._read_record, run_id), run_id, phrase("It is replaced or removed.")
            )
            for array_id in () if record is None else record.arrays.values():
                self._arrays.remove(array_id)
            self._store.execute("DELETE FROM ensembles WHERE run = ?", (run_id,))

    def read_metadata(self, run_id: int) -> dict[str, Any] | None:
        """Return the metadata of a run's trained ensemble; ``None`` if it has none."""
        record = self._read_record(run_id)
        return None if record is None else record.about

    def read_arrays(self, run_id: int) -> dict[str, AnyArray]:
        """Return a trained ensemble's arrays by name, of any shape, or raise DocumentError."""
        record = self._read_record(run_id)
        if record is None:
            raise DocumentError(
                "The document contains no trained ensemble of run {run_id}.", run_id=run_id
            )
        label = _make_label(run_id)
        with sealing.attribute_damage(label):
            layouts = map(self._arrays.get_layout, record.arrays.values())
            if sum(layout.n_bytes for layout in layouts) > MAX_RAW_BYTES:
                sealing.raise_damaged(label)
            return {name: self._arrays.read(array_id) for name, array_id in record.arrays.items()}

    def _read_record(self, run_id: int) -> "_Record | None":
        if not self._has_ensembles():
            return None
        rows = self._store.query("SELECT body FROM ensembles WHERE run = ?", (run_id,))
        if not rows:
            return None
        return shapes.unseal(_Record, rows[0][0], _make_label(run_id))

    def _has_ensembles(self) -> bool:
        """Whether the document's version supports them: older ones are not upgraded for reading."""
        return bool(self._store.run_pragma("user_version")[0] >= 2)


@dataclass(frozen=True)
class _Record:
    about: dict[str, Any]
    arrays: dict[str, int]
    n_bytes: int


def _make_label(run_id: int) -> str:
    return f"ensemble {run_id}"
