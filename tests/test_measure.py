"""Units of numbers."""

import pytest

from studio.analysis.answers.rows import ExpectedOutcome
from studio.analysis.number_phrases import PLUS_MINUS, make_rounded_phrase
from studio.analysis.selected_rows_text import _format_outcome
from studio.data.distribution import Distribution
from studio.data.numbers import NumberFormat, format_json, parse_format
from studio.gui.pages.data.histogram import describe_bar
from studio.language import translate
from studio.measure import (
    PREFIX_MARK,
    Measure,
    append_unit,
    format_duration,
    format_exact_duration,
    format_loss,
    format_loss_increase,
    format_quantity,
    format_range_ends,
    format_time_left,
    strip_unit_mark,
)
from studio.numerals import NumeralFormat

POUNDS = NumberFormat(".", ",", (), ("£",), leading=True)
EUROS = NumberFormat(",", ".", (), ("€",))


@pytest.mark.parametrize(
    ("written", "text", "shown"),
    [
        (POUNDS, "360.52", "£360.52"),
        (POUNDS, "−32.7", "−£32.7"),
        (POUNDS, "±\N{NO-BREAK SPACE}32.7", "±\N{NO-BREAK SPACE}£32.7"),
        (EUROS, "+5", "+5\N{NO-BREAK SPACE}€"),
        (NumberFormat(units=("USD",), leading=True), "5", "USD\N{NO-BREAK SPACE}5"),
        (NumberFormat(units=("kg",)), "5", "5\N{NO-BREAK SPACE}kg"),
        (NumberFormat(), "5", "5"),
    ],
)
def test_unit_position_follows_table(written: NumberFormat, text: str, shown: str) -> None:
    stored_format = parse_format(format_json(written))  # as stored in documents
    assert append_unit(text, stored_format.unit) == shown
    assert strip_unit_mark(stored_format.unit) == "".join(stored_format.units)


def test_unit_position_in_sentence_follows_table() -> None:
    assert translate(make_rounded_phrase(32.68, PLUS_MINUS, POUNDS.unit)) == f"{PLUS_MINUS}£32.68"
    assert translate(make_rounded_phrase(32.68, unit=EUROS.unit)) == "32.68\N{NO-BREAK SPACE}€"


@pytest.mark.parametrize(
    ("value", "unit", "digits", "shown"),
    [
        (25.8, "£" + PREFIX_MARK, 3, "£25.80"),
        (360.52, "£" + PREFIX_MARK, 4, "£360.52"),
        (64.0, "£" + PREFIX_MARK, 4, "£64"),
        (10_000.4, "kr", 4, "10,000\N{NO-BREAK SPACE}kr"),
        (0.00341, "£" + PREFIX_MARK, 3, "£0.00341"),
        (1222.25, "CHF" + PREFIX_MARK, 6, "CHF\N{NO-BREAK SPACE}1,222.25"),
        (25.8, "kg", 3, "25.8\N{NO-BREAK SPACE}kg"),
        (25.83, "", 3, "25.8"),
    ],
)
def test_money_has_zero_or_two_decimals(value: float, unit: str, digits: int, shown: str) -> None:
    assert format_quantity(value, unit, digits) == shown


def test_amounts_are_formatted_consistently() -> None:
    unit, how = "£" + PREFIX_MARK, NumeralFormat.for_values([25.8])
    assert Measure("RMSE", unit).format_loss(25.8) == "£25.80"
    assert Measure("RMSE", unit).format_difference(-25.8) == "£25.80"
    assert format_loss(25.8, unit) == format_loss(25.8, unit, how) == "£25.80"
    assert format_loss_increase(25.8, unit) == "+£25.80"
    assert translate(make_rounded_phrase(25.8, unit=unit)) == "£25.80"
    assert format_range_ends(25.8, 1318.4, unit) == ("£26", "£1,318")
    outcome = ExpectedOutcome(3, 25.8, 20, 30, 0.9, 20, unit=unit)
    assert translate(_format_outcome(outcome, 25.8)) == "£25.80"
    assert describe_bar(Distribution((1, 4), edges=(0.5, 2.5), unit="kr"), 1).startswith("2\xa0kr:")


@pytest.mark.parametrize(
    ("seconds", "text", "exact"),
    [
        (0, "0 s", "0 s"),
        (0.0123, "12.3 ms", "0.01 s"),
        (3.456, "3.5 s", "3.46 s"),
        (40, "40 s", "40 s"),
        (59.7, "1 min", "59.7 s"),
        (83, "1 min 20 s", "1 min 23 s"),
        (600, "10 min", "10 min"),
        (3600, "1 h", "1 h"),
        (4811, "1 h 20 min", "1 h 20 min 11 s"),
    ],
)
def test_durations_are_formatted_with_units(seconds: float, text: str, exact: str) -> None:
    assert (format_duration(seconds), format_exact_duration(seconds)) == (text, exact)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (0.01, "1 s"),
        (0.703, "1 s"),
        (2.5, "2 s"),
        (3.6, "4 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (83.4, "1 min 20 s"),
    ],
)
def test_remaining_times_are_whole_seconds(seconds: float, text: str) -> None:
    assert format_time_left(seconds) == text


def test_metric_names_are_lower_case_in_sentences() -> None:
    titles = ("Error rate", "Brier score", "RMSE", "1 − AUC", "Score de Brier", "Log loss")
    names = [Measure.from_title(title, "").title for title in titles]
    assert names == ["error rate", "Brier score", "RMSE", "1 − AUC", "score de Brier", "log loss"]
