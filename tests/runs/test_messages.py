import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from studio.runs.messages import (
    LENGTH_PREFIX,
    MessageError,
    WorkerMessage,
    parse,
    read_message,
    write_message,
)
from tests.hostile_json import HOSTILE

pytestmark = pytest.mark.slow

ARRAYS = st.sampled_from([np.float16, np.float32, np.float64, np.int64]).flatmap(
    lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))
)


@given(st.dictionaries(st.text(), ARRAYS, max_size=3), st.dictionaries(st.text("abc"), st.text()))
def test_messages_round_trip(given_arrays, header):
    stream = io.BytesIO()
    write_message(stream, header, given_arrays)
    write_message(stream, {"kind": "next"})
    stream.seek(0)
    read_header, read_arrays = read_message(stream)
    assert read_header == header
    assert read_arrays.keys() == given_arrays.keys()
    for name, array in given_arrays.items():
        assert read_arrays[name].dtype == array.dtype
        assert read_arrays[name].shape == array.shape
        assert read_arrays[name].tobytes() == array.tobytes()
    assert read_message(stream) == ({"kind": "next"}, {})
    assert read_message(stream) is None


def make_framed(header):
    text = json.dumps(header).encode()
    return LENGTH_PREFIX.pack(len(text)) + text


@pytest.mark.parametrize(
    "damage",
    [
        b"\0",
        b"\xff\xff\xff\xff{}",
        LENGTH_PREFIX.pack(10) + b"{}",
        LENGTH_PREFIX.pack(2) + b"[]",
        LENGTH_PREFIX.pack(2) + b"{]",
        make_framed({"arrays": [{"name": "a", "dtype": "object", "shape": [1]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "float64", "shape": [-1]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "float64", "shape": [10**9, 10**9]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "float64", "shape": [2]}]}) + b"\0" * 15,
        make_framed({"arrays": [{"name": "a", "dtype": "float64", "shape": [float("inf")]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "float64", "shape": [0, 10**30]}]}),
        make_framed({"arrays": [{"name": "a", "dtype": "float64", "shape": [1] * 100}]}),
        make_framed({"arrays": [{"name": "a", "dtype": ["float64"], "shape": [1]}]}),
        make_framed({"arrays": [{"name": "a"}]}),
        make_framed({"arrays": ["a"]}),
        make_framed({"arrays": 5}),
        *(LENGTH_PREFIX.pack(len(text)) + text.encode() for text in HOSTILE),
    ],
)
def test_damaged_message_is_error(damage):
    with pytest.raises(MessageError):
        read_message(io.BytesIO(damage))


TRIAL = {"measured": {"fit_seconds": 1, "peak_memory": 2, "used": {"a": 3}}, "note": ""}
ARRAY = {"validation": np.zeros((3, 2))}


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({}, {}),
        ({"kind": "kind"}, {}),
        ({"kind": ["ready"]}, {}),
        ({"kind": "result", "job": 1, "peak": 0, "retire": False}, ARRAY),
        ({"kind": "result", "job": "1", "result": TRIAL}, ARRAY),
        ({"kind": "result", "job": 1, "peak": 1e300, "result": TRIAL}, ARRAY),
        ({"kind": "result", "job": 1, "result": {**TRIAL, "measured": []}}, ARRAY),
        ({"kind": "result", "job": 1, "result": {**TRIAL, "extra": 1}}, ARRAY),
        ({"kind": "result", "job": 1, "result": TRIAL}, {"1": np.zeros(3)}),
        ({"kind": "result", "job": 1, "failure": {"cause": 1}}, {}),
        ({"kind": "result", "job": 1, "failure": {"cause": "", "remedy": "", "kind": "x"}}, {}),
    ],
)
def test_unknown_worker_message_is_rejected(header, arrays):
    with pytest.raises(MessageError):
        parse((header, arrays))


def test_worker_messages_are_parsed():
    message, result = parse(({"kind": "result", "job": 4, "result": TRIAL}, ARRAY))
    assert (message.job, result.fit_seconds, result.used) == (4, 1.0, {"a": 3})
    assert parse(({"kind": "ready"}, {})) == (WorkerMessage("ready"), None)
