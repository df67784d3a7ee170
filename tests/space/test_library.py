import pytest

from studio.errors import SpaceError
from studio.space import library
from studio.space.parameters import Categorical, Float, Integer
from studio.space.space import Space


def test_every_shipped_space_is_valid_and_named_like_its_file():
    listed = library.shipped()
    assert [s.key for s in listed[:2]] == ["sklearn-cash", "sklearn-cash-regression"]
    assert {s.key for s in listed} >= {"svm-rbf", "svr", "svm-kernels", "dummy"}
    for line in listed:
        space = library.load(line.key)
        assert space.problems() == []
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


def test_the_scikit_learn_space_is_the_thesis_table():
    space = library.load("sklearn-cash")
    root = space.root_choice()
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


def test_the_regression_space_is_its_counterpart():
    space = library.load("sklearn-cash-regression")
    root = space.root_choice()
    assert root is not None
    assert root.choices == (
        "knn-regressor", "rbf-svr", "linear-svr", "tree-regressor", "forest-regressor",
        "adaboost-regressor", "ridge",
    )  # fmt: skip
    assert ranges("sklearn-cash-regression")["ridge.alpha"] == (1e-5, 1e5, True)
    assert ranges("sklearn-cash-regression")["rbf-svr.width"] == (1e-5, 1e5, True)


def test_every_branch_holds_the_settings_of_its_own_learner():
    for key in ("sklearn-cash", "sklearn-cash-regression"):
        for parameter in library.load(key).parameters[1:]:
            (condition,) = parameter.conditions
            assert condition.values == (parameter.sets.split(".")[0],)


def test_the_support_vector_spaces():
    assert ranges("svm-rbf") == {
        "rbf-svm.C": (1e-5, 1e5, True),
        "rbf-svm.width": (1e-5, 1e5, True),
    }
    assert ranges("svr") == {
        "rbf-svr.C": (1e-2, 1e3, True),
        "rbf-svr.gamma": (1e-5, 1e3, True),
        "rbf-svr.epsilon": (1e-2, 1.0, True),
    }
    kernels = library.load("svm-kernels")
    assert kernels.active({"kernel": "poly"}) == ("algorithm", "kernel", "C", "degree", "intercept")
    assert kernels.active({"kernel": "linear"}) == ("algorithm", "kernel", "C")
    assert kernels.active({"kernel": "rbf"}) == ("algorithm", "kernel", "C", "width")


def test_the_dummy_space_has_three_branches_of_one():
    space = library.load("dummy")
    assert isinstance(space.parameters[0], Categorical)
    assert space.dimensions == 4
    assert space.tasks == ()


def test_defaults_by_task():
    assert library.default_for("binary").name == "sklearn-cash"
    assert library.default_for("multiclass").name == "sklearn-cash"
    assert library.default_for("regression").name == "sklearn-cash-regression"
    with pytest.raises(SpaceError, match="A task is one of binary, multiclass, regression; 'x'"):
        library.default_for("x")


def test_a_file_is_loaded_like_a_key(tmp_path, cash):
    path = tmp_path / "mine.json"
    path.write_text(cash.to_text(), encoding="utf-8")
    assert library.load(path) == library.load(str(path)) == cash


def test_an_invalid_file_opens_only_for_mending(tmp_path):
    path = tmp_path / "broken.json"
    space = Space("broken", (Float("x", 2, 1),))
    path.write_text(space.to_text(), encoding="utf-8")
    assert library.load(path, check=False) == space
    with pytest.raises(SpaceError, match="'broken' cannot be used"):
        library.load(path)


def test_what_is_not_there_is_said_with_what_is(tmp_path):
    with pytest.raises(SpaceError, match="no search space 'sklearn': it is no file, and shipped"):
        library.load("sklearn")
    with pytest.raises(SpaceError, match="it is no file"):
        library.load(tmp_path)
