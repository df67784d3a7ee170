import numpy as np

from studio.space.base import build_structure
from studio.space.compiled import CompiledSpace
from studio.space.parameters import Boolean, Categorical, Condition, Constant, Float, Integer


def compiled(*parameters) -> CompiledSpace:
    return CompiledSpace(parameters, build_structure(parameters))


def test_columns_are_parameters_with_several_values():
    compiled_space = compiled(Constant("k", 1), Float("x", 0, 1), Integer("n", 2, 2), Boolean("b"))
    assert compiled_space.columns.tolist() == [1, 3]
    assert compiled_space.dimensions == 2


def test_defaults_are_on_grid_of_axis():
    compiled_space = compiled(Float("x", 0, 1, default=0.1234567890123))
    assert compiled_space.default_numbers.tolist() == [0.12345679]
    assert np.array_equal(
        compiled_space.scales.to_numbers(compiled_space.default_units),
        compiled_space.default_numbers,
    )


def test_overlapping_ranges_divide_number_into_states():
    compiled_space = compiled(
        Float("x", 0, 10),
        Boolean("a", conditions=(Condition("x", high=5),)),
        Boolean("b", conditions=(Condition("x", low=5, high=7),)),
    )
    X = np.array([[0.0, 0, 0], [4.9, 0, 0], [5, 0, 0], [6, 0, 0], [7, 0, 0], [7.1, 0, 0]])
    active = compiled_space.compute_activity(compiled_space.compute_states(X))
    assert active[:, 1].tolist() == [True, True, True, False, False, False]
    assert active[:, 2].tolist() == [False, False, True, True, True, False]
    ids = compiled_space.compute_condition_ids(compiled_space.compute_states(X), active)
    assert ids[0] == ids[1]
    assert ids[3] == ids[4]
    assert len(set(ids.tolist())) == 4


def test_condition_on_constant_parent_is_resolved():
    compiled_space = compiled(
        Constant("k", "a"),
        Boolean("yes", conditions=(Condition("k", ("a",)),)),
        Integer("n", 3, 3),
        Boolean("always", conditions=(Condition("n", low=2),)),
    )
    assert compiled_space.compute_activity(compiled_space.compute_states(np.zeros((1, 2)))).all()


def test_parameter_is_active_only_if_all_conditions_hold():
    compiled_space = compiled(
        Boolean("a"),
        Categorical("c", ("x", "y")),
        Boolean("b", conditions=(Condition("a", (True,)), Condition("c", ("y",)))),
        Boolean("d", conditions=(Condition("a", (True,)),)),
    )
    X = np.array([[0.0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]])
    active = compiled_space.compute_activity(compiled_space.compute_states(X))
    assert active[:, 2].tolist() == [False, False, False, True]
    assert active[:, 3].tolist() == [False, True, False, True]
