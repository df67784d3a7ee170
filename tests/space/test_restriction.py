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
def test_configurations_of_branch_agree_with_space_with_value(value: str) -> None:
    space = nested()
    whole, part = space, restrict(space, "algorithm", value)
    part.check()
    everything = enumerate_all(whole)
    mine = enumerate_all(part)
    assert everything is not None
    assert mine is not None
    expected = [c for c in decode(whole, everything) if c["algorithm"] == value]
    found = decode(part, mine)
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_restriction_drops_unreachable_subtrees() -> None:
    assert restrict(nested(), "algorithm", "tree").names == ("algorithm", "leaf", "scale")
    assert restrict(nested(), "algorithm", "svm").names == ("deep", "algorithm", "kernel", "scale")


def test_every_arm_of_shipped_space_suggests_configurations_of_whole() -> None:
    space = load("sklearn-cash")
    root = space.find_root_choice()
    assert root is not None
    for value in root.choices:
        part = restrict(space, root.name, value)
        drawn = decode(part, sample(part, np.random.default_rng(0), 20))
        for configuration in drawn:
            assert space.validate(configuration) == configuration
            assert configuration[root.name] == value
        both = make_keys(space, encode(space, drawn))
        assert decode(space, encode(space, drawn)) == drawn
        assert len(set(both)) == len(set(make_keys(part, encode(part, drawn))))


def test_range_can_be_fixed_too() -> None:
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
