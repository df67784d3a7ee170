"""Library settings: offered ones can be searched, others are rejected with a reason."""

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from studio.errors import LearnerError, LibrarySettingError, SpaceError, UsageError
from studio.learners import library_spaces as library_problems_module
from studio.learners.choice import find_learner
from studio.learners.domains import AnyOf, Flag, IntegerInterval, RealInterval, StringOptions, Text
from studio.learners.library import (
    LibrarySetting,
    find_similar_names,
    read_documentation,
    to_plain_value,
)
from studio.learners.library_spaces import (
    find_library_problems,
    find_training_failure,
    get_table_facts,
    list_offered_parameters,
    make_unfitted_estimator,
    propose_parameters,
)
from studio.learners.registry import REGISTRY
from studio.learners.self_replacing_steps import extract_trained
from studio.learners.space_problems import find_all_problems
from studio.parts import find_part
from studio.runs.compatible import check_values
from studio.space.base import Condition
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.encoding import decode, encode, sample
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from tests.facts import about, facts

INSTALLED = [each for each in REGISTRY if not each.get_missing_dependency()]
WITH_LIBRARY = [each for each in INSTALLED if each.library is not None]
DART = (Condition("lightgbm.boosting_type", ("dart",)),)


def fit_library_estimator(key, **values):
    learner = find_part(REGISTRY, key, "learner")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 12))
    y = X[:, 0] if learner.tasks[0] == "regression" else (X[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = learner().build(values, get_table_facts(learner.tasks[0])).estimator.fit(X, y)
    return extract_trained(pipeline)[-1]


def space(*parameters, learner="lightgbm"):
    return Space("mine", (Constant("algorithm", learner), *parameters))


# ---- contracts


@pytest.mark.parametrize("learner", INSTALLED, ids=lambda each: each.key)
def test_declared_settings_are_listed_first(learner):
    names = [each.setting.name for each in list_offered_parameters(learner, learner.tasks[0])]
    assert names[: len(learner.hyperparameters)] == list(learner.hyperparameters)
    assert len(names) == len(set(names))
    assert (len(names) > len(learner.hyperparameters)) == (learner.library is not None)


@pytest.mark.parametrize("learner", WITH_LIBRARY, ids=lambda each: each.key)
def test_controlled_settings_are_rejected_with_reason(learner):
    refused = {
        each.setting.name: each.rejection
        for each in list_offered_parameters(learner, learner.tasks[0])
    }
    own = make_unfitted_estimator(learner, learner.tasks[0]).get_params()
    for name in {"n_jobs", "random_state", "verbose", "verbosity", "objective"} & own.keys():
        assert refused[name]
        with pytest.raises(LibrarySettingError, check=about(setting=f"{learner.key}.{name}")):
            learner().build({name: 1}, get_table_facts(learner.tasks[0]))
        invalid_space = space(Constant(f"{learner.key}.{name}", 1), learner=learner.key)
        assert [each.field for each in find_all_problems(invalid_space)] == ["sets"]
        with pytest.raises(UsageError):
            propose_parameters(learner, name, learner.tasks[0])


def test_enabled_when_conditions_refer_to_same_learner():
    for learner in WITH_LIBRARY:
        estimator = make_unfitted_estimator(learner, learner.tasks[0])
        setting_names = learner.library.list_names(estimator)
        for name, (other, value) in learner.library.enabling_conditions.items():
            assert name in setting_names
            assert learner.library.get_domain(other, estimator).accepts(value)


@pytest.mark.slow
@pytest.mark.parametrize("learner", WITH_LIBRARY, ids=lambda each: each.key)
def test_suggested_setting_can_be_trained(learner, monkeypatch):
    """Test every sixth setting, other ones for regression than for classes of a library."""
    task = learner.tasks[0]
    once = cache(list_offered_parameters)  # every proposal asks for them
    monkeypatch.setattr(library_problems_module, "list_offered_parameters", once)
    free = [each.setting.name for each in once(learner, task) if not each.rejection]
    for name in free[3 * (task == "regression") :: 6]:
        parameters = propose_parameters(learner, name, task)
        proposed_space = space(*parameters, learner=learner.key)
        proposed_space.check()
        restored = Space.from_json(proposed_space.to_json())
        assert restored == proposed_space
        rows = sample(proposed_space, np.random.default_rng(0), 2)
        for configuration in decode(proposed_space, rows):
            sets = {each: proposed_space.get_parameter(each).sets for each in configuration}
            values = find_learner(configuration, sets).values
            error = find_training_failure(learner, values, task)
            if error is not None:
                problem_parameters = {
                    each.parameter for each in find_library_problems(proposed_space, task)
                }
                assert parameters[-1].name in problem_parameters, (values, error)
        np.testing.assert_allclose(
            encode(proposed_space, decode(proposed_space, rows)), rows, atol=0.02
        )


# ---- LightGBM's messages


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("drop_rate", RealInterval(0.0, 1.0)),
        ("feature_fraction_bynode", RealInterval(0.0, 1.0, low_exclusive=True)),
        ("max_bin", IntegerInterval(1.0, low_exclusive=True)),
        ("max_drop", IntegerInterval()),
        ("linear_tree", Flag()),
        ("boosting_type", StringOptions("gbdt", "dart", "rf")),
        ("data_sample_strategy", StringOptions("bagging", "goss")),
        ("class_weight", StringOptions("balanced", "none")),
    ],
)
def test_lightgbm_domains_equal_library(name, takes):
    learner = find_part(REGISTRY, "lightgbm", "learner")
    assert learner.library.get_domain(name, make_unfitted_estimator(learner, "binary")) == takes


def test_lightgbm_defaults_and_documentation_equal_library():
    learner = find_part(REGISTRY, "lightgbm", "learner")
    settings = {
        each.setting.name: each.setting for each in list_offered_parameters(learner, "binary")
    }
    assert settings["drop_rate"].default == 0.1
    assert settings["extra_trees"].default is False
    assert settings["max_bin"].default == 255
    assert "boosted trees" in settings["n_estimators"].description
    assert "rate_drop" in settings["drop_rate"].aliases


def test_rejection_by_library_prints_nothing(capfd):
    goss = Constant("lightgbm.data_sample_strategy", "goss")
    (problem,) = find_library_problems(space(goss, Constant("lightgbm.subsample", 0.5)))
    assert problem.severity == "error"
    assert "data_sample_strategy = goss" in problem.message
    assert "Cannot use bagging in GOSS" in problem.message
    assert "/" not in problem.message
    assert capfd.readouterr() == ("", "")


def test_dart_is_accepted_under_any_alias():
    for name in ("boosting_type", "boosting", "boost"):
        model = fit_library_estimator(
            "lightgbm", **{name: "dart", "rate_drop": 0.7, "n_estimators": 9}
        )
        assert "[boosting: dart]" in model.booster_.model_to_string()
        assert "[drop_rate: 0.7]" in model.booster_.model_to_string()
    plain_model = fit_library_estimator("lightgbm", n_estimators=9)
    assert "[boosting: gbdt]" in plain_model.booster_.model_to_string()


# ---- messages


@pytest.mark.parametrize(
    ("values", "expected", "found"),
    [
        ({"drop_rate": 2.0}, "a number from 0 up to 1", "2.0"),
        ({"boosting_type": "foo"}, "one of gbdt, dart, rf", "foo"),
        ({"max_bin": 2.5}, "a whole number above 1", "2.5"),
        ({"linear_tree": "yes"}, "true or false", "yes"),
    ],
)
def test_setting_error_contains_expected_and_actual_value(values, expected, found):
    with pytest.raises(LibrarySettingError) as error_info:
        fit_library_estimator("lightgbm", **values)
    (name,) = values
    error = error_info.value
    assert (error.setting, error.expected, error.actual) == (f"lightgbm.{name}", expected, found)
    assert str(error) == f"lightgbm.{name} must be {expected}; {found} was given."


def test_outdated_value_error_lists_current_value():
    with pytest.raises(
        LibrarySettingError,
        match="= goss",
        check=about(owner="lightgbm", other="data_sample_strategy"),
    ):
        fit_library_estimator("lightgbm", boosting="goss")


def test_misspelt_setting_error_suggests_similar_names():
    with pytest.raises(LibrarySettingError, check=about(name="num_leafs", names="num_leaves")):
        fit_library_estimator("lightgbm", num_leafs=3)
    with pytest.raises(LibrarySettingError, check=lambda error: "names" not in facts(error)):
        fit_library_estimator("lightgbm", qqzz=3)
    aliases = {"colsample_bytree": ("feature_fraction",), "max_depth": (), "max_drop": ()}
    assert find_similar_names("feature_fractoin", aliases) == {
        "colsample_bytree": "feature_fraction"
    }
    assert next(iter(find_similar_names("MAX_DEPHT", aliases))) == "max_depth"
    assert find_similar_names("depth_of_trees", aliases) == {}
    (problem,) = find_library_problems(space(Integer("lightgbm.num_leafs", 1, 5)))
    assert (problem.field, problem.severity) == ("sets", "error")


def test_two_aliases_of_one_setting_are_rejected():
    for values in ({"boosting": "dart", "boost": "gbdt"}, {"eta": 0.1, "learning_rate": 0.2}):
        one, other = values
        same = about(one=one, other=other, learner="lightgbm")
        with pytest.raises(LearnerError, check=same):
            fit_library_estimator("lightgbm", **values)


def test_invalid_space_is_rejected_before_first_trial():
    invalid_space = space(Float("lightgbm.drop_rate", 0.0, 1.5, conditions=()))
    expected_facts = about(setting="lightgbm.drop_rate", low="0", high="1", found="1.5")
    with pytest.raises(SpaceError, check=expected_facts):
        check_values(invalid_space, "binary")


def test_setting_without_effect_adds_note_unless_conditional():
    rate = Float("lightgbm.drop_rate", 0.0, 1.0)
    (note,) = find_all_problems(space(rate))
    assert (note.parameter, note.field, note.severity) == (rate.name, "conditions", "note")
    kind = Categorical("lightgbm.boosting_type", ("gbdt", "dart"))
    below = Float(rate.name, 0.0, 1.0, conditions=DART)
    assert find_all_problems(space(kind, below)) == ()
    assert find_library_problems(space(kind, below), "binary") == ()


@pytest.mark.slow
def test_value_valid_only_in_combination_is_accepted():
    kind = Categorical("lightgbm.boosting_type", ("gbdt", "rf"))
    (problem,) = find_library_problems(space(kind))
    assert (problem.parameter, problem.severity) == (kind.name, "error")
    for share in ("subsample", "colsample_bytree", "feature_fraction"):
        assert f"lightgbm.{share}" in problem.message or share == "feature_fraction"
        assert find_library_problems(space(kind, Float(f"lightgbm.{share}", 0.3, 0.9))) == ()
    with pytest.raises(LearnerError) as error_info:  # not LightGBM's own message, even in a trial
        fit_library_estimator("lightgbm", boosting_type="rf", subsample=1.0)
    assert str(error_info.value) in problem.message


def test_table_dependent_bound_adds_note():
    (problem,) = find_library_problems(space(Integer("lda.n_components", 1, 9), learner="lda"))
    assert (problem.field, problem.severity) == ("high", "note")


def test_dart_is_rejected_with_early_stopping():
    with pytest.raises(
        LibrarySettingError, match="best round", check=about(setting="boosted-trees.boosting_type")
    ):
        fit_library_estimator("boosted-trees", boosting_type="dart")
    model = fit_library_estimator("boosted-trees", path_smooth=3.0, rounds=5)
    assert model.get_params()["path_smooth"] == 3.0


@pytest.mark.parametrize(
    ("key", "values", "inside"),
    [
        ("forest", {"max_leaf_nodes": 4, "class_weight": "balanced"}, ""),
        ("adaboost", {"estimator__min_samples_leaf": 3}, ""),
        ("rbf-svr", {"tol": 0.01, "shrinking": False}, "regressor__"),
        ("logistic", {"fit_intercept": False}, ""),
        ("naive-bayes", {"var_smoothing": 1e-3}, ""),
    ],
)
def test_settings_are_passed_to_inner_estimator(key, values, inside):
    params = fit_library_estimator(key, **values).get_params()
    assert {name: params[inside + name] for name in values} == values


def test_custom_learner_has_declared_hyperparameters_only():
    with pytest.raises(LearnerError, match="no hyperparameter 'tol'"):
        fit_library_estimator("perceptron", tol=0.1)


def test_trial_training_limits_rounds():
    many = Constant("lightgbm.num_iterations", 10**9)
    assert find_library_problems(space(many, Constant("lightgbm.path_smooth", 1.0))) == ()


@pytest.mark.slow
def test_number_of_trial_trainings_is_limited(monkeypatch):
    trained = []
    monkeypatch.setattr(
        library_problems_module, "_find_failure", lambda *asked: trained.append(asked)
    )
    find_library_problems(space(*(Float(f"h{number}", 0.0, 1.0) for number in range(400))))
    assert len(trained) == library_problems_module.MAX_TRAININGS


# ---- pieces


@pytest.mark.slow
@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(0, 1e6),
    above=st.booleans(),
    below=st.booleans(),
    value=st.floats(-3e6, 3e6),
)
@limits(max_examples=200)
def test_span_domain_accepts_values_within_bounds(low, width, above, below, value):
    high = low + width
    inside = low <= value <= high and not (above and value == low) and not (below and value == high)
    assert RealInterval(low, high, above, below).accepts(value) == inside
    integer_domain = IntegerInterval(low, high, above, below)
    assert integer_domain.accepts(value) == (inside and value == int(value))


def test_union_domain_describes_alternatives():
    either = AnyOf((IntegerInterval(1.0), StringOptions("sqrt", "none")))
    assert either.accepts(3)
    assert either.accepts("sqrt")
    assert not either.accepts(0.5)
    assert facts(either.description) == {"low": "1", "words": "sqrt, none"}
    assert to_plain_value("none", either) is None
    assert to_plain_value("none", Text()) == "none"
    assert to_plain_value(3.0, IntegerInterval()) == 3


class Documented:
    """An estimator.

    Parameters
    ----------
    depth, levels : int or None, default=3
        How deep. More follows.

        And more.
    mode : {"fast", "slow"}
        Which.
    """


def test_documentation_is_parsed_by_parameter_name():
    read = read_documentation(Documented())
    assert read["depth"] == read["levels"]
    assert read["depth"][0].endswith("default=3") and read["depth"][1] == "How deep."
    assert read["mode"][1] == "Which."


@pytest.mark.slow
def test_boolean_settings_keep_library_default():
    (tree,) = propose_parameters(
        find_part(REGISTRY, "lightgbm", "learner"), "linear_tree", "binary"
    )
    assert tree == Boolean("lightgbm.linear_tree", default=False)
    kind, rate = propose_parameters(
        find_part(REGISTRY, "lightgbm", "learner"), "drop_rate", "binary"
    )
    assert (kind.name, kind.choices) == ("lightgbm.boosting_type", ("gbdt", "dart"))
    assert rate.conditions == DART
    assert (rate.low, rate.high, rate.default) == (0.0, 1.0, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["boosted-trees", "lightgbm"])
def test_no_limit_is_no_end_of_suggested_range(key):
    (depth,) = propose_parameters(find_part(REGISTRY, key, "learner"), "max_depth", "binary")
    assert isinstance(depth, Integer)
    assert depth.low == 1 and depth.log, "-1 and 0 both mean no limit"
    assert 1 <= depth.get_default() <= depth.high


@pytest.mark.parametrize(
    ("default", "domain", "low"),
    [
        (-1, IntegerInterval(), 1),
        (-1.0, RealInterval(), 0.01),
        (-1, IntegerInterval(low=-3), -1),
        (-2, IntegerInterval(), -2),
        (-0.5, RealInterval(), -0.5),
        (0, IntegerInterval(), 0),
    ],
)
def test_only_minus_one_of_unbounded_range_means_no_limit(default, domain, low):
    setting = LibrarySetting("some", (), domain, default, "")
    parameter = library_problems_module._make_parameter("x.some", setting, lambda _: True)
    assert parameter.low == low
