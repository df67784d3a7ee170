import math

from studio.space.parameters import Boolean, Categorical, Condition, Constant, Float, Integer
from studio.space.space import Space


def test_size_adds_branches_and_multiplies_siblings(cash):
    assert cash.count_configurations() == math.inf
    space = Space(
        "finite",
        (
            Categorical("a", ("x", "y", "z")),
            Integer("x.n", 1, 10, conditions=(Condition("a", ("x",)),)),
            Boolean("x.b", conditions=(Condition("a", ("x",)),)),
            Integer("y.n", 1, 4, conditions=(Condition("a", ("y",)),)),
            Constant("k", 1),
        ),
    )
    assert space.count_configurations() == 10 * 2 + 4 + 1


def test_continuous_range_gives_infinite_size_unless_single_point():
    assert Space("x", (Float("x", 0, 1), Boolean("b"))).count_configurations() == math.inf
    assert Space("x", (Float("x", 1, 1), Boolean("b"))).count_configurations() == 2


def test_numeric_conditions_are_counted_in_size():
    space = Space("n", (Integer("n", 1, 5), Boolean("b", conditions=(Condition("n", low=4),))))
    assert space.count_configurations() == 3 + 2 * 2


def test_large_space_sizes_are_exact():
    space = Space("large", tuple(Boolean(f"b{i}") for i in range(3000)))
    assert space.count_configurations() == 2**3000


def test_size_of_entangled_conditions_is_infinite():
    parents = [Integer(f"n{i}", 1, 50) for i in range(8)]
    last = Boolean("b", conditions=tuple(Condition(p.name, low=2) for p in parents))
    assert Space("entangled", (*parents, last)).count_configurations() == math.inf
