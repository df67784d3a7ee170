import pickle

import pytest

from studio.errors import SpaceError
from studio.space.parameters import Boolean, Categorical, Condition, Constant, Float
from studio.space.space import Space
from tests.facts import about, facts


def test_invalid_space_can_be_created_but_not_used():
    space = Space("broken", (Float("x", 2, 1), Float("y", 0, 1, True)))
    assert [(p.parameter, p.field) for p in space.find_problems()] == [("x", "low"), ("y", "low")]
    with pytest.raises(SpaceError) as error_info:
        space.check()
    error_facts = facts(error_info.value)
    assert (error_facts["name"], error_facts["parameter"], error_facts["others"]) == (
        "'broken'",
        "x",
        "y",
    )
    assert (error_facts["low"], error_facts["high"]) == ("2", "1")
    with pytest.raises(SpaceError, check=about(name="'broken'")):
        _ = space.dimensions


def test_space_with_notes_is_usable():
    space = Space("noted", (Float("x", 1, 1),))
    assert [p.severity for p in space.find_problems()] == ["note"]
    space.check()


def test_activity_ignores_inactive_values_and_uses_parent_defaults(cash):
    assert cash.find_active({"algorithm": "knn", "svm.C": 1.0}) == ("algorithm", "knn.neighbours")
    assert cash.find_active({}) == ("algorithm", "svm.kernel", "svm.C")


def test_validation_normalises_order_and_types(cash):
    configuration = {"knn.neighbours": 7.0, "algorithm": "knn"}
    assert list(cash.validate(configuration).items()) == [
        ("algorithm", "knn"),
        ("knn.neighbours", 7),
    ]
    assert isinstance(cash.validate(configuration)["knn.neighbours"], int)


def test_default_configuration_is_valid(cash):
    assert cash.validate(cash.get_default()) == cash.get_default()
    assert cash.get_default() == {"algorithm": "svm", "svm.kernel": "linear", "svm.C": 10.0}


def test_root_choice_is_parameter_setting_algorithm(cash):
    root = cash.find_root_choice()
    assert root is not None
    assert root.name == "algorithm"
    assert Space("s", (Constant("algorithm", "svm"),)).find_root_choice() is None
    learner_choice = Space(
        "s", (Categorical("learner", ("a", "b"), sets="algorithm"),)
    ).find_root_choice()
    assert learner_choice is not None
    assert learner_choice.name == "learner"


def test_space_looks_up_names_children_and_parameters(cash):
    assert "svm.C" in cash
    assert "C" not in cash
    assert [child.name for child in cash.list_children("svm.kernel")] == ["svm.width", "svm.degree"]
    with pytest.raises(SpaceError, check=about(name="'small-cash'", name_2="'C'")):
        cash.get_parameter("C")


def test_space_detects_conditions(cash):
    assert cash.has_conditions
    assert not Space("flat", (Boolean("b"),)).has_conditions
    assert [p.name for p in cash.columns] == list(cash.names)


def test_space_can_be_pickled(cash):
    assert cash.dimensions == 6
    assert pickle.loads(pickle.dumps(cash)) == cash


def test_problem_list_is_new_on_each_call():
    space = Space("s", (Boolean("x", conditions=(Condition("y", (True,)),)),))
    space.find_problems().clear()
    assert len(space.find_problems()) == 1
