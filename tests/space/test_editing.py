import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import SpaceError
from studio.space import editing
from studio.space.parameters import (
    Boolean,
    Categorical,
    Condition,
    Constant,
    Float,
    Integer,
    Ordinal,
)
from studio.space.space import Space
from tests.facts import about


def test_subtree_contains_all_descendants(cash):
    assert editing.get_subtree(cash, "svm.kernel") == ("svm.kernel", "svm.width", "svm.degree")
    assert editing.get_subtree(cash, "algorithm") == cash.names


def test_added_parameter_follows_subtree_or_is_last(cash):
    extra = Boolean("shrink")
    assert editing.add(cash, extra).names[-1] == "shrink"
    placed = editing.add(cash, extra, after="svm.kernel").names
    assert placed.index("shrink") == placed.index("svm.degree") + 1
    with pytest.raises(SpaceError, match="exists already", check=about(name="svm.C")):
        editing.add(cash, Boolean("svm.C"))


def test_removal_includes_subtree_and_referring_rules(cash):
    assert editing.remove(cash, "svm.kernel").names == ("algorithm", "svm.C", "knn.neighbours")
    rules = (Condition("algorithm", ("svm",)), Condition("svm.kernel", ("rbf",)))
    both = editing.add(cash, Boolean("x", conditions=rules))
    remaining_space = editing.remove(both, "svm.kernel")
    assert remaining_space.get_parameter("x").conditions == rules[:1]
    assert not remaining_space.find_problems()


def test_duplication_copies_subtree_with_new_names(cash):
    copy = editing.duplicate(cash, "svm.kernel")
    assert copy.names[5:8] == ("svm.kernel 2", "svm.width 2", "svm.degree 2")
    assert copy.get_parameter("svm.width 2").conditions[0].parent == "svm.kernel 2"
    assert copy.get_parameter("svm.kernel 2").conditions[0].parent == "algorithm"
    assert copy.get_parameter("svm.width 2").sets == "svm.width 2"
    assert not copy.find_problems()
    repeated = editing.duplicate(copy, "svm.kernel 2")
    assert "svm.kernel 2 2" in repeated


def test_renaming_updates_rules_and_keeps_learner_setting(cash):
    space = editing.rename(cash, "svm.kernel", "kernel")
    assert space.get_parameter("kernel").sets == "svm.kernel"
    assert space.get_parameter("svm.width").conditions[0].parent == "kernel"
    assert not space.find_problems()
    assert editing.rename(cash, "svm.C", "C", rename_target=True).get_parameter("C").sets == "C"
    assert editing.rename(cash, "svm.C", "svm.C") == cash
    with pytest.raises(SpaceError, match="exists already", check=about(name="algorithm")):
        editing.rename(cash, "svm.C", "algorithm")


def test_move_includes_subtree_and_keeps_rules(cash):
    space = editing.move(cash, "knn.neighbours", before="svm.kernel")
    assert space.names[:3] == ("algorithm", "knn.neighbours", "svm.kernel")
    assert set(space.parameters) == set(cash.parameters)
    last = editing.move(cash, "svm.kernel")
    assert last.names[-3:] == ("svm.kernel", "svm.width", "svm.degree")
    assert editing.move(cash, "svm.kernel", before="svm.width") == cash


def test_unnesting_moves_parameter_up_one_level(cash):
    space = editing.nest(cash, "knn.neighbours", "svm.kernel", ["rbf"])
    (rule,) = space.get_parameter("knn.neighbours").conditions
    assert rule == Condition("svm.kernel", ("rbf",))
    up = editing.unnest(space, "knn.neighbours")
    assert up.get_parameter("knn.neighbours").conditions == (Condition("algorithm", ("svm",)),)
    root = editing.unnest(up, "knn.neighbours")
    assert root.get_parameter("knn.neighbours").conditions == ()
    assert editing.unnest(root, "knn.neighbours") == root
    ranged = editing.nest(cash, "svm.C", "knn.neighbours", low=3)
    assert ranged.get_parameter("svm.C").conditions == (Condition("knn.neighbours", low=3),)


def test_nesting_keeps_further_rules(cash):
    rules = (Condition("algorithm", ("svm",)), Condition("svm.kernel", ("rbf",)))
    space = editing.add(cash, Boolean("x", conditions=rules))
    conditions = editing.nest(space, "x", "algorithm", ("svm", "knn")).get_parameter("x").conditions
    assert conditions == (Condition("algorithm", ("svm", "knn")), rules[1])


def test_nesting_below_descendant_is_rejected(cash):
    for parent in ("svm.kernel", "svm.width"):
        with pytest.raises(SpaceError, check=about(name="svm.kernel", parent=parent)):
            editing.nest(cash, "svm.kernel", parent, ["rbf"])


def test_undeclared_default_follows_changed_range(cash):
    wide = editing.change(cash, "svm.width", low=1.0)
    assert wide.get_parameter("svm.width").default == pytest.approx(10**2.5, rel=1e-5)
    declared = editing.change(cash, "svm.C", low=1.0)
    assert declared.get_parameter("svm.C").default == 10.0
    broken = editing.change(cash, "svm.C", high=1e-9)
    assert [p.field for p in broken.find_problems()] == ["low"]


def test_editing_missing_parameter_is_rejected(cash):
    with pytest.raises(SpaceError, check=about(name="svm.C", kind="number", unknown="'choices'")):
        editing.change(cash, "svm.C", choices=("a",))
    with pytest.raises(SpaceError, check=about(name_2="'nobody'")):
        editing.change(cash, "nobody", low=1)


def test_choice_edits_update_rules(cash):
    space = editing.add_choice(cash, "svm.kernel", "sigmoid")
    assert space.get_parameter("svm.kernel").choices[-1] == "sigmoid"
    renamed = editing.rename_choice(cash, "svm.kernel", "rbf", "gauss")
    assert renamed.get_parameter("svm.width").conditions[0].values == ("gauss", "poly")
    removed = editing.remove_choice(cash, "svm.kernel", "poly")
    assert "svm.degree" not in removed
    assert removed.get_parameter("svm.width").conditions[0].values == ("rbf",)
    assert not removed.find_problems()


def test_default_follows_renamed_or_removed_choice(cash):
    assert (
        editing.rename_choice(cash, "algorithm", "svm", "s").get_parameter("algorithm").default
        == "s"
    )
    remaining_space = editing.remove_choice(cash, "algorithm", "svm")
    assert remaining_space.get_parameter("algorithm").default == "knn"
    assert remaining_space.names == ("algorithm", "knn.neighbours")


def test_invalid_choice_edits_are_rejected(cash):
    with pytest.raises(SpaceError, check=about(name="algorithm", value="knn")):
        editing.add_choice(cash, "algorithm", "knn")
    with pytest.raises(SpaceError, check=about(name="algorithm", new="knn")):
        editing.rename_choice(cash, "algorithm", "lda", "knn")
    with pytest.raises(SpaceError, match="no value", check=about(name="algorithm", value="tree")):
        editing.rename_choice(cash, "algorithm", "tree", "forest")
    with pytest.raises(SpaceError, match="not a choice", check=about(name="svm.C", kind="number")):
        editing.add_choice(cash, "svm.C", "x")


def test_removal_of_last_choice_is_reported_as_problem():
    space = editing.remove_choice(Space("s", (Categorical("c", ("a",)),)), "c", "a")
    (problem,) = space.find_problems()
    assert (problem.parameter, problem.field) == ("c", "choices")
    assert "add a value" in problem.message


@pytest.mark.parametrize(
    ("before", "kind", "after"),
    [
        (Float("x", 0.4, 9.7, default=3.2), Integer, Integer("x", 0, 10, default=3)),
        (Integer("x", 1, 9, True, default=3), Float, Float("x", 1, 9, True, default=3)),
        (Categorical("x", (1, 8, 4)), Integer, Integer("x", 1, 8, default=1)),
        (Categorical("x", ("a", "b")), Float, Float("x", 0, 1)),
        (Float("x", 0, 1), Categorical, Categorical("x", (0.0, 1.0))),
        (Categorical("x", ("a", "b"), default="b"), Ordinal, Ordinal("x", ("a", "b"), default="b")),
        (Boolean("x", default=True), Categorical, Categorical("x", (False, True), default=True)),
        (Integer("x", 1, 9), Constant, Constant("x", 5)),
        (Constant("x", 5), Integer, Integer("x", 5, 5)),
        (Constant("x", True), Boolean, Boolean("x", default=True)),
        (Float("x", 0, 1), Boolean, Boolean("x")),
        (Boolean("x"), Boolean, Boolean("x")),
    ],
)
def test_conversion_keeps_common_fields(before, kind, after):
    assert editing.convert(Space("s", (before,)), "x", kind).parameters == (after,)


def test_conversion_keeps_rules_and_target(cash):
    converted_parameter = editing.convert(cash, "svm.degree", Float).get_parameter("svm.degree")
    assert converted_parameter.conditions == cash.get_parameter("svm.degree").conditions
    assert converted_parameter.sets == "svm.degree"


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_edits_do_not_modify_original_space(any_space, data):
    space = data.draw(any_space)
    before = Space.from_json(space.to_json())
    name = data.draw(st.sampled_from(space.names))
    subtree_names = set(editing.get_subtree(space, name))
    remaining_space = editing.remove(space, name)
    assert set(remaining_space.names) == set(space.names) - subtree_names
    assert not any(
        p.severity == "error" for p in remaining_space.find_problems() if remaining_space.parameters
    )
    moved_space = editing.move(space, name)
    assert sorted(moved_space.names) == sorted(space.names)
    renamed = editing.rename(space, name, "new name")
    assert [p.describe() for p in renamed.parameters] == [p.describe() for p in space.parameters]
    assert editing.rename(renamed, "new name", name) == space
    doubled = editing.duplicate(space, name)
    assert len(doubled.parameters) == len(space.parameters) + len(subtree_names)
    assert space == before
