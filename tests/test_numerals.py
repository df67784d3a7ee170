"""Formatting of numbers: significant digits, and common precision of related numbers."""

import math

import pytest

from studio.analysis.number_phrases import format_loss_phrase
from studio.language import format_share, format_shares
from studio.measure import Measure
from studio.numerals import NumeralFormat, format_decade, format_number, format_significant


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (26923.4, ".4g", "26,923"),
        (354738.8, ".3g", "354,739"),
        (2.9634, ".4g", "2.963"),
        (2.5, ".4g", "2.5"),
        (999.96, ".4g", "1,000"),
        (0.00012345, ".3g", "0.000123"),
        (5.03e-7, ".4g", "5.03×10⁻⁷"),
        (1e-7, ".3g", "10⁻⁷"),
        (1.2e12, ".3g", "1.2×10¹²"),
        (-34.41, "+.3g", "-34.4"),
        (2120.4, "+.3g", "+2,120"),
        (0.0, ".4g", "0"),
        (-0.0, ".4g", "0"),
        (100, "g", "100"),
        (math.nan, ".4g", "nan"),
        (-math.inf, ".4g", "-inf"),
    ],
)
def test_number_is_rounded_to_significant_digits(value: float, form: str, text: str) -> None:
    assert format_significant(value, form) == text


def test_jointly_displayed_numbers_share_precision_and_exponent() -> None:
    column = NumeralFormat.for_values([2120.0, -34.4, math.nan, 1.92], 3)
    assert [column.format(each, "+") for each in (2120.0, -34.4, 1.92)] == ["+2,120", "-34", "+2"]
    counts = NumeralFormat.for_values([2.0, 5.0, 0.0])
    assert [counts.format(each) for each in (2.0, 5.0, 0.0)] == ["2", "5", "0"]
    tiny = NumeralFormat.for_values([5.03e-7, 1.2e-8])
    assert [tiny.format(each) for each in (5.03e-7, 1.2e-8)] == ["5.03×10⁻⁷", "0.12×10⁻⁷"]


@pytest.mark.parametrize(
    ("values", "step", "texts"),
    [
        ((50_280.0, 50_320.0), 20.0, ("50,280", "50,320")),
        ((0.0, 2.5, 5.0), 2.5, ("0.0", "2.5", "5.0")),
        ((0.05, 0.075), 0.025, ("0.050", "0.075")),
        ((2.966, 2.968), 0.002, ("2.966", "2.968")),
        ((-2e-7, 0.0, 2e-7), 2e-7, ("-2×10⁻⁷", "0", "2×10⁻⁷")),
    ],
)
def test_adjacent_axis_labels_are_distinct(
    values: tuple[float, ...], step: float, texts: tuple[str, ...]
) -> None:
    axis = NumeralFormat.for_steps(max(map(abs, values)), step)
    assert tuple(map(axis.format, values)) == texts


def test_decades_of_axis_have_uniform_notation() -> None:
    assert [format_decade(power, -1, 3) for power in (-1, 0, 3)] == ["0.1", "1", "1,000"]
    assert [format_decade(power, -9, 3) for power in (-9, 0, 3)] == ["10⁻⁹", "10⁰", "10³"]


def test_invalid_numeral_format_is_rejected() -> None:
    with pytest.raises(ValueError, match="significant digits"):
        format_significant(1.0, ".2f")


def test_loss_precision_is_independent_of_worse_losses() -> None:
    for alone, worse, expected_text in (
        (0.344, [0.3902, 12.5], "0.3440"), (27047.0, [53884.2], "27,047"), (0.1, [], "0.1000"),
        (2e-5, [0.0117], "0.0000"), (0.0, [0.5], "0.0000"), (4e-5, [6e-5], "4.000×10⁻⁵"),
    ):  # fmt: skip
        own_format = NumeralFormat.for_losses([alone, *worse])
        assert own_format.format(alone) == expected_text
        if worse and alone > 0.001:
            assert NumeralFormat.for_losses([alone]).format(alone) == expected_text


def test_losses_in_sentences_have_three_digits() -> None:
    for loss, expected in (
        (5.1234, "5.12"),
        (0.54321, "0.543"),
        (65437.8, "65,438"),
        (0.1, "0.100"),
        (0.0123, "0.0123"),
        (0.0014, "0.0014"),
    ):
        assert Measure("RMSE", "").format_briefly(loss) == expected
        assert format_loss_phrase(loss, "target") == expected


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (26.25, ".1f", "26.3"),
        (100 * (1 - 177 / 240), ".1f", "26.3"),
        (26.249, ".1f", "26.2"),
        (26.2499999, ".1f", "26.2"),
        (-0.125, "+.2f", "-0.13"),
        (0.5, ".0f", "1"),
        (2.5, ",.0f", "3"),
        (1.005, ".2f", "1.01"),
        (123456789.1234, ",.4f", "123,456,789.1234"),
        (-math.inf, ".1f", "-inf"),
        (42.5, ".3g", "42.5"),
        (42.25, ".3g", "42.3"),
    ],
)
def test_ties_are_rounded_away_from_zero(value: float, form: str, text: str) -> None:
    assert format_number(value, form) == text


def test_share_format_is_independent_of_computation() -> None:
    wrong, right = 63 / 240, 177 / 240
    texts = {
        format_share(wrong),
        format_share(1 - right),
        format_share(sum([1 / 240] * 63)),
        Measure().format_briefly(wrong),
        str(format_loss_phrase(wrong, "%")).replace("\N{NO-BREAK SPACE}", " "),
    }
    assert {each.replace("\N{NO-BREAK SPACE}", " ") for each in texts} == {"26.3 %"}
    assert [each[:4] for each in format_shares([wrong, right])] == ["26.3", "73.7"]
