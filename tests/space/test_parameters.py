from studio.space.parameters import (
    REGISTRY,
    Boolean,
    Categorical,
    Condition,
    Constant,
    Float,
    Integer,
)
from tests.facts import facts


def test_every_parameter_kind_has_unique_key_and_title():
    assert len({kind.type for kind in REGISTRY}) == len({kind.title for kind in REGISTRY}) == 6


def test_every_parameter_kind_has_description():
    parameters = [
        Float("x", 1e-5, 10, True),
        Integer("n", 1, 30),
        Categorical("c", ("a", "b")),
        Boolean("b"),
        Constant("k", "fixed"),
    ]
    number, integer_text, *others = (p.describe() for p in parameters)
    assert "log" in number and facts(number) == {"low": "1e-05", "high": "10"}
    assert "whole" in integer_text and facts(integer_text) == {"low": "1", "high": "30"}
    choice, flag, fixed = others
    assert (choice, fixed) == ("one of a or b", "always fixed")
    assert "yes or no" in flag


def test_parameters_are_comparable_and_hashable():
    rule = (Condition("k", ("a",)),)
    one, other = Float("x", 0, 1, conditions=rule), Float("x", 0, 1, conditions=rule)
    assert one == other
    assert len({one, other}) == 1
    assert one != Float("x", 0, 1)
