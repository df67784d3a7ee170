import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import SpaceError
from studio.space.json_form import FORMAT
from studio.space.parameters import Boolean, Categorical, Condition, Float
from studio.space.space import Space
from tests.facts import about


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_json_round_trip_gives_equal_space(any_space, data):
    space = data.draw(any_space)
    assert Space.from_json(space.to_text()) == space
    assert Space.from_json(space.to_text().encode()) == space
    assert Space.from_json(json.loads(json.dumps(space.to_json()))) == space


def test_texts_and_types_round_trip_through_json(cash):
    space = Space(
        "ünïcode “space”",
        (Float('x/: "[]{}', 0, 1, sets="a.b", note="émoji 🙂"), Boolean("b", default=True)),
        title="T",
        reference="R",
        tasks=("regression",),
        summary="S",
    )
    restored = Space.from_json(space.to_text())
    assert restored == space
    assert restored.parameters[1].default is True


def test_invalid_space_round_trips_through_json():
    space = Space("broken", (Float("x", 2, 1, conditions=(Condition("gone", low=1),)),))
    assert Space.from_json(space.to_text()) == space
    assert Space.from_json(Space("empty", ()).to_text()) == Space("empty", ())
    bare = Space("bare", (Categorical("c", ()), Float("x", 0, math.inf), Float("y", 0, math.nan)))
    restored = Space.from_json(bare.to_text())
    assert [p.message for p in restored.find_problems()] == [
        p.message for p in bare.find_problems()
    ]


def test_file_has_one_line_per_hyperparameter(cash):
    lines = cash.to_text().splitlines()
    assert sum('"type"' in line for line in lines) == 6


def make_space_json(**entries):
    return {"name": "s", "parameters": [{"name": "x", **entries}]}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "line 1, column 1"),
        ('{"parameters": [}', "line 1, column 17"),
        (b"\xff\xff{}", "text in UTF"),
        ("[]", "object with “parameters”"),
        ("{}", "object with “parameters”"),
        ("[" * 100_000, "nested too deeply"),
        (make_space_json(type="integer", low=0, high=math.inf), "whole number; .* inf"),
        ({"format": "other", "parameters": []}, "'other', not"),
        ({"version": 2, "parameters": []}, "version 2; .* version 1"),
        ({"surprise": 1, "parameters": []}, "unknown entry 'surprise'"),
        ({"parameters": {}}, "list of hyperparameters"),
        ({"parameters": [3]}, "Hyperparameter 1 .* JSON"),
        ({"tasks": ["sorting"], "parameters": []}, "“tasks” .* binary, multiclass"),
        ({"tasks": "binary", "parameters": []}, "“tasks” .* list"),
        ({"name": 3, "parameters": []}, "'name' .* text; .* 3"),
        (make_space_json(type="real"), "type of .*'x' .* float, integer"),
        (make_space_json(type=["float"]), "type of .*'x'"),
        (make_space_json(type="float", low=0), "'high' .*'x' is missing"),
        (make_space_json(type="float", low="0", high=1), "'low' .*'x' .* number"),
        (make_space_json(type="float", low=True, high=1), "number; .* True"),
        (make_space_json(type="float", low=0, high=10**400), "too large a number"),
        (make_space_json(type="integer", low=0.5, high=1), "whole number; .* 0.5"),
        (make_space_json(type="float", low=0, high=1, log=1), "'log' .* true or false.* 1"),
        (make_space_json(type="float", low=0, high=1, choices=[]), "unknown entry 'choices'"),
        (make_space_json(type="categorical", choices="abc"), "“choices” .*'x' .* list"),
        (make_space_json(type="categorical", choices=[None]), "true/false; None"),
        (make_space_json(type="constant", value=[1]), "number or true/false"),
        (make_space_json(type="boolean", default="yes"), "true or false; .* 'yes'"),
        (make_space_json(type="boolean", conditions={}), "“conditions” .*'x' .* list"),
        (make_space_json(type="boolean", conditions=[1]), "condition .*'x' .* JSON"),
        (
            make_space_json(type="boolean", conditions=[{"parent": "y", "values": 3}]),
            "“values” .*'x' .* list",
        ),
        (
            make_space_json(type="boolean", conditions=[{"parent": "y", "is": 3}]),
            "'x' .* unknown entry 'is'",
        ),
        (make_space_json(type="boolean", sets=3), "'sets' .*'x' .* text"),
    ],
)
def test_invalid_space_json_is_rejected_with_reason(given, message):
    with pytest.raises(SpaceError, match=message):
        Space.from_json(given)


def test_huge_texts_and_lists_are_rejected_before_parsing():
    with pytest.raises(SpaceError, check=about(megabytes="10 MB")):
        Space.from_json(" " * 10_000_001)
    rows = [{"name": f"p{i}", "type": "boolean"} for i in range(5001)]
    with pytest.raises(SpaceError, check=about(n_rows="5001", most_parameters="5000")):
        Space.from_json({"format": FORMAT, "name": "s", "parameters": rows})


def test_number_with_thousands_of_digits_is_rejected():
    text = '{"parameters": [{"name": "x", "type": "integer", "low": 0, "high": %s}]}'
    with pytest.raises(SpaceError, match=r"read|too large"):
        Space.from_json(text % ("9" * 5000))
