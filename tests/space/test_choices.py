import math

import pytest

from studio.errors import SpaceError
from studio.space.choices import Boolean, Categorical, Constant, Ordinal
from tests.facts import about, facts


def test_first_choice_is_default():
    assert Categorical("c", ("a", "b")).default == "a"
    assert Boolean("b").default is False
    assert Constant("k", 3).default == 3


@pytest.mark.parametrize(
    ("parameter", "field", "expected"),
    [
        (Categorical("c", ()), "choices", {}),
        (Categorical("c", ("a", "b", "a")), "choices", {"value": "a"}),
        (Categorical("c", ("a", " ")), "choices", {}),
        (Categorical("c", ("a", math.nan)), "choices", {"value": "nan"}),
        (Ordinal("c", ("a", "b"), default="z"), "default", {"default": "z"}),
        (
            Categorical("c", tuple(range(1001))),
            "choices",
            {"n_choices": "1001", "most_choices": "1000"},
        ),
        (Constant("k", ""), "value", {}),
        (Constant("k", math.inf), "value", {"value": "inf"}),
    ],
)
def test_choice_problems_are_reported_at_their_field(parameter, field, expected):
    (problem,) = parameter.find_local_problems()
    assert (problem.field, facts(problem.message), problem.severity) == (field, expected, "error")


def test_single_choice_is_allowed_with_note():
    (problem,) = Categorical("c", ("a",)).find_local_problems()
    assert (problem.severity, problem.field) == ("note", "choices")
    assert facts(problem.message) == {"value": "a"}


def test_true_and_one_are_distinct_choices():
    with pytest.raises(SpaceError, check=about(name="c", first="1", last="2", value="True")):
        Categorical("c", (1, 2)).to_number(True)
    with pytest.raises(SpaceError, match="yes or no", check=about(name="b", value="1")):
        Boolean("b").to_number(1)
    with pytest.raises(SpaceError, check=about(name="k", value=["1", "True"])):
        Constant("k", 1).to_number(True)


def test_choices_are_indices_on_axis():
    colour = Categorical("c", ("red", "green", "blue"), default="blue")
    assert [colour.to_number(v) for v in colour.choices] == [0, 1, 2]
    assert colour.from_number(1.0) == "green"
    axis = colour.make_axis()
    assert axis is not None
    assert (axis.low, axis.high, axis.default) == (0, 2, 2)


def test_ordinal_is_ordered_and_categorical_is_not():
    assert Ordinal("o", ("s", "m", "l")).ordered
    assert not Categorical("c", ("s", "m", "l")).ordered
