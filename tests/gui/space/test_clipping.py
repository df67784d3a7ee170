"""Cut, copy and paste of branches."""

import pytest

from studio.errors import SpaceError
from studio.gui.pages.space import moves
from studio.gui.pages.space.outline import Outline, OutlineRow, RowKey, make_outline
from studio.space.base import Condition
from studio.space.json_form import ParsedSpace, read_branches, serialize_branches
from studio.space.library import list_shipped_spaces, load
from studio.space.parameters import Categorical, Float
from studio.space.space import Space


@pytest.fixture
def space() -> Space:
    return load("sklearn-cash")


def find(laid: Outline, name: str, value: str | None = None) -> OutlineRow:
    row = laid.find(RowKey(name, 0, None if value is None else Condition(name, (value,))))
    assert row is not None
    return row


def test_cut_branch_can_be_pasted_back(space: Space) -> None:
    laid = make_outline(space)
    row = find(laid, "algorithm", "forest")
    text = moves.format_rows(laid, [row])
    without = moves.remove_rows(space, laid, [row]).space
    assert "forest.max_depth" not in without
    back = moves.paste(without, text, find(make_outline(without), "algorithm"))
    assert back.remark == ""
    assert set(back.space.parameters) - set(space.parameters) == {back.space.parameters[0]}
    assert set(back.space.names) == set(space.names)
    assert back.selected_key == RowKey("forest.n_estimators")
    assert not [p for p in back.space.find_problems() if p.severity == "error"]


def test_pasted_copy_gets_unique_names(space: Space) -> None:
    laid = make_outline(space)
    row = find(laid, "rbf-svm.C")
    edit = moves.paste(space, moves.format_rows(laid, [row]), row)
    copy = edit.space.get_parameter("rbf-svm.C 2")
    assert copy.sets == "rbf-svm.C 2"
    assert copy.conditions == row.parameter.conditions
    assert not [p for p in edit.space.find_problems() if p.severity == "error"]


def test_pasting_below_value_nests_branch(space: Space) -> None:
    laid = make_outline(space)
    text = moves.format_rows(laid, [find(laid, "rbf-svm.C")])
    edit = moves.paste(space, text, find(laid, "algorithm", "knn"))
    assert edit.space.get_parameter("rbf-svm.C 2").conditions == (Condition("algorithm", ("knn",)),)


def test_pasted_duplicate_value_gets_number(space: Space) -> None:
    laid = make_outline(space)
    row = find(laid, "algorithm", "knn")
    edit = moves.paste(space, moves.format_rows(laid, [row]), row)
    choice = edit.space.get_parameter("algorithm")
    assert isinstance(choice, Categorical)
    assert choice.choices[-1] == "knn 2"
    under = Condition("algorithm", ("knn 2",))
    assert edit.space.get_parameter("knn.n_neighbors 2").conditions == (under,)


def test_pasted_rules_on_missing_parameters_are_dropped_with_note() -> None:
    stranger = Float("C", 1, 2, conditions=(Condition("kernel", ("rbf",)),))
    edit = moves.paste(Space("empty", ()), serialize_branches(ParsedSpace((stranger,))), None)
    assert edit.space.parameters == (Float("C", 1, 2),)
    assert "kernel" in edit.remark


def test_value_can_be_pasted_into_choice_only() -> None:
    with pytest.raises(SpaceError, match="row of a"):
        text = serialize_branches(ParsedSpace((), Condition("kernel", ("rbf",))))
        moves.paste(Space("empty", ()), text, None)


def test_pasting_several_rows_is_one_undo_step(space: Space) -> None:
    laid = make_outline(space)
    rows = [
        find(laid, "algorithm", "forest"),
        find(laid, "forest.max_depth"),
        find(laid, "knn.n_neighbors"),
    ]
    assert [row.key for row in moves.select_topmost_rows(laid, rows)] == [rows[2].key, rows[0].key]
    edit = moves.remove_rows(space, laid, rows)
    assert edit.name == "remove 2 rows"
    assert not any(name.startswith(("forest", "knn.")) for name in edit.space.names)
    parsed_space = read_branches(moves.format_rows(laid, [rows[1], rows[2]]))
    assert [p.name for p in parsed_space.parameters] == ["knn.n_neighbors", "forest.max_depth"]
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
    laid = make_outline(nested)
    text = moves.format_rows(laid, [find(laid, "a")])
    assert moves.paste(Space("e", ()), text, None).space.parameters == nested.parameters


@pytest.mark.slow
@pytest.mark.parametrize("key", [each.key for each in list_shipped_spaces()])
@pytest.mark.parametrize("under", [False, True])
def test_any_space_can_be_pasted(key: str, under: bool) -> None:
    space, parameters = load("svm-kernels"), load(key).parameters
    row = find(make_outline(space), "kernel", "poly") if under else None
    edit = moves.paste(space, serialize_branches(ParsedSpace(parameters)), row)
    assert len(edit.space.parameters) == len(space.parameters) + len(parameters)
    make_outline(edit.space)


def test_choice_can_be_pasted_below_its_value() -> None:
    space = load("svm-kernels")
    laid = make_outline(space)
    text = moves.format_rows(laid, [find(laid, "kernel")])
    edit = moves.paste(space, text, find(laid, "kernel", "poly"))
    assert edit.space.get_parameter("kernel 2").conditions == (Condition("kernel", ("poly",)),)
