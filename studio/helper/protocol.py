"""Messages between the window and its helper: JSON headers followed by raw arrays.

A message is a 4-byte big-endian length, a UTF-8 JSON header of that length, and the bytes of the
arrays that the header lists under ``"arrays"`` (name, dtype, shape), one after another. Nothing
is ever unpickled.
"""

import json
import math
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from studio.annotations import Reading
from studio.arrays import AnyArray
from studio.errors import StudioError
from studio.phrases import phrase_to_json
from studio.plain_json import read_json

_LENGTH_STRUCT = struct.Struct(">I")
MAX_HEADER_BYTES = 64 * 2**20

MAX_ARRAY_BYTES = 2**36

ARRAY_KINDS = "biuf"
"""Kinds of arrays: booleans, integers and floats."""

_DTYPE_PATTERN = re.compile(rf"[<>|]?[{ARRAY_KINDS}]\d{{1,2}}")


class ProtocolError(StudioError):
    """The received bytes are not a message of the expected process."""


@dataclass(frozen=True)
class HelperMessage:
    """One message; its arrays, of any shape, hold numbers or flags."""

    header: dict[str, Any]
    arrays: dict[str, AnyArray] = field(default_factory=dict)


def pack(header: Mapping[str, Any], arrays: Mapping[str, AnyArray] | None = None) -> bytes:
    """Encode a message with arrays of any shape."""
    contiguous = {name: np.asarray(value, order="C") for name, value in (arrays or {}).items()}
    specs = [
        {"name": name, "dtype": value.dtype.str, "shape": list(value.shape)}
        for name, value in contiguous.items()
    ]
    text = json.dumps(phrase_to_json({**header, "arrays": specs})).encode()
    return b"".join(
        [_LENGTH_STRUCT.pack(len(text)), text, *(value.tobytes() for value in contiguous.values())]
    )


class MessageUnpacker:
    """Decodes messages from bytes received in chunks of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, chunk: bytes) -> list[HelperMessage]:
        """Add bytes and return the completed messages; raise ProtocolError for other bytes."""
        self._buffer += chunk
        messages = []
        while (message := self._unpack_next()) is not None:
            messages.append(message)
        return messages

    def _unpack_next(self) -> HelperMessage | None:
        if len(self._buffer) < _LENGTH_STRUCT.size:
            return None
        (length,) = _LENGTH_STRUCT.unpack_from(self._buffer)
        if length > MAX_HEADER_BYTES:
            raise ProtocolError("The helper process sent an invalid message.")
        start = _LENGTH_STRUCT.size + length
        if len(self._buffer) < start:
            return None
        header, specs = _parse_header(bytes(self._buffer[_LENGTH_STRUCT.size : start]))
        end = start + sum(dtype.itemsize * math.prod(shape) for _, dtype, shape in specs)
        if len(self._buffer) < end:
            return None
        arrays, offset = {}, start
        for name, dtype, shape in specs:
            size = dtype.itemsize * math.prod(shape)
            raw = bytes(self._buffer[offset : offset + size])
            arrays[name] = np.frombuffer(raw, dtype).reshape(shape)
            offset += size
        del self._buffer[:end]
        return HelperMessage(header, arrays)


@dataclass(frozen=True)
class _ArrayHeader:
    """Type and shape of an array that follows a header."""

    name: str
    dtype: str
    shape: tuple[int, ...]


_SPEC_READER = Reading().find_reader(tuple[_ArrayHeader, ...])

_Spec = tuple[str, "np.dtype[Any]", tuple[int, ...]]


def _parse_header(text: bytes) -> tuple[dict[str, Any], list[_Spec]]:
    try:
        # Non-finite numbers are allowed.
        header = read_json(text, finite=False)
        specs = _SPEC_READER(header.pop("arrays"), {})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProtocolError("The helper process sent an invalid message.") from error
    return header, [_parse_spec(each) for each in specs]


def _parse_spec(array_header: _ArrayHeader) -> _Spec:
    if not _DTYPE_PATTERN.fullmatch(array_header.dtype) or min(array_header.shape, default=0) < 0:
        raise ProtocolError("The helper process sent an array without numbers.")
    try:
        dtype = np.dtype(array_header.dtype)
    except TypeError as error:
        raise ProtocolError("The helper process sent an array without numbers.") from error
    # With a dimension of 0 others may be arbitrarily large.
    if dtype.itemsize * math.prod(max(1, size) for size in array_header.shape) > MAX_ARRAY_BYTES:
        raise ProtocolError("The helper process sent an invalid message.")
    return array_header.name, dtype, array_header.shape
