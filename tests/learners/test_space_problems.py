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


def told(made):
    own = made.find_problems()
    return [(p.parameter, p.field, p.severity) for p in find_all_problems(made) if p not in own]


@pytest.mark.parametrize("each", list_shipped_spaces(), ids=lambda each: each.key)
def test_shipped_spaces_have_no_problems(each):
    assert told(load(each.path)) == []


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
def test_value_that_learner_cannot_take_is_error_at_its_field(parameter, field):
    made = space(parameter)
    assert told(made) == [(parameter.name, field, "error")]
    with pytest.raises(SpaceError, check=about(name="'mine'", parameter=parameter.name)):
        check_values(made)


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
def test_end_beyond_what_library_takes_is_error(learner, setting, low, high, fields):
    made = space(Float(f"{learner}.{setting}", low, high), learner=learner)
    assert [each.field for each in find_all_problems(made)] == fields


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lightgbm.max_bin", "never chooses lightgbm"),
        ("xgboost.nonsense", "never chooses xgboost"),
        ("magic.C", "Did you mean logistic.C"),
        ("x.logistic.max_iter", "Did you mean logistic.max_iter"),
        ("logistik.tol", "no learner or operator logistik"),
        ("pca.whiten", "never chooses pca"),
    ],
)
def test_setting_of_unused_learner_is_error(name, words):
    made = space(Constant(name, 1))
    assert told(made) == [(name, "sets", "error")]
    with pytest.raises(SpaceError, match=words):
        check_values(made)


def test_learner_whose_library_is_missing_is_noted(monkeypatch):
    needing = next(each for each in REGISTRY if each.required_library is not None)
    made = Space("mine", (Categorical("algorithm", ("logistic", needing.key)),))
    assert told(made) == []
    monkeypatch.setattr("studio.learners.base.find_spec", lambda _: None)
    assert told(made) == [("algorithm", "choices", "note")]


def test_space_problem_names_expected_and_found_value():
    made = space(Categorical("how", ("liblinear", "sag"), sets="logistic.solver"))
    known = {"owner": "logistic", "words": "liblinear, saga", "setting": "solver", "values": "sag"}
    with pytest.raises(SpaceError, check=about(parameter="how", **known)):
        check_values(made)


def test_whole_numbers_are_no_range_of_decimals():
    assert told(space(Float("knn.n_neighbors", 1.0, 9.0), learner="knn"))[0][1:] == (
        "kind",
        "error",
    )
    assert told(space(Integer("knn.n_neighbors", 1, 9), learner="knn")) == []


@pytest.mark.parametrize("lacks", ["knn", "perceptron"])
def test_a_setting_that_one_learner_lacks_is_an_error_if_it_is_always_given(lacks):
    root = Categorical("algorithm", ("logistic", lacks))
    made = Space("mine", (root, Float("C", 0.1, 1.0)))
    (found,) = find_all_problems(made) or find_library_problems(made)
    assert (found.parameter, found.field, found.severity) == ("C", "conditions", "error")
    assert facts(found.message)["owners"] == lacks
    with pytest.raises(SpaceError, check=about(owners=lacks)):
        check_values(made)
    assert told(Space("mine", (root, Float("C", 0.1, 1.0, conditions=HERE)))) == []


@pytest.mark.parametrize("lacks", ["knn", "perceptron"])
def test_a_setting_that_one_learner_lacks_is_a_note_if_it_is_given_at_times(lacks):
    root = Categorical("algorithm", ("logistic", lacks))
    at_times = (Condition("scaled", ("standard",)),)
    scaled = Categorical("scaled", ("empty", "standard"), sets="rescaler")
    made = Space("mine", (root, scaled, Float("C", 0.1, 1.0, conditions=at_times)))
    (found,) = find_all_problems(made) or find_library_problems(made)
    assert (found.parameter, found.field, found.severity) == ("C", "sets", "note")
    assert facts(found.message)["owners"] == lacks, "where trials fail"
    check_values(made)


def test_a_shared_setting_must_not_meet_one_of_a_learner():
    root = Categorical("algorithm", ("forest", "extra-trees"))
    shared, own = Constant("n_estimators", 100), Integer("extra-trees.n_estimators", 10, 20)
    made = Space("mine", (root, shared, own))
    assert told(made) == [("n_estimators", "conditions", "error")]
    (found,) = find_all_problems(made)
    assert facts(found.message)["other"] == own.name
    with pytest.raises(SpaceError):
        check_values(made)
    forest, trees = ((Condition("algorithm", (each,)),) for each in ("forest", "extra-trees"))
    apart = Constant("n_estimators", 100, conditions=forest)
    assert told(Space("mine", (root, apart, own))) == []
    below = Integer(own.name, 10, 20, conditions=trees)
    assert told(Space("mine", (root, shared, below)))


def test_unknown_learners_are_left_to_trials():
    assert told(space(Float("C", 0.0, 1.0), learner="of a stranger")) == []


def test_clashing_settings_are_reported_unless_excluded_by_rule():
    penalty = Categorical("linear-svm.penalty", ("l2", "l1"))
    loss = Categorical("linear-svm.loss", ("squared_hinge", "hinge"))
    dual = Constant("linear-svm.dual", False)
    made = space(penalty, loss, learner="linear-svm")
    assert told(made) == [("linear-svm.loss", "choices", "note")]
    check_values(made)
    found = facts(find_partial_failures(made)[0])
    assert (found["first"], found["last"]) == ("penalty = l1", "loss = hinge")
    apart = (Condition(penalty.name, ("l2",)),)
    below = Categorical(loss.name, loss.choices, conditions=apart)
    assert told(space(penalty, below, learner="linear-svm")) == []
    always = space(Constant(loss.name, "hinge"), dual, learner="linear-svm")
    assert [severity for *_, severity in told(always)] == ["error"]


def test_two_settings_that_say_same_are_error_where_both_are_always_given():
    both = (Float("rbf-svm.width", 0.1, 1.0), Float("rbf-svm.gamma", 0.1, 1.0))
    assert [severity for *_, severity in told(space(*both, learner="rbf-svm"))] == ["error"]


WORDED = [
    each
    for each in REGISTRY
    if not each.get_missing_dependency()
    and sum(isinstance(takes, StringOptions | Flag) for takes in each.hyperparameters.values()) > 1
]


@pytest.mark.parametrize("learner", WORDED, ids=lambda each: each.key)
def test_declared_clashes_fail_in_training(learner):
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
    asked = {
        name: takes.choices if isinstance(takes, StringOptions) else (False, True)
        for name, takes in learner.hyperparameters.items()
        if isinstance(takes, StringOptions | Flag)
    }
    small = {"n_estimators": 3, "rounds": 3, "epochs": 2, "max_iter": 50}
    few = {name: value for name, value in small.items() if name in learner.hyperparameters}
    for words in itertools.product(*asked.values()):
        given = {**few, **dict(zip(asked, words, strict=True))}
        clashes = any(
            clash.matches(given, learner.hyperparameters)
            for clash in learner.forbidden_combinations
        )
        try:
            built = learner().build(given, facts)
        except LearnerError as error:
            assert clashes and "together" in str(error), given
            built = _unchecked(learner, given, facts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                built.estimator.fit(X, y)
                fails = False
            except ValueError:
                fails = True
        assert fails == clashes, given


def _unchecked(learner, given, facts):
    class UncheckedLearner(learner):
        forbidden_combinations = ()

    return UncheckedLearner().build(given, facts)


def test_remedy_for_reversed_range_names_no_number_outside_of_the_limits():
    made = space(Float("lightgbm.reg_alpha", 0.0, -5.0, default=0.0), learner="lightgbm")
    own = [p for p in made.find_problems() if p.field == "low"]
    assert [p.message.count("-5") for p in own] == [1], "it is told, and proposed nowhere"
    of_learner = find_problems(made, made.get_parameter("lightgbm.reg_alpha"))
    assert [p.field for p in of_learner] == ["high"], "the learner says which one is wrong"
