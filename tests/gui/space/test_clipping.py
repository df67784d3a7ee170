"""Cut, copy and paste of branches."""

import pytest

from studio.errors import SpaceError
from studio.gui.pages.space import moves
from studio.gui.pages.space.outline import Outline, OutlineRow, RowKey, outline
from studio.space.base import Condition
from studio.space.json_form import Branches, branch_text, read_branches
from studio.space.library import load, shipped_spaces
from studio.space.parameters import Categorical, Float
from studio.space.space import Space


@pytest.fixture
def space() -> Space:
    return load("sklearn-cash")


def find(laid: Outline, name: str, value: str | None = None) -> OutlineRow:
    row = laid.find(RowKey(name, 0, None if value is None else Condition(name, (value,))))
    assert row is not None
    return row


def test_a_branch_is_cut_and_pasted_back(space: Space) -> None:
    laid = outline(space)
    row = find(laid, "algorithm", "forest")
    text = moves.rows_as_text(laid, [row])
    without = moves.remove_rows(space, laid, [row]).space
    assert "forest.max_depth" not in without
    back = moves.paste(without, text, find(outline(without), "algorithm"))
    assert back.remark == ""
    assert set(back.space.parameters) - set(space.parameters) == {back.space.parameters[0]}
    assert set(back.space.names) == set(space.names)
    assert back.look_at == RowKey("forest.n_estimators")
    assert not [p for p in back.space.problems() if p.severity == "error"]


def test_pasting_beside_itself_makes_names_and_settings_of_its_own(space: Space) -> None:
    laid = outline(space)
    row = find(laid, "rbf-svm.C")
    made = moves.paste(space, moves.rows_as_text(laid, [row]), row)
    copy = made.space.parameter("rbf-svm.C 2")
    assert copy.sets == "rbf-svm.C 2"
    assert copy.conditions == row.parameter.conditions
    assert not [p for p in made.space.problems() if p.severity == "error"]


def test_pasting_under_a_value_nests_it_there(space: Space) -> None:
    laid = outline(space)
    text = moves.rows_as_text(laid, [find(laid, "rbf-svm.C")])
    made = moves.paste(space, text, find(laid, "algorithm", "knn"))
    assert made.space.parameter("rbf-svm.C 2").conditions == (Condition("algorithm", ("knn",)),)


def test_a_value_that_is_there_already_gets_a_number(space: Space) -> None:
    laid = outline(space)
    row = find(laid, "algorithm", "knn")
    made = moves.paste(space, moves.rows_as_text(laid, [row]), row)
    choice = made.space.parameter("algorithm")
    assert isinstance(choice, Categorical)
    assert choice.choices[-1] == "knn 2"
    under = Condition("algorithm", ("knn 2",))
    assert made.space.parameter("knn.n_neighbors 2").conditions == (under,)


def test_pasted_rules_on_missing_parameters_are_dropped_with_note() -> None:
    stranger = Float("C", 1, 2, conditions=(Condition("kernel", ("rbf",)),))
    made = moves.paste(Space("empty", ()), branch_text(Branches((stranger,))), None)
    assert made.space.parameters == (Float("C", 1, 2),)
    assert "kernel" in made.remark


def test_value_can_be_pasted_into_choice_only() -> None:
    with pytest.raises(SpaceError, match="row of a"):
        text = branch_text(Branches((), Condition("kernel", ("rbf",))))
        moves.paste(Space("empty", ()), text, None)


def test_several_rows_are_one_step_and_those_below_others_go_with_them(space: Space) -> None:
    laid = outline(space)
    rows = [
        find(laid, "algorithm", "forest"),
        find(laid, "forest.max_depth"),
        find(laid, "knn.n_neighbors"),
    ]
    assert [row.key for row in moves.topmost_rows(laid, rows)] == [rows[2].key, rows[0].key]
    made = moves.remove_rows(space, laid, rows)
    assert made.what == "remove 2 rows"
    assert not any(name.startswith(("forest", "knn.")) for name in made.space.names)
    told = read_branches(moves.rows_as_text(laid, [rows[1], rows[2]]))
    assert [p.name for p in told.parameters] == ["knn.n_neighbors", "forest.max_depth"]
    double = moves.duplicate_rows(space, laid, [rows[1], rows[2]])
    assert {"knn.n_neighbors 2", "forest.max_depth 2"} <= set(double.space.names)
    with pytest.raises(SpaceError, match="copy and paste"):
        moves.duplicate_rows(space, laid, rows[:1])


def test_copied_row_includes_subtree() -> None:
    nested = Space(
        "nested",
        (
            Categorical("a", ("x", "y")),
            Categorical("b", ("x", "y"), conditions=(Condition("a", ("x",)),)),
            Float("c", 0, 1, conditions=(Condition("b", ("x",)),)),
        ),
    )
    laid = outline(nested)
    text = moves.rows_as_text(laid, [find(laid, "a")])
    assert moves.paste(Space("e", ()), text, None).space.parameters == nested.parameters


@pytest.mark.slow
@pytest.mark.parametrize("key", [each.key for each in shipped_spaces()])
@pytest.mark.parametrize("under", [False, True])
def test_any_space_is_pasted_into_another(key: str, under: bool) -> None:
    space, found = load("svm-kernels"), load(key).parameters
    row = find(outline(space), "kernel", "poly") if under else None
    made = moves.paste(space, branch_text(Branches(found)), row)
    assert len(made.space.parameters) == len(space.parameters) + len(found)
    outline(made.space)


def test_a_choice_is_pasted_under_its_own_value() -> None:
    space = load("svm-kernels")
    laid = outline(space)
    text = moves.rows_as_text(laid, [find(laid, "kernel")])
    made = moves.paste(space, text, find(laid, "kernel", "poly"))
    assert made.space.parameter("kernel 2").conditions == (Condition("kernel", ("poly",)),)
