import math

import pytest

from studio.phrases import Phrase
from studio.plain_json import JsonError, read_json
from tests.hostile_json import DEEP, HOSTILE


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("as_bytes", [False, True])
def test_invalid_json_is_rejected_uniformly(text: str, as_bytes: bool) -> None:
    with pytest.raises(JsonError):
        read_json(text.encode() if as_bytes else text)


def test_non_utf8_text_is_rejected() -> None:
    with pytest.raises(JsonError):
        read_json(b'"\xff\xfe"')


def test_non_finite_numbers_can_be_allowed_within_depth_limit() -> None:
    assert math.isinf(read_json("1e999", finite=False))
    assert math.isnan(read_json("NaN", finite=False))
    with pytest.raises(JsonError, match="deep"):
        read_json(DEEP, finite=False)


def test_phrases_round_trip_through_json() -> None:
    decoded_phrase = read_json('{"$phrase": "Row {n}.", "values": {"n": 3}}')
    assert isinstance(decoded_phrase, Phrase)
    assert decoded_phrase == "Row 3."
