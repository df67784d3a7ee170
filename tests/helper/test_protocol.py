"""Messages between the window and the helper."""

import json

import numpy as np
import pytest

from studio.helper.protocol import MAX_HEADER_BYTES, MessageUnpacker, ProtocolError, pack
from tests.hostile_json import HOSTILE


def test_message_is_reassembled_from_pieces() -> None:
    arrays = {
        "mean": np.arange(6.0).reshape(2, 3),
        "flags": np.array([True, False]),
        "none": np.empty((0, 4)),
    }
    stream = pack({"id": 3, "reply": {"text": "ü\n"}}, arrays) + pack({"id": 4})
    for size in (1, 7, len(stream)):
        unpacker = MessageUnpacker()
        got = [m for i in range(0, len(stream), size) for m in unpacker.feed(stream[i : i + size])]
        assert [message.header["id"] for message in got] == [3, 4]
        assert got[0].header["reply"] == {"text": "ü\n"}
        for name, value in arrays.items():
            np.testing.assert_array_equal(got[0].arrays[name], value)
            assert got[0].arrays[name].dtype == value.dtype


def test_object_arrays_are_rejected() -> None:
    message = pack({"id": 1}, {"a": np.arange(3)}).replace(b'"<i8"', b'"|O" ')
    with pytest.raises(ProtocolError, match="without numbers"):
        MessageUnpacker().feed(message)


def make_framed(header: object) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(4, "big") + text


@pytest.mark.parametrize(
    "sent",
    [
        (MAX_HEADER_BYTES + 1).to_bytes(4, "big"),
        b"\x00\x00\x00\x04null",
        b"\x00\x00\x00\x02{}",
        b"\x00\x00\x00\x03\xff\xfe\xfd",
        make_framed({"arrays": [{"name": "a", "dtype": "<f8", "shape": [float("inf")]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "<f8", "shape": [10**30]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "<f8", "shape": [0, 10**30]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "<f8"}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "<f8", "shape": 3}]}),
        make_framed({"arrays": float("nan")}),
        make_framed([]),
        *(len(text).to_bytes(4, "big") + text.encode() for text in HOSTILE),
    ],
)
def test_invalid_message_is_rejected(sent: bytes) -> None:
    with pytest.raises(ProtocolError, match="invalid message"):
        MessageUnpacker().feed(sent)
