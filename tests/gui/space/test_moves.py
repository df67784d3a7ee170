"""Moves of rows."""

import pytest

from studio.errors import SpaceError
from studio.gui.pages.space import moves
from studio.gui.pages.space.outline import OutlineRow, RowKey, make_outline
from studio.space.base import Condition
from studio.space.library import load
from studio.space.parameters import Categorical
from studio.space.space import Space

CASH = load("sklearn-cash")
OUTLINE = make_outline(CASH)


def row(name: str, value: str | None = None) -> OutlineRow:
    rule = None if value is None else Condition(name, (value,))
    outline_row = OUTLINE.find(RowKey(name, 0, rule))
    assert outline_row is not None
    return outline_row


def under(space: Space, value: str) -> list[str]:
    return [p.name for p in space.parameters if p.conditions[:1] == (Condition("algorithm", (value,)),)]  # fmt: skip # noqa: E501


def test_moving_row_swaps_with_sibling() -> None:
    edit = moves.step(CASH, OUTLINE, row("rbf-svm.width"), -1)
    assert under(edit.space, "rbf-svm") == ["rbf-svm.width", "rbf-svm.C"]
    back = moves.step(CASH, OUTLINE, row("rbf-svm.C"), 1)
    assert under(back.space, "rbf-svm") == ["rbf-svm.width", "rbf-svm.C"]


def test_first_row_cannot_move_up() -> None:
    with pytest.raises(SpaceError):
        moves.step(CASH, OUTLINE, row("rbf-svm.C"), -1)


def test_values_can_be_reordered() -> None:
    edit = moves.step(CASH, OUTLINE, row("algorithm", "knn"), 1)
    parameter = edit.space.get_parameter("algorithm")
    assert isinstance(parameter, Categorical)
    assert parameter.choices[:2] == ("rbf-svm", "knn")


def test_dropping_onto_value_nests_row() -> None:
    edit = moves.drop(CASH, OUTLINE, row("rbf-svm.C"), row("algorithm", "knn"))
    assert edit is not None
    assert under(edit.space, "knn") == ["knn.n_neighbors", "rbf-svm.C"]


@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_dropping_between_rows_moves_row(position: int) -> None:
    edit = moves.drop(CASH, OUTLINE, row("rbf-svm.C"), row("algorithm", "tree"), position)
    assert edit is not None
    expected = ["tree.max_depth", "tree.min_samples_split", "tree.min_samples_leaf"]
    expected.insert(position, "rbf-svm.C")
    assert under(edit.space, "tree") == expected


def test_dropping_within_branch_reorders_rows() -> None:
    edit = moves.drop(CASH, OUTLINE, row("tree.max_depth"), row("algorithm", "tree"), 3)
    assert edit is not None
    assert under(edit.space, "tree")[-1] == "tree.max_depth"


def test_dropping_at_root_removes_rules() -> None:
    edit = moves.drop(CASH, OUTLINE, row("rbf-svm.C"), None, 0)
    assert edit is not None
    assert edit.space.parameters[0].name == "rbf-svm.C"
    assert edit.space.parameters[0].conditions == ()


def test_dropping_onto_plain_row_inserts_after_row() -> None:
    edit = moves.drop(CASH, OUTLINE, row("rbf-svm.C"), row("tree.max_depth"))
    assert edit is not None
    assert under(edit.space, "tree")[:2] == ["tree.max_depth", "rbf-svm.C"]


def test_invalid_drops_are_rejected() -> None:
    assert moves.drop(CASH, OUTLINE, row("algorithm"), row("algorithm", "knn")) is None
    assert moves.drop(CASH, OUTLINE, row("rbf-svm.C"), row("algorithm")) is None
    assert moves.drop(CASH, OUTLINE, row("algorithm", "knn"), None, 0) is None
    assert moves.drop(CASH, OUTLINE, row("algorithm", "knn"), row("tree.max_depth")) is None


def test_values_can_be_reordered_by_drag_and_drop() -> None:
    edit = moves.drop(CASH, OUTLINE, row("algorithm", "qda"), row("algorithm"), 0)
    assert edit is not None
    parameter = edit.space.get_parameter("algorithm")
    assert isinstance(parameter, Categorical)
    assert parameter.choices[:2] == ("qda", "knn")
    assert set(parameter.choices) == {row.value for row in OUTLINE.rows if row.rule is not None}


def test_unnesting_reverts_nesting() -> None:
    moved_space = moves.unnest(CASH, row("rbf-svm.C")).space
    assert moved_space.get_parameter("rbf-svm.C").conditions == ()
    laid = make_outline(moved_space)
    free, home = laid.find(RowKey("rbf-svm.C")), laid.find(row("algorithm", "rbf-svm").key)
    assert free is not None
    assert home is not None
    assert moves.nest(moved_space, free, home).space == CASH
