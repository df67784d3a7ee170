"""Restriction of a space to one branch."""

import numpy as np
import pytest

from studio.errors import SpaceError
from studio.space.branches import restrict
from studio.space.encoding import decode, encode, enumerate_all, make_keys, sample
from studio.space.library import load
from studio.space.parameters import Categorical, Condition, Constant, Float, Integer
from studio.space.space import Space
from tests.facts import about


def nested() -> Space:
    return Space(
        "nested",
        (
            Integer("deep", low=1, high=2, conditions=(Condition("kernel", values=("rbf",)),)),
            Categorical("algorithm", choices=("svm", "tree", "forest")),
            Categorical(
                "kernel", choices=("rbf", "linear"), conditions=(Condition("algorithm", ("svm",)),)
            ),
            Integer(
                "leaf", low=1, high=3, conditions=(Condition("algorithm", ("tree", "forest")),)
            ),
            Categorical("scale", choices=("no", "yes")),
        ),
        tasks=(),
    )


@pytest.mark.parametrize("value", ["svm", "tree", "forest"])
def test_branch_configurations_equal_space_with_fixed_value(value: str) -> None:
    space = nested()
    full_space, part = space, restrict(space, "algorithm", value)
    part.check()
    everything = enumerate_all(full_space)
    mine = enumerate_all(part)
    assert everything is not None
    assert mine is not None
    expected = [c for c in decode(full_space, everything) if c["algorithm"] == value]
    configurations = decode(part, mine)
    assert sorted(map(repr, configurations)) == sorted(map(repr, expected))


def test_restriction_drops_unreachable_subtrees() -> None:
    assert restrict(nested(), "algorithm", "tree").names == ("algorithm", "leaf", "scale")
    assert restrict(nested(), "algorithm", "svm").names == ("deep", "algorithm", "kernel", "scale")


def test_restricted_configurations_are_valid_in_full_space() -> None:
    space = load("sklearn-cash")
    root = space.find_root_choice()
    assert root is not None
    for value in root.choices:
        part = restrict(space, root.name, value)
        configurations = decode(part, sample(part, np.random.default_rng(0), 20))
        for configuration in configurations:
            assert space.validate(configuration) == configuration
            assert configuration[root.name] == value
        both = make_keys(space, encode(space, configurations))
        assert decode(space, encode(space, configurations)) == configurations
        assert len(set(both)) == len(set(make_keys(part, encode(part, configurations))))


def test_numeric_parameter_can_be_fixed() -> None:
    space = Space(
        "range",
        (
            Float("a", low=0.0, high=1.0),
            Float("b", low=0.0, high=1.0, conditions=(Condition("a", low=0.5),)),
        ),
        tasks=(),
    )
    low = restrict(space, "a", 0.25)
    assert low.parameters == (Constant("a", 0.25),)
    assert restrict(space, "a", 0.75).names == ("a", "b")


def test_restricting_to_unknown_value_is_rejected() -> None:
    with pytest.raises(SpaceError, check=about(name="algorithm", last="forest", value="'knn'")):
        restrict(nested(), "algorithm", "knn")
