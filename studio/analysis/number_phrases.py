"""Errors and amounts of a result as translatable phrases, with their units."""

import math

from studio.measure import count_decimals, get_unit_affixes
from studio.numerals import NumeralFormat
from studio.phrases import Phrase, phrase

PLUS_MINUS = "±\N{NO-BREAK SPACE}"
"""Prefix of an approximate number."""


_N_DIGITS = 3
"""Significant digits of errors in sentences: even 1,000 rows do not determine a fourth."""


_MIN_WHOLE_HITS = 3
"""Minimum expected number of hits that is reported without decimals."""


def format_expected_hits(hits: float) -> str:
    """Return an expected number of hits, by a model or by chance, as a phrase."""
    return Phrase(f"{{number:,.{int(hits < _MIN_WHOLE_HITS)}f}}", {"number": hits})


def format_loss_phrase(value: float, unit: str) -> str:
    """Return a loss with three digits and its unit, as a phrase."""
    if unit == "%":
        return phrase("{percent:.1f} %", percent=100 * value)
    numeral_format = NumeralFormat.for_losses([value], _N_DIGITS)
    return make_rounded_phrase(
        value, unit="" if unit == "target" else unit, number_format=numeral_format
    )


def make_rounded_phrase(
    value: float, sign: str = "", unit: str = "", number_format: NumeralFormat | None = None
) -> str:
    """Format a number as a translatable phrase, by default with three significant digits."""
    prefix, suffix = get_unit_affixes(unit)

    def make_phrase(style: str, number: float) -> Phrase:
        values: dict[str, float | str] = {"number": number}
        if unit:
            values["unit"] = prefix or suffix
        first, unit_after = "{unit}" * bool(prefix), "{unit}" * bool(suffix)
        return Phrase(f"{sign}{first}{{number:{style}}}{unit_after}", values)

    if value == 0 or not math.isfinite(value):
        return make_phrase("g", value)
    # Use the same precision throughout, as different roundings look like different values.
    numeral_format = number_format or NumeralFormat.for_values([value], _N_DIGITS)
    if numeral_format.power:
        return make_phrase(".4g", value)
    return make_phrase(f",.{count_decimals(numeral_format.decimals, unit)}f", value)
