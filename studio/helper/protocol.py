"""Messages between the window and its helper: JSON headers followed by raw arrays.

A message is a 4-byte big-endian length, a UTF-8 JSON header of that length, and the bytes of the
arrays that the header lists under ``"arrays"`` (name, dtype, shape), one after another. Nothing
is ever unpickled.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.errors import StudioError
from studio.phrases import plain, revived

_LENGTH = struct.Struct(">I")
MAX_HEADER = 64 * 2**20
"""Longest header in bytes; more than that is not one of our messages."""

KINDS = "biuf"
"""Kinds of arrays that are sent: flags, and whole and other numbers."""


class ProtocolError(StudioError):
    """The bytes received are not a message; the other process is not the one that was expected."""


@dataclass(frozen=True)
class HelperMessage:
    """One message.

    Attributes
    ----------
    header : dict
        Plain JSON.
    arrays : dict of str to array
        Arrays of numbers or flags, any shape.
    """

    header: dict[str, Any]
    arrays: dict[str, AnyArray] = field(default_factory=dict)


def pack(header: Mapping[str, Any], arrays: Mapping[str, AnyArray] | None = None) -> bytes:
    """Return the bytes of a message with arrays of any shape."""
    held = {name: np.asarray(value, order="C") for name, value in (arrays or {}).items()}
    listed = [
        {"name": name, "dtype": value.dtype.str, "shape": list(value.shape)}
        for name, value in held.items()
    ]
    text = json.dumps(plain({**header, "arrays": listed})).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *(value.tobytes() for value in held.values())])


class MessageUnpacker:
    """Puts messages together from bytes as they come, in pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, piece: bytes) -> list[HelperMessage]:
        """Add bytes and return the messages that are now whole.

        Raises
        ------
        ProtocolError
            If the bytes are not messages.
        """
        self._buffer += piece
        whole = []
        while (message := self._next()) is not None:
            whole.append(message)
        return whole

    def _next(self) -> HelperMessage | None:
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > MAX_HEADER:
            raise ProtocolError("The helper process sent something that is not a message.")
        start = _LENGTH.size + length
        if len(self._buffer) < start:
            return None
        header, specs = _header(bytes(self._buffer[_LENGTH.size : start]))
        end = start + sum(dtype.itemsize * math.prod(shape) for _, dtype, shape in specs)
        if len(self._buffer) < end:
            return None
        arrays, at = {}, start
        for name, dtype, shape in specs:
            size = dtype.itemsize * math.prod(shape)
            raw = bytes(self._buffer[at : at + size])
            arrays[name] = np.frombuffer(raw, dtype).reshape(shape)
            at += size
        del self._buffer[:end]
        return HelperMessage(header, arrays)


_Spec = tuple[str, "np.dtype[Any]", tuple[int, ...]]


def _header(text: bytes) -> tuple[dict[str, Any], list[_Spec]]:
    try:
        header = json.loads(text, object_hook=revived)
        listed = header.pop("arrays")
        specs = [
            (str(each["name"]), np.dtype(each["dtype"]), tuple(int(n) for n in each["shape"]))
            for each in listed
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProtocolError("The helper process sent something that is not a message.") from error
    if any(dtype.kind not in KINDS or min(shape, default=0) < 0 for _, dtype, shape in specs):
        raise ProtocolError("The helper process sent an array that is not made of numbers.")
    return header, specs
