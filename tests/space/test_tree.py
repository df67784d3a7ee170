import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.space.editing import find_tree_parents
from studio.space.parameters import Boolean, Condition, Float
from studio.space.space import Space


def tree(space: Space, top: int | None = None) -> dict:
    places = [index for index, above in enumerate(find_tree_parents(space)) if above == top]
    return {space.parameters[index].name: tree(space, index) for index in places}


def test_parameters_are_placed_under_parent_of_first_condition(cash):
    assert tree(cash) == {
        "algorithm": {
            "svm.kernel": {"svm.width": {}, "svm.degree": {}},
            "svm.C": {},
            "knn.neighbours": {},
        }
    }


def test_tree_shows_all_parameters_of_invalid_space():
    space = Space(
        "s",
        (
            Boolean("a", conditions=(Condition("b", (True,)),)),
            Boolean("b", conditions=(Condition("a", (True,)),)),
            Boolean("c", conditions=(Condition("nobody", (True,)),)),
            Boolean("d", conditions=(Condition("d", (True,)),)),
            Boolean("e", conditions=(Condition("a", (True,)),)),
        ),
    )
    assert tree(space) == {"a": {"b": {}, "e": {}}, "c": {}, "d": {}}


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_every_parameter_is_in_tree_once(any_space, data):
    space = data.draw(any_space)

    def names(nodes):
        return [n for name, below in nodes.items() for n in [name, *names(below)]]

    assert sorted(names(tree(space))) == sorted(space.names)


@pytest.mark.slow
def test_chain_of_thousands_of_parameters_does_not_overflow():
    rows = [Boolean("p0")]
    rows += [
        Boolean(f"p{i}", conditions=(Condition(f"p{i - 1}", (True,)),)) for i in range(1, 3000)
    ]
    assert find_tree_parents(Space("deep", tuple(rows))).count(None) == 1
    assert len(Space("deep", tuple(rows)).find_problems()) == 2999 - 60


def test_unnamed_hyperparameter_has_no_children() -> None:
    space = Space("x", (Float("a", 0, 1), Float("", 0, 1), Float("b", 0, 1)))
    assert find_tree_parents(space) == (None, None, None)
    assert list(tree(space)) == ["a", "", "b"]
