import math

import pytest

from studio.errors import SpaceError
from studio.space.ranges import Float, Integer
from tests.facts import about


def said(parameter):
    return [(p.field, p.message, p.severity) for p in parameter.own_problems()]


def test_the_default_is_the_middle_of_the_scale():
    assert Float("x", 0, 1).default == 0.5
    assert Float("x", 1e-5, 1e5, log=True).default == 1.0
    assert Integer("n", 1, 30).default == 15
    assert Integer("n", 1, 100, log=True).default == 10


def test_what_is_read_is_the_name_unless_said():
    assert Float("C", 0, 1).sets == "C"
    assert Float("C", 0, 1, sets="svm.C").sets == "svm.C"


def test_a_sound_range_has_no_problem():
    assert (
        said(Float("x", -1, 1)) == said(Float("x", 1e-9, 1, True)) == said(Integer("n", 0, 1)) == []
    )


@pytest.mark.parametrize(
    ("parameter", "field", "message"),
    [
        (
            Float("x", 5, 1),
            "low",
            "The smallest value, 5, is above the largest, 1; make it at most 1.",
        ),
        (
            Float("x", 0, 1, True),
            "low",
            "A log scale needs a smallest value above 0; it is 0. Raise it, or use a linear scale.",
        ),
        (Float("x", -2, 1, True), "low", "A log scale needs a smallest value above 0; it is -2. "),
        (Integer("n", 0, 9, True), "low", "A log scale needs a smallest value above 0; it is 0. "),
        (Float("x", 0, math.inf), "high", "This is beyond ±10¹⁰⁰; choose a smaller number."),
        (Float("x", math.nan, 1), "low", "This is not a number; enter one."),
        (Float("x", 1e-200, 1, True), "low", "10⁻²⁰⁰ is too close to 0 for a log scale; use at "),
        (Integer("n", 0, 2**60), "high", "1.15292×10¹⁸ is beyond ±10¹²; choose a smaller "),
        (Integer("n", 0, 10**400), "high", "This is beyond ±10¹²; choose a smaller number."),
        (Float("x", 0, 1, default=3), "default", "The default, 3, lies outside 0 to 1; choose one"),
        (Integer("n", 1, 9, default=0), "default", "The default, 0, lies outside 1 to 9; choose"),
        (Float("x", 1, 1 + 1e-14), "high", "The range is too narrow to contain distinct numbers"),
        (Float("", 0, 1), "name", "The name is empty; give it one."),
        (Float("a\nb", 0, 1), "name", "The name has a line break or another invisible character"),
        (Float("x" * 300, 0, 1), "name", "The name has 300 characters; at most 200 are kept."),
    ],
)
def test_each_fault_is_told_at_its_field(parameter, field, message):
    (problem,) = parameter.own_problems()
    assert (problem.field, problem.severity) == (field, "error")
    assert problem.message.startswith(message)
    assert problem.message.endswith(".")


def test_a_one_point_range_is_allowed_and_noted():
    expected = "The range is the single value 3: nothing is searched here."
    assert said(Float("x", 3, 3)) == said(Integer("n", 3, 3)) == [("high", expected, "note")]
    assert Float("x", 3, 3).axis() is None
    assert Integer("n", 3, 3).count() == Float("x", 3, 3).count() == 1


def test_a_default_outside_an_inverted_range_is_not_told_twice():
    assert len(said(Float("x", 5, 1, default=99))) == 1


def test_values_are_checked_and_put_into_their_type():
    assert Integer("n", 1, 9).to_number(4.0) == 4.0
    assert Integer("n", 1, 9).from_number(4.0) == 4
    with pytest.raises(SpaceError, check=about(name="x", low="0", high="1", value="1.5")):
        Float("x", 0, 1).to_number(1.5)
    with pytest.raises(SpaceError, check=about(name="n", low="1", high="9", value="nan")):
        Integer("n", 1, 9).to_number(math.nan)


def test_whole_numbers_are_counted():
    assert Integer("n", 1, 30).count() == 30
    assert Float("x", 0, 1).count() == math.inf
