import pytest

from studio.data.labels import labels, number_label, order, whole_numbers
from studio.data.numbers import NumberFormat


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("01", "1"),
        ("1.0", "1"),
        ("1e0", "1"),
        ("-0", "0"),
        (" x ", "x"),
        ("TRUE", "True"),
        ("false", "False"),
        ("0.1", "0.1"),
        ("0.30000000000000004", "0.3"),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740993", "9007199254740992"),
        ("12345678901234567890", "1.23456789012346e+19"),
        ("1e308", "1e+30"),
        ("inf", "inf"),
        ("NAN", "NAN"),
        ("none", "none"),
        ("None", None),
        ("?", None),
        ("  ", None),
        ("3,5", "3,5"),
        ("1_0", "1_0"),
    ],
)
def test_a_cell_has_one_canonical_label(text, label):
    assert labels([text]) == [label]


def test_a_decimal_comma_is_understood_in_labels_too():
    assert labels(["1,50", "1.5", "x,y"], NumberFormat(",")) == ["1.5", "1.5", "x,y"]


def test_the_last_bit_of_a_number_does_not_change_its_label():
    assert number_label(0.1 + 0.2) == number_label(0.3)


def test_labels_are_ordered_as_numbers_then_words():
    assert order(["b", "10", "9", "a", "-1", "b", "1_0"]) == ("-1", "9", "10", "1_0", "a", "b")


def test_classes_are_whole_numbers_only_if_all_are():
    assert whole_numbers(["-1", "0", "12"]) == [-1, 0, 12]
    assert whole_numbers(["1", "a"]) is None
    assert whole_numbers(["0.5", "1"]) is None
    assert whole_numbers(["1e+30"]) is None
    assert whole_numbers([]) is None
