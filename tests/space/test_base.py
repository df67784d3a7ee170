import pytest

from studio.space.base import Condition, format_plain_number, join_values, to_plain_number
from tests.facts import facts


@pytest.mark.parametrize(
    ("condition", "value", "holds"),
    [
        (Condition("k", ("rbf", "poly")), "poly", True),
        (Condition("k", ("rbf", "poly")), "linear", False),
        (Condition("n", low=2, high=5), 5, True),
        (Condition("n", low=2, high=5), 1.99, False),
        (Condition("n", low=2), 100, True),
        (Condition("n", high=2), 3, False),
        (Condition("n"), 3, True),
        (Condition("n", low=2), "text", False),
    ],
)
def test_condition_matches_its_set_or_range(condition, value, holds):
    assert condition.is_satisfied_by(value) is holds


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("kernel", ("rbf",)), "kernel is rbf"),
        (Condition("kernel", ("rbf", "poly", "x")), "kernel is rbf, poly or x"),
        (Condition("kernel", ()), "kernel is nothing"),
        (Condition("n", low=2, high=5.5), "n is from 2 to 5.5"),
        (Condition("n", low=1e-5), "n is at least 1e-05"),
        (Condition("n", high=1e7), "n is at most 1e+07"),
        (Condition("n"), "n is active"),
    ],
)
def test_conditions_have_text_form(condition, expected):
    assert condition.describe() == expected
    assert condition.parent in facts(condition.describe())["name"]


@pytest.mark.parametrize("word", ["and", "or"])
def test_long_lists_are_abbreviated_with_count(word):
    joined_text = join_values([str(i) for i in range(14)], word)
    assert joined_text.endswith(f"8, 9 {word} 4 more")
    assert facts(joined_text)["count"] == "4"


def test_numbers_are_formatted_readably():
    assert [format_plain_number(x) for x in (5, 5.0, 0.01, 1e-5, 123456.0)] == [
        "5",
        "5",
        "0.01",
        "1e-05",
        "123456",
    ]


def test_booleans_and_texts_are_not_numbers():
    assert to_plain_number(3) == 3.0
    assert [to_plain_number(x) for x in (True, "3", None)] == [None, None, None]
