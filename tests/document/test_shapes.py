from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from studio.annotations import Reading, get_readers
from studio.document import shapes
from studio.document.trials import Iteration
from studio.errors import DocumentError
from studio.trial import Trial, Value
from tests.facts import about


@dataclass(frozen=True)
class ExampleRecord:
    number: int
    share: float
    level: Literal["low", "high"]
    parts: tuple[tuple[str, int], ...]
    pair: tuple[int, float] | None
    values: Mapping[str, Value]
    anything: Any = None
    note: str | None = "none"
    single: tuple[int] = (0,)


GOOD = {
    "number": 1,
    "share": 2,
    "level": "low",
    "parts": [["a", 1], ["b", 2]],
    "pair": [1, 0.5],
    "values": {"a": True, "b": 1, "c": 1.5, "d": "x"},
}


def test_valid_record_is_built_with_defaults():
    record = shapes.build(ExampleRecord, GOOD, "here")
    assert record.parts == (("a", 1), ("b", 2))
    assert record.pair == (1, 0.5)
    assert (record.anything, record.note) == (None, "none")
    assert shapes.build(ExampleRecord, {**GOOD, "pair": None, "anything": [{}]}, "x").anything == [
        {}
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"number": True},
        {"number": 1.0},
        {"number": "1"},
        {"number": None},
        {"share": "x"},
        {"level": "middle"},
        {"level": []},
        {"parts": [["a"]]},
        {"parts": [["a", 1, 2]]},
        {"parts": {"a": 1}},
        {"parts": "ab"},
        {"pair": [1, 2, 3]},
        {"pair": 5},
        {"values": {"a": None}},
        {"values": {"a": [1]}},
        {"values": [1]},
        {"note": 5},
        {"unknown": 1},
        {"__class__": 1},
    ],
)
def test_ill_typed_or_unknown_field_is_reported_as_damage(change):
    with pytest.raises(DocumentError, check=about(label="'here'")):
        shapes.build(ExampleRecord, {**GOOD, **change}, "here")


def test_one_element_tuple_type_has_fixed_length():
    assert shapes.build(ExampleRecord, {**GOOD, "single": [4]}, "here").single == (4,)
    with pytest.raises(DocumentError, match="damaged"):
        shapes.build(ExampleRecord, {**GOOD, "single": [4, 5]}, "here")


@pytest.mark.parametrize("content", [None, 5, "x", [], {}])
def test_non_object_record_is_reported_as_damage(content):
    with pytest.raises(DocumentError, match="damaged"):
        shapes.build(ExampleRecord, content, "here")


@pytest.mark.parametrize("content", [None, 5, "x", [], {"number": "1"}, {"pair": [1]}])
def test_values_of_known_fields_are_checked(content):
    shapes.check(ExampleRecord, {"number": 1, "unknown": 2}, "here")
    with pytest.raises(DocumentError, match=r"damaged.*here"):
        shapes.check(ExampleRecord, content, "here")


@pytest.mark.parametrize("kind", [Trial, Iteration])
def test_every_field_of_trial_is_checked(kind):
    assert set(get_readers(Reading(), kind)) == set(kind.__dataclass_fields__)
