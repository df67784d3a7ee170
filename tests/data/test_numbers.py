import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.data.numbers import MAX_MAGNITUDE, NumberFormat, clip_numbers, parse_numbers
from studio.errors import UsageError

GERMAN = NumberFormat(",", ".")
ENGLISH = NumberFormat(".", ",")
FRENCH = NumberFormat(",", " ")
SWISS = NumberFormat(".", "'")


@pytest.mark.parametrize(
    ("text", "number_format", "value"),
    [
        ("1.000,92", GERMAN, 1000.92),
        ("-1.234.567,5", GERMAN, -1234567.5),
        ("3,14", GERMAN, 3.14),
        ("1.000", GERMAN, 1000.0),
        ("3.14", GERMAN, 3.14),
        ("1,5e-3", GERMAN, 0.0015),
        ("1,234.5", ENGLISH, 1234.5),
        ("1 000,92", FRENCH, 1000.92),
        ("1\u202f000,92", FRENCH, 1000.92),
        ("1'000.5", SWISS, 1000.5),
        ("1’000.5", SWISS, 1000.5),
        (",5", GERMAN, 0.5),
        ("+7", NumberFormat(), 7.0),
        # In training no number was large enough for grouped digits.
        ("1.234,50 €", NumberFormat(",", units=("€",)), 1234.5),
        ("-1.234.567,5", NumberFormat(","), -1234567.5),
        ("$1,234.50", NumberFormat(units=("$",), leading=True), 1234.5),
        ("1.234", NumberFormat(","), 1.234),
    ],
)
def test_numbers_are_parsed_exactly(text, number_format, value):
    assert parse_numbers([text], number_format)[0] == value


@pytest.mark.parametrize("text", ["", "abc", "1_000", "0x10", "1,5", "1 2", "٣", "1,23,4", "True"])
def test_non_numeric_text_is_nan(text):
    assert np.isnan(parse_numbers([text], ENGLISH)[0])


def test_number_parser_agrees_with_pandas():
    rng = np.random.default_rng(5)
    texts = [repr(float(x)) for x in rng.normal(size=500) * 10.0 ** rng.integers(-30, 30, 500)]
    texts += [str(x) for x in rng.integers(2**53, 2**63 - 1, 200)]
    texts += ["inf", "-Infinity", "1e400", "5e-324", ".5", "5.", "1.e5"]
    theirs = pd.read_csv(io.StringIO("x\n" + "\n".join(texts)))["x"].to_numpy(dtype=float)
    assert parse_numbers(texts).tobytes() == theirs.tobytes()


def test_infinities_are_missing_and_huge_numbers_are_clipped():
    values = clip_numbers(np.array([np.inf, -np.inf, np.nan, 1e308, -1e308, 2.0]))
    np.testing.assert_array_equal(
        values, [np.nan, np.nan, np.nan, MAX_MAGNITUDE, -MAX_MAGNITUDE, 2.0]
    )


@pytest.mark.parametrize("marks", [(".", "."), (";", ""), (".", "x")])
def test_equal_number_marks_are_rejected(marks):
    with pytest.raises(UsageError):
        NumberFormat(*marks)


@given(
    st.floats(allow_nan=False, allow_infinity=False, width=64),
    st.sampled_from([GERMAN, ENGLISH, FRENCH, SWISS, NumberFormat(",", "")]),
)
def test_any_formatted_number_round_trips(value, number_format):
    text = f"{value:,.6f}"
    text = text.replace(",", "T").replace(".", "D")
    text = text.replace("T", number_format.thousands).replace("D", number_format.decimal)
    assert parse_numbers([text], number_format)[0] == pytest.approx(float(f"{value:.6f}"))
