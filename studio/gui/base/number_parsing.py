"""Parsing of numbers in fields: one rule for all."""

import math
import re

from studio.language import localise_number

_GROUPED_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


def parse_localised_number(text: str) -> float:
    """Parse a number; commas and spaces are separators according to the language.

    "1,500" is 1500 in English and 1.5 in French; "1,5" is 1.5 in both, "1 500" is 1500.

    Raises:
        ValueError: If it is none, or not finite.
    """
    plain = re.sub(r"(?<=\d)\s(?=\d)", "", text.strip()).replace("−", "-")
    if _GROUPED_NUMBER.fullmatch(plain) and localise_number(",") == ",":
        plain = plain.replace(",", "")
    number = float(plain.replace(",", "."))
    if not math.isfinite(number):
        raise ValueError
    return number
