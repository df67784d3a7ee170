import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hn

from studio.document import arrays
from studio.errors import DocumentError

KINDS = st.sampled_from(
    ["?", "i1", "u1", "<i2", ">i2", "<i4", "<i8", ">i8", "<u2", "<f2", "<f4", "<f8", ">f8"]
)


@pytest.mark.slow
@settings(deadline=None, derandomize=True)
@given(
    KINDS.flatmap(
        lambda kind: hn.arrays(
            kind, hn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9)
        )
    )
)
def test_arrays_round_trip(array):
    layout = arrays.BlockLayout.from_array(array)
    blocks = list(arrays.encode(array))
    assert len(blocks) == layout.n_blocks
    back = arrays.decode(iter(blocks), layout)
    assert back.shape == array.shape
    assert back.dtype == array.dtype.newbyteorder("=")
    assert back.tobytes() == array.astype(back.dtype).tobytes()


@pytest.mark.parametrize("kind", ["<i8", "<u8", "<i4", "|u1"])
def test_largest_integers_round_trip_exactly(kind):
    most = np.iinfo(kind).max
    array = np.array([most, most - 1, np.iinfo(kind).min, 1], dtype=kind)
    back = arrays.decode(arrays.encode(array), arrays.BlockLayout.from_array(array))
    assert back.tolist() == array.tolist()
    assert back.flags.writeable


@pytest.mark.slow
def test_multi_block_arrays_round_trip(probabilities):
    array = probabilities(1, 50_000, 26)
    layout = arrays.BlockLayout.from_array(array)
    blocks = list(arrays.encode(array))
    assert layout.n_blocks == len(blocks) == 3
    np.testing.assert_array_equal(arrays.decode(iter(blocks), layout), array)


def test_arrays_are_compressed_if_worthwhile():
    noise = np.random.default_rng(0).integers(0, 256, 100_000, dtype=np.uint8)
    (block,) = arrays.encode(noise)
    assert len(block) == 4 + noise.size
    (block,) = arrays.encode(np.arange(100_000))
    assert len(block) < 300_000


@pytest.mark.parametrize(
    "array", [np.array([{}], dtype=object), np.array(["a"]), np.array([1j]), np.array([b"x"])]
)
def test_array_store_accepts_numbers_and_booleans_only(array):
    with pytest.raises(DocumentError, match="plain numbers"):
        arrays.BlockLayout.from_array(array)


@pytest.mark.parametrize("dtype", ["|O", "<U4", "f2,f4", ">f8", "nonsense", "float64", "<c8"])
def test_array_of_wrong_type_is_rejected(dtype):
    with pytest.raises(DocumentError):
        arrays.BlockLayout(dtype, (1,))


@pytest.mark.parametrize("shape", [(-1,), (1 << 40,), (1 << 30, 1 << 30), ((1 << 30) + 1,)])
def test_implausible_shape_is_rejected(shape):
    with pytest.raises(DocumentError, match="GiB"):
        arrays.BlockLayout("<f8", shape)
    assert arrays.BlockLayout("<f8", (1 << 30,)).n_blocks == 1 << 13


def damaged_blocks():
    (good,) = arrays.encode(np.arange(1000, dtype=np.int16))
    yield "empty", b""
    yield "cut", good[:-1]
    yield "longer", good + b"x"
    yield "no header", good[:3]
    yield "not deflated", struct.pack("<2I", 3, 1000) + b"abc" + bytes(1000)
    bomb = zlib.compress(bytes(50_000_000), 1)
    yield "bomb", struct.pack("<2I", len(bomb), 1000) + bomb + bytes(1000)
    short = zlib.compress(bytes(10), 1)
    yield "short", struct.pack("<2I", len(short), 1000) + short + bytes(1000)


@pytest.mark.parametrize(("name", "block"), list(damaged_blocks()))
def test_foreign_block_is_rejected(name, block):
    with pytest.raises(DocumentError, match="damaged"):
        arrays.decode(iter([block]), arrays.BlockLayout("<i2", (1000,)))
