"""The rows of the tree."""

from studio.gui.pages.space.outline import RowKey, make_outline
from studio.gui.session.learner_names import get_learner_name
from studio.space.library import list_shipped_spaces, load
from studio.space.parameters import Boolean, Categorical, Condition, Float, Integer
from studio.space.space import Space


def test_outline_places_values_below_choice() -> None:
    laid = make_outline(load("sklearn-cash"))
    row = laid.find(RowKey("rbf-svm.C"))
    assert row is not None
    above = laid.get_parent(row)
    assert above is not None
    assert (above.value, above.parameter.name) == ("rbf-svm", "algorithm")
    assert laid.get_parent(above) == laid.find(RowKey("algorithm"))
    assert laid.get_label(row) == "C"
    assert laid.get_label(above) == get_learner_name("rbf-svm")


def test_hyperparameters_have_one_row_each() -> None:
    for each in list_shipped_spaces():
        space = load(each.key)
        rows = [row.parameter.name for row in make_outline(space).rows if row.rule is None]
        assert sorted(rows) == sorted(space.names)


def test_rule_on_several_values_has_own_row() -> None:
    laid = make_outline(load("svm-kernels"))
    row = next(row for row in laid.rows if row.parameter.name == "width" and row.rule is None)
    above = laid.get_parent(row)
    assert above is not None
    assert laid.get_label(above) == "rbf or sigmoid"
    assert above.value is None


def test_numeric_and_boolean_conditions_have_rows() -> None:
    space = Space(
        "s",
        (
            Integer("depth", 1, 9),
            Float("x", 0, 1, conditions=(Condition("depth", None, 2, 5),)),
            Boolean("flag"),
            Float("y", 0, 1, conditions=(Condition("flag", (True,)), Condition("depth", (3,)))),
        ),
    )
    laid = make_outline(space)
    labels = [laid.get_label(row) for row in laid.rows]
    assert "2 … 5" in labels
    assert {"yes", "no"} <= set(labels)
    row = laid.find(RowKey("y"))
    assert row is not None
    assert row.further_rules == "depth is 3"


def test_row_positions_are_per_parent() -> None:
    laid = make_outline(load("sklearn-cash"))
    for row in laid.rows:
        assert laid.get_siblings(row)[row.position] == row.number


def test_example_highlights_its_branch() -> None:
    laid = make_outline(load("sklearn-cash"))
    highlighted = laid.get_active_rows({"algorithm": "knn", "knn.n_neighbors": 3})
    assert sorted(laid.get_label(laid.rows[n]) for n in highlighted) == [
        "Nearest neighbours",
        "algorithm",
        "n_neighbors",
    ]


def test_outline_shows_invalid_spaces() -> None:
    space = Space(
        "s",
        (
            Float("a", 0, 1, conditions=(Condition("b", None, 0, 1),)),
            Float("b", 0, 1, conditions=(Condition("a", None, 0, 1),)),
            Categorical("a", ("x",)),
        ),
    )
    laid = make_outline(space)
    assert {row.key for row in laid.rows if row.rule is None} == {
        RowKey("a"),
        RowKey("b"),
        RowKey("a", 1),
    }


def test_outline_supports_sixty_levels() -> None:
    chain = [Categorical("p0", ("on", "off"))]
    for level in range(1, 400):
        rule = Condition(f"p{level - 1}", ("on",))
        chain.append(Categorical(f"p{level}", ("on", "off"), conditions=(rule,)))
    assert len(make_outline(Space("deep", tuple(chain))).rows) == 1200
