import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.document import sealing
from studio.errors import DocumentError
from tests.facts import about

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None, derandomize=True)
@given(JSON)
def test_sealed_values_round_trip(value):
    back = sealing.unseal(sealing.seal(value, "here"), "here")
    assert back == value
    assert repr(back) == repr(value)


def test_sealed_record_is_compact():
    assert '{"a":[1,2],"b":null}' in sealing.seal({"a": [1, 2], "b": None}, "here")


def test_non_utf8_names_round_trip():
    assert sealing.unseal(sealing.seal("caf\udce9", "x"), "x") == "caf\udce9"


def test_numpy_scalars_are_sealed_as_numbers():
    value = {"a": np.int64(3), "b": np.float32(0.5), "c": np.bool_(True)}
    assert sealing.unseal(sealing.seal(value, "x"), "x") == {"a": 3, "b": 0.5, "c": True}


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), {1, 2}, np.zeros(2)])
def test_non_json_value_is_rejected(value):
    with pytest.raises(DocumentError, match="stored", check=about(label="'here'")):
        sealing.seal({"v": value}, "here")


def test_record_in_wrong_place_is_detected():
    with pytest.raises(DocumentError, match="damaged", check=about(label="'there'")):
        sealing.unseal(sealing.seal([1], "here"), "there")


def test_flipped_bits_are_detected():
    sealed = sealing.seal({"loss": 0.25, "name": "x"}, "here")
    for index in range(len(sealed)):
        for bit in range(7):
            flipped = sealed[:index] + chr(ord(sealed[index]) ^ 1 << bit) + sealed[index + 1 :]
            try:
                value = sealing.unseal(flipped, "here")
            except DocumentError:
                continue
            assert value == {"loss": 0.25, "name": "x"}


@pytest.mark.parametrize("text", ["[" * 100_000, "NaN", "{}x", '{"a":1e', "é", "", "1" * 5000])
def test_non_json_text_with_valid_checksum_is_rejected(text):
    checked = f"{sealing._compute_checksum(text, 'x'):08x}{text}" if text.isascii() else text
    with pytest.raises(DocumentError, match="damaged"):
        sealing.unseal(checked, "x")


@pytest.mark.parametrize("value", [None, 5, b"00000000{}", "short"])
def test_unsealed_text_is_rejected(value):
    with pytest.raises(DocumentError, match="damaged"):
        sealing.unseal(value, "x")
