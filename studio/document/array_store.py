"""Arrays in a document: a sealed header each, and their blocks."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from studio.arrays import AnyArray
from studio.document import arrays, sealing, shapes
from studio.document.connection import Store
from studio.errors import DocumentError

_BLOCK_BITS = 20
"""A block's id is its array's id shifted by this, plus its place: 2**20 blocks of 1 MiB at most."""


class ArrayStore:
    """The arrays of a document.

    Args:
        store: The open file.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_blocks(self, layout: arrays.BlockLayout, blocks: list[bytes]) -> int:
        """Store an array that is encoded already (outside of the transaction, since it is slow)."""
        array_id = self.add_header(layout, None)
        for place, block in enumerate(blocks):
            self.add_block(array_id, place, block)
        return array_id

    def add_header(self, layout: arrays.BlockLayout, draft: int | None) -> int:
        """Add an array without its blocks; ``draft`` is the table that it waits for."""
        ((array_id,),) = self._store.query("SELECT coalesce(max(id), 0) + 1 FROM arrays")
        header = {"dtype": layout.dtype, "shape": list(layout.shape)}
        self._store.execute(
            "INSERT INTO arrays (id, draft, header) VALUES (?, ?, ?)",
            (array_id, draft, sealing.seal(header, f"array {array_id}")),
        )
        return int(array_id)

    def add_block(self, array_id: int, place: int, block: bytes) -> None:
        """Add a block of an array, at its place from 0."""
        block_id = array_id << _BLOCK_BITS | place
        self._store.execute(
            "INSERT INTO blocks (id, crc, data) VALUES (?, ?, ?)",
            (block_id, _checksum(block_id, block), block),
        )

    def read(self, array_id: int) -> AnyArray:
        """Return a stored array in its shape."""
        layout = self.layout(array_id)
        first = array_id << _BLOCK_BITS
        ((count, size),) = self._store.query(
            "SELECT count(*), coalesce(sum(length(data)), 0) FROM blocks WHERE id BETWEEN ? AND ?",
            (first, first + layout.n_blocks - 1),
        )
        # Deflate gains less than 1032 : 1, so a small file cannot make us reserve a huge array.
        if count != layout.n_blocks or layout.n_bytes > 1032 * size:
            sealing.damaged(f"array {array_id}")
        return arrays.decode(self.blocks(array_id, layout), layout)

    def remove(self, array_id: int) -> None:
        """Remove an array inside a transaction."""
        first = array_id << _BLOCK_BITS
        self._store.execute(
            "DELETE FROM blocks WHERE id BETWEEN ? AND ?", (first, first + (1 << _BLOCK_BITS) - 1)
        )
        self._store.execute("DELETE FROM arrays WHERE id = ?", (array_id,))

    def layout(self, array_id: int) -> arrays.BlockLayout:
        """Return how a stored array is laid out; all of its blocks are there."""
        label = f"array {array_id}"
        found = self._store.query("SELECT header FROM arrays WHERE id = ?", (array_id,))
        if not found:
            sealing.damaged(label)
        header = shapes.build(_Header, sealing.unseal(found[0][0], label), label)
        try:
            layout = arrays.BlockLayout(header.dtype, header.shape)
        except DocumentError as error:
            sealing.damaged(label, error)
        first = array_id << _BLOCK_BITS
        ((stored,),) = self._store.query(
            "SELECT count(*) FROM blocks WHERE id BETWEEN ? AND ?",
            (first, first + (1 << _BLOCK_BITS) - 1),
        )
        if stored != layout.n_blocks:  # an empty array would hide that there are rows
            sealing.damaged(label)
        return layout

    def blocks(self, array_id: int, layout: arrays.BlockLayout) -> Iterator[bytes]:
        """Yield the blocks of a stored array as they were written."""
        # One query a block: no read is held open while the blocks before are decoded.
        for place in range(layout.n_blocks):
            block_id = array_id << _BLOCK_BITS | place
            found = self._store.query("SELECT crc, data FROM blocks WHERE id = ?", (block_id,))
            for crc, data in found:
                if not isinstance(data, bytes) or _checksum(block_id, data) != crc:
                    sealing.damaged(f"array {array_id}")
                yield data


@dataclass(frozen=True)
class _Header:
    """What is sealed about an array."""

    dtype: str
    shape: tuple[int, ...]


def _checksum(block_id: int, block: bytes) -> int:
    return zlib.crc32(block, zlib.crc32(block_id.to_bytes(8, "little")))
