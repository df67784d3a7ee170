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


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_reading_what_was_written_gives_the_same_space(any_space, data):
    space = data.draw(any_space)
    assert Space.from_json(space.to_text()) == space
    assert Space.from_json(space.to_text().encode()) == space
    assert Space.from_json(json.loads(json.dumps(space.to_json()))) == space


def test_all_texts_and_types_are_kept(cash):
    space = Space(
        "ünïcode “space”",
        (Float('x/: "[]{}', 0, 1, sets="a.b", note="émoji 🙂"), Boolean("b", default=True)),
        title="T",
        reference="R",
        tasks=("regression",),
        summary="S",
    )
    again = Space.from_json(space.to_text())
    assert again == space
    assert again.parameters[1].default is True


def test_a_broken_space_can_be_saved_and_opened_again():
    space = Space("broken", (Float("x", 2, 1, conditions=(Condition("gone", low=1),)),))
    assert Space.from_json(space.to_text()) == space
    assert Space.from_json(Space("empty", ()).to_text()) == Space("empty", ())
    bare = Space("bare", (Categorical("c", ()), Float("x", 0, math.inf), Float("y", 0, math.nan)))
    again = Space.from_json(bare.to_text())
    assert [p.message for p in again.problems()] == [p.message for p in bare.problems()]


def test_a_file_has_one_line_a_hyperparameter(cash):
    lines = cash.to_text().splitlines()
    assert sum('"type"' in line for line in lines) == 6


def one(**entries):
    return {"name": "s", "parameters": [{"name": "x", **entries}]}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "broken at line 1, column 1"),
        ('{"parameters": [}', "broken at line 1, column 17"),
        (b"\xff\xff{}", "not text in UTF-8"),
        ("[]", "a JSON object with “parameters” is expected"),
        ("{}", "a JSON object with “parameters” is expected"),
        ("[" * 100_000, "nested too deeply"),
        (one(type="integer", low=0, high=math.inf), "must be a whole number; it is inf"),
        ({"format": "other", "parameters": []}, "is a 'other', not a search space"),
        ({"version": 2, "parameters": []}, "version 2; this program reads version 1. Open it with"),
        (
            {"surprise": 1, "parameters": []},
            "The space has an unknown entry 'surprise'; the known ones are",
        ),
        ({"parameters": {}}, "must be a list of hyperparameters"),
        ({"parameters": [3]}, "Hyperparameter 1 of the space must be a JSON object"),
        ({"tasks": ["sorting"], "parameters": []}, "“tasks” must be a list of binary, multiclass"),
        ({"tasks": "binary", "parameters": []}, "“tasks” must be a list"),
        ({"name": 3, "parameters": []}, "'name' of the space must be text; it is 3"),
        (one(type="real"), "The type of hyperparameter 'x' must be one of float, integer"),
        (one(type=["float"]), "The type of hyperparameter 'x' must be one of"),
        (one(type="float", low=0), "'high' of hyperparameter 'x' is missing"),
        (one(type="float", low="0", high=1), "'low' of hyperparameter 'x' must be a number; it is"),
        (one(type="float", low=True, high=1), "must be a number; it is True"),
        (one(type="float", low=0, high=10**400), "too large a number"),
        (one(type="integer", low=0.5, high=1), "must be a whole number; it is 0.5"),
        (one(type="float", low=0, high=1, log=1), "'log' of .* must be true or false; it is 1"),
        (
            one(type="float", low=0, high=1, choices=[]),
            "has an unknown entry 'choices'; the known ones are",
        ),
        (one(type="categorical", choices="abc"), "“choices” of hyperparameter 'x' must be a list"),
        (one(type="categorical", choices=[None]), "must be text, a number or true/false; None was"),
        (one(type="constant", value=[1]), "must be text, a number or true/false"),
        (one(type="boolean", default="yes"), "must be true or false; it is 'yes'"),
        (one(type="boolean", conditions={}), "“conditions” of hyperparameter 'x' must be a list"),
        (one(type="boolean", conditions=[1]), "A condition of hyperparameter 'x' must be a JSON"),
        (
            one(type="boolean", conditions=[{"parent": "y", "values": 3}]),
            "“values” of a condition of hyperparameter 'x' must be a list",
        ),
        (
            one(type="boolean", conditions=[{"parent": "y", "is": 3}]),
            "A condition of hyperparameter 'x' has an unknown entry 'is'",
        ),
        (one(type="boolean", sets=3), "'sets' of hyperparameter 'x' must be text"),
    ],
)
def test_what_is_no_space_is_refused_with_its_reason(given, message):
    with pytest.raises(SpaceError, match=message):
        Space.from_json(given)


def test_huge_texts_and_lists_are_refused_unread():
    with pytest.raises(SpaceError, check=about(megabytes="10 MB")):
        Space.from_json(" " * 10_000_001)
    rows = [{"name": f"p{i}", "type": "boolean"} for i in range(5001)]
    with pytest.raises(SpaceError, check=about(n_rows="5001", most_parameters="5000")):
        Space.from_json({"format": FORMAT, "name": "s", "parameters": rows})


def test_a_number_with_thousands_of_digits_is_refused():
    text = '{"parameters": [{"name": "x", "type": "integer", "low": 0, "high": %s}]}'
    with pytest.raises(SpaceError, match=r"read|too large"):
        Space.from_json(text % ("9" * 5000))
