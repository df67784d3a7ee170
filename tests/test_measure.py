"""Units of numbers."""

import pytest

from studio.analysis.headline_words import WITHIN, rounded_phrase
from studio.data.numbers import NumberFormat, format_from, format_json
from studio.language import translate
from studio.measure import append_unit, bare_unit

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
def test_unit_is_where_table_has_it(written: NumberFormat, text: str, shown: str) -> None:
    kept = format_from(format_json(written))  # as a document stores it
    assert append_unit(text, kept.unit) == shown
    assert bare_unit(kept.unit) == "".join(kept.units)


def test_sentence_has_its_unit_where_table_has_it() -> None:
    assert translate(rounded_phrase(32.68, WITHIN, POUNDS.unit)) == f"{WITHIN}£32.7"
    assert translate(rounded_phrase(32.68, unit=EUROS.unit)) == "32.7\N{NO-BREAK SPACE}€"
