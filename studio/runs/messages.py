"""Messages between engine and workers: a JSON header and raw arrays, nothing pickled.

A message is the length of the header (4 bytes, big-endian), the header (JSON, UTF-8, with the
name, dtype and shape of every array under ``arrays``), and the arrays' bytes one after another.
"""

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from studio.arrays import AnyArray
from studio.phrases import plain, revived

LENGTH = struct.Struct(">I")
LONGEST_HEADER = 64 * 2**20
LARGEST_ARRAY = 2**36
DTYPES = ("float16", "float32", "float64", "int64")

Message = tuple[dict[str, Any], dict[str, AnyArray]]
"""A header, and arrays by name."""


def write_message(
    stream: BinaryIO, header: Mapping[str, Any], arrays: Mapping[str, AnyArray] | None = None
) -> None:
    """Write one message, with arrays of any shape, and flush it."""
    whole = {name: np.asarray(array, order="C") for name, array in (arrays or {}).items()}
    described = [
        {"name": name, "dtype": array.dtype.name, "shape": array.shape}
        for name, array in whole.items()
    ]
    text = json.dumps(plain({**header, "arrays": described})).encode()
    stream.write(LENGTH.pack(len(text)) + text)
    for array in whole.values():
        stream.write(array.reshape(-1).view(np.uint8).data)
    stream.flush()


def read_message(stream: BinaryIO) -> Message | None:
    """Read one message, with arrays of any shape; ``None`` at the end of the stream.

    Raises
    ------
    ValueError
        If the bytes are not a message, or were cut short.
    """
    first = stream.read(LENGTH.size)
    if not first:
        return None
    if len(first) < LENGTH.size or LENGTH.unpack(first)[0] > LONGEST_HEADER:
        raise ValueError("not a message")
    header = json.loads(_exactly(stream, LENGTH.unpack(first)[0]), object_hook=revived)
    if not isinstance(header, dict):
        raise ValueError("not a message")  # noqa: TRY004 - one error for all damage
    return header, dict(_array(stream, described) for described in header.pop("arrays", []))


def _array(stream: BinaryIO, described: Mapping[str, Any]) -> tuple[str, AnyArray]:
    shape = tuple(int(size) for size in described["shape"])
    if described["dtype"] not in DTYPES or min(shape, default=0) < 0:
        raise ValueError("not an array")
    dtype = np.dtype(described["dtype"])
    if int(np.prod(shape, dtype=object)) * dtype.itemsize > LARGEST_ARRAY:
        raise ValueError("too large an array")
    array = np.empty(shape, dtype)
    if array.size:
        view = array.reshape(-1).view(np.uint8).data
        filled = 0
        while filled < len(view):
            count = stream.readinto(view[filled:])  # type: ignore[attr-defined]
            if not count:
                raise ValueError("cut short")
            filled += count
    return str(described["name"]), array


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise ValueError("cut short")
    return data


def pipe_of(stream: Any) -> BinaryIO:
    """Return an end of a process that was started with pipes."""
    assert stream is not None, "it is started with pipes"
    pipe: BinaryIO = stream
    return pipe
