import pytest

from studio.data.labels import (
    LabelKeys,
    format_number_label,
    normalise_label,
    sort_labels,
    to_whole_numbers,
)
from studio.data.numbers import NumberFormat


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("01", "01"),
        ("1.0", "1.0"),
        (" x ", "x"),
        ("new \t york", "new york"),
        ("TRUE", "TRUE"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("9007199254740993", "9007199254740993"),
    ],
)
def test_label_is_cell_text(text, label):
    assert normalise_label(text) == label


@pytest.mark.parametrize(
    ("known", "cell", "code"),
    [
        (("1", "2"), "2.0", 1),
        (("01", "1"), "1", 1),
        (("01", "1"), "1.0", -1),
        (("0.1", "x"), "0.1000000000000000055", 0),
        (("1", "1,5"), "1,50", 1),
        (("true", "x"), "TRUE", 0),
        (("\u00b5m", "mm"), "\u03bcm", 0),
        (("mm", "\u03bcm"), "\u00b5m", 1),
        (("\u00b5m", "\u03bcm"), "\u03bcm", 1),
        (("true", "TRUE"), "True", -1),
        (("inf", "2"), "1e999", -1),
        (("1e30", "2"), "1e308", 0),
    ],
)
def test_unique_label_is_found_by_other_spelling(known, cell, code):
    number_format = NumberFormat(",") if "1,5" in known else NumberFormat()
    assert LabelKeys(known, (), number_format).encode([cell, None]) == [code, -1]


def test_label_is_robust_to_rounding_errors():
    assert format_number_label(0.1 + 0.2) == format_number_label(0.3)


def test_numeric_labels_precede_words():
    assert sort_labels(["b", "10", "9", "a", "-1", "b", "1_0"]) == (
        "-1",
        "9",
        "10",
        "1_0",
        "a",
        "b",
    )


def test_classes_are_integers_only_if_all_are_integral():
    assert to_whole_numbers(["-1", "0", "12"]) == [-1, 0, 12]
    assert to_whole_numbers(["1", "a"]) is None
    assert to_whole_numbers(["0.5", "1"]) is None
    assert to_whole_numbers(["1e+30"]) is None
    assert to_whole_numbers([]) is None
