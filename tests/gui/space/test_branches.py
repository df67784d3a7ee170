"""Ready-made branches of learners."""

import pytest

from studio.gui.pages.space.branches import (
    LEARNERS,
    add_learner,
    find_missing_branches,
    list_branches,
)
from studio.gui.pages.space.edits import remove
from studio.gui.pages.space.outline import RowKey, make_outline
from studio.learners.library_spaces import find_library_problems
from studio.learners.operators.base import STAGES
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.space_problems import find_all_problems
from studio.space.base import Condition
from studio.space.library import load
from studio.space.space import Space

CASH = load("sklearn-cash")


def test_branches_match_settings_of_learner() -> None:
    assert len(list_branches()) >= 16
    of_operators = {f"{each.key}.{name}" for each in OPERATORS for name in each.hyperparameters}
    for branch in list_branches():
        own = {f"{branch.learner}.{name}" for name in LEARNERS[branch.learner].hyperparameters}
        read = {*own, *of_operators, *STAGES}
        assert {parameter.sets for parameter in branch.parameters} <= read


def test_existing_branches_are_not_offered() -> None:
    learners = [branch.learner for branch, _ in find_missing_branches(CASH, "binary")]
    assert "knn" not in learners
    assert not set(learners) & {"ridge", "knn-regressor"}


@pytest.mark.parametrize("start", ["sklearn-cash", "svm-rbf", "svm-kernels", "empty"])
def test_branches_can_be_added_to_any_space(start: str) -> None:
    space = Space("own", ()) if start == "empty" else load(start)
    for branch, _ in find_missing_branches(space, "binary"):
        space = add_learner(space, branch).space
        assert not [p for p in space.find_problems() if p.severity == "error"], branch.learner
    assert find_missing_branches(space, "binary") == []


def test_removed_setting_is_offered_with_range() -> None:
    row = make_outline(CASH).find(RowKey("rbf-svm.C"))
    assert row is not None
    without = remove(CASH, row).space
    (branch, lacking), *_ = find_missing_branches(without, "binary")
    assert (branch.learner, lacking) == ("rbf-svm", ("rbf-svm.C",))
    repeated = add_learner(without, branch).space
    assert (
        repeated.get_parameter("rbf-svm.C").fields_to_json()
        == CASH.get_parameter("rbf-svm.C").fields_to_json()
    )


def test_fixed_learner_keeps_its_settings() -> None:
    svm = load("svm-rbf")
    knn = next(branch for branch in list_branches() if branch.learner == "knn")
    both = add_learner(svm, knn).space
    assert both.get_parameter("rbf-svm.C").conditions == (Condition("algorithm", ("rbf-svm",)),)
    assert both.find_active({"algorithm": "knn"}) == ("algorithm", "knn.n_neighbors")


def test_shared_settings_are_not_extended_to_added_learner() -> None:
    forests = load("forest-smbeo")
    branches_by_learner = {branch.learner: branch for branch in list_branches()}
    space = add_learner(forests, branches_by_learner["lightgbm"]).space
    space = add_learner(space, branches_by_learner["knn"]).space
    for name in ("n_estimators", "bootstrap", "max_features"):
        assert space.get_parameter(name).conditions == (
            Condition("algorithm", ("forest", "extra-trees")),
        )
    assert not {"bootstrap", "n_estimators"} & set(space.find_active({"algorithm": "lightgbm"}))
    assert "bootstrap" in space.find_active({"algorithm": "extra-trees"})
    assert not (*find_all_problems(space), *find_library_problems(space, "multiclass"))
