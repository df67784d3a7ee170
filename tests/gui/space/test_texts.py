"""Formatting and parsing of values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import SpaceError
from studio.gui.base import number_parsing
from studio.gui.pages.space import formatting
from studio.space.base import Condition
from studio.space.parameters import Categorical, Float, Integer

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text().filter(lambda text: '"' not in text)


@given(FLOATS)
def test_number_text_round_trips(number: float) -> None:
    assert formatting.parse_number(formatting.format_number(number)) == number


@pytest.mark.slow
@given(st.one_of(FLOATS, st.integers(-(10**15), 10**15), st.booleans(), WORDS))
def test_value_text_round_trips(value: float | bool | str) -> None:
    back = formatting.parse_value(formatting.format_value(value))
    assert back == value
    assert isinstance(back, str) == isinstance(value, str)
    assert isinstance(back, bool) == isinstance(value, bool)


@given(st.lists(st.one_of(st.integers(-99, 99), WORDS), max_size=5))
def test_choices_text_round_trips(choices: list[int | str]) -> None:
    text = formatting.format_values(Categorical("x", tuple(choices)))
    assert formatting.parse_values(text) == tuple(choices)


def test_numbers_are_formatted_readably() -> None:
    assert formatting.format_number(1e-5) == "1e-5"
    assert formatting.format_number(100000.0) == "100000"
    assert formatting.format_number(0.1) == "0.1"
    assert formatting.format_short_number(0.123456) == "0.123"
    assert formatting.format_short_number(1.5e-12) == "1.5e-12"


@pytest.mark.parametrize(
    "text",
    [
        "1 … 30", "1…30", "1 to 30", "1..30", "1...30", "1 – 30", "1 - 30", "1-30", "1;30",
        "from 1 to 30", "[1, 30]", "(1; 30)", " 1 TO 30 ", "1 : 30", "+1 - +30",
    ],
)  # fmt: skip
def test_range_is_parsed_in_many_notations(text: str) -> None:
    assert formatting.parse_range(Integer("n", 1, 2), text) == (1, 30)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("0.1 - 0.5", (0.1, 0.5)),
        ("0.1-0.5", (0.1, 0.5)),
        ("0,1 … 0,5", (0.1, 0.5)),
        ("0,1 - 0,5", (0.1, 0.5)),
        ("0,1, 0,5", (0.1, 0.5)),
        (".1 to .5", (0.1, 0.5)),
        ("1e-5 - 1e-2", (1e-5, 1e-2)),
        ("-1 - 1", (-1.0, 1.0)),
        ("-2 - -1", (-2.0, -1.0)),
        ("1,000 - 20,000", (1000.0, 20000.0)),
        ("1 000 … 20 000", (1000.0, 20000.0)),
        ("1,234.5 - 2,000.5", (1234.5, 2000.5)),
    ],
)
def test_range_ends_are_parsed_like_numbers(text: str, ends: tuple[float, float]) -> None:
    assert formatting.parse_range(Float("x", 0, 1), text) == ends


def test_commas_are_parsed_by_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        number_parsing, "localise_number", lambda digits: digits.translate({44: " ", 46: ","})
    )
    assert formatting.parse_range(Float("x", 0, 1), "0,1 … 1,500") == (0.1, 1.5)
    assert formatting.parse_range(Float("x", 0, 1), "0.1 to 0.5") == (0.1, 0.5)


@given(FLOATS, FLOATS)
def test_range_text_round_trips(low: float, high: float) -> None:
    parameter = Float("x", low, high)
    assert formatting.parse_range(parameter, formatting.format_values(parameter)) == (low, high)


@pytest.mark.parametrize("text", ["", "5", "1 … 2 … 3", "a … b", "1.5 … 2"])
def test_invalid_integer_range_is_rejected(text: str) -> None:
    with pytest.raises(SpaceError, match="Expected"):
        formatting.parse_range(Integer("n", 1, 2), text)


def test_decimal_comma_is_parsed() -> None:
    assert formatting.parse_bound(Float("x", 0, 1), "0,5") == 0.5


@pytest.mark.parametrize("text", ["", "abc", "nan", "inf", "1e999", "x" * 10_000])
def test_invalid_number_is_rejected_with_short_message(text: str) -> None:
    with pytest.raises(SpaceError) as rejected:
        formatting.parse_number(text)
    assert len(str(rejected.value)) < 160


def test_integers_can_be_written_with_exponent() -> None:
    assert formatting.parse_integer("1e3") == 1000
    with pytest.raises(SpaceError, match="whole number"):
        formatting.parse_integer("2.5")


def test_rules_are_readable() -> None:
    assert formatting.format_rule_condition(Condition("k", ("a", "b", "c"))) == "a, b or c"
    assert formatting.format_rule_condition(Condition("k", (True,))) == "yes"
    assert formatting.format_rule_condition(Condition("n", None, 2, 5)) == "2 … 5"
    assert formatting.format_rule_condition(Condition("n", None, 2)) == "at least 2"
    assert formatting.format_rule_condition(Condition("n", None, None, 5)) == "at most 5"
