import pytest

from studio.errors import LearnerError
from studio.learners.domains import (
    NOT_NEGATIVE,
    SHARE,
    LowerBoundedInteger,
    Positive,
    StringOptions,
    make_settings,
)
from studio.learners.values import WIDTH_TWICE, LearnerValues
from tests.facts import about

KNOWN = make_settings(
    n=LowerBoundedInteger(),
    C=Positive(),
    width=Positive(),
    gamma=Positive(),
    kernel=StringOptions("rbf", "poly"),
)


def test_missing_hyperparameters_get_default():
    values = LearnerValues("x", {}, KNOWN)
    assert (values.get_integer("n", 5), values.get_number("C", 2.5)) == (5, 2.5)
    assert values.get_word("kernel") == "rbf"


def test_values_above_data_limits_are_clipped_and_recorded():
    values = LearnerValues("x", {"n": 30, "C": 7.0}, KNOWN)
    assert values.get_integer("n", 5, high=8) == 8
    assert values.get_number("C", 1.0, high=1.0) == 1.0
    assert values.clipped_values == {"n": 8, "C": 1.0}


@pytest.mark.parametrize(
    ("name", "given", "trained"), [("penalty", -0.5, 0.0), ("share", 1.5, 1.0), ("share", 0.0, 0.1)]
)
def test_out_of_range_values_of_old_documents_are_accepted(name, given, trained):
    values = LearnerValues("x", {name: given}, make_settings(penalty=NOT_NEGATIVE, share=SHARE))
    assert values.get_number(name, 1.0, low=0.1 if name == "share" else 0.0) == trained
    assert values.clipped_values == {name: trained}


def test_values_within_range_are_not_recorded():
    values = LearnerValues("x", {"n": 8.0}, KNOWN)
    assert values.get_integer("n", 5, high=8) == 8
    assert values.clipped_values == {}


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "3"])
def test_invalid_integer_is_rejected(wrong):
    with pytest.raises(
        LearnerError, check=about(learner="x", name="n", low="1", value=repr(wrong))
    ):
        LearnerValues("x", {"n": wrong}, KNOWN)


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), float("inf"), True, "3"])
def test_non_positive_or_infinite_number_is_rejected(wrong):
    with pytest.raises(LearnerError, check=about(learner="x", name="C", value=repr(wrong))):
        LearnerValues("x", {"C": wrong}, KNOWN)


def test_unknown_choice_is_rejected():
    with pytest.raises(
        LearnerError, check=about(name="kernel", words="rbf, poly", value="'cubic'")
    ):
        LearnerValues("x", {"kernel": "cubic"}, KNOWN)


def test_unknown_hyperparameter_error_lists_available_ones():
    with pytest.raises(
        LearnerError, check=about(name="'depth'", names="n, C, width, gamma, kernel")
    ):
        LearnerValues("x", {"depth": 3}, KNOWN)


def test_gamma_is_computed_from_width():
    assert LearnerValues("x", {"width": 0.5}, KNOWN).get_rbf_gamma(1.0) == 2.0
    assert LearnerValues("x", {"gamma": 3.0}, KNOWN).get_rbf_gamma(1.0) == 3.0
    assert LearnerValues("x", {}, KNOWN).get_rbf_gamma(2.0) == 0.125


def test_width_and_gamma_together_are_rejected():
    with pytest.raises(LearnerError, check=about(learner="x", first="width", last="gamma")):
        LearnerValues("x", {"width": 0.5, "gamma": 1.0}, KNOWN, (WIDTH_TWICE,))


def test_width_with_non_finite_gamma_is_rejected():
    with pytest.raises(LearnerError, match="1e-150 to 1e150"):
        LearnerValues("x", {"width": 1e-200}, KNOWN).get_rbf_gamma(1.0)
