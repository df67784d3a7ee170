import math

import pytest

from studio.errors import SpaceError
from studio.space.ranges import Float, Integer
from tests.facts import about, facts


def list_problems(parameter):
    return [(p.field, p.message, p.severity) for p in parameter.find_local_problems()]


def test_default_is_middle_of_scale():
    assert Float("x", 0, 1).default == 0.5
    assert Float("x", 1e-5, 1e5, log=True).default == 1.0
    assert Integer("n", 1, 30).default == 15
    assert Integer("n", 1, 100, log=True).default == 10


def test_parameter_sets_hyperparameter_of_same_name_by_default():
    assert Float("C", 0, 1).sets == "C"
    assert Float("C", 0, 1, sets="svm.C").sets == "svm.C"


def test_valid_range_has_no_problem():
    assert (
        list_problems(Float("x", -1, 1))
        == list_problems(Float("x", 1e-9, 1, True))
        == list_problems(Integer("n", 0, 1))
        == []
    )


@pytest.mark.parametrize(
    ("parameter", "field", "expected"),
    [
        (Float("x", 5, 1), "low", {"low": "5", "high": "1"}),
        (Float("x", 0, 1, True), "low", {"low": "0"}),
        (Float("x", -2, 1, True), "low", {"low": "-2"}),
        (Integer("n", 0, 9, True), "low", {"low": "0"}),
        (Float("x", 0, math.inf), "high", {"largest": 1e100}),
        (Float("x", math.nan, 1), "low", {}),
        (Float("x", 1e-200, 1, True), "low", {"low": 1e-200, "least": 1e-100}),
        (Integer("n", 0, 2**60), "high", {"bound": 2**60, "largest": 10**12}),
        (Integer("n", 0, 10**400), "high", {"largest": 10**12}),
        (Float("x", 0, 1, default=3), "default", {"default": "3", "low": "0", "high": "1"}),
        (Integer("n", 1, 9, default=0), "default", {"default": "0", "low": "1", "high": "9"}),
        (Float("x", 1, 1 + 1e-14), "high", {}),
        (Float("", 0, 1), "name", {}),
        (Float("a\nb", 0, 1), "name", {}),
        (Float("x" * 300, 0, 1), "name", {"n_name": "300", "longest_name": "200"}),
    ],
)
def test_range_problems_are_reported_at_their_field(parameter, field, expected):
    (problem,) = parameter.find_local_problems()
    assert (problem.field, facts(problem.message), problem.severity) == (field, expected, "error")
    assert problem.message.endswith(".")


def test_one_point_range_is_allowed_with_note():
    ((field, message, severity),) = list_problems(Float("x", 3, 3))
    assert (field, facts(message), severity) == ("high", {"low": "3"}, "note")
    assert list_problems(Integer("n", 3, 3)) == [(field, message, severity)]
    assert Float("x", 3, 3).make_axis() is None
    assert Integer("n", 3, 3).count() == Float("x", 3, 3).count() == 1


def test_inverted_range_reports_default_once():
    assert len(list_problems(Float("x", 5, 1, default=99))) == 1


def test_values_are_validated_and_converted_to_type():
    assert Integer("n", 1, 9).to_number(4.0) == 4.0
    assert Integer("n", 1, 9).from_number(4.0) == 4
    with pytest.raises(SpaceError, check=about(name="x", low="0", high="1", value="1.5")):
        Float("x", 0, 1).to_number(1.5)
    with pytest.raises(SpaceError, check=about(name="n", low="1", high="9", value="nan")):
        Integer("n", 1, 9).to_number(math.nan)


def test_integer_values_are_counted():
    assert Integer("n", 1, 30).count() == 30
    assert Float("x", 0, 1).count() == math.inf
