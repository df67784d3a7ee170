from hypothesis import given, settings
from hypothesis import strategies as st

from studio.space.editing import Node, tree, tree_parents
from studio.space.parameters import Boolean, Condition, Float
from studio.space.space import Space


def outline(nodes: tuple[Node, ...]) -> dict:
    return {node.name: outline(node.children) for node in nodes}


def test_parameters_stand_under_parent_of_their_first_condition(cash):
    assert outline(tree(cash)) == {
        "algorithm": {
            "svm.kernel": {"svm.width": {}, "svm.degree": {}},
            "svm.C": {},
            "knn.neighbours": {},
        }
    }
    svm = tree(cash)[0].children[0]
    assert (svm.name, svm.place) == ("svm.kernel", 1)


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
    assert outline(tree(space)) == {"a": {"b": {}, "e": {}}, "c": {}, "d": {}}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_every_parameter_is_in_tree_once(any_space, data):
    space = data.draw(any_space)

    def names(nodes):
        return [n for node in nodes for n in [node.name, *names(node.children)]]

    assert sorted(names(tree(space))) == sorted(space.names)


def test_chain_of_thousands_does_not_overflow():
    rows = [Boolean("p0")]
    rows += [
        Boolean(f"p{i}", conditions=(Condition(f"p{i - 1}", (True,)),)) for i in range(1, 3000)
    ]
    assert len(tree(Space("deep", tuple(rows)))) == 1
    assert len(Space("deep", tuple(rows)).problems()) == 2999 - 60


def test_unnamed_hyperparameter_has_no_children() -> None:
    space = Space("x", (Float("a", 0, 1), Float("", 0, 1), Float("b", 0, 1)))
    assert tree_parents(space) == (None, None, None)
    assert [node.name for node in tree(space)] == ["a", "", "b"]
