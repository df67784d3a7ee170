"""Edits of one row, which return new spaces."""

import pytest

from studio.errors import SpaceError
from studio.gui.pages.space import edits
from studio.gui.pages.space.outline import OutlineRow, RowKey, make_outline
from studio.gui.session.learner_names import get_learner_name
from studio.space.base import Condition
from studio.space.library import load
from studio.space.parameters import REGISTRY, Categorical, Constant, Float, Integer
from studio.space.space import Space
from tests.facts import contains_facts

CASH = load("sklearn-cash")


def row(space: Space, name: str, value: str | None = None) -> OutlineRow:
    rule = None if value is None else Condition(name, (value,))
    outline_row = make_outline(space).find(RowKey(name, 0, rule))
    assert outline_row is not None
    return outline_row


def test_renaming_keeps_hyperparameter_of_learner() -> None:
    renamed = edits.rename(CASH, row(CASH, "knn.n_neighbors"), "knn.p")
    assert renamed.space.get_parameter("knn.p").sets == "knn.p"
    renamed = edits.rename(CASH, row(CASH, "knn.n_neighbors"), " knn.k ")
    assert renamed.space.get_parameter("knn.k").sets == "knn.n_neighbors"  # "k" is not a setting
    assert renamed.selected_key == RowKey("knn.k")
    repeated = edits.rename(
        edits.apply_input(CASH, row(CASH, "qda.reg_param"), "sets", "qda.other").space,
        row(edits.apply_input(CASH, row(CASH, "qda.reg_param"), "sets", "qda.other").space,
            "qda.reg_param"),
        "q",
    )  # fmt: skip
    assert repeated.space.get_parameter("q").sets == "qda.other"


def test_renaming_value_keeps_dependent_parameters() -> None:
    edit = edits.rename(CASH, row(CASH, "algorithm", "knn"), "neighbours")
    assert edit.space.get_parameter("knn.n_neighbors").conditions[0].values == ("neighbours",)
    assert edit.selected_key == RowKey("algorithm", 0, Condition("algorithm", ("neighbours",)))


def test_duplicate_parameter_name_is_rejected() -> None:
    with pytest.raises(SpaceError, match="already"):
        edits.rename(CASH, row(CASH, "rbf-svm.C"), "rbf-svm.width")


def test_range_is_edited_as_one_text() -> None:
    edit = edits.apply_input(CASH, row(CASH, "knn.n_neighbors"), "values", "2 … 50")
    parameter = edit.space.get_parameter("knn.n_neighbors")
    assert isinstance(parameter, Integer)
    assert (parameter.low, parameter.high) == (2, 50)
    assert contains_facts(edit.name, "range", "knn.n_neighbors")


def test_inverted_range_is_kept_and_reported() -> None:
    edit = edits.apply_input(CASH, row(CASH, "rbf-svm.C"), "low", "1e6")
    error, _ = edits.find_problems(edit.space, edit.space.get_parameter("rbf-svm.C"), "low")
    assert "above the largest" in error


def test_retyping_one_choice_updates_rules() -> None:
    space = Space("s", (Categorical("k", ("a", "b")), Float("x", 0, 1, conditions=(
        Condition("k", ("b",)),))))  # fmt: skip
    edit = edits.apply_input(space, row(space, "k"), "values", "a, c")
    assert edit.space.get_parameter("x").conditions[0].values == ("c",)


def test_removal_of_default_selects_first_choice() -> None:
    space = Space("s", (Categorical("k", ("a", "b", "c"), default="c"),))
    edit = edits.apply_input(space, row(space, "k"), "values", "a, b")
    assert edit.space.get_parameter("k").get_default() == "a"
    assert not edit.space.find_problems()


@pytest.mark.parametrize("kind", [kind.type for kind in REGISTRY])
def test_new_hyperparameters_of_every_kind_are_valid(kind: str) -> None:
    edit = edits.add(CASH, kind, row(CASH, "algorithm", "lda"))
    assert edit.selected_key is not None
    parameter = edit.space.get_parameter(edit.selected_key.name)
    assert parameter.type == kind
    assert parameter.conditions == (Condition("algorithm", ("lda",)),)
    assert parameter.name.startswith("lda.")
    assert not [p for p in edit.space.find_problems() if p.severity == "error"]


def test_new_hyperparameter_follows_selected_sibling() -> None:
    edit = edits.add(CASH, "float", row(CASH, "rbf-svm.C"))
    names = edit.space.names
    assert names.index("rbf-svm.float") == names.index("rbf-svm.C") + 1


def test_value_is_removed_with_dependent_parameters() -> None:
    addition = edits.add_value(CASH, row(CASH, "algorithm"))
    assert isinstance(addition.space.get_parameter("algorithm"), Categorical)
    removal = edits.remove(CASH, row(CASH, "algorithm", "rbf-svm"))
    assert "rbf-svm.C" not in removal.space
    assert contains_facts(removal.name, "remove", f"algorithm = {get_learner_name('rbf-svm')}")


def test_duplicated_hyperparameter_is_valid() -> None:
    edit = edits.duplicate(CASH, row(CASH, "knn.n_neighbors"))
    assert edit.selected_key == RowKey("knn.n_neighbors 2")
    assert not [p for p in edit.space.find_problems() if p.severity == "error"]


def test_cyclic_rules_are_rejected() -> None:
    with pytest.raises(SpaceError, match="below"):
        edits.set_rules(CASH, row(CASH, "algorithm"), (Condition("rbf-svm.C", None, 1, 2),))


def test_constant_is_parsed_by_type() -> None:
    space = Space("s", (Constant("c", "rbf"),))
    edit = edits.apply_input(space, row(space, "c"), "values", "3")
    assert edit.space.get_parameter("c").get_default() == 3
