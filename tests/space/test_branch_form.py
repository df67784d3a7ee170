"""Branches as text: serialisation round trips, and rejection of invalid text."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import SpaceError
from studio.space.base import Condition, Parameter
from studio.space.json_form import ParsedSpace, read_branches, serialize_branches
from studio.space.library import load
from studio.space.parameters import Boolean, Categorical, Constant, Float, Integer, Ordinal
from studio.trial import Value

NAMES = st.one_of(st.text(max_size=12), st.sampled_from(["and", "C", "rbf-svm.C", "a b", "x..y"]))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(10**12), 10**12)
VALUES: st.SearchStrategy[Value] = st.one_of(NAMES, st.booleans(), WHOLE, FLOATS)


@st.composite
def rules(draw: st.DrawFn) -> Condition:
    values = draw(st.none() | st.lists(VALUES, max_size=3).map(tuple))
    ends = st.none() | FLOATS
    return Condition(draw(NAMES), values, draw(ends), draw(ends))


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    name = draw(NAMES)
    shared = {
        "sets": draw(NAMES),
        "note": draw(NAMES),
        "conditions": tuple(draw(st.lists(rules(), max_size=3))),
    }
    kind = draw(st.sampled_from([Float, Integer, Categorical, Ordinal, Boolean, Constant]))
    if kind is Float:
        low, high, default = draw(FLOATS), draw(FLOATS), draw(FLOATS)
        return Float(name, low, high, draw(st.booleans()), default=default, **shared)
    if kind is Integer:
        low, high, default = draw(WHOLE), draw(WHOLE), draw(WHOLE)
        return Integer(name, low, high, draw(st.booleans()), default=default, **shared)
    if kind is Boolean:
        return Boolean(name, default=draw(st.booleans()), **shared)
    if kind is Constant:
        return Constant(name, draw(VALUES), **shared)
    choices = tuple(draw(st.lists(VALUES, max_size=4)))
    parameter_type = Categorical if kind is Categorical else Ordinal
    return parameter_type(name, choices, **shared)


@pytest.mark.slow
@given(
    st.lists(parameters(), min_size=1, max_size=4).map(tuple),
    st.none() | st.builds(lambda name, value: Condition(name, (value,)), NAMES, VALUES),
)
@settings(deadline=None)
def test_branch_text_round_trips(found: tuple[Parameter, ...], value: Condition | None) -> None:
    branches = ParsedSpace(found, value)
    assert read_branches(serialize_branches(branches)) == branches


@pytest.mark.slow
@given(st.text() | st.recursive(VALUES, st.lists).map(json.dumps))
@settings(deadline=None)
def test_any_text_is_parsed_or_rejected_with_message(text: str) -> None:
    try:
        read_branches(text)
    except SpaceError as error:
        assert str(error).endswith(".")


def test_branch_text_has_one_line_per_hyperparameter() -> None:
    parameter = Float("C", 1, 10, True, default=2, conditions=(Condition("kernel", ("rbf",)),))
    lines = [
        "{",
        '  "format": "ensemble-studio-space",',
        '  "version": 1,',
        '  "value": {',
        '    "parent": "kernel",',
        '    "values": [',
        '      "rbf"',
        "    ]",
        "  },",
        '  "parameters": [',
        '    {"name": "C", "type": "float", "low": 1.0, "high": 10.0, "log": true, "default": 2.0, '
        '"conditions": [{"parent": "kernel", "values": ["rbf"]}]}',
        "  ]",
        "}",
    ]
    branch_text = serialize_branches(ParsedSpace((parameter,), Condition("kernel", ("rbf",))))
    assert branch_text.splitlines() == lines


def test_whole_space_is_read_like_branch() -> None:
    space = load("sklearn-cash")
    assert read_branches(json.dumps(space.to_json())) == ParsedSpace(space.parameters)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C: number 1 to 10", "invalid at line 1, column 1"),
        ('{"parameters": []}', "no hyperparameter"),
        ('{"parameters": [{"name": "C", "type": "flaot"}]}', "type of hyperparameter 'C'"),
        ('{"parameters": [], "value": {"parent": "k"}}', "must name a choice and one value"),
        ('{"parameters": [], "value": "rbf"}', "condition of the branch must be a JSON object"),
    ],
)
def test_invalid_branch_text_is_rejected_with_reason(text: str, expected: str) -> None:
    with pytest.raises(SpaceError, match=expected):
        read_branches(text)


def test_documentation_example_is_parsed() -> None:
    page = (Path(__file__).parents[2] / "docs" / "spaces.md").read_text(encoding="utf-8")
    parsed_space = read_branches(page.split("```json")[1].split("```")[0])
    assert [type(p) for p in parsed_space.parameters] == [Float, Integer]
    assert parsed_space.value == Condition("kernel", ("poly",))
    assert parsed_space.parameters[1].conditions == (parsed_space.value, Condition("C", None, 10))
