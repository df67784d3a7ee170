"""Arrays as blocks of bytes: no pickle, checked on the way back, small where that is cheap.

A block holds up to 1 MiB of an array's elements in C order, little-endian, split into byte planes
(all first bytes of the elements, then all second bytes, …), since the high bytes of numbers
resemble each other and the low bytes of probabilities are noise. Each plane is deflated at level 1
when that pays and kept raw when not: ``itemsize`` lengths (uint32), then the planes; a plane whose
length is the number of elements is raw.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from studio.arrays import AnyArray
from studio.errors import DamagedError, DocumentError

BLOCK_BYTES = 1 << 20
"""Raw bytes of an array that one block holds at most."""

MAXIMUM_BYTES = 1 << 33
"""Raw bytes of one array at most: a file that claims more is not believed."""

_SAMPLE = 16_384
_WORTH_IT = 0.95
_SMALL = 64


@dataclass(frozen=True)
class BlockLayout:
    """What an array's blocks mean.

    Attributes:
        dtype: NumPy's name of a little-endian boolean, integer or float type: ``"<f2"``, ``"|b1"``.
        shape: The array's shape.
    """

    dtype: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse what is not a plain array of a believable size."""
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
        if any(length < 0 for length in self.shape) or self.n_bytes > MAXIMUM_BYTES:
            raise DocumentError(
                "A document stores arrays of up to {most} GiB; one of shape {shape} was given.",
                most=MAXIMUM_BYTES >> 30,
                shape=self.shape,
            )

    @classmethod
    def of(cls, array: AnyArray) -> "BlockLayout":
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
    """Yield the blocks of an array of any shape, ``BlockLayout.of(array).n_blocks`` of them."""
    layout = BlockLayout.of(array)
    flat = np.ascontiguousarray(array, dtype=layout.dtype).reshape(-1)
    step = BLOCK_BYTES // layout.itemsize
    for start in range(0, flat.size, step):
        yield _encode_block(flat[start : start + step])


def decode(blocks: Iterator[bytes], layout: BlockLayout) -> AnyArray:
    """Return the array that the blocks hold, in its shape, writable, in native byte order.

    Args:
        blocks: The blocks in order.
        layout: Type and shape of the array.

    Raises:
        DocumentError: If the blocks are not such an array.
    """
    kind = np.dtype(layout.dtype)
    step = BLOCK_BYTES // kind.itemsize
    flat = np.empty(prod(layout.shape), dtype=kind)
    for start in range(0, flat.size, step):
        wanted = flat[start : start + step]
        wanted[:] = _decode_block(next(blocks, b""), kind, wanted.size)
    return flat.astype(kind.newbyteorder("="), copy=False).reshape(layout.shape)


def _encode_block(elements: AnyArray) -> bytes:
    octets = elements.view(np.uint8).reshape(elements.size, elements.itemsize)
    planes = [_squeeze(np.ascontiguousarray(plane).tobytes()) for plane in octets.T]
    return struct.pack(f"<{len(planes)}I", *map(len, planes)) + b"".join(planes)


def _squeeze(plane: bytes) -> bytes:
    """Return the plane deflated where a sample of it promises a gain, else as it is."""
    if len(plane) < _SMALL:
        return plane
    if len(plane) > _SAMPLE:
        middle = (len(plane) - _SAMPLE) // 2
        sample = plane[middle : middle + _SAMPLE]
        if len(zlib.compress(sample, 1)) > _WORTH_IT * _SAMPLE:
            return plane
    deflated = zlib.compress(plane, 1)
    return deflated if len(deflated) < len(plane) else plane


def _decode_block(block: bytes, kind: "np.dtype[np.generic]", size: int) -> AnyArray:
    head = 4 * kind.itemsize
    if len(block) < head:
        raise _not_the_array()
    lengths = struct.unpack_from(f"<{kind.itemsize}I", block)
    if sum(lengths) != len(block) - head:
        raise _not_the_array()
    octets = np.empty((size, kind.itemsize), dtype=np.uint8)
    for column, length in enumerate(lengths):
        plane = _open_plane(block[head : head + length], size)
        octets[:, column] = np.frombuffer(plane, dtype=np.uint8)
        head += length
    return octets.reshape(-1).view(kind)


def _open_plane(plane: bytes, size: int) -> bytes:
    if len(plane) == size:
        return plane
    inflater = zlib.decompressobj()
    try:
        # One byte more than wanted is the most that a hostile block can make us hold.
        opened = inflater.decompress(plane, size + 1)
    except zlib.error as error:
        raise _not_the_array() from error
    if len(opened) != size or not inflater.eof:
        raise _not_the_array()
    return opened


def _not_the_array() -> DamagedError:
    return DamagedError(
        "The document is damaged: an array in it is not what was written. "
        "Use a backup copy of it, or start a new document from the data.",
        "array",
    )
