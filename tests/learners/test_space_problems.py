"""Values in spaces that learners reject are reported before trials."""

import itertools
import warnings

import numpy as np
import pytest

from studio.errors import LearnerError, SpaceError
from studio.learners.domains import Flag, StringOptions
from studio.learners.facts import TableFacts
from studio.learners.library_spaces import find_library_problems
from studio.learners.registry import REGISTRY
from studio.learners.space_problems import find_all_problems, find_problems
from studio.runs.compatible import check_values, find_partial_failures
from studio.space.base import Condition
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.library import list_shipped_spaces, load
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from tests.facts import about, facts

HERE = (Condition("algorithm", ("logistic",)),)


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Pretend that all libraries and weights are installed."""
    monkeypatch.setattr("studio.learners.base.find_spec", lambda name: name)
    monkeypatch.setattr("studio.learners.tabicl.find_cached_weights", lambda *given: given)


def space(*parameters, learner="logistic"):
    return Space("mine", (Constant("algorithm", learner), *parameters))


def list_learner_problems(candidate_space):
    space_problems = candidate_space.find_problems()
    return [
        (p.parameter, p.field, p.severity)
        for p in find_all_problems(candidate_space)
        if p not in space_problems
    ]


@pytest.mark.parametrize("each", list_shipped_spaces(), ids=lambda each: each.key)
def test_shipped_spaces_have_no_problems(each):
    assert list_learner_problems(load(each.path)) == []


@pytest.mark.parametrize(
    ("parameter", "field"),
    [
        (Categorical("logistic.solver", ("liblinear", "sag")), "choices"),
        (Constant("logistic.solver", "sag"), "value"),
        (Boolean("logistic.penalty"), "kind"),
        (Float("logistic.C", 0.0, 1.0), "low"),
        (Integer("logistic.n_jobs", 1, 4), "sets"),
        (Constant("verbose", 1), "sets"),
    ],
)
def test_unsupported_value_is_error_at_its_field(parameter, field):
    invalid_space = space(parameter)
    assert list_learner_problems(invalid_space) == [(parameter.name, field, "error")]
    with pytest.raises(SpaceError, check=about(name="'mine'", parameter=parameter.name)):
        check_values(invalid_space)


@pytest.mark.parametrize(
    ("learner", "setting", "low", "high", "fields"),
    [
        ("lightgbm", "subsample", 0.5, 1.7, ["high"]),
        ("boosted-trees", "subsample", -1.0, 1.0, ["low"]),
        ("boosted-trees", "colsample_bytree", 0.1, 1.0, []),
        ("xgboost", "reg_lambda", -1.0, 1.0, ["low"]),
        ("catboost", "learning_rate", 0.1, 2.0, ["high"]),
        ("forest", "max_features", 0.1, 3.0, ["high"]),
        ("lda", "shrinkage_factor", 0.0, 2.0, ["high"]),
        ("real-mlp", "dropout", 0.0, 1.0, ["high"]),
    ],
)
def test_limit_outside_library_range_is_error(learner, setting, low, high, fields):
    invalid_space = space(Float(f"{learner}.{setting}", low, high), learner=learner)
    assert [each.field for each in find_all_problems(invalid_space)] == fields


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("lightgbm.max_bin", "never chooses lightgbm"),
        ("xgboost.nonsense", "never chooses xgboost"),
        ("magic.C", "Did you mean logistic.C"),
        ("x.logistic.max_iter", "Did you mean logistic.max_iter"),
        ("logistik.tol", "no learner or operator logistik"),
        ("pca.whiten", "never chooses pca"),
    ],
)
def test_setting_of_unused_learner_is_error(name, pattern):
    invalid_space = space(Constant(name, 1))
    assert list_learner_problems(invalid_space) == [(name, "sets", "error")]
    with pytest.raises(SpaceError, match=pattern):
        check_values(invalid_space)


def test_learner_with_missing_library_adds_note(monkeypatch):
    needing = next(each for each in REGISTRY if each.required_library is not None)
    learner_space = Space("mine", (Categorical("algorithm", ("logistic", needing.key)),))
    assert list_learner_problems(learner_space) == []
    monkeypatch.setattr("studio.learners.base.find_spec", lambda _: None)
    assert list_learner_problems(learner_space) == [("algorithm", "choices", "note")]


def test_space_problem_contains_expected_and_actual_value():
    invalid_space = space(Categorical("how", ("liblinear", "sag"), sets="logistic.solver"))
    expected_facts = {
        "owner": "logistic",
        "words": "liblinear, saga",
        "setting": "solver",
        "values": "sag",
    }
    with pytest.raises(SpaceError, check=about(parameter="how", **expected_facts)):
        check_values(invalid_space)


def test_float_range_for_integer_setting_is_error():
    assert list_learner_problems(space(Float("knn.n_neighbors", 1.0, 9.0), learner="knn"))[0][
        1:
    ] == ("kind", "error")
    assert list_learner_problems(space(Integer("knn.n_neighbors", 1, 9), learner="knn")) == []


@pytest.mark.parametrize("lacks", ["knn", "perceptron"])
def test_unconditional_setting_unknown_to_one_learner_is_error(lacks):
    root = Categorical("algorithm", ("logistic", lacks))
    invalid_space = Space("mine", (root, Float("C", 0.1, 1.0)))
    (problem,) = find_all_problems(invalid_space) or find_library_problems(invalid_space)
    assert (problem.parameter, problem.field, problem.severity) == ("C", "conditions", "error")
    assert facts(problem.message)["owners"] == lacks
    with pytest.raises(SpaceError, check=about(owners=lacks)):
        check_values(invalid_space)
    assert list_learner_problems(Space("mine", (root, Float("C", 0.1, 1.0, conditions=HERE)))) == []


@pytest.mark.parametrize("lacks", ["knn", "perceptron"])
def test_conditional_setting_unknown_to_one_learner_adds_note(lacks):
    root = Categorical("algorithm", ("logistic", lacks))
    at_times = (Condition("scaled", ("standard",)),)
    scaled = Categorical("scaled", ("empty", "standard"), sets="rescaler")
    incomplete_space = Space("mine", (root, scaled, Float("C", 0.1, 1.0, conditions=at_times)))
    (problem,) = find_all_problems(incomplete_space) or find_library_problems(incomplete_space)
    assert (problem.parameter, problem.field, problem.severity) == ("C", "sets", "note")
    assert facts(problem.message)["owners"] == lacks, "where trials fail"
    check_values(incomplete_space)


def test_shared_setting_conflicting_with_learner_setting_is_error():
    root = Categorical("algorithm", ("forest", "extra-trees"))
    shared, own = Constant("n_estimators", 100), Integer("extra-trees.n_estimators", 10, 20)
    clashing_space = Space("mine", (root, shared, own))
    assert list_learner_problems(clashing_space) == [("n_estimators", "conditions", "error")]
    (problem,) = find_all_problems(clashing_space)
    assert facts(problem.message)["other"] == own.name
    with pytest.raises(SpaceError):
        check_values(clashing_space)
    forest, trees = ((Condition("algorithm", (each,)),) for each in ("forest", "extra-trees"))
    apart = Constant("n_estimators", 100, conditions=forest)
    assert list_learner_problems(Space("mine", (root, apart, own))) == []
    below = Integer(own.name, 10, 20, conditions=trees)
    assert list_learner_problems(Space("mine", (root, shared, below)))


def test_unknown_learners_are_not_reported():
    assert list_learner_problems(space(Float("C", 0.0, 1.0), learner="of a stranger")) == []


def test_conflicting_settings_are_reported_unless_excluded_by_rule():
    penalty = Categorical("linear-svm.penalty", ("l2", "l1"))
    loss = Categorical("linear-svm.loss", ("squared_hinge", "hinge"))
    dual = Constant("linear-svm.dual", False)
    clashing_space = space(penalty, loss, learner="linear-svm")
    assert list_learner_problems(clashing_space) == [("linear-svm.loss", "choices", "note")]
    check_values(clashing_space)
    clash_facts = facts(find_partial_failures(clashing_space)[0])
    assert (clash_facts["first"], clash_facts["last"]) == ("penalty = l1", "loss = hinge")
    apart = (Condition(penalty.name, ("l2",)),)
    below = Categorical(loss.name, loss.choices, conditions=apart)
    assert list_learner_problems(space(penalty, below, learner="linear-svm")) == []
    always = space(Constant(loss.name, "hinge"), dual, learner="linear-svm")
    assert [severity for *_, severity in list_learner_problems(always)] == ["error"]


def test_equivalent_settings_are_error_if_both_always_active():
    both = (Float("rbf-svm.width", 0.1, 1.0), Float("rbf-svm.gamma", 0.1, 1.0))
    assert [
        severity for *_, severity in list_learner_problems(space(*both, learner="rbf-svm"))
    ] == ["error"]


WORDED = [
    each
    for each in REGISTRY
    if not each.get_missing_dependency()
    and sum(isinstance(takes, StringOptions | Flag) for takes in each.hyperparameters.values()) > 1
]


@pytest.mark.parametrize("learner", WORDED, ids=lambda each: each.key)
def test_declared_conflicts_fail_in_training(learner):
    """Train all combinations of words: scikit-learn rejects exactly the declared ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] if "regression" in learner.tasks else (X[:, 0] > 0).astype(float)
    task = learner.tasks[0]
    facts = TableFacts.from_rows(
        X,
        y,
        task=task,
        n_classes=0 if task == "regression" else 2,
        categorical=np.zeros(3, dtype=bool),
        seed=0,
    )
    options = {
        name: takes.choices if isinstance(takes, StringOptions) else (False, True)
        for name, takes in learner.hyperparameters.items()
        if isinstance(takes, StringOptions | Flag)
    }
    small = {"n_estimators": 3, "rounds": 3, "epochs": 2, "max_iter": 50}
    few = {name: value for name, value in small.items() if name in learner.hyperparameters}
    for values in itertools.product(*options.values()):
        settings = {**few, **dict(zip(options, values, strict=True))}
        clashes = any(
            clash.matches(settings, learner.hyperparameters)
            for clash in learner.forbidden_combinations
        )
        try:
            pipeline = learner().build(settings, facts)
        except LearnerError as error:
            assert clashes and "together" in str(error), settings
            pipeline = _unchecked(learner, settings, facts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                pipeline.estimator.fit(X, y)
                fails = False
            except ValueError:
                fails = True
        assert fails == clashes, settings


def _unchecked(learner, given, facts):
    class UncheckedLearner(learner):
        forbidden_combinations = ()

    return UncheckedLearner().build(given, facts)


def test_reversed_range_remedy_proposes_values_within_limits():
    reversed_space = space(Float("lightgbm.reg_alpha", 0.0, -5.0, default=0.0), learner="lightgbm")
    own = [p for p in reversed_space.find_problems() if p.field == "low"]
    assert [p.message.count("-5") for p in own] == [1], "it is reported, and never proposed"
    of_learner = find_problems(reversed_space, reversed_space.get_parameter("lightgbm.reg_alpha"))
    assert [p.field for p in of_learner] == ["high"], "the learner names the wrong one"
