import pickle

import pytest

from studio.errors import SpaceError
from studio.space.parameters import Boolean, Categorical, Condition, Constant, Float
from studio.space.space import Space
from tests.facts import about, facts


def test_broken_space_can_be_held_but_not_used():
    space = Space("broken", (Float("x", 2, 1), Float("y", 0, 1, True)))
    assert [(p.parameter, p.field) for p in space.find_problems()] == [("x", "low"), ("y", "low")]
    with pytest.raises(SpaceError) as caught:
        space.check()
    told = facts(caught.value)
    assert (told["name"], told["parameter"], told["others"]) == ("'broken'", "x", "y")
    assert (told["low"], told["high"]) == ("2", "1")
    with pytest.raises(SpaceError, check=about(name="'broken'")):
        _ = space.dimensions


def test_notes_do_not_stop_space():
    space = Space("noted", (Float("x", 1, 1),))
    assert [p.severity for p in space.find_problems()] == ["note"]
    space.check()


def test_active_ignores_inactive_values_and_takes_defaults_for_missing_parents(cash):
    assert cash.find_active({"algorithm": "knn", "svm.C": 1.0}) == ("algorithm", "knn.neighbours")
    assert cash.find_active({}) == ("algorithm", "svm.kernel", "svm.C")


def test_validating_puts_order_and_types_right(cash):
    given = {"knn.neighbours": 7.0, "algorithm": "knn"}
    assert list(cash.validate(given).items()) == [("algorithm", "knn"), ("knn.neighbours", 7)]
    assert isinstance(cash.validate(given)["knn.neighbours"], int)


def test_default_configuration_is_valid(cash):
    assert cash.validate(cash.get_default()) == cash.get_default()
    assert cash.get_default() == {"algorithm": "svm", "svm.kernel": "linear", "svm.C": 10.0}


def test_root_choice_sets_algorithm(cash):
    root = cash.find_root_choice()
    assert root is not None
    assert root.name == "algorithm"
    assert Space("s", (Constant("algorithm", "svm"),)).find_root_choice() is None
    named = Space("s", (Categorical("learner", ("a", "b"), sets="algorithm"),)).find_root_choice()
    assert named is not None
    assert named.name == "learner"


def test_names_children_and_parameters_are_found(cash):
    assert "svm.C" in cash
    assert "C" not in cash
    assert [child.name for child in cash.list_children("svm.kernel")] == ["svm.width", "svm.degree"]
    with pytest.raises(SpaceError, check=about(name="'small-cash'", name_2="'C'")):
        cash.get_parameter("C")


def test_conditions_are_noticed(cash):
    assert cash.has_conditions
    assert not Space("flat", (Boolean("b"),)).has_conditions
    assert [p.name for p in cash.columns] == list(cash.names)


def test_space_can_be_pickled(cash):
    assert cash.dimensions == 6
    assert pickle.loads(pickle.dumps(cash)) == cash


def test_problems_are_fresh_list_each_time():
    space = Space("s", (Boolean("x", conditions=(Condition("y", (True,)),)),))
    space.find_problems().clear()
    assert len(space.find_problems()) == 1
