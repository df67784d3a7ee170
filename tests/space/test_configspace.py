"""ConfigSpace JSON: out and in again, and what it cannot say."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import SpaceError
from studio.space.base import Condition
from studio.space.choices import Boolean, Categorical, Constant, Ordinal
from studio.space.configspace_reading import from_configspace, is_configspace
from studio.space.configspace_writing import to_configspace, to_configspace_text
from studio.space.encoding import decode
from studio.space.library import load, shipped
from studio.space.library import read as read_file
from studio.space.ranges import Float, Integer
from studio.space.sampling import sample
from studio.space.space import Space


def back(space: Space) -> Space:
    given_back, remarks = from_configspace(json.loads(to_configspace_text(space)))
    assert remarks == ()
    return given_back


@pytest.mark.parametrize("key", [each.key for each in shipped()])
def test_shipped_spaces_come_back_as_they_were(key: str) -> None:
    space = load(key)
    assert back(space) == space


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_space_means_the_same_when_it_comes_back(any_space: Any, data: st.DataObject) -> None:
    space = data.draw(any_space)
    again = back(space)
    assert again.problems() == [] or all(p.severity == "note" for p in again.problems())
    assert again.names == space.names
    for configuration in decode(space, sample(space, np.random.default_rng(0), 20)):
        assert again.active(configuration) == space.active(configuration)


def test_an_invalid_space_is_not_written() -> None:
    with pytest.raises(SpaceError, match="above the largest"):
        to_configspace(Space("x", (Float("a", 2, 1),)))


def read(hyperparameters: list[Any], conditions: Any = (), forbiddens: Any = ()) -> Any:
    return from_configspace(
        {
            "name": "s",
            "hyperparameters": hyperparameters,
            "conditions": list(conditions),
            "forbiddens": list(forbiddens),
        }
    )


KERNEL = {"type": "categorical", "name": "k", "choices": ["a", "b", "c"], "default_value": "b"}
NUMBER = {"type": "uniform_float", "name": "x", "lower": 0.0, "upper": 1.0, "log": False}
WHOLE = {"type": "uniform_int", "name": "n", "lower": 1, "upper": 9, "log": True}
SIZE = {"type": "ordinal", "name": "o", "sequence": ["s", "m", "l"], "default_value": "s"}
CHILD = {"type": "constant", "name": "child", "value": 3}


def test_every_kind_is_read() -> None:
    flag = {"type": "categorical", "name": "f", "choices": [True, False], "default": False}
    space, remarks = read([KERNEL, NUMBER, WHOLE, SIZE, CHILD, flag])
    assert space.parameters == (
        Categorical("k", ("a", "b", "c"), default="b"),
        Float("x", 0, 1),
        Integer("n", 1, 9, True),
        Ordinal("o", ("s", "m", "l")),
        Constant("child", 3),
        Boolean("f", default=False),
    )
    assert remarks == ()


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        ({"type": "EQ", "parent": "k", "value": "a"}, (Condition("k", ("a",)),)),
        ({"type": "IN", "parent": "k", "values": ["a", "c"]}, (Condition("k", ("a", "c")),)),
        ({"type": "NEQ", "parent": "k", "value": "a"}, (Condition("k", ("b", "c")),)),
        ({"type": "GT", "parent": "n", "value": 3}, (Condition("n", low=4),)),
        ({"type": "LT", "parent": "n", "value": 3}, (Condition("n", high=2),)),
        ({"type": "GT", "parent": "o", "value": "s"}, (Condition("o", ("m", "l")),)),
        (
            {
                "type": "AND",
                "conditions": [
                    {"type": "EQ", "parent": "k", "value": "a"},
                    {"type": "GT", "parent": "n", "value": 2},
                    {"type": "LT", "parent": "n", "value": 8},
                ],
            },
            (Condition("k", ("a",)), Condition("n", low=3, high=7)),
        ),
        (
            {
                "type": "OR",
                "conditions": [
                    {"type": "EQ", "parent": "k", "value": "c"},
                    {"type": "EQ", "parent": "k", "value": "a"},
                ],
            },
            (Condition("k", ("a", "c")),),
        ),
        (
            {
                "type": "OR",
                "conditions": [
                    {"type": "LT", "parent": "n", "value": 3},
                    {"type": "EQ", "parent": "n", "value": 9},
                ],
            },
            (Condition("n", (1, 2, 9)),),
        ),
    ],
)
def test_conditions_become_rules(row: dict[str, Any], rules: tuple[Condition, ...]) -> None:
    space, remarks = read([KERNEL, NUMBER, WHOLE, SIZE, CHILD], [{"child": "child", **row}])
    assert space.parameter("child").conditions == rules
    assert remarks == ()


def test_bounds_that_are_left_out_are_left_out_here_too() -> None:
    row = {"type": "GT", "child": "child", "parent": "x", "value": 0.25}
    (rule,) = read([NUMBER, CHILD], [row])[0].parameter("child").conditions
    assert not rule.holds(0.25)
    assert rule.holds(0.2500000001)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (
            {
                "conditions": [
                    {
                        "type": "OR",
                        "child": "child",
                        "conditions": [
                            {"type": "EQ", "child": "child", "parent": "k", "value": "a"},
                            {"type": "GT", "child": "child", "parent": "x", "value": 0.5},
                        ],
                    }
                ]
            },
            "active only if k = a or x > 0.5",
        ),
        (
            {"conditions": [{"type": "NEQ", "child": "child", "parent": "x", "value": 0.5}]},
            "active only if x ≠ 0.5",
        ),
        (
            {
                "forbiddens": [
                    {
                        "type": "AND",
                        "clauses": [
                            {"type": "EQUALS", "name": "k", "value": "a"},
                            {"type": "IN", "name": "n", "values": [1, 2]},
                        ],
                    }
                ]
            },
            "forbidden combination is not kept: k = a and n in",
        ),
        ({"forbiddens": [{"type": "RELATION_LT", "left": "x", "right": "n"}]}, "x < n"),
    ],
)
def test_what_cannot_be_said_is_told(what: dict[str, Any], words: str) -> None:
    space, remarks = read([KERNEL, NUMBER, WHOLE, CHILD], **what)
    assert len(remarks) == 1
    assert words in remarks[0]
    assert space.parameter("child").conditions == ()


def test_priors_steps_and_weights_are_told() -> None:
    _, remarks = read(
        [
            {"type": "normal_float", "name": "m", "mu": 0.0, "sigma": 1.0, "default_value": 0.0},
            {**WHOLE, "q": 2},
            {**KERNEL, "weights": [0.5, 0.25, 0.25]},
            {"type": "beta_float", "name": "b", "alpha": 2, "beta": 2, "lower": 0, "upper": 1},
        ]
    )
    assert [remark.partition(":")[0] for remark in remarks] == ["m", "m", "n", "k", "b"]


def test_a_forbidden_value_is_taken_out_of_its_choice() -> None:
    space, remarks = read([KERNEL], forbiddens=[{"type": "EQUALS", "name": "k", "value": "b"}])
    assert space.parameters == (Categorical("k", ("a", "c")),)
    assert remarks == ()


@pytest.mark.parametrize(
    "given",
    [
        {"hyperparameters": 3},
        {"hyperparameters": [{"name": "x", "type": "strange"}]},
        {"hyperparameters": [{"name": "x", "type": "uniform_float"}]},
        {"hyperparameters": [{**NUMBER, "lower": "a"}]},
        {"hyperparameters": [{**NUMBER, "lower": 10**400}]},
        {"hyperparameters": [NUMBER], "conditions": [{"type": "EQ", "child": "y"}]},
        {"hyperparameters": [NUMBER], "conditions": [{"type": "EQ", "child": "x"}]},
        {"hyperparameters": [NUMBER], "conditions": [7]},
        {"hyperparameters": [NUMBER], "conditions": [{"type": "AND", "child": "x"}]},
        {"hyperparameters": [{**KERNEL, "choices": [None]}]},
    ],
)
def test_what_configspace_never_writes_is_refused(given: dict[str, Any]) -> None:
    assert is_configspace(given)
    with pytest.raises(SpaceError):
        from_configspace(given)


def test_files_of_configspace_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "cs.json"
    path.write_text(to_configspace_text(load("svm-kernels")), encoding="utf-8")
    assert load(path) == load("svm-kernels")
    text = json.dumps({"hyperparameters": [{**WHOLE, "q": 2}]})
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpaceError, match="steps of 2 are not kept"):
        load(path)
    assert len(read_file(path)[1]) == 1


def test_configspace_itself_reads_what_is_written() -> None:
    package = pytest.importorskip("ConfigSpace")
    for each in shipped():
        made = package.ConfigurationSpace.from_serialized_dict(to_configspace(load(each.key)))
        space, remarks = from_configspace(made.to_serialized_dict())
        assert remarks == ()
        assert set(space.names) == set(load(each.key).names)
