"""Answers round-trip through encoding; ill-typed ones are rejected."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.helper.answers import decode, decode_arguments, encode
from studio.helper.protocol import MessageUnpacker, ProtocolError, pack
from studio.helper.registry import REGISTRY, load_task
from studio.phrases import Phrase, phrase


@dataclass(frozen=True)
class Inner:
    name: str
    values: Floats


@dataclass(frozen=True)
class Other:
    flags: Flags
    codes: Integers


@dataclass(frozen=True)
class Answer:
    count: int
    share: float
    sure: bool
    kind: Literal["vote", "mean"]
    place: tuple[float, float] | None
    names: tuple[str, ...]
    any_array: AnyArray
    first: Inner
    several: tuple[Inner | Other, ...]
    arrays: tuple[Floats, ...]
    by_number: dict[int, float]
    by_name: dict[str, Inner]
    payload: Any = None
    reason: str = field(default="")


def floats() -> st.SearchStrategy[Any]:
    shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=2)
    return arrays.arrays(np.float64, shapes)


inner = st.builds(Inner, st.text(), floats())
other = st.builds(Other, arrays.arrays(np.bool_, (2,)), arrays.arrays(np.int64, (0, 3)))
answers = st.builds(
    Answer,
    count=st.integers(),
    share=st.floats(),
    sure=st.booleans(),
    kind=st.sampled_from(["vote", "mean"]),
    place=st.none() | st.tuples(st.floats(), st.floats()),
    names=st.lists(st.text()).map(tuple),
    any_array=floats() | arrays.arrays(np.uint8, (2, 2)),
    first=inner,
    several=st.lists(inner | other, max_size=3).map(tuple),
    arrays=st.lists(floats(), max_size=2).map(tuple),
    by_number=st.dictionaries(st.integers(), st.floats(), max_size=3),
    by_name=st.dictionaries(st.text(), inner, max_size=2),
    payload=st.none() | st.dictionaries(st.text(), st.lists(st.integers())),
)


def same(one: Any, two: Any) -> bool:
    """Return whether two values have equal types and contents, including NaN."""
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and np.array_equal(one, two, equal_nan=one.dtype.kind == "f")
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(two, f.name)) for f in fields(one))
    if isinstance(one, tuple | list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, Mapping):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    return one == two or (isinstance(one, float) and math.isnan(one) and math.isnan(two))


def sent(value: Any) -> tuple[Any, Mapping[str, AnyArray]]:
    reply, reply_arrays = encode(value)
    (message,) = MessageUnpacker().feed(pack({"reply": reply}, reply_arrays))
    return message.header["reply"], message.arrays


@pytest.mark.slow
@given(answers)
def test_replies_round_trip_through_pipe(answer: Answer) -> None:
    assert same(decode(Answer, *sent(answer)), answer)


GOOD = Answer(
    1, 0.5, True, "vote", (1.0, 2.0), ("a",), np.arange(2), Inner("b", np.zeros(2)),
    (), (), {3: 0.5}, {},
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("count", 1.5),
        ("count", True),
        ("share", "0.5"),
        ("share", True),
        ("sure", 1),
        ("kind", "stack"),
        ("place", [1.0]),
        ("place", [1.0, "2"]),
        ("names", "a"),
        ("names", [1]),
        ("any_array", None),
        ("any_array", "nobody"),
        ("first", {"name": "b"}),
        ("first", {"name": "b", "values": ".first.values", "more": 1}),
        ("first", ["b"]),
        ("first", {"name": "b", "values": ".any_array"}),
        ("several", [{"name": "b"}]),
        ("by_number", [["3", 0.5]]),
        ("by_number", [[3]]),
        ("by_number", [3]),
        ("by_number", 3),
    ],
)
def test_ill_typed_reply_is_rejected(name: str, payload: Any) -> None:
    reply, reply_arrays = sent(GOOD)
    assert same(decode(Answer, reply, reply_arrays), GOOD)
    with pytest.raises(ProtocolError, match=name):
        decode(Answer, {**reply, name: payload}, reply_arrays)


@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        ("count", "1", "a whole number as Answer.count, not str"),
        ("place", "ab", "a list or nothing as Answer.place, not str"),
        ("place", [1.0, "2"], "a number as Answer.place.1, not str"),
        ("kind", 3, "'vote' or 'mean' as Answer.kind, not int"),
        ("several", [5], "an object as Answer.several.0, not int"),
        ("first", {"name": "b"}, " ones: values."),
        ("first", {"a": 1, "b": 2}, " ones: a, b."),
        ("by_number", 3, "a list of pairs as Answer.by_number, not int"),
    ],
)
def test_type_error_contains_expected_type_and_field(
    name: str, payload: Any, expected: str
) -> None:
    reply, reply_arrays = sent(GOOD)
    with pytest.raises(ProtocolError) as refused:
        decode(Answer, {**reply, name: payload}, reply_arrays)
    assert expected in str(refused.value) and f"Answer.{name}" in str(refused.value)


def test_phrases_round_trip() -> None:
    original_phrase = phrase("{count:d} rows of {name}", count=3, name="a")
    decoded_phrase = decode(Inner, *sent(Inner(original_phrase, np.zeros(2)))).name
    assert isinstance(decoded_phrase, Phrase)
    assert (decoded_phrase, decoded_phrase.values) == ("3 rows of a", {"count": 3, "name": "a"})


def test_unserialisable_reply_is_rejected_by_sender() -> None:
    for value in (object(), {"a": {1, 2}}, np.array(["a"]), np.array([object()])):
        with pytest.raises(ProtocolError, match="cannot be sent"):
            encode(value)
    with pytest.raises(ProtocolError, match="cannot be sent"):
        decode(set, [], {})


def test_arguments_are_parsed_by_parameter_types() -> None:
    def task_function(path: Path, weights: Mapping[int, float], at: int | None = None) -> None: ...

    arguments = decode_arguments(task_function, {"path": "a/b", "weights": encode({1: 2})[0]})
    assert arguments == {"path": Path("a/b"), "weights": {1: 2.0}}
    with pytest.raises(ProtocolError, match="'more'"):
        decode_arguments(task_function, {"more": 1})
    with pytest.raises(ProtocolError, match="at"):
        decode_arguments(task_function, {"at": "1"})


@pytest.mark.parametrize("name", REGISTRY)
def test_tasks_declare_parameter_and_reply_types(name: str) -> None:
    assert load_task(name).answer_type
