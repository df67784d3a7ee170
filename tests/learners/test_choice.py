import pytest

from studio.errors import LearnerError
from studio.learners.choice import find_learner
from tests.facts import about

SETS = {
    "algorithm": "algorithm",
    "knn.n_neighbors": "knn.n_neighbors",
    "penalty": "rbf-svm.C",
    "width": "width",
}


def test_only_selected_learner_receives_its_values():
    choice = find_learner({"algorithm": "knn", "knn.n_neighbors": 3, "penalty": 1.0}, SETS)
    assert choice.learner == "knn"
    assert choice.values == {"n_neighbors": 3}


def test_parameter_name_may_differ_from_hyperparameter():
    choice = find_learner({"algorithm": "rbf-svm", "penalty": 2.0, "width": 3.0}, SETS)
    assert choice.values == {"C": 2.0, "width": 3.0}
    assert choice.names == {"C": "penalty", "width": "width"}


def test_space_without_learner_is_rejected():
    with pytest.raises(LearnerError, match="'algorithm'", check=about(count="0")):
        find_learner({"x": 1.0}, {"x": "x"})


def test_space_with_two_learners_is_rejected():
    with pytest.raises(LearnerError, match="here 2 do"):
        find_learner({"a": "knn", "b": "tree"}, {"a": "algorithm", "b": "algorithm"})


def test_unknown_learner_error_lists_learners():
    with pytest.raises(
        LearnerError, match=r"kind of model .*available: knn", check=about(key="'oracle'")
    ):
        find_learner({"algorithm": "oracle"}, SETS)


def test_conflicting_parameters_are_rejected():
    sets = {"algorithm": "algorithm", "a": "knn.n_neighbors", "b": "knn.n_neighbors"}
    same = about(first="'a'", name="'b'", owner="knn", hyperparameter="n_neighbors")
    with pytest.raises(LearnerError, check=same):
        find_learner({"algorithm": "knn", "a": 1, "b": 2}, sets)


SPACE = {
    "algorithm": "algorithm",
    "first": "preprocessor",
    "second": "rescaler",
    "balance": "balancer",
    "share": "pca.keep_variance",
    "robust.q_min": "robust.q_min",
    "tree.max_depth": "tree.max_depth",
}


def test_selected_operators_are_in_stage_order():
    choice = find_learner(
        {
            "algorithm": "tree",
            "second": "robust",
            "first": "pca",
            "balance": "weight-balancer",
            "share": 0.9,
            "robust.q_min": 0.1,
            "tree.max_depth": 3,
        },
        SPACE,
    )
    assert [(each.stage, each.operator.key) for each in choice.operators] == [
        ("balancer", "weight-balancer"),
        ("preprocessor", "pca"),
        ("rescaler", "robust"),
    ]
    assert [each.values for each in choice.operators] == [
        {},
        {"keep_variance": 0.9},
        {"q_min": 0.1},
    ]
    assert choice.values == {"max_depth": 3}


def test_operator_is_none_for_empty_stage():
    choice = find_learner(
        {"algorithm": "tree", "first": "empty", "second": "standard", "share": 0.9}, SPACE
    )
    assert [each.operator and each.operator.key for each in choice.operators] == [None, "standard"]
    assert choice.operators[1].values == {}


def test_used_operator_values_have_names_of_space():
    choice = find_learner({"algorithm": "tree", "first": "pca", "share": 0.9}, SPACE)
    used = {"pca.keep_variance": 0.5, "pca.whiten": True, "max_depth": 2}
    assert choice.get_named_values(used) == {"share": 0.5, "pca.whiten": True, "tree.max_depth": 2}


def test_two_operators_for_one_stage_are_rejected():
    with pytest.raises(LearnerError, match="Two ", check=about(stage="'preprocessor'")):
        find_learner(
            {"algorithm": "tree", "a": "pca", "b": "svd"},
            {"algorithm": "algorithm", "a": "preprocessor", "b": "preprocessor"},
        )


def test_operator_of_another_stage_error_lists_available_ones():
    with pytest.raises(
        LearnerError, match="available: minmax", check=about(noun="rescaler", key="'pca'")
    ):
        find_learner({"algorithm": "tree", "second": "pca"}, SPACE)


def test_two_parameters_for_same_operator_setting_are_rejected():
    sets = SPACE | {"other": "pca.keep_variance"}
    same = about(first="'share'", name="'other'", owner="pca", hyperparameter="keep_variance")
    with pytest.raises(LearnerError, check=same):
        find_learner({"algorithm": "tree", "first": "pca", "share": 0.9, "other": 0.8}, sets)
