import collections
from pathlib import Path

import pytest

from studio.errors import SpaceError
from studio.space import library
from studio.space.parameters import Categorical, Float, Integer
from studio.space.space import Space
from tests.facts import about


def test_every_shipped_space_is_valid_and_named_after_file():
    shipped_spaces = library.list_shipped_spaces()
    assert [s.key for s in shipped_spaces[:2]] == ["sklearn-cash", "sklearn-cash-regression"]
    assert {s.key for s in shipped_spaces} >= {"svm-rbf", "svr", "svm-kernels", "dummy"}
    for line in shipped_spaces:
        space = library.load(line.key)
        assert space.find_problems() == []
        assert space.name == line.key == line.path.stem
        assert space.title
        assert space.summary.endswith(".")
        assert space.reference
        assert Space.from_json(space.to_text()) == space
        assert space.to_text() == line.path.read_text(encoding="utf-8")


def ranges(key: str) -> dict[str, tuple[float, float, bool]]:
    space = library.load(key)
    return {
        p.name: (p.low, p.high, p.log) for p in space.parameters if isinstance(p, Float | Integer)
    }


def test_sklearn_space_matches_thesis_table():
    space = library.load("sklearn-cash")
    root = space.find_root_choice()
    assert root is not None
    assert root.choices == (
        "knn", "rbf-svm", "linear-svm", "tree", "forest", "adaboost", "naive-bayes", "lda", "qda",
    )  # fmt: skip
    assert space.dimensions == 14
    tree = {"max_depth": (1, 10), "min_samples_split": (2, 100), "min_samples_leaf": (2, 100)}
    linear = {
        "knn.n_neighbors": (1, 30),
        "forest.n_estimators": (1, 30),
        "adaboost.n_estimators": (1, 30),
        **{f"{a}.{name}": ends for a in ("tree", "forest") for name, ends in tree.items()},
    }
    logs = {
        "rbf-svm.C": (1e-5, 1e5),
        "rbf-svm.width": (1e-5, 1e5),
        "linear-svm.C": (1e-5, 1e5),
        "qda.reg_param": (1e-3, 1e3),
    }
    expected = {name: (*ends, False) for name, ends in linear.items()}
    expected |= {name: (*ends, True) for name, ends in logs.items()}
    assert ranges("sklearn-cash") == expected


def test_regression_space_matches_classification_space():
    space = library.load("sklearn-cash-regression")
    root = space.find_root_choice()
    assert root is not None
    assert root.choices == (
        "knn-regressor", "rbf-svr", "linear-svr", "tree-regressor", "forest-regressor",
        "adaboost-regressor", "ridge",
    )  # fmt: skip
    assert ranges("sklearn-cash-regression")["ridge.alpha"] == (1e-5, 1e5, True)
    assert ranges("sklearn-cash-regression")["rbf-svr.width"] == (1e-5, 1e5, True)


def test_branches_contain_settings_of_their_learner():
    for key in ("sklearn-cash", "sklearn-cash-regression"):
        for parameter in library.load(key).parameters[1:]:
            (condition,) = parameter.conditions
            assert condition.values == (parameter.sets.split(".")[0],)


def test_support_vector_spaces_have_documented_ranges():
    assert ranges("svm-rbf") == {"rbf-svm.C": (1e-5, 1e5, True), "rbf-svm.width": (1e-5, 1e5, True)}
    assert ranges("svr") == {
        "rbf-svr.C": (1e-2, 1e3, True),
        "rbf-svr.gamma": (1e-5, 1e3, True),
        "rbf-svr.epsilon": (1e-2, 1.0, True),
    }
    kernels = library.load("svm-kernels")
    assert kernels.find_active({"kernel": "poly"}) == (
        "algorithm",
        "kernel",
        "C",
        "degree",
        "intercept",
    )
    assert kernels.find_active({"kernel": "linear"}) == ("algorithm", "kernel", "C")
    assert kernels.find_active({"kernel": "rbf"}) == ("algorithm", "kernel", "C", "width")


def test_smbeo_spaces_match_paper():
    assert ranges("svm-rbf-smbeo") == {
        "rbf-svm.C": (1e-2, 1e3, True),
        "rbf-svm.gamma": (1e-5, 1e3, True),
    }
    assert ranges("forest-smbeo") == {"max_features": (1e-4, 1.0, False)}
    assert library.load("forest-smbeo").dimensions == 3
    boosting = {"max_depth": (1, 15, False), "learning_rate": (1e-2, 1.0, True)}
    share = {"max_features": (1e-3, 1.0, False)}
    quantile = {"alpha": (1e-4, 1.0, False)}
    for key, learner, own in (
        ("boosting-smbeo", "gradient-boosting", boosting | share),
        ("boosting-smbeo-regression", "gradient-boosting-regressor", boosting | quantile),
    ):
        assert ranges(key) == {f"{learner}.{name}": ends for name, ends in own.items()}
        assert library.load(key).get_default()[f"{learner}.n_estimators"] == 100
    units = {f"perceptron.units_{layer}": (1, 100, False) for layer in (1, 2)}
    decays = {f"perceptron.decay_{layer}": (1e-5, 100.0, True) for layer in (1, 2, 3)}
    assert ranges("perceptron") == units | decays


def test_forest_space_matches_thesis():
    assert ranges("forest-thesis") == {
        "forest.n_estimators": (2, 50, False),
        "forest.max_depth": (2, 150, False),
        "forest.min_samples_split": (2, 30, False),
        "forest.min_samples_leaf": (1, 30, False),
    }
    assert library.load("forest-thesis").dimensions == 5


DIVBO = {
    "adaboost": 3, "forest": 5, "extra-trees": 5, "gradient-boosting": 6, "knn": 2, "lda": 3,
    "qda": 1, "logistic": 4, "linear-svm": 5, "kernel-svm": 7, "lightgbm": 6,
    "quantile": 2, "robust": 2, "cross-features": 1, "fast-ica": 4, "feature-agglomeration": 4,
    "kernel-pca": 5, "kitchen-sinks": 2, "lda-decomposer": 1, "nystroem": 5, "pca": 2,
    "polynomial": 2, "random-trees": 4, "svd": 1, "select-percentile": 2, "select-univariate": 3,
    "extra-trees-selector": 5, "linear-svm-selector": 2,
}  # fmt: skip
"""Hyperparameters with an effect today. Tables 6 and 7 of DivBO have one more for AdaBoost
(algorithm), gradient boosting (criterion), LDA (n_components) and random trees (bootstrap), and
three more for the linear SVM selector (penalty, loss, dual): 101 in all, 94 here."""


def test_large_space_matches_divbo_paper():
    space = library.load("large-cash")
    counts = collections.Counter(
        parameter.sets.rpartition(".")[0] for parameter in space.columns if "." in parameter.sets
    )
    assert counts == DIVBO
    assert sum(DIVBO.values()) == 94
    choices = [parameter.name for parameter in space.columns if "." not in parameter.sets]
    assert choices == ["algorithm", "balancer", "preprocessor", "rescaler"]
    assert space.dimensions == 98
    n_choices = [space.get_parameter(name).count() for name in choices]
    assert n_choices == [11, 2, 16, 6]
    assert all(space.get_default()[name] == "empty" for name in choices[1:])


def test_linear_svm_has_four_liblinear_combinations():
    space = library.load("large-cash")
    configuration = {"algorithm": "linear-svm"}
    active_combinations = {
        tuple(
            (name, value)
            for name, value in (("penalty", penalty), ("loss", loss), ("dual", dual))
            if f"linear-svm.{name}"
            in space.find_active(
                configuration | {"linear-svm.penalty": penalty, "linear-svm.loss": loss}
            )
        )
        for penalty in ("l1", "l2")
        for loss in ("hinge", "squared_hinge")
        for dual in (False, True)
    }
    assert active_combinations == {
        (("penalty", "l1"),),
        (("penalty", "l2"), ("loss", "hinge")),
        (("penalty", "l2"), ("loss", "squared_hinge"), ("dual", False)),
        (("penalty", "l2"), ("loss", "squared_hinge"), ("dual", True)),
    }


def test_dummy_space_has_three_single_configuration_branches():
    space = library.load("dummy")
    assert isinstance(space.parameters[0], Categorical)
    assert space.dimensions == 4
    assert space.tasks == ()


def test_default_space_depends_on_task():
    assert library.get_default("binary").name == "sklearn-cash"
    assert library.get_default("multiclass").name == "sklearn-cash"
    assert library.get_default("regression").name == "sklearn-cash-regression"
    with pytest.raises(
        SpaceError, check=about(defaults="binary, multiclass, regression", task="'x'")
    ):
        library.get_default("x")


def test_space_file_is_loaded_from_path_or_string(tmp_path, cash):
    path = tmp_path / "mine.json"
    path.write_text(cash.to_text(), encoding="utf-8")
    assert library.load(path) == library.load(str(path)) == cash


def test_invalid_file_is_loaded_only_without_check(tmp_path):
    path = tmp_path / "broken.json"
    space = Space("broken", (Float("x", 2, 1),))
    path.write_text(space.to_text(), encoding="utf-8")
    assert library.load(path, check=False) == space
    with pytest.raises(SpaceError, check=about(name="'broken'", parameter="x")):
        library.load(path)


def test_missing_space_error_lists_spaces(tmp_path):
    with pytest.raises(SpaceError, match="sklearn-cash", check=about(key_or_path="'sklearn'")):
        library.load("sklearn")
    with pytest.raises(SpaceError, match="not a file"):
        library.load(tmp_path)


def test_unnamed_space_is_named_after_file(tmp_path: Path) -> None:
    path = tmp_path / "lines.json"
    path.write_text('{"parameters": [{"name": "a", "type": "integer", "low": 1, "high": 3}]}')
    assert library.read(path).name == "lines"
