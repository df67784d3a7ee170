import numpy as np

from studio.space.base import build_structure
from studio.space.compiled import CompiledSpace
from studio.space.parameters import Boolean, Categorical, Condition, Constant, Float, Integer


def compiled(*parameters) -> CompiledSpace:
    return CompiledSpace(parameters, build_structure(parameters))


def test_columns_are_parameters_with_more_than_one_value():
    made = compiled(Constant("k", 1), Float("x", 0, 1), Integer("n", 2, 2), Boolean("b"))
    assert made.columns.tolist() == [1, 3]
    assert made.dimensions == 2


def test_defaults_are_on_grid_of_axis():
    made = compiled(Float("x", 0, 1, default=0.1234567890123))
    assert made.default_numbers.tolist() == [0.12345679]
    assert np.array_equal(made.scales.to_numbers(made.default_units), made.default_numbers)


def test_overlapping_ranges_cut_number_into_states():
    made = compiled(
        Float("x", 0, 10),
        Boolean("a", conditions=(Condition("x", high=5),)),
        Boolean("b", conditions=(Condition("x", low=5, high=7),)),
    )
    X = np.array([[0.0, 0, 0], [4.9, 0, 0], [5, 0, 0], [6, 0, 0], [7, 0, 0], [7.1, 0, 0]])
    active = made.compute_activity(made.compute_states(X))
    assert active[:, 1].tolist() == [True, True, True, False, False, False]
    assert active[:, 2].tolist() == [False, False, True, True, True, False]
    ids = made.compute_condition_ids(made.compute_states(X), active)
    assert ids[0] == ids[1]
    assert ids[3] == ids[4]
    assert len(set(ids.tolist())) == 4


def test_condition_on_fixed_parent_is_settled_once():
    made = compiled(
        Constant("k", "a"),
        Boolean("yes", conditions=(Condition("k", ("a",)),)),
        Integer("n", 3, 3),
        Boolean("always", conditions=(Condition("n", low=2),)),
    )
    assert made.compute_activity(made.compute_states(np.zeros((1, 2)))).all()


def test_all_conditions_must_hold():
    made = compiled(
        Boolean("a"),
        Categorical("c", ("x", "y")),
        Boolean("b", conditions=(Condition("a", (True,)), Condition("c", ("y",)))),
        Boolean("d", conditions=(Condition("a", (True,)),)),
    )
    X = np.array([[0.0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]])
    active = made.compute_activity(made.compute_states(X))
    assert active[:, 2].tolist() == [False, False, False, True]
    assert active[:, 3].tolist() == [False, True, False, True]
