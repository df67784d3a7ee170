"""Storage of arrays in a document: blocks of bytes without pickle, with a sealed header."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from studio.arrays import AnyArray
from studio.document import sealing, shapes
from studio.document.connection import Store
from studio.errors import DamagedError, DocumentError

BLOCK_BYTES = 1 << 20
"""Maximum raw bytes of an array in one block."""

MAX_BYTES_PER_ARRAY = 1 << 33
"""Maximum raw bytes of one array: larger declared sizes are rejected."""

_SAMPLE = 16_384
_MAX_COMPRESSION_RATIO = 0.95
_MIN_DEFLATED_BYTES = 64


@dataclass(frozen=True)
class BlockLayout:
    """Type and shape of an array that is stored in blocks.

    Attributes:
        dtype: NumPy's name of a little-endian boolean, integer or float type: ``"<f2"``, ``"|b1"``.
        shape: The array's shape.
    """

    dtype: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        """Reject anything but a plain array of a plausible size."""
        try:
            kind = np.dtype(self.dtype)
        except (TypeError, ValueError) as error:
            raise DocumentError(
                "Arrays of type {dtype!r} are not supported.", dtype=self.dtype
            ) from error
        if kind.kind not in "biuf" or kind.itemsize > 8 or kind.newbyteorder("<").str != self.dtype:
            raise DocumentError(
                "A document stores plain numbers and flags; an array of {kind} was given.",
                kind=kind,
            )
        if any(length < 0 for length in self.shape) or self.n_bytes > MAX_BYTES_PER_ARRAY:
            raise DocumentError(
                "A document stores arrays of up to {most} GiB; one of shape {shape} was given.",
                most=MAX_BYTES_PER_ARRAY >> 30,
                shape=self.shape,
            )

    @classmethod
    def from_array(cls, array: AnyArray) -> "BlockLayout":
        """Return the layout of an array of any shape."""
        return cls(array.dtype.newbyteorder("<").str, array.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return np.dtype(self.dtype).itemsize

    @property
    def n_bytes(self) -> int:
        """Raw bytes of the array."""
        return prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def n_blocks(self) -> int:
        """Number of its blocks."""
        return -(-self.n_bytes // BLOCK_BYTES)


def encode(array: AnyArray) -> Iterator[bytes]:
    """Yield the encoded blocks of an array of any shape."""
    layout = BlockLayout.from_array(array)
    flat = np.ascontiguousarray(array, dtype=layout.dtype).reshape(-1)
    step = BLOCK_BYTES // layout.itemsize
    for start in range(0, flat.size, step):
        yield _encode_block(flat[start : start + step])


def decode(blocks: Iterator[bytes], layout: BlockLayout) -> AnyArray:
    """Return the array stored in the blocks, writable, of their shape, or raise DocumentError."""
    kind = np.dtype(layout.dtype)
    step = BLOCK_BYTES // kind.itemsize
    flat = np.empty(prod(layout.shape), dtype=kind)
    content = flat.view(np.uint8).reshape(flat.size, kind.itemsize)
    for start in range(0, flat.size, step):
        _decode_block(next(blocks, b""), content[start : start + step])
    return flat.astype(kind.newbyteorder("="), copy=False).reshape(layout.shape)


def _encode_block(elements: AnyArray) -> bytes:
    content = elements.view(np.uint8).reshape(elements.size, elements.itemsize)
    planes = [_deflate_plane(np.ascontiguousarray(plane).tobytes()) for plane in content.T]
    return struct.pack(f"<{len(planes)}I", *map(len, planes)) + b"".join(planes)


def _deflate_plane(plane: bytes) -> bytes:
    """Return the plane, deflated if a sample indicates a gain."""
    if len(plane) < _MIN_DEFLATED_BYTES:
        return plane
    if len(plane) > _SAMPLE:
        middle = (len(plane) - _SAMPLE) // 2
        sample = plane[middle : middle + _SAMPLE]
        if len(zlib.compress(sample, 1)) > _MAX_COMPRESSION_RATIO * _SAMPLE:
            return plane
    deflated = zlib.compress(plane, 1)
    return deflated if len(deflated) < len(plane) else plane


def _decode_block(block: bytes, content: AnyArray) -> None:
    """Decode a block into its elements' octets, shape (size, itemsize)."""
    size, itemsize = content.shape
    head = 4 * itemsize
    if len(block) < head:
        raise _make_array_error()
    lengths = struct.unpack_from(f"<{itemsize}I", block)
    if sum(lengths) != len(block) - head:
        raise _make_array_error()
    view = memoryview(block)
    for column, length in enumerate(lengths):
        plane = _inflate_plane(view[head : head + length], size)
        content[:, column] = np.frombuffer(plane, dtype=np.uint8)
        head += length


def _inflate_plane(plane: memoryview, size: int) -> bytes | memoryview:
    if len(plane) == size:
        return plane
    inflater = zlib.decompressobj()
    try:
        # A hostile block can allocate at most one byte more than expected.
        inflated = inflater.decompress(plane, size + 1)
    except zlib.error as error:
        raise _make_array_error() from error
    if len(inflated) != size or not inflater.eof:
        raise _make_array_error()
    return inflated


def _make_array_error() -> DamagedError:
    return DamagedError(
        "The document is damaged: one of its arrays was altered. Use a backup copy of it, or "
        "start a new document from the data.",
        "array",
    )


_BLOCK_BITS = 20
"""Shift of an array's id in its blocks' ids, which add their index: 2**20 blocks of 1 MiB at most.
"""


class ArrayStore:
    """The arrays of a document."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_blocks(self, layout: BlockLayout, blocks: list[bytes]) -> int:
        """Store an encoded array (encoding is slow, so it precedes the transaction)."""
        array_id = self.add_header(layout, None)
        for block_index, block in enumerate(blocks):
            self.add_block(array_id, block_index, block)
        return array_id

    def add_header(self, layout: BlockLayout, draft: int | None) -> int:
        """Add an array without its blocks; ``draft`` is the id of its unfinished table."""
        ((array_id,),) = self._store.query("SELECT coalesce(max(id), 0) + 1 FROM arrays")
        header = {"dtype": layout.dtype, "shape": list(layout.shape)}
        self._store.execute(
            "INSERT INTO arrays (id, draft, header) VALUES (?, ?, ?)",
            (array_id, draft, sealing.seal(header, f"array {array_id}")),
        )
        return int(array_id)

    def add_block(self, array_id: int, index: int, block: bytes) -> None:
        """Add a block of an array, by its index from 0."""
        block_id = array_id << _BLOCK_BITS | index
        self._store.execute(
            "INSERT INTO blocks (id, crc, data) VALUES (?, ?, ?)",
            (block_id, _compute_checksum(block_id, block), block),
        )

    def read(self, array_id: int) -> AnyArray:
        """Return a stored array, of the stored shape."""
        layout = self.get_layout(array_id)
        first = array_id << _BLOCK_BITS
        ((count, size),) = self._store.query(
            "SELECT count(*), coalesce(sum(length(data)), 0) FROM blocks WHERE id BETWEEN ? AND ?",
            (first, first + layout.n_blocks - 1),
        )
        # Deflate gains less than 1032 : 1, so a small file cannot cause a huge allocation.
        if count != layout.n_blocks or layout.n_bytes > 1032 * size:
            sealing.raise_damaged(f"array {array_id}")
        return decode(self.iterate_blocks(array_id, layout), layout)

    def remove(self, array_id: int) -> None:
        """Remove an array inside a transaction."""
        first = array_id << _BLOCK_BITS
        self._store.execute(
            "DELETE FROM blocks WHERE id BETWEEN ? AND ?", (first, first + (1 << _BLOCK_BITS) - 1)
        )
        self._store.execute("DELETE FROM arrays WHERE id = ?", (array_id,))

    def get_layout(self, array_id: int) -> BlockLayout:
        """Return the layout of a stored array, after checking that all blocks exist."""
        label = f"array {array_id}"
        rows = self._store.query("SELECT header FROM arrays WHERE id = ?", (array_id,))
        if not rows:
            sealing.raise_damaged(label)
        header = shapes.unseal(_ArrayHeader, rows[0][0], label)
        try:
            layout = BlockLayout(header.dtype, header.shape)
        except DocumentError as error:
            sealing.raise_damaged(label, error)
        first = array_id << _BLOCK_BITS
        ((n_stored,),) = self._store.query(
            "SELECT count(*) FROM blocks WHERE id BETWEEN ? AND ?",
            (first, first + (1 << _BLOCK_BITS) - 1),
        )
        if n_stored != layout.n_blocks:  # an empty array would hide the loss of its rows
            sealing.raise_damaged(label)
        return layout

    def iterate_blocks(self, array_id: int, layout: BlockLayout) -> Iterator[bytes]:
        """Yield the blocks of a stored array as written."""
        # One query per block: no read transaction is held open while blocks are decoded.
        for block_index in range(layout.n_blocks):
            block_id = array_id << _BLOCK_BITS | block_index
            rows = self._store.query("SELECT crc, data FROM blocks WHERE id = ?", (block_id,))
            for crc, data in rows:
                if not isinstance(data, bytes) or _compute_checksum(block_id, data) != crc:
                    sealing.raise_damaged(f"array {array_id}")
                yield data


@dataclass(frozen=True)
class _ArrayHeader:
    dtype: str
    shape: tuple[int, ...]


def _compute_checksum(block_id: int, block: bytes) -> int:
    return zlib.crc32(block, zlib.crc32(block_id.to_bytes(8, "little")))
