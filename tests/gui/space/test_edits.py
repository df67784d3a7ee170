"""Edits of one row, which return new spaces."""

import pytest

from studio.errors import SpaceError
from studio.gui.pages.space import edits
from studio.gui.pages.space.outline import OutlineRow, RowKey, make_outline
from studio.space.base import Condition
from studio.space.library import load
from studio.space.parameters import REGISTRY, Categorical, Constant, Float, Integer
from studio.space.space import Space
from tests.facts import contains_facts

CASH = load("sklearn-cash")


def row(space: Space, name: str, value: str | None = None) -> OutlineRow:
    rule = None if value is None else Condition(name, (value,))
    found = make_outline(space).find(RowKey(name, 0, rule))
    assert found is not None
    return found


def test_renaming_keeps_hyperparameter_of_learner() -> None:
    renamed = edits.rename(CASH, row(CASH, "knn.n_neighbors"), "knn.p")
    assert renamed.space.get_parameter("knn.p").sets == "knn.p"
    renamed = edits.rename(CASH, row(CASH, "knn.n_neighbors"), " knn.k ")
    assert renamed.space.get_parameter("knn.k").sets == "knn.n_neighbors"  # which no "k" is
    assert renamed.selected_key == RowKey("knn.k")
    again = edits.rename(
        edits.apply_input(CASH, row(CASH, "qda.reg_param"), "sets", "qda.other").space,
        row(edits.apply_input(CASH, row(CASH, "qda.reg_param"), "sets", "qda.other").space,
            "qda.reg_param"),
        "q",
    )  # fmt: skip
    assert again.space.get_parameter("q").sets == "qda.other"


def test_renaming_value_keeps_dependents() -> None:
    done = edits.rename(CASH, row(CASH, "algorithm", "knn"), "neighbours")
    assert done.space.get_parameter("knn.n_neighbors").conditions[0].values == ("neighbours",)
    assert done.selected_key == RowKey("algorithm", 0, Condition("algorithm", ("neighbours",)))


def test_duplicate_parameter_name_is_rejected() -> None:
    with pytest.raises(SpaceError, match="already"):
        edits.rename(CASH, row(CASH, "rbf-svm.C"), "rbf-svm.width")


def test_range_is_edited_as_one_text() -> None:
    done = edits.apply_input(CASH, row(CASH, "knn.n_neighbors"), "values", "2 … 50")
    parameter = done.space.get_parameter("knn.n_neighbors")
    assert isinstance(parameter, Integer)
    assert (parameter.low, parameter.high) == (2, 50)
    assert contains_facts(done.name, "range", "knn.n_neighbors")


def test_inverted_range_is_kept_and_reported() -> None:
    done = edits.apply_input(CASH, row(CASH, "rbf-svm.C"), "low", "1e6")
    error, _ = edits.find_problems(done.space, done.space.get_parameter("rbf-svm.C"), "low")
    assert "above the largest" in error


def test_retyping_one_choice_renames_it() -> None:
    space = Space("s", (Categorical("k", ("a", "b")), Float("x", 0, 1, conditions=(
        Condition("k", ("b",)),))))  # fmt: skip
    done = edits.apply_input(space, row(space, "k"), "values", "a, c")
    assert done.space.get_parameter("x").conditions[0].values == ("c",)


def test_removed_default_moves_to_first_choice() -> None:
    space = Space("s", (Categorical("k", ("a", "b", "c"), default="c"),))
    done = edits.apply_input(space, row(space, "k"), "choices", "a, b")
    assert done.space.get_parameter("k").get_default() == "a"
    assert not done.space.find_problems()


@pytest.mark.parametrize("kind", [kind.type for kind in REGISTRY])
def test_new_hyperparameters_of_every_kind_are_valid(kind: str) -> None:
    done = edits.add(CASH, kind, row(CASH, "algorithm", "lda"))
    assert done.selected_key is not None
    added = done.space.get_parameter(done.selected_key.name)
    assert added.type == kind
    assert added.conditions == (Condition("algorithm", ("lda",)),)
    assert added.name.startswith("lda.")
    assert not [p for p in done.space.find_problems() if p.severity == "error"]


def test_new_hyperparameter_follows_selected_sibling() -> None:
    done = edits.add(CASH, "float", row(CASH, "rbf-svm.C"))
    names = done.space.names
    assert names.index("rbf-svm.float") == names.index("rbf-svm.C") + 1


def test_value_is_removed_with_dependents() -> None:
    added = edits.add_value(CASH, row(CASH, "algorithm"))
    assert isinstance(added.space.get_parameter("algorithm"), Categorical)
    gone = edits.remove(CASH, row(CASH, "algorithm", "rbf-svm"))
    assert "rbf-svm.C" not in gone.space
    assert contains_facts(gone.name, "remove", "algorithm = rbf-svm")


def test_duplicated_hyperparameter_is_valid() -> None:
    done = edits.duplicate(CASH, row(CASH, "knn.n_neighbors"))
    assert done.selected_key == RowKey("knn.n_neighbors 2")
    assert not [p for p in done.space.find_problems() if p.severity == "error"]


def test_cyclic_rules_are_rejected() -> None:
    with pytest.raises(SpaceError, match="below"):
        edits.set_rules(CASH, row(CASH, "algorithm"), (Condition("rbf-svm.C", None, 1, 2),))


def test_constant_is_parsed_by_type() -> None:
    space = Space("s", (Constant("c", "rbf"),))
    done = edits.apply_input(space, row(space, "c"), "values", "3")
    assert done.space.get_parameter("c").get_default() == 3
